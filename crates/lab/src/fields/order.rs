//! Output of tables with their fields in the order of declaration.

use super::docs::FieldDoc;
use serde::{Serialize, Serializer};
use toml::Value;

/// A value to be written. Fields of its tables follow the order of their documentation; other keys
/// come last.
pub(super) struct Ordered<'a> {
    pub(super) value: &'a Value,
    pub(super) fields: &'a [FieldDoc],
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.fields;
        match self.value {
            Value::Table(table) => {
                let declared = fields.iter().filter_map(|field| {
                    let fields = field.nested.as_ref().map_or(&[][..], |nested| &nested.fields);
                    Some((&field.name, Ordered { value: table.get(&field.name)?, fields }))
                });
                // Keys chosen by the user hold tables of the same fields.
                let others = table.iter().filter(|(key, _)| fields.iter().all(|it| it.name != **key));
                serializer
                    .collect_map(declared.chain(others.map(|(key, value)| (key, Ordered { value, fields }))))
            }
            Value::Array(values) => {
                serializer.collect_seq(values.iter().map(|value| Ordered { value, fields }))
            }
            single => single.serialize(serializer),
        }
    }
}
