//! Where the tasks of a job are, and from when to when.

use dfrsim_model::{SimTime, Yield};

/// How many tasks of a job each pool has; without an entry the single pool has all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Split(pub(super) Vec<(usize, u32)>);

impl Split {
    /// The pools and their tasks, for a job of this width.
    pub(super) fn parts(&self, width: u32) -> impl Iterator<Item = (usize, u32)> {
        let single = self.0.is_empty().then_some((0, width));
        single.into_iter().chain(self.0.iter().copied())
    }

    /// Puts more tasks in some pools.
    pub(super) fn add_all(&mut self, more: Split) {
        more.0.into_iter().for_each(|(pool, tasks)| self.add(pool, tasks));
    }

    /// Puts more tasks in a pool.
    pub(super) fn add(&mut self, pool: usize, tasks: u32) {
        match self.0.iter_mut().find(|(other, _)| *other == pool) {
            Some((_, sum)) => *sum += tasks,
            None if tasks > 0 => self.0.push((pool, tasks)),
            None => {}
        }
    }
}

/// The speed that nodes have at least, and from when to when a job is on them.
pub(super) type Span = (Yield, SimTime, SimTime);

/// Where a job starts, and when it ends there by its estimate.
pub(super) type Room = (Split, SimTime);

/// What a job takes of the timeline, and from when to when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stay<'a> {
    pub(super) need: usize,
    pub(super) split: &'a Split,
    pub(super) width: u32,
    pub(super) start: SimTime,
    pub(super) end: SimTime,
}
