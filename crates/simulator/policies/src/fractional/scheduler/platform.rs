//! Nodes that go down and come back.

use super::FractionalScheduler;
use crate::fractional::OnSubmission;
use crate::fractional::idle::IdleJob;
use dfrsim_cluster::{JobHandle, JobState, Situation, View};

impl FractionalScheduler {
    /// Brings the mapping up to date with what has happened. Returns the jobs that have lost their nodes, by order of submission, which arrive
    /// again before those that are submitted; and whether there may be room for others, as jobs left or nodes came back.
    pub(super) fn follow(&mut self, situation: &Situation<'_>) -> (Vec<JobHandle>, bool) {
        let view = situation.view;
        let change = self.mapper.follow(situation, self.policy.pauses());
        for &job in &change.interrupted {
            self.idle.insert(IdleJob::new(job, view.job(job)));
        }
        if change.are_other_nodes {
            self.mcb = self.mapper.nodes.mcb(self.options.mcb);
            self.shares = self.mapper.nodes.shares();
        }
        let is_room = change.are_other_nodes || change.is_interruption;
        let mut jobs = [change.interrupted, change.cut_off].concat();
        jobs.sort_unstable_by_key(|&job| view.job(job).sequence());
        (jobs, is_room)
    }

    /// Jobs that have lost their nodes arrive again. Those that leave them for a window move where Greedy finds room, if the policy
    /// places by Greedy; they make no room.
    pub(super) fn admit_displaced(&mut self, view: View<'_>, displaced: &[JobHandle]) {
        for &job in displaced {
            if view.job(job).state() != JobState::Running {
                self.admit(view, job);
            } else if !matches!(self.policy.on_submission, OnSubmission::Nothing | OnSubmission::Mcb) {
                self.mapper.place_greedily(view, job);
            }
        }
    }
}
