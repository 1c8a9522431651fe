//! Maxima over ranges of a sequence.

/// How many values one value of the next level stands for: two cache lines of them, read faster than found by halving.
const BLOCK: usize = 16;

/// A sequence with the maxima of its blocks, of blocks of blocks and so on: the maximum over a range takes logarithmic
/// time. A new value is moved into its place, and the blocks behind it are made anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RangeMax {
    /// The values, then the maxima of blocks of the level before, until one block holds all.
    levels: Vec<Vec<u64>>,
}

impl RangeMax {
    pub(crate) fn new(values: Vec<u64>) -> RangeMax {
        let mut made = RangeMax { levels: vec![values] };
        made.rebuild(0);
        made
    }

    pub(crate) fn values(&self) -> &[u64] {
        &self.levels[0]
    }

    /// The maximum of the values from `from` until just before `until`; 0 of none.
    pub(crate) fn max(&self, mut from: usize, mut until: usize) -> u64 {
        let most = |values: &[u64]| values.iter().copied().max().unwrap_or(0);
        let mut best = 0;
        for level in &self.levels {
            // Whole blocks are left to the next level.
            let (inner_from, inner_until) = (from.div_ceil(BLOCK), until / BLOCK);
            if inner_from >= inner_until {
                return best.max(most(&level[from..until]));
            }
            best = best
                .max(most(&level[from..inner_from * BLOCK]))
                .max(most(&level[inner_until * BLOCK..until]));
            (from, until) = (inner_from, inner_until);
        }
        best
    }

    /// Puts a value before the one at `index`.
    pub(crate) fn insert(&mut self, index: usize, value: u64) {
        self.levels[0].insert(index, value);
        self.rebuild(index);
    }

    /// Adds to the values from `from` until just before `until`.
    pub(crate) fn add(&mut self, from: usize, until: usize, amount: u64) {
        self.levels[0][from..until].iter_mut().for_each(|value| *value += amount);
        self.rebuild(from);
    }

    /// Makes the maxima anew of all blocks that hold values from `from` on.
    fn rebuild(&mut self, from: usize) {
        let (mut level, mut from) = (0, from);
        while self.levels[level].len() > BLOCK {
            if self.levels.len() == level + 1 {
                self.levels.push(Vec::new());
            }
            let (below, above) = self.levels.split_at_mut(level + 1);
            from /= BLOCK;
            above[0].truncate(from);
            let blocks = below[level][from * BLOCK..].chunks(BLOCK);
            above[0].extend(blocks.map(|block| block.iter().copied().max().unwrap_or(0)));
            level += 1;
        }
    }
}
