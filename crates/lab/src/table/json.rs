//! A table as JSON: an object for each line.

use super::{Cell, Table};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{Serialize, SerializeMap, SerializeSeq as _, Serializer};
use std::borrow::Cow;

impl Serialize for Table {
    /// A sequence of maps from the names of columns to values: numbers in full, spans in seconds, what is missing as none.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut lines = serializer.serialize_seq(Some(self.lines().len()))?;
        for cells in self.lines() {
            lines.serialize_element(&Line { table: self, cells })?;
        }
        lines.end()
    }
}

struct Line<'a> {
    table: &'a Table,
    cells: &'a [Cell],
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.cells.len()))?;
        for (name, cell) in self.table.header().zip(self.cells) {
            match cell {
                Cell::Text(text) => map.serialize_entry(name, text)?,
                Cell::Count(count) => map.serialize_entry(name, count)?,
                Cell::Number(number) => map.serialize_entry(name, number)?,
                Cell::Span(span) => map.serialize_entry(name, &span.as_secs_f64())?,
                Cell::Formatted(text) => match text.parse().ok().filter(|number: &f64| number.is_finite()) {
                    Some(number) => map.serialize_entry(name, &number)?,
                    None => map.serialize_entry(name, text)?,
                },
                Cell::Missing => map.serialize_entry(name, &())?,
            }
        }
        map.end()
    }
}

impl JsonSchema for Table {
    fn schema_name() -> Cow<'static, str> {
        "Table".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The lines of a table: an object each, with a value for each column.",
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": { "type": ["string", "number", "null"] },
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::SimSpan;

    #[test]
    fn lines_are_objects_with_typed_values() {
        let cells = vec![
            Cell::Text("EASY".to_owned()),
            Cell::Count(3),
            Cell::Number(0.1),
            Cell::Span(SimSpan::from_secs(10)),
            Cell::Formatted("+1.5".to_owned()),
            Cell::Formatted("1.5 [1, 2]".to_owned()),
            Cell::Missing,
        ];
        let table = Table::new(["policy", "n", "mean", "tau_s", "change", "interval", "load"], vec![cells]);
        assert_eq!(
            serde_json::to_string(&table).unwrap(),
            r#"[{"policy":"EASY","n":3,"mean":0.1,"tau_s":10.0,"change":1.5,"interval":"1.5 [1, 2]","load":null}]"#
        );
    }
}
