//! The queue of waiting jobs, by arrival.

use super::BatchJob;
use dfrsim_cluster::JobHandle;
use std::collections::VecDeque;

/// The waiting jobs, in order.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    jobs: VecDeque<BatchJob>,
}

impl Queue {
    /// A job joins.
    pub(crate) fn insert(&mut self, job: BatchJob) {
        self.jobs.push_back(job);
    }

    pub(crate) fn get(&self, at: usize) -> Option<&BatchJob> {
        self.jobs.get(at)
    }

    /// The first job from a place on that is wanted, and its place.
    pub(crate) fn find(
        &self,
        from: usize,
        is_wanted: impl Fn(&BatchJob) -> bool,
    ) -> Option<(usize, BatchJob)> {
        let place = (from..self.jobs.len()).find(|&place| is_wanted(&self.jobs[place]))?;
        Some((place, self.jobs[place]))
    }

    pub(crate) fn remove(&mut self, at: usize) {
        self.jobs.remove(at);
    }

    /// Takes out this job, if it waits here.
    pub(crate) fn cancel(&mut self, job: JobHandle) {
        self.jobs.retain(|other| other.job != job);
    }

    /// Takes out all jobs.
    pub(crate) fn clear(&mut self) {
        self.jobs.clear();
    }
}
