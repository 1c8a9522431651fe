//! The meta-scheduler's knowledge of a cluster between two publications.

use dfrsim_audit::records::Profile;
use dfrsim_model::SortedMap;
use dfrsim_model::batch::Discipline;

/// A plan that was published, with what the meta-scheduler did to it since.
#[derive(Debug)]
pub(super) struct Book {
    in_turn: bool,
    profile: Profile,
    /// The jobs that waited, and those that came since: start, end and width.
    places: SortedMap<u64, (u64, u64, u32)>,
}

impl Book {
    /// Of a cluster with these jobs on it.
    pub(super) fn new(policy: Discipline, profile: Profile) -> Book {
        Book { in_turn: policy == Discipline::Fcfs, profile, places: SortedMap::default() }
    }
    pub(super) fn enter(&mut self, job: u64, start: u64, (width, walltime): (u32, u64)) {
        let end = start.saturating_add(walltime);
        self.profile.take(start, end, width);
        self.places.insert(job, (start, end, width));
    }
    /// When a job of this width would start if it came now.
    pub(super) fn start(&self, now: u64, (width, walltime): (u32, u64)) -> u64 {
        let last = self.places.values().iter().map(|&(start, ..)| start).filter(|_| self.in_turn).max();
        self.profile.earliest(last.unwrap_or(now).max(now), width, walltime)
    }
    /// Takes a job out; gives the start that was expected of it now.
    pub(super) fn strike(&mut self, now: u64, job: u64) -> Option<u64> {
        let (start, end, width) = self.places.remove(&job)?;
        self.profile.give_back(start, end, width);
        Some(start.max(now))
    }
}
