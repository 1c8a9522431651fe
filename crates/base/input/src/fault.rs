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
    /// The column, from 1: of TOML, and of a text that is not in its format.
    pub column: Option<usize>,
    /// The field, as in `jobs[3].needs[0]`; empty for the file as a whole.
    pub path: String,
    /// The fault, and what was expected.
    pub message: String,
    /// The line itself, of TOML.
    pub quote: Option<Quote>,
}

/// A line of a file, some of whose characters are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The whole line.
    pub line: String,
    /// How many characters are meant; at least one.
    pub length: usize,
}

impl Fault {
    /// A fault of a file as a whole.
    pub fn of_file(file: impl Into<String>, message: impl fmt::Display) -> Fault {
        let message = message.to_string();
        Fault { file: file.into(), line: None, column: None, path: String::new(), message, quote: None }
    }
}

impl fmt::Display for Fault {
    /// The fault with its file, line and path; of TOML with the line itself, and what is meant underlined.
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
        // Tabs stay tabs, so that the mark is below what it means.
        let indent = text.chars().take(column - 1).map(|c| if c == '\t' { c } else { ' ' });
        let indent: String = indent.collect();
        write!(f, "\n  {line} | {text}\n  {:gutter$} | {indent}{}", "", "^".repeat(*length))
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
    crate::read_text_file(file).map_err(|error| {
        Fault::of_file(file.display().to_string(), format_args!("cannot be read: {error}")).into()
    })
}
