//! The plan of a policy: that of CONS goes on from one moment to the next, others are made again.

use super::LONGEST_QUEUE;
use super::local::{CONS, Waiting};
use super::running::Running;
use dfrsim_audit::records::Profile;
use dfrsim_model::SortedMap;
use dfrsim_model::batch::Discipline;

/// When each job that waits starts, by its place in the queue.
#[derive(Debug, Default)]
pub(super) struct Reservations {
    starts: SortedMap<u64, u64>,
    /// Whether cores came free before they were expected to since the plan was made: a job ended early, or left the queue.
    freed: bool,
    /// Whether the queue was too long to follow, and was not empty since.
    is_unknown: bool,
}

impl Reservations {
    /// Cores came free before they were expected to.
    pub(super) fn free(&mut self) {
        self.freed = true;
    }
    /// A job left the queue.
    pub(super) fn remove(&mut self, place: u64) {
        self.starts.remove(&place);
    }

    /// The plan of this moment; `None` if it is not known.
    pub(super) fn update(
        &mut self,
        policy: Discipline,
        (now, cores): (u64, u32),
        running: &Running,
        queue: &SortedMap<u64, Waiting>,
    ) -> Option<&SortedMap<u64, u64>> {
        // The job that joins last is not one of those that wait already.
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
            self.plan(profile, (now, policy == Discipline::Fcfs), queue, freed);
        }
        Some(&self.starts)
    }

    /// Plans the starts of all jobs of a queue on a profile of the running ones: a job that has no reservation gets the earliest hole, where
    /// jobs start in turn not before the last one. If jobs move up, each gives up its reservation in turn and takes the earliest hole too.
    fn plan(
        &mut self,
        mut profile: Profile,
        (mut from, in_turn): (u64, bool),
        queue: &SortedMap<u64, Waiting>,
        moves_up: bool,
    ) {
        for (place, &Waiting { width, walltime, .. }) in queue {
            if let Some(&start) = self.starts.get(place) {
                profile.take(start, start.saturating_add(walltime), width);
            }
        }
        for (&place, &Waiting { width, walltime, .. }) in queue {
            match self.starts.get(&place) {
                Some(_) if !moves_up => continue,
                Some(&start) => profile.give_back(start, start.saturating_add(walltime), width),
                None => {}
            }
            let start = profile.earliest(from, width, walltime);
            profile.take(start, start.saturating_add(walltime), width);
            self.starts.insert(place, start);
            if in_turn {
                from = start;
            }
        }
    }
}
