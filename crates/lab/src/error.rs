//! Why a run ends early.

use crate::fields::InputErrors;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// Why a run ended before its results were written. What was there before is untouched, and what was finished is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// It was interrupted.
    #[error("interrupted after {done} of {total} {what}; run it again to go on from there")]
    Interrupted {
        /// How many runs are kept.
        done: usize,
        /// How many there are in all.
        total: usize,
        /// What is counted.
        what: &'static str,
    },
    /// Parts of different runs cannot be merged.
    #[error("{}: {what} differs: `{here}` here, `{there}` there; only parts of one run can be merged", journal.display())]
    Mixture {
        /// The journal that is of another run.
        journal: PathBuf,
        /// What differs.
        what: &'static str,
        /// What it is in this run.
        here: String,
        /// What it is in the other.
        there: String,
    },
    /// The header of a journal cannot be read.
    #[error(
        "{}: damaged ({fault}); run that part again, which replaces it, or remove this file and {}",
        path.display(),
        journal.display()
    )]
    Header {
        /// The file.
        path: PathBuf,
        /// The journal that it belongs to.
        journal: PathBuf,
        /// What is wrong, in one line.
        fault: String,
    },
    /// There is nothing to be merged.
    #[error("there is no unfinished run in {}", folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", "))]
    NothingToMerge {
        /// The folders that were searched.
        folders: Vec<PathBuf>,
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
        /// What is counted.
        what: &'static str,
    },
    /// Another run is writing to the folder.
    #[error("{}: another run is using this folder; wait until it ends, or choose another folder", folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds results of another study.
    #[error("{}: holds results of the study `{found}`, not `{expected}`; choose another folder, or remove this one", folder.display())]
    OtherStudy {
        /// The folder.
        folder: PathBuf,
        /// The study of the results.
        found: String,
        /// The study of the scenario.
        expected: &'static str,
    },
    /// A file or folder could not be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The scenario in a journal cannot be read.
    #[error(transparent)]
    Scenario(#[from] InputErrors),
    /// What the scenario names cannot be used: a log, a trace.
    #[error("{0}")]
    Input(String),
    /// The threads could not be started.
    #[error("threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl RunError {
    /// A file or folder that could not be read or written.
    #[must_use]
    pub fn io(path: &Path, error: io::Error) -> RunError {
        RunError::Io { path: path.to_owned(), error }
    }
    /// What a scenario names cannot be used.
    #[must_use]
    pub fn input(message: impl Display) -> RunError {
        RunError::Input(message.to_string())
    }
}
