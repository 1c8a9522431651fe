//! The one trait of all policies.

use crate::{Decision, Interrupted, JobHandle, View};
use dfrsim_model::Share;

/// What a scheduler sees at one moment: what has just happened, and the state that came of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Situation<'a> {
    /// The cluster and its jobs.
    pub view: View<'a>,
    /// Jobs that completed at this moment, by order of submission; their nodes are free already. They can be
    /// examined until the decision is made, after which their handles are given to other jobs.
    pub completed: &'a [JobHandle],
    /// Jobs that arrived at this moment, in order of submission.
    pub submitted: &'a [JobHandle],
    /// Jobs that lost their nodes at this moment, by order of submission. Those that have left for good can be examined until the
    /// decision is made.
    pub interrupted: &'a [Interrupted],
    /// Running jobs of which another CPU need is believed now, with what was believed before; their yields were changed so
    /// that their tasks keep what CPU they had, or what of it they use. Empty where needs are exact.
    pub discovered: &'a [(JobHandle, Share)],
    /// Whether the moment asked for by [`Decision::wake_at`] has come.
    pub tick: bool,
    /// Whether no job of the workload is left to arrive.
    pub all_submitted: bool,
}

/// A scheduling policy.
pub trait Scheduler {
    /// Decides once per moment, after all events of that moment have been applied: completions,
    /// changes of the platform, submissions, then the tick.
    ///
    /// The decision holds the net change only. It comes in empty; what is left out stays as it is, except for
    /// the wake-up: a decision that asks for none leaves none.
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision);
}
