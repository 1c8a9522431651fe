//! One cluster.

use super::local::{Local, Situation, Waiting};
use super::reservations::Reservations;
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
    pub(super) queue: BTreeMap<u64, Waiting>,
    /// The jobs on it: when each is killed, and its width.
    pub(super) running: BTreeMap<u64, (u64, u32)>,
    /// Whether anything happened here in this moment.
    pub(super) touched: bool,
    pub(super) reservations: Reservations,
    /// How many were submitted.
    submitted: u64,
}

impl Cluster {
    pub(super) fn new(cluster: grid_event::Cluster) -> Cluster {
        let grid_event::Cluster { cores, speed } = cluster;
        Cluster {
            cores,
            speed,
            used: 0,
            queue: BTreeMap::new(),
            running: BTreeMap::new(),
            touched: false,
            reservations: Reservations::default(),
            submitted: 0,
        }
    }

    /// The job joins the queue; its place there.
    pub(super) fn join(&mut self, job: Waiting) -> u64 {
        self.submitted += 1;
        self.queue.insert(self.submitted, job);
        self.submitted
    }
    pub(super) fn situation(&self, local: Local, now: u64) -> Situation<'_> {
        Situation { local, now, cores: self.cores, running: &self.running, queue: &self.queue }
    }
    /// When each job that waits starts by the plan of CONS, by its place in the queue; `None` if that is not known.
    pub(super) fn reserve(&mut self, now: u64) -> Option<&BTreeMap<u64, u64>> {
        self.reservations.update(now, self.cores, &self.running, &self.queue)
    }
    /// How long something that takes so many microseconds at speed 1 takes here.
    pub(super) fn time_of(&self, micros: u64) -> u64 {
        let exact = u128::from(micros) * 1_000;
        let speed = u128::from(self.speed);
        u64::try_from(exact / speed + u128::from(exact % speed > 0)).unwrap_or(u64::MAX)
    }
}
