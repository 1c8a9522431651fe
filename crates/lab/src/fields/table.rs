//! Tables of a scenario with their positions.

use super::names::unknown;
use super::reader::Reader;
use dfrsim_input::{Input, Located, Object, Span};
use rustc_hash::FxHashSet;
use std::cell::RefCell;

/// A table with its position in the file. It records the fields that were read, so that all others
/// can be reported as unknown.
#[derive(Debug)]
pub struct TableAt<'a> {
    /// `None` for a table that is absent from the file.
    table: Option<Object<'a>>,
    span: Span,
    /// Text before the names of the fields in messages.
    prefix: String,
    known: RefCell<Vec<String>>,
    /// New names of the fields that are present under an old name.
    superseded: RefCell<Vec<String>>,
}

impl<'a> TableAt<'a> {
    /// Returns the value as a table, or `None` if it is not a table. The caller must
    /// [`finish`](TableAt::finish) it.
    pub fn of(at: &Located<'a>) -> Option<TableAt<'a>> {
        Some(TableAt { table: Some(at.object()?), ..TableAt::absent("", at.span().clone()) })
    }
    pub(super) fn root(input: &'a Input) -> TableAt<'a> {
        TableAt { table: input.root().object(), ..TableAt::absent("", None) }
    }
    /// Creates an absent table, which reads like an empty one.
    pub(super) fn absent(prefix: &str, span: Span) -> TableAt<'a> {
        TableAt {
            table: None,
            span,
            prefix: prefix.to_owned(),
            known: RefCell::default(),
            superseded: RefCell::default(),
        }
    }
    /// Creates the table of an absent field.
    pub(super) fn absent_field(&self, name: &str) -> TableAt<'a> {
        TableAt::absent(&format!("{}{name}.", self.prefix), self.span.clone())
    }

    /// Returns the position in the file.
    pub fn span(&self) -> &Span {
        &self.span
    }
    /// Returns a field and marks it as known.
    pub fn get(&self, name: &str) -> Option<Located<'a>> {
        self.known.borrow_mut().push(name.to_owned());
        self.table.as_ref()?.get(name)
    }
    /// Returns the position of a field, or of the table if the field is absent.
    pub fn span_of(&self, name: &str) -> Span {
        self.span_below(name, "")
    }
    /// Returns the position of a path in a field, or of the longest prefix of it that exists.
    pub(super) fn span_below(&self, name: &str, path: &str) -> Span {
        let value = self.table.as_ref().and_then(|table| table.get(name));
        value.map_or_else(|| self.span.clone(), |value| value.span_below(path).clone())
    }
    /// Returns all fields of a table whose keys the user chooses.
    pub fn entries(&self) -> Vec<(&'a str, Located<'a>)> {
        let entries: Vec<_> = self.table.iter().flat_map(Object::iter).collect();
        self.known.borrow_mut().extend(entries.iter().map(|(key, _)| (*key).to_owned()));
        entries
    }
    /// Refuses a renamed or removed field; `now` is its new name, if there is one.
    pub fn refused(&self, old: &str, now: Option<&str>, why: &str, reader: &mut Reader<'_>) {
        if let Some(at) = self.table.as_ref().and_then(|table| table.name_span(old)) {
            reader.fault_at(at, why);
            self.known.borrow_mut().push(old.to_owned());
            self.superseded.borrow_mut().extend(now.map(str::to_owned));
        }
    }
    /// Returns whether the field is present under an old name, which was refused.
    pub fn is_superseded(&self, name: &str) -> bool {
        self.superseded.borrow().iter().any(|new| new == name)
    }
    /// Reports that a required field is missing.
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
