//! The rules for a schedule of a fractional policy.

use dfrsim_model::{SimSpan, SimTime};

/// A rule of a fractional policy as it was broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FractionalRule {
    /// The policy decides such a change only when something happens that its name speaks of.
    #[error("the policy has no reason for a `{record}` at this time")]
    Unprompted {
        /// The record.
        record: &'static str,
    },
    /// Only `EQUIPARTITION` rejects jobs, those that never fit.
    #[error("it is rejected, but the policy does not reject such jobs")]
    Rejected,
    /// A job that can never run is rejected by `EQUIPARTITION`.
    #[error("it is not rejected, although its tasks do not fit on the empty cluster")]
    NotRejected,
    /// Jobs are tried in their order, and start where their memory is free.
    #[error("it is passed over: the memory for its {tasks} tasks is free{}", .other.map_or_else(String::new, |other| format!(", and job {other}, which comes after it, starts")))]
    PassedOver {
        /// Its tasks.
        tasks: u32,
        /// A job that comes after it and starts.
        other: Option<u64>,
    },
    /// A job that arrives starts if there is room, or if it can be made.
    #[error("it does not start when it arrives, though room for its {tasks} tasks {room}")]
    NotAdmitted {
        /// Its tasks.
        tasks: u32,
        /// Whether there is room, or it can be made.
        room: &'static str,
    },
    /// Jobs of the lowest priority give way.
    #[error("it is preempted for job {arrived}, although jobs of lower priority suffice to make room")]
    LowerMakeRoom {
        /// The job that arrives.
        arrived: u64,
    },
    /// `/SAFE`: young jobs do not give way.
    #[error("it is preempted, although it has less than {safe} s of {}", if *by_estimates { "estimated run time" } else { "virtual time" })]
    TooYoung {
        /// The least virtual time of a job that gives way.
        safe: SimSpan,
        /// Whether its estimate counts instead.
        by_estimates: bool,
    },
    /// `/SWAP`: a paused job displaces jobs of much lower priority only.
    #[error("it is preempted, but no job that resumes has more than {factor} times its priority")]
    Displaced {
        /// How many times.
        factor: u32,
    },
    /// No job gives way if there is room without that.
    #[error("it is paused, although job {arrived} fits beside it")]
    FitsBeside {
        /// The job that arrives.
        arrived: u64,
    },
    /// A job that gives way moves if it can.
    #[error("it is paused, although it could move: the memory for its {tasks} tasks is free")]
    CouldMove {
        /// Its tasks.
        tasks: u32,
    },
    /// When all jobs are mapped, the lowest priorities are left out.
    #[error("it does not run, but job {lower}, which has a lower priority, does{}", .tick.map_or_else(String::new, |tick| format!(", after the tick at {tick} s")))]
    Priority {
        /// The job that runs.
        lower: u64,
        /// The tick, if the file has no record of it.
        tick: Option<SimTime>,
    },
    /// A policy that pauses jobs does so before a window begins of which it knows.
    #[error(
        "it is interrupted by a window on node {node} that was announced; the policy pauses or moves jobs before one"
    )]
    NotDrained {
        /// The node.
        node: u32,
    },
    /// Yields rise until a node is full.
    #[error("its yield is {found} units, although no node of it is full")]
    NotFull {
        /// Its yield.
        found: u32,
    },
    /// Yields are in the ratio of the weights, unless something else limits one.
    #[error(
        "its yield is {found} units at weight {weight}, but that of job {other} is {more} at weight {other_weight} on the same node"
    )]
    Weighted {
        /// Its yield.
        found: u32,
        /// Its weight.
        weight: u32,
        /// A job that has more for its weight.
        other: u64,
        /// The yield of that.
        more: u32,
        /// The weight of that.
        other_weight: u32,
    },
    /// Under `EQUIPARTITION` all jobs have the same yield.
    #[error("its yield is {found} units, but that of job {other} is {expected}")]
    Unequal {
        /// Its yield.
        found: u32,
        /// Another job.
        other: u64,
        /// The yield of that.
        expected: u32,
    },
}
