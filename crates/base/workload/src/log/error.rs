//! Why a log could not be used.

use super::fault::Faults;
use dfrsim_model::SimTime;
use std::io;

/// Why a log, whatever its format, could not be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file could not be opened, or its first bytes not be read.
    #[error("{file}: cannot be opened: {source}")]
    Open {
        /// The file.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// The file has faults.
    #[error(transparent)]
    Faults(#[from] Faults),
    /// The file is not sorted by submit time, so it cannot be streamed; [`Whole`](super::Whole) is sorted.
    #[error(
        "{file}:{line}: submitted at {submit} s, its predecessor at {previous} s: not sorted by submit time"
    )]
    Unsorted {
        /// The file.
        file: String,
        /// The first line that stands too late.
        line: u64,
        /// Its submit time.
        submit: SimTime,
        /// The submit time before it.
        previous: SimTime,
    },
}
