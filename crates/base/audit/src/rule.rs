//! The rules for a file of records, in words.

use dfrsim_model::SimTime;

dfrsim_model::named! {
    /// Where a job is in its life.
    #[derive(Default)]
    pub enum Phase as "phase of a job" {
        /// Submitted and not started.
        #[default]
        Waiting = "waiting",
        /// On its nodes.
        Running = "running",
        /// Off its nodes, to be resumed.
        Paused = "paused",
    }
}

/// A rule as it was broken, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
#[non_exhaustive]
pub enum Rule {
    /// The file does not begin like one that can be checked.
    Beginning(String),
    /// A line is no record, or says what cannot be, or not what follows from the records before it.
    Schedule(String),
    /// A decision is not that of the policy.
    Decision(String),
}

impl<T: Into<String>> From<T> for Rule {
    fn from(text: T) -> Rule {
        Rule::Schedule(text.into())
    }
}

pub(crate) const AFTER_SUMMARY: &str = "a record follows the `summary` record";
pub(crate) const EMPTY: &str = "a job must have at least one task and a run time above zero";
pub(crate) const NO_SUMMARY: &str = "the file ends without a `summary` record: it is incomplete";
pub(crate) const SECOND_RUN: &str = "a second `run` record";

impl Rule {
    pub(crate) fn no_run() -> Rule {
        Rule::Beginning("the first line must be a `run` record".to_owned())
    }

    pub(crate) fn format(found: u32, known: u32) -> Rule {
        Rule::Beginning(format!("format {found}; this audit knows format {known}"))
    }

    pub(crate) fn backwards(before_us: u64) -> Rule {
        format!("time goes back from {} s", SimTime::from_micros(before_us)).into()
    }

    /// Jobs are numbered by submission.
    pub(crate) fn numbering(expected: u64) -> Rule {
        format!("out of order: the next job to be submitted is job {expected}").into()
    }

    /// A record is about a job that is not in the system.
    pub(crate) fn absent(record: &str, was_submitted: bool) -> Rule {
        let state =
            if was_submitted { "has completed, was rejected or killed" } else { "was never submitted" };
        format!("`{record}` of a job that {state}").into()
    }

    pub(crate) fn unfinished(phase: Phase) -> Rule {
        format!("it is still {phase} at the end").into()
    }
}
