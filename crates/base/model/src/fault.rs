//! The faults of an input file that is a tree of fields.

use crate::json_line::line_of;
use std::fmt;

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, as in `jobs[3].needs[0]`; empty for the file as a whole.
    pub path: String,
    /// The fault, and what was expected.
    pub message: String,
    /// The line, from 1, if it is known.
    pub line: Option<usize>,
}

impl Fault {
    /// A fault at this place.
    #[must_use]
    pub fn new(path: impl Into<String>, message: impl fmt::Display) -> Fault {
        Fault { path: path.into(), message: message.to_string(), line: None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { path, message, .. } = self;
        if path.is_empty() { f.write_str(message) } else { write!(f, "{path}: {message}") }
    }
}

/// Everything that is wrong with a file: a line each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.lines())]
pub struct FileFaults {
    /// The file, as messages call it.
    pub file: String,
    /// The faults in the order in which they were found; at least one.
    pub faults: Vec<Fault>,
}

impl FileFaults {
    /// The faults with their lines in a JSON text.
    #[must_use]
    pub fn located_in(mut self, json: &str) -> FileFaults {
        for fault in &mut self.faults {
            fault.line = Some(line_of(json, &fault.path));
        }
        self
    }

    fn lines(&self) -> String {
        let line = |fault: &Fault| match fault.line {
            Some(line) => format!("{}:{line}: {fault}", self.file),
            None => format!("{}: {fault}", self.file),
        };
        self.faults.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}
