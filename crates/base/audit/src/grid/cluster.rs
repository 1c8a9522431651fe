//! One cluster.

use dfrsim_model::grid_event;
use std::collections::BTreeMap;

/// A cluster as the records tell it.
#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) cores: u32,
    /// In thousandths.
    speed: u32,
    /// The cores in use; more than there are after a fault.
    pub(super) used: u64,
    /// Its queue by submission: the place in it, and the job.
    pub(super) queue: BTreeMap<u64, u64>,
    /// How many were submitted.
    submitted: u64,
}

impl Cluster {
    pub(super) fn new(cluster: grid_event::Cluster) -> Cluster {
        let grid_event::Cluster { cores, speed } = cluster;
        Cluster { cores, speed, used: 0, queue: BTreeMap::new(), submitted: 0 }
    }
    /// The job joins the queue; its place there.
    pub(super) fn join(&mut self, job: u64) -> u64 {
        self.submitted += 1;
        self.queue.insert(self.submitted, job);
        self.submitted
    }
    /// How long something that takes so many microseconds at speed 1 takes here.
    pub(super) fn time_of(&self, micros: u64) -> u64 {
        let exact = u128::from(micros) * 1_000;
        let speed = u128::from(self.speed);
        u64::try_from(exact / speed + u128::from(exact % speed > 0)).unwrap_or(u64::MAX)
    }
}
