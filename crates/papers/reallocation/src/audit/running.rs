//! Running jobs of a cluster.

use dfrsim_model::SortedMap;

/// Running jobs with the end of their time limits, and their sizes.
#[derive(Debug, Default)]
pub(super) struct Running {
    by_job: SortedMap<u64, (u64, u32)>,
    /// Ends and sizes in ascending order of the end, since plans are often computed from them.
    by_end: Vec<(u64, u32)>,
}

impl Running {
    pub(super) fn insert(&mut self, job: u64, end: u64, width: u32) {
        self.remove(job);
        self.by_job.insert(job, (end, width));
        let place = self.by_end.partition_point(|&other| other < (end, width));
        self.by_end.insert(place, (end, width));
    }
    /// Removes a job; returns the end of its time limit.
    pub(super) fn remove(&mut self, job: u64) -> Option<u64> {
        let (end, width) = self.by_job.remove(&job)?;
        let place = self.by_end.partition_point(|&other| other < (end, width));
        self.by_end.remove(place);
        Some(end)
    }
    pub(super) fn jobs(&self) -> &[u64] {
        self.by_job.keys()
    }
    /// Returns the ends of the time limits and the sizes, in ascending order of the end.
    pub(super) fn ends(&self) -> &[(u64, u32)] {
        &self.by_end
    }
}
