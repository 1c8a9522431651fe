//! Why a run ends early.

use crate::fields::Faults;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// Why a run ended before its results were written. What was there before is untouched, and what was finished is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// It was interrupted.
    #[error("interrupted after {done} of {total} {what}; run it again to continue")]
    Interrupted {
        /// How many runs are kept.
        done: usize,
        /// How many there are in all.
        total: usize,
        /// The counters.
        what: &'static str,
    },
    /// Not everything that was to be merged is there.
    #[error(
        "{missing} of {total} {what} are missing: run the shards that have not finished, then merge again"
    )]
    Missing {
        /// How many runs are not there.
        missing: usize,
        /// How many there are in all.
        total: usize,
        /// The counters.
        what: &'static str,
    },
    /// A folder of results, or a file in it, cannot be used as it is.
    #[error("{}: {message}", path.display())]
    Unusable {
        /// The folder or file.
        path: PathBuf,
        /// The fault, and the remedy.
        message: String,
    },
    /// The folder has files that no run left there.
    #[error("{}: exists and was not written by a run; choose another folder for the results", path.display())]
    Foreign {
        /// One of them.
        path: PathBuf,
    },
    /// A lock or a journal is a link to another file, which would be written.
    #[error("{}: is a symbolic link; remove it, or choose another folder", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// The scenario names commands that may not run.
    #[error(
        "the scenario runs commands, which may do all that you may:{}\nread them, and allow them with --allow-commands",
        lines(commands)
    )]
    Commands {
        /// The commands.
        commands: Vec<String>,
    },
    /// It needs more memory than it may have.
    #[error(
        "it needs at least {:.1} GB of memory, and {:.1} GB may be used: make the scenario smaller, or run it elsewhere or with a higher limit (--max-memory)",
        *needed as f64 / 1e9, *limit as f64 / 1e9
    )]
    Memory {
        /// The estimate in bytes.
        needed: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A file or folder could not be read or written.
    #[error("{}: cannot be read or written: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The message of the system.
        error: io::Error,
    },
    /// The scenario in a journal cannot be read.
    #[error(transparent)]
    Scenario(#[from] Faults),
    /// What is to be run cannot be used: a log that the scenario names, a folder to be merged.
    #[error("{0}")]
    Input(String),
    /// The threads could not be started.
    #[error("threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// The result; `None` in place of the error that there is no such file.
pub(crate) fn existing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

fn lines(texts: &[String]) -> String {
    texts.iter().map(|text| format!("\n  {text}")).collect()
}

impl RunError {
    /// A file or folder that could not be read or written.
    pub fn io(path: &Path, error: io::Error) -> RunError {
        RunError::Io { path: path.to_owned(), error }
    }
    /// A folder of results, or a file in it, that cannot be used as it is.
    pub fn unusable(path: &Path, message: impl Display) -> RunError {
        RunError::Unusable { path: path.to_owned(), message: message.to_string() }
    }
    /// What is to be run cannot be used.
    pub fn input(message: impl Display) -> RunError {
        RunError::Input(message.to_string())
    }
}
