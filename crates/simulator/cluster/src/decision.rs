//! The decision of a scheduler.

use crate::{JobHandle, NodeRange, Placement};
use dfrsim_model::{Job, SimTime, Yield};
use std::ops::Range;

/// The net change that a scheduler wants at one moment. Each job may be named once.
#[derive(Debug, Default)]
pub struct Decision {
    pub(crate) changes: Vec<Change>,
    ranges: Vec<NodeRange>,
    pub(crate) wake_up: Option<SimTime>,
    pub(crate) submissions: Vec<Job>,
    pub(crate) failure: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) job: JobHandle,
    pub(crate) verb: Verb,
    /// Where its tasks shall be; empty for verbs that do not place.
    placement: Range<usize>,
    pub(crate) job_yield: Yield,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Start,
    Pause,
    Resume,
    Migrate,
    SetYield,
    Reject,
    Kill,
    Requeue,
    Lose,
}

impl Decision {
    /// Starts a waiting job: all of its tasks on the given nodes (or ranges of nodes), which must rise.
    pub fn start(
        &mut self,
        job: JobHandle,
        placement: impl IntoIterator<Item = impl Into<NodeRange>>,
        job_yield: Yield,
    ) {
        self.place(Verb::Start, job, placement, job_yield);
    }
    /// Lets a paused job go on, on the given nodes, which must rise.
    pub fn resume(
        &mut self,
        job: JobHandle,
        placement: impl IntoIterator<Item = impl Into<NodeRange>>,
        job_yield: Yield,
    ) {
        self.place(Verb::Resume, job, placement, job_yield);
    }
    /// Moves a running job to the given nodes, which must rise; tasks that stay are not moved.
    pub fn migrate(
        &mut self,
        job: JobHandle,
        placement: impl IntoIterator<Item = impl Into<NodeRange>>,
        job_yield: Yield,
    ) {
        self.place(Verb::Migrate, job, placement, job_yield);
    }
    /// Gives a running job another yield.
    pub fn set_yield(&mut self, job: JobHandle, job_yield: Yield) {
        self.keep_place(Verb::SetYield, job, job_yield);
    }
    /// Pauses a running job: it leaves its nodes and keeps its virtual time.
    pub fn pause(&mut self, job: JobHandle) {
        self.keep_place(Verb::Pause, job, Yield::ZERO);
    }
    /// Turns a waiting job away for good.
    pub fn reject(&mut self, job: JobHandle) {
        self.keep_place(Verb::Reject, job, Yield::ZERO);
    }
    /// Ends a running job for good, even if it has work left.
    pub fn kill(&mut self, job: JobHandle) {
        self.keep_place(Verb::Kill, job, Yield::ZERO);
    }
    /// Takes a running job off its nodes: it waits again, with the work that its last checkpoint holds if it writes any
    /// ([`Options::outages`](crate::Options::outages)), and from zero otherwise.
    pub fn requeue(&mut self, job: JobHandle) {
        self.keep_place(Verb::Requeue, job, Yield::ZERO);
    }
    /// Takes a running job off its nodes for good, and its work is lost.
    pub fn lose(&mut self, job: JobHandle) {
        self.keep_place(Verb::Lose, job, Yield::ZERO);
    }
    /// Submits one more job, which arrives when it says, at a later moment.
    pub fn submit(&mut self, job: Job) {
        self.submissions.push(job);
    }
    /// Ends the simulation: the policy cannot decide, for this reason. For policies that depend on something outside of
    /// the program; the rest of the decision is ignored.
    pub fn fail(&mut self, reason: impl Into<String>) {
        self.failure = Some(reason.into());
    }
    /// Asks to be called at a later moment even if no event occurs then.
    pub fn wake_at(&mut self, time: SimTime) {
        self.wake_up = Some(time);
    }

    /// The waiting jobs that start, in the order in which they were named.
    pub fn starts(&self) -> impl Iterator<Item = JobHandle> {
        self.changes.iter().filter(|change| change.verb == Verb::Start).map(|change| change.job)
    }

    fn place(
        &mut self,
        verb: Verb,
        job: JobHandle,
        placement: impl IntoIterator<Item = impl Into<NodeRange>>,
        job_yield: Yield,
    ) {
        let begin = self.ranges.len();
        for range in placement.into_iter().map(Into::into) {
            // The last range may be that of another job.
            match self.ranges[begin..].last_mut() {
                Some(last) if last.is_continued_by(range) => last.nodes += range.nodes,
                _ => self.ranges.push(range),
            }
        }
        self.changes.push(Change { job, verb, placement: begin..self.ranges.len(), job_yield });
    }
    /// A change that places no task.
    fn keep_place(&mut self, verb: Verb, job: JobHandle, job_yield: Yield) {
        self.changes.push(Change { job, verb, placement: 0..0, job_yield });
    }
    pub(crate) fn placement(&self, change: &Change) -> Placement<'_> {
        Placement::new(&self.ranges[change.placement.clone()])
    }
    pub(crate) fn clear(&mut self) {
        self.changes.clear();
        self.ranges.clear();
        self.wake_up = None;
        self.submissions.clear();
    }
}
