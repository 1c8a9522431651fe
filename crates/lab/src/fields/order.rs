//! Writing tables with their fields in the order in which they are declared.

use super::docs::FieldDoc;
use serde::ser::{Serialize, SerializeMap, Serializer};
use toml::Value;

/// A value: the fields of tables in it are in the order of their documentation, followed by others.
pub(super) struct Ordered<'a> {
    pub(super) value: &'a Value,
    pub(super) fields: &'a [FieldDoc],
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.fields;
        match self.value {
            Value::Table(table) => {
                let mut map = serializer.serialize_map(Some(table.len()))?;
                for field in fields {
                    if let Some(value) = table.get(&field.name) {
                        let fields = field.nested.as_ref().map_or(&[][..], |nested| &nested.fields);
                        map.serialize_entry(&field.name, &Ordered { value, fields })?;
                    }
                }
                for (key, value) in table.iter().filter(|(key, _)| fields.iter().all(|it| it.name != **key)) {
                    // Under names of the user's are tables of the same fields.
                    map.serialize_entry(key, &Ordered { value, fields })?;
                }
                map.end()
            }
            Value::Array(values) => {
                serializer.collect_seq(values.iter().map(|value| Ordered { value, fields }))
            }
            single => single.serialize(serializer),
        }
    }
}
