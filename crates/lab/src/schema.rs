//! Schemas of result files, for programs that read them: JSON Schema, draft 2020-12.
//!
//! [`rows`] describes the lines that [`json_lines`](crate::export::json_lines) writes, with
//! annotations by which a program can read any study's rows without knowing the study; [`manifest`]
//! describes `manifest.toml`. Both are derived from the definitions that write the files.

use crate::column::{Column, Kind, RowType};
use crate::record::Status;
use crate::study::AnyStudy;
use crate::sweep::Manifest;
use serde_json::{Map, Value, json};

/// Identifier of the JSON Schema draft.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Builds the schema of a study's rows as JSON lines: `oneOf` has each row type.
///
/// Columns have annotations in addition to their types: `x-role` (`type`, `status`, `message`,
/// `label`, `instance`, `variant`, `metric`, `primary` or `fact`, see [`Role`](crate::Role)),
/// `x-unit` where they have a unit, and `x-better` (`less` or `more`) where they are metrics.
/// `required` lists the columns in order.
pub fn rows(study: &AnyStudy) -> Value {
    json!({
        "$schema": DIALECT,
        "title": format!("Rows of the study {}", study.name),
        "description": study.title,
        "x-study": study.name,
        "x-semantics": study.semantics,
        "oneOf": study.row_types.iter().map(row_type).collect::<Vec<_>>(),
    })
}

/// Builds the schema of `manifest.toml`, read as TOML.
pub fn manifest() -> Value {
    schemars::schema_for!(Manifest).to_value()
}

fn row_type(row_type: &RowType) -> Value {
    let names: Vec<&str> = Status::ALL.iter().map(|status| status.name()).collect();
    let mut columns = vec![
        ("status", json!({ "enum": names, "description": "What became of the run.", "x-role": "status" })),
        (
            "message",
            json!({
                "type": ["string", "null"],
                "description": "Why there is no result, where the status does not say it all.",
                "x-role": "message",
            }),
        ),
    ];
    if !row_type.name.is_empty() {
        let own = json!({ "const": row_type.name, "description": "The type of the row.", "x-role": "type" });
        columns.insert(0, ("rows", own));
    }
    columns.extend(row_type.columns.iter().map(|column| (column.name, property(column))));
    let required: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    json!({
        "type": "object",
        "required": required,
        "additionalProperties": false,
        "properties": object(&mut columns.into_iter()),
        "if": { "properties": { "status": { "const": Status::Ok.name() } } },
        "then": { "properties": object(&mut of_success(row_type.columns)) },
        "else": { "properties": object(&mut of_failure(row_type.columns)) },
    })
}

fn object(properties: &mut dyn Iterator<Item = (&str, Value)>) -> Map<String, Value> {
    let mut object = Map::new();
    properties.for_each(|(name, value)| _ = object.insert(name.to_owned(), value));
    object
}

/// Builds the constraints that hold for a column in all rows.
fn property(column: &Column) -> Value {
    let mut property = json!({
        "type": [json_type(column.kind), "null"],
        "description": column.doc,
        "x-role": column.role.name(),
    });
    if column.kind == Kind::Integer {
        property["minimum"] = json!(0);
    }
    if !column.unit.is_empty() {
        property["x-unit"] = json!(column.unit);
    }
    if let Some(better) = column.better() {
        property["x-better"] = json!(better.name());
    }
    property
}

/// Builds the additional constraints on rows of successful runs: only optional values and empty
/// texts may be missing.
fn of_success(columns: &[Column]) -> impl Iterator<Item = (&str, Value)> {
    let present = columns.iter().filter(|column| !column.is_optional && column.kind != Kind::Text);
    let present = present.map(|column| (column.name, json!({ "type": json_type(column.kind) })));
    present.chain([("message", json!({ "type": "null" }))])
}

/// Builds the additional constraints on all other rows: metrics are missing.
fn of_failure(columns: &[Column]) -> impl Iterator<Item = (&str, Value)> {
    let metrics = columns.iter().filter(|column| column.is_metric());
    metrics.map(|column| (column.name, json!({ "type": "null" })))
}

const fn json_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "string",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::Boolean => "boolean",
    }
}
