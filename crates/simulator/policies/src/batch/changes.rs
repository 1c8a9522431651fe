//! Change tracking per pool.

/// Numbers the changes of the running jobs of the pools.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    last: u64,
    /// Number of the last change, per pool.
    by_pool: Vec<u64>,
}

impl Changes {
    pub(super) fn new(pools: usize) -> Changes {
        Changes { last: 1, by_pool: vec![1; pools] }
    }

    /// Returns the number of the last change.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Notes that the running jobs of a pool changed.
    pub(super) fn note_run_change(&mut self, pool: usize) {
        self.last += 1;
        self.by_pool[pool] = self.last;
    }

    /// Returns whether a pool changed after change number `since`.
    pub(super) fn has_changed(&self, pool: usize, since: u64) -> bool {
        self.by_pool[pool] > since
    }

    /// Returns the pools that changed after change number `since`.
    pub(super) fn pools_since(&self, since: u64) -> Vec<usize> {
        (0..self.by_pool.len()).filter(|&pool| self.has_changed(pool, since)).collect()
    }
}
