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
    /// Parts of different runs cannot be merged.
    #[error("{}: {what} is not the same: `{here}` here, `{there}` there; only parts of one run can be merged", journal.display())]
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
    /// The beginning of a journal cannot be read.
    #[error(
        "{}: damaged ({fault}); run that part again, which writes it anew, or remove this file and {}",
        path.display(),
        journal.display()
    )]
    Header {
        /// The file.
        path: PathBuf,
        /// The journal that it is of.
        journal: PathBuf,
        /// What is wrong, in one line.
        fault: String,
    },
    /// There is nothing to be merged.
    #[error("there is no unfinished run in {}", folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", "))]
    NothingToMerge {
        /// Where it was looked for.
        folders: Vec<PathBuf>,
    },
    /// Not all is there that was to be merged.
    #[error("{missing} of {total} {what} are missing: run the shards that are not through, then merge again")]
    Missing {
        /// How many simulations or instances are not there.
        missing: usize,
        /// How many there are in all.
        total: usize,
        /// What is counted.
        what: &'static str,
    },
    /// Another run is writing to the folder.
    #[error("{}: another run is using this folder; wait for its end, or choose another folder", folder.display())]
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
