//! Plans of a policy: under CONS a plan continues the previous one; under other policies it is
//! recomputed.

use super::LONGEST_QUEUE;
use super::local::{CONS, Waiting, in_order};
use super::running::Running;
use dfrsim_audit::records::Profile;
use dfrsim_model::SortedMap;
use dfrsim_model::batch::{Backfilling, QueueOrder};

/// Planned starts of waiting jobs, by submission index.
#[derive(Debug, Default)]
pub(super) struct Reservations {
    starts: SortedMap<u64, u64>,
    /// True if cores became free earlier than planned since the last plan: a job ended early or left
    /// the queue.
    freed: bool,
    /// True if the queue was too long to plan, and has not been empty since.
    is_unknown: bool,
}

impl Reservations {
    /// Notes that cores became free earlier than planned.
    pub(super) fn note_freed(&mut self) {
        self.freed = true;
    }
    /// Removes a job that left the queue.
    pub(super) fn remove(&mut self, place: u64) {
        self.starts.remove(&place);
    }

    /// Returns the plan at the current time; `None` if it is unknown.
    pub(super) fn update(
        &mut self,
        (policy, order): (Backfilling, QueueOrder),
        (now, cores): (u64, u32),
        running: &Running,
        queue: &SortedMap<u64, Waiting>,
    ) -> Option<&SortedMap<u64, u64>> {
        // The queue already contains the joining job, which does not count.
        let is_long = queue.len() > LONGEST_QUEUE + 1;
        self.is_unknown = is_long || policy == CONS && self.is_unknown && !queue.is_empty();
        let freed = std::mem::take(&mut self.freed);
        if self.is_unknown || policy != CONS {
            self.starts.clear();
        }
        if self.is_unknown {
            return None;
        }
        if freed || self.starts.len() < queue.len() {
            let profile = Profile::of_running(cores, now, running.ends());
            self.plan(profile, (now, policy == Backfilling::Fcfs), &in_order(queue, order), freed);
        }
        Some(&self.starts)
    }

    /// Plans the starts of all jobs of a queue on the profile of the running jobs. A job without a
    /// reservation gets the earliest free slot; if jobs start in turn, not before the previous one.
    /// With compression, each job in turn gives up its reservation and takes the earliest free slot
    /// too.
    fn plan(
        &mut self,
        mut profile: Profile,
        (mut from, in_turn): (u64, bool),
        queue: &[(u64, Waiting)],
        moves_up: bool,
    ) {
        for (place, Waiting { width, walltime, .. }) in queue.iter().copied() {
            if let Some(&start) = self.starts.get(&place) {
                profile.allocate(start, start.saturating_add(walltime), width);
            }
        }
        for (place, Waiting { width, walltime, .. }) in queue.iter().copied() {
            match self.starts.get(&place) {
                Some(_) if !moves_up => continue,
                Some(&start) => profile.release(start, start.saturating_add(walltime), width),
                None => {}
            }
            let start = profile.earliest(from, width, walltime);
            profile.allocate(start, start.saturating_add(walltime), width);
            self.starts.insert(place, start);
            if in_turn {
                from = start;
            }
        }
    }
}
