//! What is wrong with files.

use std::fmt;
use std::path::Path;

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, as messages call it.
    pub file: String,
    /// The line, from 1, if it is known.
    pub line: Option<usize>,
    /// The column, from 1, of a text that is not in its format.
    pub column: Option<usize>,
    /// The field, as in `jobs[3].needs[0]`; empty for the file as a whole.
    pub path: String,
    /// The fault, and what was expected.
    pub message: String,
}

impl Fault {
    /// A fault of a file as a whole.
    pub fn of_file(file: impl Into<String>, message: impl fmt::Display) -> Fault {
        let message = message.to_string();
        Fault { file: file.into(), line: None, column: None, path: String::new(), message }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { file, line, column, path, message } = self;
        f.write_str(file)?;
        for number in line.iter().chain(column) {
            write!(f, ":{number}")?;
        }
        if !path.is_empty() {
            write!(f, ": {path}")?;
        }
        write!(f, ": {message}")
    }
}

/// Everything that is wrong with one or more files, in the order in which it was found; at least one fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

/// How many faults a message shows.
const SHOWN: usize = 20;

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, fault) in self.0.iter().take(SHOWN).enumerate() {
            write!(f, "{}{fault}", if number == 0 { "" } else { "\n" })?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Faults {}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Faults {
        Faults(vec![fault])
    }
}

/// Returns the text of a file.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn read_text(file: &Path) -> Result<String, Faults> {
    dfrsim_model::read_text(file).map_err(|error| {
        Fault::of_file(file.display().to_string(), format_args!("cannot be read: {error}")).into()
    })
}
