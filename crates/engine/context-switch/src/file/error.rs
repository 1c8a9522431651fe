//! Why a file is not accepted.

use dfrsim_model::{Fault, FileFaults};
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
    /// Fields are not as they should be: all of them; or the file is not JSON: the first place.
    #[error(transparent)]
    Faults(#[from] FileFaults),
}

/// The faults found so far.
#[derive(Default)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub(super) fn add(&mut self, path: impl Into<String>, message: impl Display) {
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
        Err(FileFaults { file: file.to_owned(), faults: self.0 }.into())
    }
}

/// The error of a file with one fault.
pub(super) fn alone(file: &str, path: impl Into<String>, message: impl Display) -> FileError {
    FileFaults { file: file.to_owned(), faults: vec![Fault::new(path, message)] }.into()
}

/// The text of a file.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn read(file: &Path) -> Result<String, FileError> {
    dfrsim_model::read_text(file).map_err(|source| FileError::Io { file: file.display().to_string(), source })
}

/// What a text holds.
pub(super) fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, FileError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        alone(file, if path == "." { "" } else { &path }, described(error.inner()))
    })?;
    json.end().map_err(|error| alone(file, "", described(&error)))?;
    Ok(value)
}

/// Whether the text is not JSON, or a value is not the expected one.
fn described(error: &serde_json::Error) -> String {
    if error.is_data() { error.to_string() } else { format!("invalid JSON: {error}") }
}
