//! Rows as lines of JSON.

use super::{columns, datum};
use crate::data::DataFrame;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::io::{self, Write};

/// Writes an object a row, each on a line of its own: status, message and the columns of the rows; whole numbers as such,
/// spans in seconds, what is missing as `null`. Rows of several types have their type as the field `rows`. The output should
/// be buffered.
///
/// # Errors
/// Those of the output.
pub fn json_lines(frames: &[DataFrame], mut out: impl Write) -> io::Result<()> {
    for frame in frames {
        for row in 0..frame.len() {
            serde_json::to_writer(&mut out, &Object { frame, row })?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()
}

/// A row as an object, its fields in the order of the columns.
struct Object<'a> {
    frame: &'a DataFrame,
    row: usize,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if !self.frame.row_type.name.is_empty() {
            map.serialize_entry("rows", self.frame.row_type.name)?;
        }
        for (place, (name, _, _)) in columns(self.frame).enumerate() {
            map.serialize_entry(name, &datum(self.frame, self.row, place))?;
        }
        map.end()
    }
}
