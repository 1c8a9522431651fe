//! Change tracking per pool.

/// Numbers the changes of the pools: changes of their running jobs, and changes of the reservations
/// on them.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    /// The numbers of the last change of any kind, and of the last change of running jobs.
    pub(super) last: u64,
    last_run_change: u64,
    /// Numbers of the last change of running jobs, and of the last change of any kind, per pool.
    last_run_changes: Vec<u64>,
    last_changes: Vec<u64>,
}

impl Changes {
    pub(super) fn new(pools: usize) -> Changes {
        Changes {
            last: 1,
            last_run_change: 1,
            last_run_changes: vec![1; pools],
            last_changes: vec![1; pools],
        }
    }

    /// Notes that the running jobs of a pool changed.
    pub(super) fn note_run_change(&mut self, pool: usize) {
        self.last += 1;
        (self.last_run_change, self.last_run_changes[pool], self.last_changes[pool]) =
            (self.last, self.last, self.last);
    }

    /// Notes a new reservation on some pools, which counts as one change.
    pub(super) fn note_reservation(&mut self, pools: impl Iterator<Item = usize>) {
        self.last += 1;
        pools.for_each(|pool| self.last_changes[pool] = self.last);
    }

    /// Returns whether a pool changed in any way after change number `since`.
    pub(super) fn has_changes(&self, pool: usize, since: u64) -> bool {
        self.last_changes[pool] > since
    }

    /// Returns whether the running jobs of a pool changed after change number `since`.
    pub(super) fn has_run_changes(&self, pool: usize, since: u64) -> bool {
        self.last_run_changes[pool] > since
    }

    /// Returns the pools whose running jobs changed after change number `since`.
    pub(super) fn pools_with_run_changes(&self, since: u64) -> Vec<usize> {
        let pools = if self.last_run_change > since { 0..self.last_run_changes.len() } else { 0..0 };
        pools.filter(|&pool| self.has_run_changes(pool, since)).collect()
    }
}
