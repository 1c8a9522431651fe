//! The lines of a file of records.

use crate::{AuditError, Rule};
use std::io::BufRead;

/// The lines of an input, one at a time.
pub(crate) struct Lines<R> {
    input: R,
    text: Vec<u8>,
    /// The line that was read last, from 1.
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Lines<R> {
        Lines { input, text: Vec::new(), number: 0 }
    }
    /// The next line without its end; nothing behind the last one.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, AuditError> {
        self.number += 1;
        self.text.clear();
        let line = self.number;
        let count =
            self.input.read_until(b'\n', &mut self.text).map_err(|source| AuditError::Io { line, source })?;
        if self.text.last() == Some(&b'\n') {
            self.text.pop();
        }
        Ok((count > 0).then_some(self.text.as_slice()))
    }
}

/// The message of the parser without its line number, which is always 1, and with a column where it has one.
pub(crate) fn malformed(error: &serde_json::Error) -> Rule {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    Rule::Malformed(match error.column() {
        0 => message.to_owned(),
        column => format!("column {column}: {message}"),
    })
}
