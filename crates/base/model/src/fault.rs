//! What is wrong with an input file that is a tree of fields.

use std::fmt;

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, as in `jobs[3].needs[0]`; empty for the file as a whole.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl Fault {
    /// A fault at this place.
    #[must_use]
    pub fn new(path: impl Into<String>, message: impl fmt::Display) -> Fault {
        Fault { path: path.into(), message: message.to_string() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { path, message } = self;
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
    fn lines(&self) -> String {
        let lines: Vec<String> = self.faults.iter().map(|fault| format!("{}: {fault}", self.file)).collect();
        lines.join("\n")
    }
}
