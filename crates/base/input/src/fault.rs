//! Errors in input files.

use std::fmt;
use std::path::Path;

/// An error in an input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Name of the file in messages.
    pub file: String,
    /// Line, from 1, if it is known.
    pub line: Option<usize>,
    /// Column, from 1: for TOML, and for a text that is not in its format.
    pub column: Option<usize>,
    /// Path of the field, such as `jobs[3].needs[0]`; empty if the error concerns the file as a
    /// whole.
    pub path: String,
    /// Description of the error and of the expected value.
    pub message: String,
    /// Quotation of the line, for TOML.
    pub quote: Option<Quote>,
}

/// A line of a file, part of which is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The whole line.
    pub line: String,
    /// Number of invalid characters; at least one.
    pub length: usize,
}

impl Fault {
    /// Creates an error that concerns a file as a whole.
    pub fn of_file(file: impl Into<String>, message: impl fmt::Display) -> Fault {
        let message = message.to_string();
        Fault { file: file.into(), line: None, column: None, path: String::new(), message, quote: None }
    }
}

impl fmt::Display for Fault {
    /// Formats the error with its file, line and path; for TOML also with the line itself and the
    /// invalid part underlined.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { file, line, column, path, message, quote } = self;
        f.write_str(file)?;
        for number in line.iter().chain(column) {
            write!(f, ":{number}")?;
        }
        if !path.is_empty() {
            write!(f, ": {path}")?;
        }
        write!(f, ": {message}")?;
        let (Some(Quote { line: text, length }), Some(line), Some(column)) = (quote, line, column) else {
            return Ok(());
        };
        let gutter = line.to_string().len();
        // Tabs are kept, so that the mark is below the invalid part.
        let indent = text.chars().take(column - 1).map(|c| if c == '\t' { c } else { ' ' });
        let indent: String = indent.collect();
        write!(f, "\n  {line} | {text}\n  {:gutter$} | {indent}{}", "", "^".repeat(*length))
    }
}

/// All errors in one or more files, in the order in which they were found; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

/// Maximum number of errors that a message shows.
const MAX_SHOWN: usize = 20;

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, fault) in self.0.iter().take(MAX_SHOWN).enumerate() {
            write!(f, "{}{fault}", if number == 0 { "" } else { "\n" })?;
        }
        match self.0.len().saturating_sub(MAX_SHOWN) {
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

/// Reads the text of a file.
///
/// # Errors
///
/// The file cannot be read, or is not UTF-8.
pub fn read_text(file: &Path) -> Result<String, Faults> {
    crate::read_text_file(file).map_err(|error| {
        Fault::of_file(
            file.display().to_string(),
            format_args!("cannot be read: {}", crate::describe_io(&error)),
        )
        .into()
    })
}
