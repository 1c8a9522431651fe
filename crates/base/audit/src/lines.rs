//! The lines of a file of records.

use crate::{AuditError, Faults, Rule};
use std::io::{BufRead, Read as _};

/// The longest line that is read, in bytes: more than the placement of a job on all nodes of the largest cluster.
const LONGEST: u64 = 1 << 28;

/// The lines of an input, one at a time.
struct Lines<R> {
    input: R,
    text: Vec<u8>,
    /// The line that was read last, from 1.
    number: u64,
}

impl<R: BufRead> Lines<R> {
    fn new(input: R) -> Lines<R> {
        Lines { input, text: Vec::new(), number: 0 }
    }
    /// The next line without its end; `None` after the last one.
    fn next(&mut self) -> Result<Option<&[u8]>, AuditError> {
        self.number += 1;
        self.text.clear();
        let line = self.number;
        let mut limited = self.input.by_ref().take(LONGEST);
        let count =
            limited.read_until(b'\n', &mut self.text).map_err(|source| AuditError::Io { line, source })?;
        if count as u64 == LONGEST {
            return Err(AuditError::LongLine { line, longest: LONGEST });
        }
        if self.text.last() == Some(&b'\n') {
            self.text.pop();
        }
        Ok((count > 0).then_some(self.text.as_slice()))
    }
}

/// Follows a file of records: the first one begins an auditor, which is called with each of the others, or with what is wrong with a line
/// that is none.
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
    let mut auditor = begin(first).map_err(AuditError::of_beginning)?;
    while let Some(text) = lines.next()? {
        each(&mut auditor, parse(text));
    }
    Ok(auditor)
}

/// The message of the parser without its line number, which is always 1, and with a column where it has one.
fn malformed(error: &serde_json::Error) -> Rule {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    match error.column() {
        0 => format!("not a record: {message}"),
        column => format!("not a record: column {column}: {message}"),
    }
    .into()
}
