//! Why an events file cannot be drawn.

use dfrsim_model::SimSpan;
use dfrsim_model::event::FORMAT_VERSION;
use std::io;
use std::path::{Path, PathBuf};

/// Why events files cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EventsError {
    /// A file cannot be read, or not to its end.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line is not as it should be.
    #[error("{}:{line}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The fault.
        fault: EventsFault,
    },
    /// The files have bounded stretches of different taus, which cannot be compared.
    #[error("{}: tau is {tau} s, but {first_tau} s in {}", path.display(), first.display())]
    Taus {
        /// A file.
        path: PathBuf,
        /// Its tau.
        tau: SimSpan,
        /// The first file.
        first: PathBuf,
        /// Its tau.
        first_tau: SimSpan,
    },
    /// A file has no data that could be drawn, or too much of it.
    #[error("{}: {why}", path.display())]
    Undrawable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

/// The faults of a line of an events file. Only what a picture needs is checked; `dfrsim audit` checks all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventsFault {
    /// The line is not a record.
    #[error("not an event: {0}")]
    Malformed(String),
    /// A line is longer than any record.
    #[error("the line is too long for an event")]
    LongLine,
    /// The first line is not the `run` event.
    #[error("an events file begins with a `run` event")]
    NoRun,
    /// A later line is one.
    #[error("a second `run` event")]
    SecondRun,
    /// The format is not the one that is known.
    #[error("events format {0} is not known; this version reads format {known}", known = FORMAT_VERSION)]
    Format(u32),
    /// The file ends early.
    #[error("the file ends without a `summary` event: it is not complete")]
    NoSummary,
    /// The file goes on after its end.
    #[error("an event after the `summary`")]
    AfterSummary,
    /// A job is still in the system at the end.
    #[error("job {0} never ends")]
    Unfinished(u64),
    /// Time goes backwards.
    #[error("the time of this event is before that of the line above")]
    Backwards,
    /// The job has not been submitted, or is gone.
    #[error("job {0} is not in the system")]
    UnknownJob(u64),
    /// The job is in the system already.
    #[error("job {0} is submitted twice")]
    SubmittedTwice(u64),
    /// This cannot happen to the job as it is.
    #[error("job {job} is not {expected}")]
    Phase {
        /// The job.
        job: u64,
        /// What it would have to be.
        expected: &'static str,
    },
    /// The node does not exist.
    #[error("job {job} is on node {node} of {nodes}")]
    Node {
        /// The job.
        job: u64,
        /// The node, from 0.
        node: u32,
        /// How many there are.
        nodes: u32,
    },
    /// Nodes that do not exist go down or come up.
    #[error("{count} nodes from {first} on, of {nodes}")]
    NoSuchNodes {
        /// The first one.
        first: u32,
        /// How many.
        count: u32,
        /// How many there are.
        nodes: u32,
    },
    /// A CPU need or a yield is above 1.
    #[error("job {0} has a CPU need or a yield above 1")]
    AboveOne(u64),
    /// The jobs of a node have more than its CPU.
    #[error("the CPU of node {0} is over-committed; `dfrsim audit` names the job")]
    Overcommitted(u32),
    /// A cluster of a grid gives more cores than it has, or does not exist.
    #[error("too few cores of cluster {cluster} are free; `dfrsim audit` gives the details")]
    Cores {
        /// The cluster, from 0.
        cluster: u32,
    },
}

impl EventsError {
    pub(super) fn undrawable(path: &Path, why: impl Into<String>) -> EventsError {
        EventsError::Undrawable { path: path.to_owned(), why: why.into() }
    }
}

impl EventsFault {
    pub(super) fn at(self, path: &Path, line: u64) -> EventsError {
        EventsError::Line { path: path.to_owned(), line, fault: self }
    }
}
