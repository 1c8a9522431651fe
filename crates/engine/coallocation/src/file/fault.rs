//! The faults of files.

use crate::GridError;
use std::fmt;

/// One thing that is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {}{problem}", line.map(|line| format!(":{line}")).unwrap_or_default(), Prefix(field.as_deref()))]
pub struct FileError {
    /// The file.
    pub file: String,
    /// The line, from 1, where it is known.
    pub line: Option<u64>,
    /// The column or the key, where it is one of them.
    pub field: Option<String>,
    /// The fault.
    pub problem: Box<Problem>,
}

/// All that is wrong with a file; at least one thing.
#[derive(Debug, thiserror::Error)]
pub struct FileErrors(pub Vec<FileError>);

/// How many faults a message shows.
const SHOWN: usize = 20;

impl fmt::Display for FileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, fault) in self.0.iter().take(SHOWN).enumerate() {
            write!(f, "{}{fault}", if place == 0 { "" } else { "\n" })?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

/// A field in front of what is wrong with it.
struct Prefix<'a>(Option<&'a str>);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |field| write!(f, "{field}: "))
    }
}

/// The faults of a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It is not CSV.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// It is not TOML, or has other fields.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    /// Its columns are others.
    #[error("expected the columns {expected}")]
    Columns {
        /// The expected value.
        expected: String,
    },
    /// A text is not an amount.
    #[error("`{0}` is not an amount from 0 to a hundred million")]
    Amount(String),
    /// A text is not a time.
    #[error(transparent)]
    Time(#[from] dfrsim_model::ParseTimeError),
    /// A number is not a time.
    #[error("{0:?} is not a number of seconds from 0 to 500 years")]
    Seconds(f64),
    /// A name is used twice.
    #[error("duplicate name `{0}`")]
    Twice(String),
    /// There is no resource or property of this name.
    #[error("unknown {what} `{name}`")]
    Unknown {
        /// The expected value.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// More of a node is reserved than it has.
    #[error("{reserved} of node `{node}` are reserved at the same time, but it has {capacity}")]
    OverReserved {
        /// The name of the node.
        node: String,
        /// The most that is reserved, as a decimal.
        reserved: String,
        /// What it has, as a decimal.
        capacity: String,
    },
    /// What it says cannot be meant.
    #[error(transparent)]
    Grid(#[from] GridError),
}

/// Collects what is wrong with a file.
pub(super) struct Faults<'a> {
    file: &'a str,
    all: Vec<FileError>,
}

impl<'a> Faults<'a> {
    pub(super) fn of(file: &'a str) -> Faults<'a> {
        Faults { file, all: Vec::new() }
    }

    pub(super) fn push(&mut self, line: Option<u64>, field: Option<&str>, problem: Problem) {
        let (file, field) = (self.file.to_owned(), field.map(str::to_owned));
        self.all.push(FileError { file, line, field, problem: Box::new(problem) });
    }

    /// The value of a field, or `None` and a fault.
    pub(super) fn keep<T>(
        &mut self,
        line: Option<u64>,
        field: &str,
        value: Result<T, impl Into<Problem>>,
    ) -> Option<T> {
        value.map_err(|problem| self.push(line, Some(field), problem.into())).ok()
    }

    /// What was read, if there is no fault.
    pub(super) fn none<T>(self, read: T) -> Result<T, FileErrors> {
        if self.all.is_empty() { Ok(read) } else { Err(FileErrors(self.all)) }
    }

    /// Ends with a problem of the whole file.
    pub(super) fn end<T>(mut self, line: Option<u64>, problem: Problem) -> Result<T, FileErrors> {
        self.push(line, None, problem);
        Err(FileErrors(self.all))
    }
}
