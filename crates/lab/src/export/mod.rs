//! Typed export of rows, for every study and row type.
//!
//! * [`json_lines`]: one JSON object per row.
//! * `parquet`: a table with typed columns, if the crate is built with the feature `parquet`.

mod json;
#[cfg(feature = "parquet")]
mod parquet;

pub use json::json_lines;
#[cfg(feature = "parquet")]
pub use parquet::{Error as ParquetError, parquet};

use crate::column::{Column, Kind};
use crate::data::{DataFrame, Datum};

/// Returns names, kinds and units of the exported columns: status and message, then the columns of
/// the rows.
fn columns(frame: &DataFrame) -> impl Iterator<Item = (&'static str, Kind, &'static str)> {
    let own = frame.columns().iter().map(|&Column { name, kind, unit, .. }| (name, kind, unit));
    ["status", "message"].into_iter().map(|name| (name, Kind::Text, "")).chain(own)
}

/// Returns the value of a row in the exported column with this index.
fn datum(frame: &DataFrame, row: usize, place: usize) -> Datum {
    match place {
        0 => Datum::Text(frame.status[row].name().to_owned()),
        1 if frame.message(row).is_empty() => Datum::Missing,
        1 => Datum::Text(frame.message(row).to_owned()),
        _ => frame.datum(row, place - 2),
    }
}
