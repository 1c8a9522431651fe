//! Knowledge of the meta-scheduler about a cluster between two publications.

use dfrsim_audit::records::Profile;
use dfrsim_model::SortedMap;
use dfrsim_model::batch::Backfilling;

/// Published plan of a cluster, updated by the actions of the meta-scheduler since then.
#[derive(Debug)]
pub(super) struct PublishedPlan {
    is_fcfs: bool,
    profile: Profile,
    /// Planned jobs: those that waited at the publication and those submitted since, as (start, end,
    /// size).
    places: SortedMap<u64, (u64, u64, u32)>,
}

impl PublishedPlan {
    /// Creates the plan of a cluster with these running jobs.
    pub(super) fn new(policy: Backfilling, profile: Profile) -> PublishedPlan {
        PublishedPlan { is_fcfs: policy == Backfilling::Fcfs, profile, places: SortedMap::default() }
    }
    pub(super) fn insert(&mut self, job: u64, start: u64, (width, walltime): (u32, u64)) {
        let end = start.saturating_add(walltime);
        self.profile.allocate(start, end, width);
        self.places.insert(job, (start, end, width));
    }
    /// Computes the start of a job of this size if it were submitted now.
    pub(super) fn start(&self, now: u64, (width, walltime): (u32, u64)) -> u64 {
        let last = self.places.values().iter().map(|&(start, ..)| start).filter(|_| self.is_fcfs).max();
        self.profile.earliest(last.unwrap_or(now).max(now), width, walltime)
    }
    /// Removes a job; returns its expected start, not before `now`.
    pub(super) fn remove(&mut self, now: u64, job: u64) -> Option<u64> {
        let (start, end, width) = self.places.remove(&job)?;
        self.profile.release(start, end, width);
        Some(start.max(now))
    }
}
