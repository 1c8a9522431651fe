//! Output of a table as JSON: one object per line.

use super::{Cell, Table};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

impl Serialize for Table {
    /// Serializes a sequence of maps from column names to values: numbers at full precision,
    /// durations in seconds, missing values as none.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.lines().iter().map(|cells| NamedCells { table: self, cells }))
    }
}

/// Cells of a line with the names of their columns.
struct NamedCells<'a> {
    table: &'a Table,
    cells: &'a [Cell],
}

impl Serialize for NamedCells<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.table.header().zip(self.cells))
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Count(count) => count.serialize(serializer),
            Cell::Number(number) => serializer.serialize_f64(*number),
            Cell::Span(span) => serializer.serialize_f64(span.as_secs_f64()),
            Cell::Formatted(text) => match text.parse().ok().filter(|number: &f64| number.is_finite()) {
                Some(number) => serializer.serialize_f64(number),
                None => serializer.serialize_str(text),
            },
            Cell::Missing => serializer.serialize_unit(),
        }
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
