//! Node failures and repairs.

use super::FractionalScheduler;
use crate::fractional::OnSubmission;
use crate::fractional::idle::IdleJob;
use dfrsim_cluster::{JobHandle, JobState, Situation, View};

impl FractionalScheduler {
    /// Updates the mapping after events. Returns the jobs that have lost their nodes, by order of
    /// submission, which arrive again before newly submitted ones; and whether resources may have
    /// become free, since jobs were interrupted or nodes changed.
    pub(super) fn update(&mut self, situation: &Situation<'_>) -> (Vec<JobHandle>, bool) {
        let view = situation.view;
        let change = self.mapper.update(situation, self.policy.pauses());
        for &job in &change.interrupted {
            self.idle.insert(IdleJob::new(job, view.job(job)));
        }
        if change.has_new_nodes {
            self.mcb = self.mapper.nodes.mcb(self.options.mcb);
            self.shares = self.mapper.nodes.shares();
        }
        let is_room = change.has_new_nodes || change.has_interruptions || change.has_new_units;
        let mut jobs = [change.interrupted, change.cut_off].concat();
        jobs.sort_unstable_by_key(|&job| view.job(job).sequence());
        (jobs, is_room)
    }

    /// Admits jobs that have lost their nodes again. Running jobs that leave nodes because of a
    /// window are moved where Greedy finds nodes, if the policy uses Greedy; they preempt no other
    /// job.
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
