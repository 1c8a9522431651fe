//! The rules for a schedule of a fractional policy.

use std::fmt;

/// Where a job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Where(pub Vec<(u32, u32)>);

impl fmt::Display for Where {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("on no node");
        }
        f.write_str("on ")?;
        for (place, (node, tasks)) in self.0.iter().enumerate() {
            let more = if *tasks > 1 { format!(" ({tasks} tasks)") } else { String::new() };
            write!(f, "{}node {node}{more}", if place == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// A rule of a fractional policy as it was broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FractionalRule {
    /// A job that can run at some time is not rejected.
    #[error("it is rejected, but the policy does not reject such jobs")]
    Rejected,
    /// A job that can never run is rejected.
    #[error("it is not rejected, although its tasks do not fit on the empty cluster")]
    NotRejected,
    /// Jobs are where the policy has them.
    #[error("it is {found}; the policy has it {expected}")]
    Placed {
        /// Where the record has it.
        found: Where,
        /// Where it should be.
        expected: Where,
    },
    /// Jobs have the yields that the policy gives them.
    #[error("its yield is {found} units; the policy gives it {expected}")]
    Yield {
        /// Its yield.
        found: u32,
        /// What it should have.
        expected: u32,
    },
    /// `OPT=AVG`: the average is the largest that is possible.
    #[error("the sum of yields by weight is {found} units; it can be {best}")]
    Average {
        /// The sum.
        found: u64,
        /// The largest.
        best: u64,
    },
    /// The policy decides when something happens, at ticks, and when jobs are tried again.
    #[error("the policy has no reason for a `{record}` at this time")]
    Unprompted {
        /// The record.
        record: &'static str,
    },
    /// The policy changes a job only if something about it changes.
    #[error("a `{record}` that does not change it")]
    NoChange {
        /// The record.
        record: &'static str,
    },
    /// `/RELABEL`, `/BUDGET`: the mapping is the one that MCB finds, under names of nodes with which the least moves.
    #[error("the mapping is not the one of MCB under the names of nodes with which the least memory moves")]
    Relabelled,
    /// `/BUDGET`: a tick moves no more.
    #[error("the tick moves {moved} units of memory up to this job; the budget is {budget}")]
    OverBudget {
        /// What moves.
        moved: u64,
        /// The budget.
        budget: u64,
    },
    /// `MFT` and `MVT`: MCB moves no young job.
    #[error("it moves, although it is too young to be moved")]
    PinnedMoves,
    /// Jobs leave their nodes for others by pauses.
    #[error("it gives way by an interruption; under the policy jobs are paused")]
    NotPaused,
    /// `/BUDGET`: jobs that are left out stay or start where there is room.
    #[error("it is left out by the budget, although there is room for it")]
    LeftOut,
}
