//! The rules for an events file.

use crate::grid::GridRule;
use dfrsim_model::SimTime;
use std::fmt;

/// Where a job is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Submitted and not started.
    Waiting,
    /// On its nodes.
    Running,
    /// Off its nodes, to be resumed.
    Paused,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Waiting => "waiting",
            Phase::Running => "running",
            Phase::Paused => "paused",
        })
    }
}

/// A rule as it was broken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// Each line is one record of the format.
    #[error("not a record: {0}")]
    Malformed(String),
    /// The file begins with a run record.
    #[error("the first line must be a `run` record")]
    NoRun,
    /// The format is known.
    #[error("format {found}; this audit knows format {known}")]
    Format {
        /// The format of the file.
        found: u32,
        /// The format that is understood.
        known: u32,
    },
    /// The cluster has a size that an audit can keep in memory.
    #[error("{nodes} nodes are more than the {most} that can be audited")]
    TooManyNodes {
        /// The nodes of the run.
        nodes: u32,
        /// [`MOST_NODES`](crate::MOST_NODES).
        most: u32,
    },
    /// There is one run in a file.
    #[error("a second `run` record")]
    SecondRun,
    /// The file ends with a summary.
    #[error("the file ends without a `summary` record: it is incomplete")]
    NoSummary,
    /// The summary is the last record.
    #[error("a record follows the `summary` record")]
    AfterSummary,
    /// Time never decreases.
    #[error("time goes back from {before} s")]
    TimeBackwards {
        /// The time of the record before.
        before: SimTime,
    },
    /// Jobs are numbered by submission.
    #[error("out of order: the next job to be submitted is job {expected}")]
    Numbering {
        /// The next number.
        expected: u64,
    },
    /// A job has tasks and work to do.
    #[error("a job must have at least one task and a run time above zero")]
    Empty,
    /// Records are about jobs that were submitted.
    #[error("`{record}` of a job that was never submitted")]
    Unknown {
        /// The record.
        record: &'static str,
    },
    /// Records are about jobs that are in the system.
    #[error("`{record}` of a job that has completed, was rejected or killed")]
    Gone {
        /// The record.
        record: &'static str,
    },
    /// In the end, no job is left.
    #[error("it is still {phase} at the end")]
    Unfinished {
        /// The state of the job.
        phase: Phase,
    },
    /// A record says what cannot be, or not what follows from the records before it.
    #[error("{0}")]
    Schedule(String),
    /// A decision is not that of the policy.
    #[error("{0}")]
    Decision(String),
    /// A rule of grids.
    #[error(transparent)]
    Grid(#[from] GridRule),
}

impl From<String> for Rule {
    fn from(text: String) -> Rule {
        Rule::Schedule(text)
    }
}

impl From<&str> for Rule {
    fn from(text: &str) -> Rule {
        Rule::Schedule(text.to_owned())
    }
}
