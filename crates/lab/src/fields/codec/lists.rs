//! Several values, or none.

use super::super::at::{TableAt, ValueAt};
use super::super::docs::{Absent, TableDoc};
use super::super::reader::Reader;
use super::Codec;
use std::collections::BTreeMap;
use toml::Value;

/// See [`list`] and [`one_or_many`].
#[derive(Clone, Debug)]
pub struct List<C> {
    each: C,
    nonempty: bool,
    distinct: bool,
}

/// A list of values, which may be empty; one value is as good as a list of it.
pub fn list<C>(each: C) -> List<C> {
    List { each, nonempty: false, distinct: false }
}

/// One value or a list of at least one, each once: repetitions are dropped.
pub fn one_or_many<C>(each: C) -> List<C> {
    list(each).nonempty().distinct()
}

impl<C> List<C> {
    /// At least one value.
    #[must_use]
    pub fn nonempty(self) -> List<C> {
        List { nonempty: true, ..self }
    }
    /// Each value once: repetitions are dropped.
    #[must_use]
    pub fn distinct(self) -> List<C> {
        List { distinct: true, ..self }
    }
}

impl<T: PartialEq, C: Codec<T>> Codec<Vec<T>> for List<C> {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<Vec<T>> {
        let elements = match at.elements() {
            Some(elements) if elements.is_empty() && self.nonempty => {
                return reader.expected(at, &format!("at least one: {}", self.shape()));
            }
            Some(elements) => elements,
            None if self.each.accepts(at) => vec![at.clone()],
            None => return reader.expected(at, &self.shape()),
        };
        let values: Vec<Option<T>> = elements.iter().map(|each| self.each.read(each, reader)).collect();
        let mut kept = Vec::with_capacity(values.len());
        for value in values {
            let value = value?;
            if !self.distinct || !kept.contains(&value) {
                kept.push(value);
            }
        }
        Some(kept)
    }
    fn write(&self, values: &Vec<T>) -> Option<Value> {
        Some(Value::Array(values.iter().filter_map(|value| self.each.write(value)).collect()))
    }
    fn shape(&self) -> String {
        format!("{} or a list of them", self.each.shape())
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        at.elements().is_some() || self.each.accepts(at)
    }
    fn nested(&self) -> Option<TableDoc> {
        self.each.nested()
    }
}

/// See [`optional`].
#[derive(Clone, Debug)]
pub struct Optional<C>(C);

/// A value that may be absent.
pub fn optional<C>(codec: C) -> Optional<C> {
    Optional(codec)
}

impl<T, C: Codec<T>> Codec<Option<T>> for Optional<C> {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<Option<T>> {
        self.0.read(at, reader).map(Some)
    }
    fn write(&self, value: &Option<T>) -> Option<Value> {
        value.as_ref().and_then(|value| self.0.write(value))
    }
    fn shape(&self) -> String {
        self.0.shape()
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        self.0.accepts(at)
    }
    fn absent(&self, _: &str, _: &TableAt<'_>, _: &mut Reader<'_>) -> Option<Option<T>> {
        Some(None)
    }
    fn absence(&self) -> Absent {
        Absent::Unset
    }
    fn nested(&self) -> Option<TableDoc> {
        self.0.nested()
    }
}

/// See [`map`].
#[derive(Clone, Debug)]
pub struct Map<C>(C);

/// A table whose keys are names of the user's, such as `[instances.NAME]`; may be absent.
pub fn map<C>(value: C) -> Map<C> {
    Map(value)
}

impl<T, C: Codec<T>> Codec<BTreeMap<String, T>> for Map<C> {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<BTreeMap<String, T>> {
        let Some(table) = at.table() else { return reader.expected(at, &self.shape()) };
        let read = |(key, at): (&str, ValueAt<'_>)| {
            if key.is_empty() || key.contains(char::is_control) {
                reader.fault(&at, "expected a name as the key, without control characters");
            }
            Some((key.to_owned(), self.0.read(&at, reader)?))
        };
        let values: Vec<_> = table.entries().into_iter().map(read).collect();
        values.into_iter().collect()
    }
    fn write(&self, values: &BTreeMap<String, T>) -> Option<Value> {
        let written = values.iter().filter_map(|(key, value)| Some((key.clone(), self.0.write(value)?)));
        (!values.is_empty()).then(|| Value::Table(written.collect()))
    }
    fn shape(&self) -> String {
        format!("a table, each of its keys a name, each value {}", self.0.shape())
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        at.value().is_table()
    }
    fn absent(&self, _: &str, _: &TableAt<'_>, _: &mut Reader<'_>) -> Option<BTreeMap<String, T>> {
        Some(BTreeMap::new())
    }
    fn absence(&self) -> Absent {
        Absent::Unset
    }
    fn nested(&self) -> Option<TableDoc> {
        self.0.nested().map(|nested| TableDoc { heading: format!(".NAME{}", nested.heading), ..nested })
    }
}
