//! Rules for a file of records, as messages.

use dfrsim_model::SimTime;

dfrsim_model::named! {
    /// Phase of a job.
    #[derive(Default)]
    pub enum Phase as "job phase" {
        /// Submitted and not started.
        #[default]
        Waiting = "waiting",
        /// Running on its nodes.
        Running = "running",
        /// Preempted without nodes, to be resumed.
        Paused = "paused",
    }
}

/// Violated rule, as a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
#[non_exhaustive]
pub enum Rule {
    /// Beginning of a file that cannot be audited.
    Beginning(String),
    /// Line that is not a record, or a record that is impossible or contradicts earlier ones.
    Schedule(String),
    /// Decision that differs from that of the policy.
    Decision(String),
}

impl<T: Into<String>> From<T> for Rule {
    fn from(text: T) -> Rule {
        Rule::Schedule(text.into())
    }
}

/// Violation: records follow the summary.
pub const AFTER_SUMMARY: &str = "a record follows the `summary` record";
/// Violation: a job without tasks or run time.
pub const EMPTY: &str = "a job must have at least one task and a run time above zero";
/// Violation: the file has no summary.
pub const NO_SUMMARY: &str = "the file ends without a `summary` record: it is incomplete";
/// Violation: the file has two beginnings.
pub const SECOND_RUN: &str = "a second `run` record";

impl Rule {
    /// Creates the violation of a file that does not begin with a `run` record.
    pub fn no_run() -> Rule {
        Rule::Beginning("the first line must be a `run` record".to_owned())
    }

    /// Creates the violation of a file in an unknown format version.
    pub fn format(found: u32, known: u32) -> Rule {
        Rule::Beginning(format!("unsupported format {found}; expected format {known}"))
    }

    /// Creates the violation of a record that is earlier than the one before it, at `before_us`.
    pub fn backwards(before_us: u64) -> Rule {
        format!("time goes back from {} s", SimTime::from_micros(before_us)).into()
    }

    /// Makes the message for a job that is not numbered by submission.
    pub fn numbering(expected: u64) -> Rule {
        format!("out of order: the next job to be submitted is job {expected}").into()
    }

    /// Makes the message for a record about a job that is not in the system.
    pub fn absent(record: &str, was_submitted: bool) -> Rule {
        let state =
            if was_submitted { "has completed, was rejected or killed" } else { "was never submitted" };
        format!("`{record}` of a job that {state}").into()
    }

    /// Creates the violation of a job that has not ended when the file does.
    pub fn unfinished(phase: Phase) -> Rule {
        format!("it is still {phase} at the end").into()
    }
}
