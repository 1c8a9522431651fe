//! Jobs as a policy sees them when it decides, and its decision.

use super::free_nodes::{Amount, FreeNodes, Place};
use crate::Phase;
use crate::nodes::{Kind, Size};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Job in the system before a decision. Times are in microseconds.
#[derive(Clone, Debug)]
pub(super) struct SeenJob {
    pub(super) tasks: u32,
    /// Resources of a task and of the job at each speed level.
    pub(super) sizes: Vec<Arc<Size>>,
    pub(super) state: State,
    /// Time since its submission.
    pub(super) flow: u64,
    /// Estimated run time.
    pub(super) estimate: u64,
    /// Work done, in microseconds * 2^-20.
    pub(super) done: u128,
    /// Estimated time to its end at full speed, with a penalty that it has to pay first.
    pub(super) remaining: u64,
    /// Time without progress that is left of the current run.
    pub(super) penalty_left: u64,
    /// Time spent on penalties so far.
    pub(super) paid: u64,
    /// Row of the matrix under gang scheduling.
    pub(super) row: usize,
}

impl SeenJob {
    pub(super) fn is_running(&self) -> bool {
        self.state.phase == Phase::Running
    }
    /// Returns what the job takes at its present speed level.
    pub(super) fn size(&self) -> &Size {
        self.at(self.state.level)
    }
    /// Returns what the job takes at a speed level.
    pub(super) fn at(&self, level: u32) -> &Size {
        self.sizes.get(level as usize).unwrap_or(&self.sizes[0])
    }
    /// Finds the first speed level at which the job meets a condition: any level at full speed, and only
    /// its own below.
    pub(super) fn first_level(&self, meets: impl Fn(&Size) -> bool) -> Option<u32> {
        let own = self.state.level;
        let last = if own == 0 { self.sizes.len() as u32 - 1 } else { own };
        (own..=last).find(|&level| meets(self.at(level)))
    }
}

/// State of a job that a decision can change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    pub(super) phase: Phase,
    pub(super) place: Place,
    /// Yield in units of 2^-20.
    pub(super) job_yield: u32,
    /// Speed level; 0 at full speed.
    pub(super) level: u32,
}

/// Everything that a decision depends on.
#[derive(Debug)]
pub(super) struct Situation<'a> {
    pub(super) now: u64,
    pub(super) jobs: &'a BTreeMap<u64, SeenJob>,
    pub(super) kinds: &'a [Kind],
    /// True for each node that takes no job.
    pub(super) closed: &'a [bool],
    /// Time without progress after a pause.
    pub(super) penalty: u64,
    /// Resources that the cluster has as a whole now, and the next time at which their amounts change.
    pub(super) common: &'a [Amount],
    pub(super) next_step: Option<u64>,
}

impl Situation<'_> {
    /// Returns the nodes that take jobs, without tasks.
    pub(super) fn nodes(&self) -> FreeNodes {
        FreeNodes::new(self.kinds, self.closed, self.common)
    }
}

/// A decision: the state of the jobs that change, and the next decision without an event.
#[derive(Debug, Default)]
pub(super) struct Decided {
    pub(super) changed: BTreeMap<u64, State>,
    /// Rows of the jobs that start under gang scheduling.
    pub(super) rows: BTreeMap<u64, usize>,
    pub(super) wake: Option<u64>,
}
