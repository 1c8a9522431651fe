//! For how many tasks there is room.

/// For how many tasks of a need each pool has room, where nodes can have them at all.
#[derive(Clone, Debug, Default)]
pub(super) struct Rooms {
    /// The version of the pools that was counted.
    pub(super) version: u64,
    /// By pool.
    pub(super) tasks: Vec<u64>,
    /// By group.
    pub(super) sums: Vec<u64>,
    pub(super) all: u64,
}

impl Rooms {
    /// No pool has room.
    pub(super) fn none(pools: usize, groups: usize) -> Rooms {
        Rooms { version: 0, tasks: vec![0; pools], sums: vec![0; groups], all: 0 }
    }

    /// A pool of a group has room for another number of tasks.
    #[inline]
    pub(super) fn set(&mut self, pool: usize, group: usize, tasks: u64) {
        let before = std::mem::replace(&mut self.tasks[pool], tasks);
        self.sums[group] = self.sums[group] - before + tasks;
        self.all = self.all - before + tasks;
    }
}
