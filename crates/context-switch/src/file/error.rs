//! Why a file is not accepted.

use serde::de::DeserializeOwned;
use std::fmt::{self, Display};
use std::io;
use std::path::Path;

/// Why a file is not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {source}")]
    Io {
        /// The file.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// The file is not JSON, or fields are not as they should be.
    #[error("{}", lines(file, faults))]
    Faults {
        /// The file.
        file: String,
        /// All that is wrong, in the order of the file; of a text that is not JSON the first thing.
        faults: Vec<Fault>,
    },
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, as in `vjobs[3].vms[0].node`; `.` for the file as a whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl Fault {
    pub(super) fn new(path: impl Display, message: impl Display) -> Fault {
        Fault { path: path.to_string(), message: message.to_string() }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

fn lines(file: &str, faults: &[Fault]) -> String {
    let lines: Vec<String> = faults.iter().map(|fault| format!("{file}: {fault}")).collect();
    lines.join("\n")
}

/// What was found wrong so far.
#[derive(Default)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub(super) fn add(&mut self, path: impl Display, message: impl Display) {
        self.0.push(Fault::new(path, message));
    }

    /// What is right; what is wrong is kept.
    pub(super) fn right<T>(&mut self, result: Result<T, Fault>) -> Option<T> {
        result.map_err(|fault| self.0.push(fault)).ok()
    }

    /// # Errors
    /// Something was wrong.
    pub(super) fn none_in(self, file: &str) -> Result<(), FileError> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(FileError::Faults { file: file.to_owned(), faults: self.0 })
    }
}

/// The text of a file.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn read(file: &Path) -> Result<String, FileError> {
    std::fs::read_to_string(file).map_err(|source| FileError::Io { file: file.display().to_string(), source })
}

/// What a text holds.
pub(super) fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, FileError> {
    let wrong = |fault| FileError::Faults { file: file.to_owned(), faults: vec![fault] };
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| wrong(Fault::new(error.path(), error.inner())))?;
    json.end().map_err(|error| wrong(Fault::new(".", error)))?;
    Ok(value)
}
