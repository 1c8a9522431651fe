//! Errors that end a run early.

use crate::fields::Faults;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// Reason why a run ended before its results were written. Earlier results are untouched, and
/// finished runs are kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The run was interrupted.
    #[error("interrupted after {done} of {total} {what}; run it again to continue")]
    Interrupted {
        /// Number of finished runs.
        done: usize,
        /// Total number of runs.
        total: usize,
        /// Plural name of the runs in messages, such as `simulations`.
        what: &'static str,
    },
    /// Some runs of the shards to be merged are missing.
    #[error(
        "{missing} of {total} {what} are missing: run the shards that have not finished, then merge again"
    )]
    Missing {
        /// Number of missing runs.
        missing: usize,
        /// Total number of runs.
        total: usize,
        /// Plural name of the runs in messages, such as `simulations`.
        what: &'static str,
    },
    /// A results folder, or a file in it, cannot be used as it is.
    #[error("{}: {message}", path.display())]
    Unusable {
        /// The folder or file.
        path: PathBuf,
        /// The problem and its remedy.
        message: String,
    },
    /// The folder contains files that were not written by a run.
    #[error("{}: exists and was not written by a run; choose another folder for the results", path.display())]
    Foreign {
        /// One of these files.
        path: PathBuf,
    },
    /// A lock file or a journal is a symbolic link; writing through it would change another file.
    #[error("{}: is a symbolic link; remove it, or choose another folder", path.display())]
    Link {
        /// The symbolic link.
        path: PathBuf,
    },
    /// The scenario names external commands that are not allowed to run.
    #[error(
        "the scenario runs external commands with your permissions:{}\nreview them, then allow them with --allow-commands",
        lines(commands)
    )]
    Commands {
        /// The command lines.
        commands: Vec<String>,
    },
    /// The run needs more memory than the limit allows.
    #[error(
        "the run needs at least {:.1} GB of memory, but the limit is {:.1} GB: make the scenario smaller, raise the limit (--max-memory), or use a machine with more memory",
        *needed as f64 / 1e9, *limit as f64 / 1e9
    )]
    Memory {
        /// Estimated need in bytes.
        needed: u64,
        /// Limit in bytes.
        limit: u64,
    },
    /// A file or folder could not be read or written.
    #[error("{}: read or write failed: {}", path.display(), dfrsim_input::describe_io(error))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The scenario in a journal is invalid.
    #[error(transparent)]
    Scenario(#[from] Faults),
    /// An input cannot be used: a log that the scenario names, or a folder to be merged.
    #[error("{0}")]
    Input(String),
    /// The thread pool could not be started.
    #[error("cannot start the thread pool: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Maps the error that a file does not exist to `None`.
pub(crate) fn none_if_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

fn lines(texts: &[String]) -> String {
    texts.iter().map(|text| format!("\n  {text}")).collect()
}

impl RunError {
    /// Creates the error for a file or folder that could not be read or written.
    pub fn io(path: &Path, error: io::Error) -> RunError {
        RunError::Io { path: path.to_owned(), error }
    }
    /// Creates the error for a results folder, or a file in it, that cannot be used as it is.
    pub fn unusable(path: &Path, message: impl Display) -> RunError {
        RunError::Unusable { path: path.to_owned(), message: message.to_string() }
    }
    /// Creates the error for an input that cannot be used.
    pub fn input(message: impl Display) -> RunError {
        RunError::Input(message.to_string())
    }
}
