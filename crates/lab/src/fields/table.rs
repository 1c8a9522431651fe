//! Tables of a scenario, each with its place.

use super::names::unknown;
use super::reader::Reader;
use dfrsim_input::{Input, Located, Object, Span};
use rustc_hash::FxHashSet;
use std::cell::RefCell;

/// A table and its place. It notes which of its fields were asked for, so that the others are known to be unknown.
#[derive(Debug)]
pub struct TableAt<'a> {
    /// `None` for a table that the file does not have.
    table: Option<Object<'a>>,
    span: Span,
    /// What goes before the names of its fields in messages.
    prefix: String,
    known: RefCell<Vec<String>>,
    /// Fields that are there by an old name.
    superseded: RefCell<Vec<String>>,
}

impl<'a> TableAt<'a> {
    /// The table that a value is, if it is one. [`finish`](TableAt::finish) it.
    pub fn of(at: &Located<'a>) -> Option<TableAt<'a>> {
        Some(TableAt { table: Some(at.object()?), ..TableAt::absent("", at.span().clone()) })
    }
    pub(super) fn root(input: &'a Input) -> TableAt<'a> {
        TableAt { table: input.root().object(), ..TableAt::absent("", None) }
    }
    /// A table that the file does not have, as if it were there and empty.
    pub(super) fn absent(prefix: &str, span: Span) -> TableAt<'a> {
        TableAt {
            table: None,
            span,
            prefix: prefix.to_owned(),
            known: RefCell::default(),
            superseded: RefCell::default(),
        }
    }
    /// The table of a field that is absent.
    pub(super) fn absent_field(&self, name: &str) -> TableAt<'a> {
        TableAt::absent(&format!("{}{name}.", self.prefix), self.span.clone())
    }

    /// Its place.
    pub fn span(&self) -> &Span {
        &self.span
    }
    /// A field, which from now on is known.
    pub fn get(&self, name: &str) -> Option<Located<'a>> {
        self.known.borrow_mut().push(name.to_owned());
        self.table.as_ref()?.get(name)
    }
    /// The place of a field, or that of the table if it does not have it.
    pub fn span_of(&self, name: &str) -> Span {
        self.span_below(name, "")
    }
    /// The place of a path in a field, or of what there is of it.
    pub(super) fn span_below(&self, name: &str, path: &str) -> Span {
        let value = self.table.as_ref().and_then(|table| table.get(name));
        value.map_or_else(|| self.span.clone(), |value| value.span_below(path).clone())
    }
    /// All fields of a table whose keys are names of the user's.
    pub fn entries(&self) -> Vec<(&'a str, Located<'a>)> {
        let entries: Vec<_> = self.table.iter().flat_map(Object::iter).collect();
        self.known.borrow_mut().extend(entries.iter().map(|(key, _)| (*key).to_owned()));
        entries
    }
    /// Refuses a field of old, with the name that it has now, if it has one.
    pub fn refused(&self, old: &str, now: Option<&str>, why: &str, reader: &mut Reader<'_>) {
        if let Some(at) = self.table.as_ref().and_then(|table| table.name_span(old)) {
            reader.fault_at(at, why);
            self.known.borrow_mut().push(old.to_owned());
            self.superseded.borrow_mut().extend(now.map(str::to_owned));
        }
    }
    /// Whether a field is there by an old name, which was refused.
    pub fn is_superseded(&self, name: &str) -> bool {
        self.superseded.borrow().iter().any(|new| new == name)
    }
    /// A field is missing, without which there is no value.
    pub fn missing<T>(&self, name: &str, reader: &mut Reader<'_>) -> Option<T> {
        if !self.is_superseded(name) {
            reader.fault_at(&self.span, format!("missing field `{}{name}`", self.prefix));
        }
        None
    }
    /// Reports all fields that were not read as unknown.
    pub fn finish(self, reader: &mut Reader<'_>) {
        let mut known = self.known.into_inner();
        let mut seen = FxHashSet::default();
        known.retain(|name| seen.insert(name.clone()));
        if let Some(table) = &self.table {
            let others = table.iter().filter(|(name, _)| known.iter().all(|known| known != name));
            for (name, at) in others {
                let message = unknown("field", name, known.iter().map(String::as_str));
                reader.fault_at(at.name_span(), message);
            }
        }
    }
}
