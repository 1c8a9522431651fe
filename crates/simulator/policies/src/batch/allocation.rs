//! Allocations of jobs, and the intervals in which they hold them.

use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{SimTime, Yield};

/// Tasks of a job by pool; empty if the single pool has all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Allocation {
    pub(super) parts: Vec<(usize, u32)>,
    /// Devices of the tasks in each pool; empty if the job requests none, or they are not chosen yet.
    pub(super) devices: Vec<OnDevices>,
}

impl Allocation {
    /// Iterates over the pools and their tasks, for a job of size `width`.
    pub(super) fn parts(&self, width: u32) -> impl Iterator<Item = (usize, u32)> {
        let single = self.parts.is_empty().then_some((0, width));
        single.into_iter().chain(self.parts.iter().copied())
    }

    /// Iterates over the pools, their tasks, and the devices of these; no devices if they are not
    /// chosen.
    #[inline]
    pub(super) fn parts_on_devices(&self, width: u32) -> impl Iterator<Item = (usize, u32, OnDevices)> {
        let devices = |at: usize| self.devices.get(at).copied().unwrap_or_default();
        self.parts(width).enumerate().map(move |(at, (pool, tasks))| (pool, tasks, devices(at)))
    }

    /// Adds the tasks of another allocation.
    pub(super) fn add_all(&mut self, more: Allocation) {
        more.parts.into_iter().for_each(|(pool, tasks)| self.add(pool, tasks));
    }

    /// Adds tasks to a pool.
    pub(super) fn add(&mut self, pool: usize, tasks: u32) {
        match self.parts.iter_mut().find(|(other, _)| *other == pool) {
            Some((_, sum)) => *sum += tasks,
            None if tasks > 0 => self.parts.push((pool, tasks)),
            None => {}
        }
    }
}

/// Minimum speed of the nodes, and begin and end of an interval.
pub(super) type Span = (Yield, SimTime, SimTime);

/// Allocation of a job, and its estimated end there.
pub(super) type Slot = (Allocation, SimTime);

/// Resources of a job on the timeline from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occupancy<'a> {
    pub(super) request: usize,
    pub(super) allocation: &'a Allocation,
    pub(super) size: u32,
    pub(super) start: SimTime,
    pub(super) end: SimTime,
}
