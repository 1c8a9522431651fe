//! Maxima over ranges of a sequence.

/// How many values one value of the next level covers: two cache lines, faster to scan than to bisect.
const BLOCK: usize = 16;

/// A sequence with the maxima of its blocks, of blocks of blocks and so on: the maximum over a range takes logarithmic
/// time. A new value is moved into its place, and the blocks behind it are made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RangeMax {
    /// The values, then the maxima of blocks of the level before, until there is less than one block.
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

    /// The maximum of the values from `from` until just before `until`, and the last place where it is; 0 of none.
    pub(crate) fn last_max(&self, from: usize, until: usize) -> (u64, usize) {
        let value = self.max(from, until);
        (value, self.last_place(0, from, until, value).unwrap_or(from))
    }

    fn max(&self, mut from: usize, mut until: usize) -> u64 {
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

    /// The last place of a value in a range of a level without a larger one.
    fn last_place(&self, level: usize, from: usize, until: usize, value: u64) -> Option<usize> {
        let values = &self.levels[level];
        let within = |from: usize, until: usize| {
            values[from..until].iter().rposition(|&other| other == value).map(|place| from + place)
        };
        let (inner_from, inner_until) = (from.div_ceil(BLOCK), until / BLOCK);
        if inner_from >= inner_until {
            return within(from, until);
        }
        within(inner_until * BLOCK, until)
            .or_else(|| {
                let block = self.last_place(level + 1, inner_from, inner_until, value)?;
                within(block * BLOCK, (block + 1) * BLOCK)
            })
            .or_else(|| within(from, inner_from * BLOCK))
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

    /// Makes the maxima again of all blocks that hold values from `from` on.
    fn rebuild(&mut self, from: usize) {
        let (mut level, mut from) = (0, from);
        while self.levels[level].len() >= BLOCK {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every length up to 3 levels, those of whole blocks among them, and all ranges that begin or end at its ends.
    #[test]
    fn the_last_maximum_is_found_at_every_length() {
        for length in 1..=BLOCK * BLOCK + BLOCK + 1 {
            let values: Vec<u64> = (0..length as u64).map(|place| place * 7_919 % 61).collect();
            let sequence = RangeMax::new(values.clone());
            for cut in 0..length {
                assert_eq!(sequence.last_max(0, cut + 1), by_definition(&values, 0, cut + 1));
                assert_eq!(sequence.last_max(cut, length), by_definition(&values, cut, length));
            }
        }
    }

    fn by_definition(values: &[u64], from: usize, until: usize) -> (u64, usize) {
        (from..until).map(|place| (values[place], place)).max().expect("the range is not empty")
    }

    proptest! {
        #[test]
        fn changes_are_followed(
            mut values in prop::collection::vec(0..9_u64, 1..400),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..9_u64), 20),
        ) {
            let mut sequence = RangeMax::new(values.clone());
            for (one, other, amount) in changes {
                let (from, until) = (one.index(values.len()), other.index(values.len() + 1));
                values.insert(from, amount);
                sequence.insert(from, amount);
                let (from, until) = (from.min(until), from.max(until) + 1);
                values[from..until].iter_mut().for_each(|value| *value += amount);
                sequence.add(from, until, amount);
                prop_assert_eq!(sequence.values(), &values);
                prop_assert_eq!(sequence.last_max(from, until), by_definition(&values, from, until));
                prop_assert_eq!(sequence.last_max(0, values.len()), by_definition(&values, 0, values.len()));
            }
        }
    }
}
