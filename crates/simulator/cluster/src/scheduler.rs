//! The trait of all scheduling policies.

use crate::{Decision, Interrupted, JobHandle, View};
use dfrsim_model::{Share, SimTime};
use std::any::Any;
use std::sync::Arc;

/// Input of a scheduler at one event time: the events, and the state after them.
#[derive(Debug)]
#[non_exhaustive]
pub struct Situation<'a> {
    /// The cluster and its jobs.
    pub view: View<'a>,
    /// Jobs that completed now, in order of submission; their nodes are free already. They can be
    /// examined until the decision is made, after which their handles are reused.
    pub completed: &'a [JobHandle],
    /// Jobs that arrived now, in order of submission.
    pub submitted: &'a [JobHandle],
    /// Jobs that already run when the simulation begins, in order of submission; empty except at the
    /// first decision of a simulation that [begins from a state](crate::InitialState). Their yield is 1.
    pub running: &'a [JobHandle],
    /// Jobs that lost their nodes now, in order of submission. Those that have left the system can
    /// be examined until the decision is made.
    pub interrupted: &'a [Interrupted],
    /// Running jobs whose known CPU need has changed, with the need known before. Their yields were
    /// adjusted so that their tasks keep their CPU, or the part of it that they use. Empty if needs
    /// are exact.
    pub discovered: &'a [(JobHandle, Share)],
    /// True if the time requested by [`Decision::wake_at`] has come.
    pub tick: bool,
    /// True if no job of the workload is left to arrive.
    pub all_submitted: bool,
}

/// Memory of a policy: the state on which its decisions depend in addition to the jobs and nodes
/// that it sees.
pub type Memory = Arc<dyn Any + Send + Sync>;

/// A scheduling policy.
pub trait Scheduler {
    /// Called once per event time, after all events of that time have been applied: completions,
    /// changes of the platform, submissions, then the tick.
    ///
    /// The decision contains only the net change. It comes in empty, and everything that it does not
    /// mention stays as it is. The exception is the wake-up: a decision that requests none cancels
    /// it.
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision);

    /// Returns the memory at a time after the last decision and before the next one; `None` if
    /// decisions depend on jobs and nodes alone.
    fn memory(&self, _at: SimTime) -> Option<Memory> {
        None
    }

    /// Takes over the memory of another scheduler of the same policy and settings. Called before the
    /// first decision, which is that of the [initial state](crate::InitialState).
    fn recall(&mut self, _memory: &Memory) {}
}
