//! Errors in the configuration files of a site.

use std::fmt;

/// An error in a configuration file of Slurm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", place(file, *line, parameter))]
pub struct ConfError {
    /// Name of the file; empty if the text is not from a file.
    pub file: String,
    /// Line, from 1; 0 if the error concerns the whole file.
    pub line: usize,
    /// Name of the parameter or column.
    pub parameter: String,
    /// Expected and actual value, or another reason.
    pub reason: String,
}

fn place(file: &str, line: usize, parameter: &str) -> String {
    let line = if line > 0 { format!("line {line}") } else { String::new() };
    let parts = [file, &line, parameter].into_iter().filter(|part| !part.is_empty());
    parts.map(|part| format!("{part}: ")).collect()
}

/// All errors in the configuration files of a site, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfErrors(Vec<ConfError>);

impl ConfErrors {
    /// Returns the value if there are no errors.
    pub(super) fn or<T>(errors: Vec<ConfError>, value: T) -> Result<T, ConfErrors> {
        if errors.is_empty() { Ok(value) } else { Err(ConfErrors(errors)) }
    }

    /// Iterates over the errors.
    pub fn iter(&self) -> impl Iterator<Item = &ConfError> {
        self.0.iter()
    }
}

impl From<ConfError> for ConfErrors {
    fn from(error: ConfError) -> ConfErrors {
        ConfErrors(vec![error])
    }
}

impl FromIterator<ConfError> for ConfErrors {
    fn from_iter<I: IntoIterator<Item = ConfError>>(errors: I) -> ConfErrors {
        ConfErrors(errors.into_iter().collect())
    }
}

impl IntoIterator for ConfErrors {
    type Item = ConfError;
    type IntoIter = std::vec::IntoIter<ConfError>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for ConfErrors {
    /// Writes one line per error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ConfError::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for ConfErrors {}
