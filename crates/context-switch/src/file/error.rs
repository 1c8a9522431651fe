//! Why a file is not accepted.

use serde::de::DeserializeOwned;
use std::fmt::Display;
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
    /// A field is not as it should be, or the file is not JSON there.
    #[error("{file}: {path}: {message}")]
    Field {
        /// The file.
        file: String,
        /// Where, as in `vjobs[3].vms[0].node`; `.` for the file as a whole.
        path: String,
        /// What is wrong.
        message: String,
    },
}

impl FileError {
    pub(super) fn field(file: &str, path: impl Display, message: impl Display) -> FileError {
        FileError::Field { file: file.to_owned(), path: path.to_string(), message: message.to_string() }
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
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| FileError::field(file, error.path(), error.inner()))?;
    json.end().map_err(|error| FileError::field(file, ".", error))?;
    Ok(value)
}
