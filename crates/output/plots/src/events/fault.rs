//! Errors in events files.

use dfrsim_model::SimSpan;
use dfrsim_model::event::FORMAT_VERSION;
use std::io;
use std::path::{Path, PathBuf};

/// Reason why events files cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EventsError {
    /// The file cannot be read completely.
    #[error("{}: cannot be read: {}", path.display(), dfrsim_model::describe_io(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A line is invalid.
    #[error("{}:{line}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// The error in the line.
        fault: EventsLineError,
    },
    /// The files have bounded stretches with different values of tau, which are not comparable.
    #[error("{}: tau is {tau} s, but {first_tau} s in {}; bounded stretches with different tau are not comparable", path.display(), first.display())]
    Taus {
        /// A file.
        path: PathBuf,
        /// Value of tau in the file.
        tau: SimSpan,
        /// The first file.
        first: PathBuf,
        /// Value of tau in the first file.
        first_tau: SimSpan,
    },
    /// A file has no data to draw, or too much.
    #[error("{}: {why}", path.display())]
    Undrawable {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
}

/// Error in a line of an events file. Only what a picture needs is checked; `dfrsim audit` checks
/// everything.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventsLineError {
    /// The line is not a record.
    #[error("not an event: {0}")]
    Malformed(String),
    /// The line is longer than any record.
    #[error("line too long for an event")]
    LongLine,
    /// The first line is not a `run` event.
    #[error("expected a `run` event in the first line")]
    NoRun,
    /// A later line is a `run` event.
    #[error("a second `run` event")]
    SecondRun,
    /// The format version is not supported.
    #[error("unsupported events format {0}; this version reads format {known}", known = FORMAT_VERSION)]
    Format(u32),
    /// The file ends before the `summary` event.
    #[error("the file is incomplete: it ends without a `summary` event")]
    NoSummary,
    /// An event follows the `summary`.
    #[error("an event after the `summary`")]
    AfterSummary,
    /// A job is still in the system at the end.
    #[error("job {0} never ends")]
    Unfinished(u64),
    /// Times decrease.
    #[error("the time of this event is earlier than that of the previous line")]
    Backwards,
    /// The job has not been submitted, or has left.
    #[error("job {0} is not in the system")]
    UnknownJob(u64),
    /// The job is already in the system.
    #[error("job {0} is submitted twice")]
    SubmittedTwice(u64),
    /// The event is impossible in the current state of the job.
    #[error("job {job} is not {expected}")]
    Phase {
        /// Number of the job by submission, from 0.
        job: u64,
        /// The required state.
        expected: &'static str,
    },
    /// A job is on a node that does not exist.
    #[error("job {job} is on node {node}, but there are only {nodes} nodes")]
    Node {
        /// Number of the job by submission, from 0.
        job: u64,
        /// The node, from 0.
        node: u32,
        /// Number of nodes.
        nodes: u32,
    },
    /// A job is on a device that does not exist.
    #[error("node {node} has no device {device}")]
    Device {
        /// The node, from 0.
        node: u32,
        /// The device of the node, from 0.
        device: u32,
    },
    /// There are more devices than can be followed.
    #[error("expected at most {nodes} nodes with at most {devices} devices each")]
    TooManyDevices {
        /// Largest number of nodes.
        nodes: u32,
        /// Largest number of devices of a node.
        devices: usize,
    },
    /// Nodes that do not exist go down or come up.
    #[error("{count} nodes from node {first} on, but there are only {nodes} nodes")]
    NoSuchNodes {
        /// First of these nodes.
        first: u32,
        /// Number of these nodes.
        count: u32,
        /// Number of nodes of the cluster.
        nodes: u32,
    },
    /// A CPU need or a yield is above 1.
    #[error("job {0} has a CPU need or a yield above 1")]
    AboveOne(u64),
    /// The jobs on a node use more than its CPU.
    #[error("the CPU of node {0} is over-committed; `dfrsim audit` names the job")]
    Overcommitted(u32),
    /// A cluster of a grid does not exist, or allocates more cores than it has.
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

impl EventsLineError {
    pub(super) fn at(self, path: &Path, line: u64) -> EventsError {
        EventsError::Line { path: path.to_owned(), line, fault: self }
    }
}
