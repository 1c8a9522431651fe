//! Why a run ends early.

use dfrsim_workload::load::LoadError;
use dfrsim_workload::swf::SwfError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a run ended before its tables were written. What was there before is untouched, and what was finished is kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It was interrupted.
    #[error("interrupted after {done} of {total} {what}; run it again to go on from there")]
    Interrupted {
        /// How many simulations or instances are kept.
        done: usize,
        /// How many there are in all.
        total: usize,
        /// What is counted.
        what: &'static str,
    },
    /// Another run is writing to the folder.
    #[error("{}: another run is using this folder", folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// A file or folder could not be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A log is not as it should be.
    #[error(transparent)]
    Log(#[from] SwfError),
    /// No job of a log is left.
    #[error("workload `{workload}`: no jobs are left of the log")]
    NoJobs {
        /// The workload.
        workload: String,
    },
    /// A trace cannot be brought to its load.
    #[error("workload `{workload}`, {instance}: {error}")]
    Load {
        /// The workload.
        workload: String,
        /// The trace.
        instance: String,
        /// Why.
        error: LoadError,
    },
    /// The threads could not be started.
    #[error("threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl RunError {
    pub(crate) fn io(path: &Path, error: io::Error) -> RunError {
        RunError::Io { path: path.to_owned(), error }
    }
}
