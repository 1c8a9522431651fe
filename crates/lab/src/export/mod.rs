//! Rows in formats that distinguish numbers from texts, for every study and type of rows.
//!
//! * [`json_lines`]: an object a row.
//! * `parquet`: a table with typed columns, if the crate is built with the feature `parquet`.

mod json;
#[cfg(feature = "parquet")]
mod parquet;

pub use json::json_lines;
#[cfg(feature = "parquet")]
pub use parquet::{Error as ParquetError, parquet};

use crate::column::{Column, Kind};
use crate::data::{DataFrame, Datum};

/// The columns of an exported table with their kinds and units: first what the frame knows of every row.
fn columns(frame: &DataFrame) -> impl Iterator<Item = (&'static str, Kind, &'static str)> {
    let own = frame.columns().iter().map(|&Column { name, kind, unit, .. }| (name, kind, unit));
    ["status", "message"].into_iter().map(|name| (name, Kind::Text, "")).chain(own)
}

/// The value of a row in one of these columns.
fn datum(frame: &DataFrame, row: usize, place: usize) -> Datum {
    match place {
        0 => Datum::Text(frame.status[row].name().to_owned()),
        1 if frame.message(row).is_empty() => Datum::Missing,
        1 => Datum::Text(frame.message(row).to_owned()),
        _ => frame.datum(row, place - 2),
    }
}
