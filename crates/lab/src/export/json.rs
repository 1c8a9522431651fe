//! Output of rows as JSON lines.

use super::{columns, datum};
use crate::data::{DataFrame, Datum};
use serde::Serializer as _;
use std::io::{self, Write};

/// Writes one JSON object per row, each on its own line: status, message and the columns of the row.
/// Integers are written as such, durations in seconds, missing values as `null`. If there are
/// several row types, the field `rows` names the type. The output should be buffered.
///
/// # Errors
/// Returns the errors of the output.
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
