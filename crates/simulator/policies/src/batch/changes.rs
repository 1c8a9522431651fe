//! Which pools have changed since when.

/// Numbers the changes of pools: of what runs there, or is promised of them.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    /// The number of the last change, and of the last one of what runs.
    pub(super) last: u64,
    last_move: u64,
    /// By pool: the last change of what runs there, and the last one at all.
    moved: Vec<u64>,
    touched: Vec<u64>,
}

impl Changes {
    pub(super) fn new(pools: usize) -> Changes {
        Changes { last: 1, last_move: 1, moved: vec![1; pools], touched: vec![1; pools] }
    }

    /// What runs in a pool changes.
    pub(super) fn run(&mut self, pool: usize) {
        self.last += 1;
        (self.last_move, self.moved[pool], self.touched[pool]) = (self.last, self.last, self.last);
    }

    /// More is promised of some pools, which is one change.
    pub(super) fn promise(&mut self, pools: impl Iterator<Item = usize>) {
        self.last += 1;
        pools.for_each(|pool| self.touched[pool] = self.last);
    }

    /// Whether a pool has changed since a change.
    pub(super) fn is_touched(&self, pool: usize, since: u64) -> bool {
        self.touched[pool] > since
    }

    /// Whether what runs in a pool has changed since a change.
    pub(super) fn is_moved(&self, pool: usize, since: u64) -> bool {
        self.moved[pool] > since
    }

    /// The pools in which what runs has changed since a change.
    pub(super) fn moved(&self, since: u64) -> Vec<usize> {
        let pools = if self.last_move > since { 0..self.moved.len() } else { 0..0 };
        pools.filter(|&pool| self.is_moved(pool, since)).collect()
    }
}
