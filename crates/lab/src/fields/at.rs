//! Values and tables of a scenario, each with its place.

use super::fault::Span;
use super::names::unknown;
use super::reader::Reader;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and its place.
#[derive(Clone, Debug)]
pub struct ValueAt<'a> {
    value: &'a DeValue<'a>,
    range: Range<usize>,
}

/// A table and its place. It notes which of its fields were asked for, so that the others are known to be unknown.
#[derive(Debug)]
pub struct TableAt<'a> {
    /// `None` for a table that the file does not have.
    table: Option<&'a DeTable<'a>>,
    span: Span,
    /// What goes before the names of its fields in messages.
    prefix: String,
    known: RefCell<Vec<String>>,
    /// Fields that are there by an old name.
    superseded: RefCell<Vec<String>>,
}

impl<'a> ValueAt<'a> {
    fn new(spanned: &'a Spanned<DeValue<'a>>) -> ValueAt<'a> {
        ValueAt { value: spanned.get_ref(), range: spanned.span() }
    }
    /// The value itself.
    #[must_use]
    pub fn value(&self) -> &'a DeValue<'a> {
        self.value
    }
    /// Its place.
    #[must_use]
    pub fn span(&self) -> Span {
        self.range.clone().into()
    }
    /// A copy of the value with its place, for serde.
    pub(super) fn spanned(&self) -> Spanned<DeValue<'a>> {
        Spanned::new(self.range.clone(), self.value.clone())
    }
    /// What messages call the value: as it is written if that is short.
    #[must_use]
    pub fn found(&self) -> String {
        match self.value {
            DeValue::String(text) => format!("{:?}", text.as_ref()),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(time) => time.to_string(),
            DeValue::Array(array) if array.is_empty() => "an empty list".into(),
            DeValue::Array(_) => "a list".into(),
            DeValue::Table(_) => "a table".into(),
        }
    }
    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&'a str> {
        self.value.as_str()
    }
    /// The whole number, if it is one; `5.0` is one too.
    #[must_use]
    pub fn integer(&self) -> Option<i64> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self.value {
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => self.number().filter(|it| it.fract() == 0.0 && it.abs() <= EXACT).map(|it| it as i64),
        }
    }
    /// The finite number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        let number = match self.value {
            DeValue::Integer(_) => self.integer()? as f64,
            DeValue::Float(number) => number.as_str().parse().ok()?,
            _ => return None,
        };
        number.is_finite().then_some(number)
    }
    /// The elements, if it is a list.
    #[must_use]
    pub fn elements(&self) -> Option<Vec<ValueAt<'a>>> {
        Some(self.value.as_array()?.iter().map(ValueAt::new).collect())
    }
    /// The table, if it is one. [`TableAt::finish`] it.
    #[must_use]
    pub fn table(&self) -> Option<TableAt<'a>> {
        let table = self.value.as_table()?;
        Some(TableAt { table: Some(table), span: self.span(), ..TableAt::absent("", Span::FILE) })
    }
}

impl<'a> TableAt<'a> {
    pub(super) fn root(table: &'a DeTable<'a>) -> TableAt<'a> {
        TableAt { table: Some(table), ..TableAt::absent("", Span::FILE) }
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
    #[must_use]
    pub fn span(&self) -> &Span {
        &self.span
    }
    /// A field, which from now on is known.
    pub fn get(&self, name: &str) -> Option<ValueAt<'a>> {
        self.known.borrow_mut().push(name.to_owned());
        self.table?.get(name).map(ValueAt::new)
    }
    /// The place of a field, or that of the table if it does not have it.
    #[must_use]
    pub fn span_of(&self, name: &str) -> Span {
        let value = self.table.and_then(|table| table.get(name));
        value.map_or_else(|| self.span.clone(), |value| value.span().into())
    }
    /// All fields of a table whose keys are names of the user's.
    pub fn entries(&self) -> Vec<(&'a str, ValueAt<'a>)> {
        let entries = self.table.into_iter().flatten();
        let entries: Vec<_> =
            entries.map(|(key, value)| (key.get_ref().as_ref(), ValueAt::new(value))).collect();
        self.known.borrow_mut().extend(entries.iter().map(|(key, _)| (*key).to_owned()));
        entries
    }
    /// Refuses an old name of a field.
    pub fn renamed(&self, old: &str, new: &str, reader: &mut Reader<'_>) {
        if let Some((key, _)) = self.table.and_then(|table| table.get_key_value(old)) {
            reader.fault_at(&key.span().into(), format!("`{old}` is now called `{new}`"));
            self.known.borrow_mut().push(old.to_owned());
            self.superseded.borrow_mut().push(new.to_owned());
        }
    }
    /// Whether a field is there by an old name, which was refused.
    #[must_use]
    pub fn is_superseded(&self, name: &str) -> bool {
        self.superseded.borrow().iter().any(|new| new == name)
    }
    /// Refuses a field that is no longer needed.
    pub fn removed(&self, name: &str, why: &str, reader: &mut Reader<'_>) {
        if let Some((key, _)) = self.table.and_then(|table| table.get_key_value(name)) {
            reader.fault_at(&key.span().into(), format!("the field `{name}` was removed: {why}"));
            self.known.borrow_mut().push(name.to_owned());
        }
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
        let mut seen = BTreeSet::new();
        known.retain(|name| seen.insert(name.clone()));
        for (key, _) in self.table.into_iter().flatten() {
            let name = key.get_ref().as_ref();
            if !known.iter().any(|known| known == name) {
                let message = unknown("field", name, known.iter().map(String::as_str));
                reader.fault_at(&key.span().into(), message);
            }
        }
    }
}
