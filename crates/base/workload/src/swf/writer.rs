//! Writing logs.

use super::header::Header;
use super::record::Record;
use std::borrow::Borrow;
use std::io::{self, Write};

/// Writes a log. The output should be buffered.
///
/// # Errors
/// Those of the output.
pub fn write<R: Borrow<Record>>(
    mut out: impl Write,
    header: &Header,
    records: impl IntoIterator<Item = R>,
) -> io::Result<()> {
    write!(out, "{header}")?;
    for record in records {
        writeln!(out, "{}", record.borrow())?;
    }
    out.flush()
}
