//! Rows as lines of JSON.

use crate::{Datum, Row};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::io::{self, Write};

/// Writes an object a row, each on a line of its own, with the columns of `rows.csv` as its fields: whole numbers as such,
/// spans in seconds, what is missing as `null`. The output should be buffered.
///
/// # Errors
/// Those of the output.
pub fn json_lines(rows: &[Row], mut out: impl Write) -> io::Result<()> {
    for row in rows {
        serde_json::to_writer(&mut out, &Object(row))?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// A row as an object, its fields in the order of the columns.
struct Object<'a>(&'a Row);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (column, datum) in Row::columns().zip(self.0.data()) {
            match datum {
                Datum::Text(text) => map.serialize_entry(column, &text)?,
                Datum::Integer(count) => map.serialize_entry(column, &count)?,
                Datum::Number(number) => map.serialize_entry(column, &number)?,
                Datum::Missing(_) => map.serialize_entry(column, &())?,
            }
        }
        map.end()
    }
}
