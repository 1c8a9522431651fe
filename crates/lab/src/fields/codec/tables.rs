//! Nested tables.

use super::super::at::{TableAt, ValueAt};
use super::super::declare::Fields;
use super::super::docs::{Absent, FieldDoc, TableDoc};
use super::super::names::bare;
use super::super::reader::Reader;
use super::Codec;
use std::collections::BTreeSet;
use toml::Value;

fn read_table<F: Fields>(table: TableAt<'_>, reader: &mut Reader<'_>) -> Option<F> {
    let value = F::read(&table, reader);
    table.finish(reader);
    value
}

fn docs_of<F: Fields>() -> TableDoc {
    TableDoc { heading: String::new(), repeated: false, doc: F::doc(), fields: F::docs() }
}

/// See [`table()`].
#[derive(Clone, Copy, Debug)]
pub struct OneTable;

/// A nested table; its absence is as good as an empty one.
#[must_use]
pub fn table() -> OneTable {
    OneTable
}

impl<F: Fields> Codec<F> for OneTable {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<F> {
        match at.table() {
            Some(table) => read_table(table, reader),
            None => reader.expected(at, "a table"),
        }
    }
    fn write(&self, value: &F) -> Option<Value> {
        Some(Value::Table(value.write()))
    }
    fn shape(&self) -> String {
        "a table".into()
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        at.value().is_table()
    }
    fn absent(&self, name: &str, table: &TableAt<'_>, reader: &mut Reader<'_>) -> Option<F> {
        read_table(table.absent_field(name), reader)
    }
    fn absence(&self) -> Absent {
        Absent::Defaults
    }
    fn nested(&self) -> Option<TableDoc> {
        Some(docs_of::<F>())
    }
}

/// See [`flattened`].
#[derive(Clone, Copy, Debug)]
pub struct Flattened;

/// Fields of another type in the same table: what several tables have in common, or an enumeration of which one key
/// says which variant it is.
#[must_use]
pub fn flattened() -> Flattened {
    Flattened
}

impl<F: Fields> Codec<F> for Flattened {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<F> {
        OneTable.read(at, reader)
    }
    fn write(&self, value: &F) -> Option<Value> {
        OneTable.write(value)
    }
    fn shape(&self) -> String {
        Codec::<F>::shape(&OneTable)
    }
    fn read_field(
        &self,
        _: &str,
        _: Option<fn() -> F>,
        table: &TableAt<'_>,
        reader: &mut Reader<'_>,
    ) -> Option<F> {
        F::read(table, reader)
    }
    fn write_field(&self, _: &str, value: &F, table: &mut toml::Table) {
        table.extend(value.write());
    }
    fn document(&self, _: &str, _: &str, _: Option<fn() -> F>) -> Vec<FieldDoc> {
        F::docs()
    }
}

/// See [`tables`].
#[derive(Clone, Debug)]
pub struct Tables<F> {
    nonempty: bool,
    distinct: Option<Distinct<F>>,
}

#[derive(Clone, Debug)]
struct Distinct<F> {
    key: &'static str,
    what: String,
    name: fn(&F) -> &str,
}

/// A list of tables, `[[sites]]`; absent if there are none.
#[must_use]
pub fn tables<F>() -> Tables<F> {
    Tables { nonempty: false, distinct: None }
}

impl<F> Tables<F> {
    /// At least one.
    #[must_use]
    pub fn nonempty(self) -> Tables<F> {
        Tables { nonempty: true, ..self }
    }
    /// No two of the same name, which is the field `key` of each: `distinct("name", "a site", |site| &site.name)`.
    #[must_use]
    pub fn distinct(self, key: &'static str, what: impl Into<String>, name: fn(&F) -> &str) -> Tables<F> {
        Tables { distinct: Some(Distinct { key, what: what.into(), name }), ..self }
    }
}

impl<F: Fields> Codec<Vec<F>> for Tables<F> {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<Vec<F>> {
        let elements = match at.elements() {
            Some(elements) if !elements.is_empty() || !self.nonempty => elements,
            Some(_) => return reader.expected(at, "at least one table"),
            None => return reader.expected(at, &self.shape()),
        };
        let mut names = BTreeSet::new();
        let mut read = |at: &ValueAt<'_>| {
            let value: F = OneTable.read(at, reader)?;
            if let Some(Distinct { key, what, name }) = &self.distinct
                && !names.insert(name(&value).to_owned())
            {
                let span = at.table().map_or_else(|| at.span(), |table| table.span_of(key));
                reader.fault_at(&span, format!("there is another {} `{}`", bare(what), name(&value)));
            }
            Some(value)
        };
        let values: Vec<Option<F>> = elements.iter().map(&mut read).collect();
        values.into_iter().collect()
    }
    fn write(&self, values: &Vec<F>) -> Option<Value> {
        let tables = values.iter().map(|value| Value::Table(value.write()));
        (!values.is_empty()).then(|| Value::Array(tables.collect()))
    }
    fn shape(&self) -> String {
        "a list of tables".into()
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        at.elements().is_some()
    }
    fn absent(&self, name: &str, table: &TableAt<'_>, reader: &mut Reader<'_>) -> Option<Vec<F>> {
        if self.nonempty {
            if !table.is_superseded(name) {
                reader.fault_at(table.span(), format!("there must be at least one `{name}` table"));
            }
            return None;
        }
        Some(Vec::new())
    }
    fn absence(&self) -> Absent {
        if self.nonempty { Absent::Refused } else { Absent::Unset }
    }
    fn nested(&self) -> Option<TableDoc> {
        Some(TableDoc { repeated: true, ..docs_of::<F>() })
    }
}
