//! Numbers of tasks that fit.

/// Number of tasks of a request that fit, on nodes that are eligible for the request.
#[derive(Clone, Debug, Default)]
pub(super) struct FitCounts {
    /// Version of the pools for which the counts are valid.
    pub(super) version: u64,
    /// Counts per pool.
    pub(super) by_pool: Vec<u64>,
    /// Keys of the pools with tasks, if the placement is scored; otherwise empty.
    pub(super) keys: Vec<i64>,
    /// Counts per group.
    pub(super) by_group: Vec<u64>,
    pub(super) total: u64,
}

impl FitCounts {
    /// Creates counts of zero for all pools.
    pub(super) fn zero(pools: usize, groups: usize, has_keys: bool) -> FitCounts {
        let keys = vec![0; if has_keys { pools } else { 0 }];
        FitCounts { version: 0, by_pool: vec![0; pools], keys, by_group: vec![0; groups], total: 0 }
    }

    /// Sets the number of tasks that fit into a pool.
    #[inline]
    pub(super) fn set(&mut self, pool: usize, group: usize, tasks: u64) {
        let before = std::mem::replace(&mut self.by_pool[pool], tasks);
        self.by_group[group] = self.by_group[group] - before + tasks;
        self.total = self.total - before + tasks;
    }
}
