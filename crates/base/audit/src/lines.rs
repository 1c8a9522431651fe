//! Line-by-line reading of a file of records.

use crate::{AuditError, Faults, Rule};
use std::io::{BufRead, Read as _};

/// Maximum length of a line in bytes: more than the placement of a job on all nodes of the largest
/// cluster.
const MAX_LINE_BYTES: u64 = 1 << 28;

/// Reader of one line at a time.
struct Lines<R> {
    input: R,
    text: Vec<u8>,
    /// Number of the last line read, from 1.
    number: u64,
}

impl<R: BufRead> Lines<R> {
    fn new(input: R) -> Lines<R> {
        Lines { input, text: Vec::new(), number: 0 }
    }
    /// Reads the next line without its line end; `None` at the end of the input.
    fn next(&mut self) -> Result<Option<&[u8]>, AuditError> {
        self.number += 1;
        self.text.clear();
        let line = self.number;
        let mut limited = self.input.by_ref().take(MAX_LINE_BYTES);
        let count =
            limited.read_until(b'\n', &mut self.text).map_err(|source| AuditError::Io { line, source })?;
        if count as u64 == MAX_LINE_BYTES {
            return Err(AuditError::LongLine { line, longest: MAX_LINE_BYTES });
        }
        if self.text.last() == Some(&b'\n') {
            self.text.pop();
        }
        Ok((count > 0).then_some(self.text.as_slice()))
    }
}

/// Follows a file of records: the first record creates an auditor, which then receives each further
/// record, or the error of a line that is not a record.
pub fn follow<A, R>(
    reader: impl BufRead,
    parse: impl Fn(&[u8]) -> serde_json::Result<R>,
    begin: impl FnOnce(R) -> Result<A, Faults>,
    mut each: impl FnMut(&mut A, Result<R, Rule>),
) -> Result<A, AuditError> {
    let mut lines = Lines::new(reader);
    let parse = |text: &[u8]| parse(text).map_err(|error| malformed(&error));
    let first = lines.next()?.filter(|text| !text.is_empty()).map_or_else(|| Err(Rule::no_run()), parse);
    let first = first.map_err(|rule| AuditError::NoEvents(Box::new(rule)))?;
    let mut auditor = begin(first).map_err(AuditError::from_first_record)?;
    while let Some(text) = lines.next()? {
        each(&mut auditor, parse(text));
    }
    Ok(auditor)
}

/// Formats a parser error without its line number, which is always 1, and with the column if there
/// is one.
fn malformed(error: &serde_json::Error) -> Rule {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    match error.column() {
        0 => format!("not a record: {message}"),
        column => format!("not a record: column {column}: {message}"),
    }
    .into()
}
