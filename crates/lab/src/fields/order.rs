//! Writing tables with their fields in the order in which they are declared.

use super::docs::FieldDoc;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use toml::{Table, Value};

/// A table whose fields are in the order of their documentation, followed by others.
pub(super) struct Ordered<'a> {
    pub(super) table: &'a Table,
    pub(super) fields: &'a [FieldDoc],
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.table.len()))?;
        for field in self.fields {
            if let Some(value) = self.table.get(&field.name) {
                let fields = field.nested.as_ref().map_or(&[][..], |nested| &nested.fields);
                map.serialize_entry(&field.name, &OrderedValue { value, fields })?;
            }
        }
        for (key, value) in self.table {
            if !self.fields.iter().any(|field| field.name == *key) {
                // Under names of the user's are tables of the same fields.
                map.serialize_entry(key, &OrderedValue { value, fields: self.fields })?;
            }
        }
        map.end()
    }
}

struct OrderedValue<'a> {
    value: &'a Value,
    fields: &'a [FieldDoc],
}

impl Serialize for OrderedValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.fields;
        match self.value {
            Value::Table(table) => Ordered { table, fields }.serialize(serializer),
            Value::Array(values) => {
                let mut sequence = serializer.serialize_seq(Some(values.len()))?;
                for value in values {
                    sequence.serialize_element(&OrderedValue { value, fields })?;
                }
                sequence.end()
            }
            single => single.serialize(serializer),
        }
    }
}
