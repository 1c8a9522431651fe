//! The jobs that run on a cluster.

use dfrsim_model::SortedMap;

/// When each is killed, and its width.
#[derive(Debug, Default)]
pub(super) struct Running {
    by_job: SortedMap<u64, (u64, u32)>,
    /// The same in the order of the ends, since plans are made from it again and again.
    by_end: Vec<(u64, u32)>,
}

impl Running {
    pub(super) fn insert(&mut self, job: u64, end: u64, width: u32) {
        self.remove(job);
        self.by_job.insert(job, (end, width));
        let place = self.by_end.partition_point(|&other| other < (end, width));
        self.by_end.insert(place, (end, width));
    }
    /// The job is gone; gives when it would have been killed.
    pub(super) fn remove(&mut self, job: u64) -> Option<u64> {
        let (end, width) = self.by_job.remove(&job)?;
        let place = self.by_end.partition_point(|&other| other < (end, width));
        self.by_end.remove(place);
        Some(end)
    }
    pub(super) fn jobs(&self) -> &[u64] {
        self.by_job.keys()
    }
    /// When each is killed and its width, the first end first.
    pub(super) fn ends(&self) -> &[(u64, u32)] {
        &self.by_end
    }
}
