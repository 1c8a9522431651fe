//! Allocations of jobs, and the intervals in which they hold them.

use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{SimTime, Yield};

/// Tasks of a job by pool; empty if the single pool has all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Allocation {
    parts: Vec<Part>,
}

/// Tasks of a job in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    pool: u32,
    tasks: u32,
    /// Devices of the tasks; none if the job requests none, or they are not chosen yet.
    devices: OnDevices,
}

impl Allocation {
    /// Creates an allocation of all tasks in one pool.
    pub(super) fn in_pool(pool: usize, tasks: u32) -> Allocation {
        let mut all = Allocation::default();
        all.push(pool, tasks);
        all
    }

    /// Adds tasks to a pool in which the job has none yet.
    #[inline]
    pub(super) fn push(&mut self, pool: usize, tasks: u32) {
        self.parts.push(Part { pool: pool as u32, tasks, devices: OnDevices::default() });
    }

    /// Iterates over the pools and their tasks, for a job of size `width`.
    #[inline]
    pub(super) fn parts(&self, width: u32) -> impl Iterator<Item = (usize, u32)> {
        let single = self.parts.is_empty().then_some((0, width));
        single.into_iter().chain(self.pools())
    }

    /// Iterates over the pools and their tasks; over none if the single pool has all of them.
    #[inline]
    pub(super) fn pools(&self) -> impl Iterator<Item = (usize, u32)> {
        self.parts.iter().map(|part| (part.pool as usize, part.tasks))
    }

    /// Iterates over the pools, their tasks, and the devices of these; no devices if they are not
    /// chosen.
    #[inline]
    pub(super) fn parts_on_devices(&self, width: u32) -> impl Iterator<Item = (usize, u32, OnDevices)> {
        let single = self.parts.is_empty().then_some((0, width, OnDevices::default()));
        let all = self.parts.iter().map(|part| (part.pool as usize, part.tasks, part.devices));
        single.into_iter().chain(all)
    }

    /// Returns whether the devices of the tasks are chosen.
    pub(super) fn has_devices(&self) -> bool {
        self.parts.iter().any(|part| !part.devices.is_empty())
    }

    /// Sets the devices of the tasks in each pool.
    pub(super) fn choose_devices(&mut self, of: impl Fn(usize, u32) -> OnDevices) {
        for part in &mut self.parts {
            part.devices = of(part.pool as usize, part.tasks);
        }
    }

    /// Adds the tasks of another allocation.
    pub(super) fn add_all(&mut self, more: &Allocation) {
        more.pools().for_each(|(pool, tasks)| self.add(pool, tasks));
    }

    /// Adds tasks to a pool.
    pub(super) fn add(&mut self, pool: usize, tasks: u32) {
        match self.parts.iter_mut().find(|part| part.pool as usize == pool) {
            Some(part) => part.tasks += tasks,
            None if tasks > 0 => self.push(pool, tasks),
            None => {}
        }
    }

    /// Adds tasks, possibly none, to the part of a pool, which is more likely one of the last ones.
    pub(super) fn extend(&mut self, pool: usize, tasks: u32) {
        match self.parts.iter_mut().rev().find(|part| part.pool as usize == pool) {
            Some(part) => part.tasks += tasks,
            None => self.push(pool, tasks),
        }
    }
}

/// Minimum speed of the nodes, and start and end of an interval.
pub(super) type Span = (Yield, SimTime, SimTime);

/// Allocation of a job, and its estimated end there.
pub(super) type Slot = (Allocation, SimTime);

/// Request of a job at its speed level, and its slot.
pub(super) type Start = (usize, Slot);

/// Resources of a job on the timeline from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occupancy<'a> {
    pub(super) request: usize,
    pub(super) allocation: &'a Allocation,
    pub(super) size: u32,
    pub(super) start: SimTime,
    pub(super) end: SimTime,
}
