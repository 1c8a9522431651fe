//! Rows as lines of JSON.

use super::{columns, datum};
use crate::data::{DataFrame, Datum};
use serde::Serializer as _;
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
            let kind = (!frame.row_type.name.is_empty())
                .then(|| ("rows", Datum::Text(frame.row_type.name.to_owned())));
            let values =
                columns(frame).enumerate().map(|(place, (name, ..))| (name, datum(frame, row, place)));
            serde_json::Serializer::new(&mut out).collect_map(kind.into_iter().chain(values))?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()
}
