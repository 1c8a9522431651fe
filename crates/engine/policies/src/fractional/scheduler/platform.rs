//! Nodes that go down and come back.

use super::FractionalScheduler;
use crate::fractional::OnSubmission;
use crate::fractional::available::Available;
use crate::fractional::idle::IdleJob;
use dfrsim_cluster::{JobHandle, JobState, Situation, View};
use dfrsim_packing::mcb::Mcb;

/// What a change of the platform leaves to be decided.
#[derive(Debug, Default)]
pub(super) struct Displaced {
    /// Jobs that have lost their nodes, by order of submission: they arrive again, before those that are submitted.
    pub(super) jobs: Vec<JobHandle>,
    /// Whether there may be room for others: jobs left, or nodes came back.
    pub(super) is_room: bool,
}

impl FractionalScheduler {
    /// Takes jobs off nodes that are not available any more.
    pub(super) fn follow_platform(&mut self, situation: &Situation<'_>) -> Displaced {
        let view = situation.view;
        let has_changed =
            std::mem::replace(&mut self.platform_changes, view.platform_changes()) != view.platform_changes();
        if !has_changed && !Available::drains(view) {
            return Displaced::default();
        }
        let mut jobs = Vec::new();
        for interrupted in situation.interrupted {
            let job = view.job(interrupted.job);
            self.mapping.forget(view, interrupted.job);
            if job.state() == JobState::Waiting {
                let idle = IdleJob::new(interrupted.job, job, self.policy.extensions.length(job));
                self.idle.insert(idle);
                jobs.push(interrupted.job);
            }
        }
        let available = Available::of(view, self.policy.pauses());
        let are_others = !available.are(&self.mapping.available);
        if are_others {
            if available.count() != self.mapping.available.count() {
                self.mcb = Mcb::new(available.count(), self.options.mcb);
            }
            jobs.extend(self.mapping.change_nodes(view, available));
        }
        jobs.sort_unstable_by_key(|&job| view.job(job).sequence());
        Displaced { jobs, is_room: are_others || !situation.interrupted.is_empty() }
    }

    /// Jobs that have lost their nodes arrive again. Those that leave them for a window move where Greedy finds room, if the policy
    /// places by Greedy; they make no room.
    pub(super) fn admit_displaced(&mut self, view: View<'_>, displaced: &[JobHandle]) {
        for &job in displaced {
            if view.job(job).state() != JobState::Running {
                self.admit(view, job);
            } else if !matches!(self.policy.on_submission, OnSubmission::Nothing | OnSubmission::Mcb) {
                self.mapping.place_greedily(view, job);
            }
        }
    }
}
