//! Which job numbers a log has had.

use std::collections::BTreeMap;

/// The most ranges that are kept, some 100 MB. Numbers that would begin a further one are not remembered.
const MOST_RANGES: usize = 1 << 21;

/// The numbers met so far, as ranges: logs are numbered almost in order, so a few ranges hold millions of numbers.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The last number of each range, by its first one. No two ranges touch.
    ranges: BTreeMap<u64, u64>,
}

impl Numbers {
    /// Adds a number; whether it was not there before.
    pub(super) fn insert(&mut self, number: u64) -> bool {
        let below = self.ranges.range(..=number).next_back().map(|(&first, &last)| (first, last));
        if below.is_some_and(|(_, last)| number <= last) {
            return false;
        }
        let joins_below = below.filter(|&(_, last)| last + 1 == number);
        let above = number.checked_add(1).and_then(|next| self.ranges.get(&next).copied());
        if joins_below.is_none() && above.is_none() && self.ranges.len() == MOST_RANGES {
            return true;
        }
        if above.is_some() {
            self.ranges.remove(&(number + 1));
        }
        let first = joins_below.map_or(number, |(first, _)| first);
        self.ranges.insert(first, above.unwrap_or(number));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn numbers_are_new_once(numbers in prop::collection::vec(prop_oneof![0_u64..40, u64::MAX - 3..=u64::MAX], 0..80)) {
            let (mut seen, mut twin) = (Numbers::default(), BTreeSet::new());
            for number in numbers {
                prop_assert_eq!(seen.insert(number), twin.insert(number));
                let ranges: Vec<_> = seen.ranges.iter().collect();
                prop_assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 < *pair[1].0), "{:?}", ranges);
                let held: u64 = ranges.iter().map(|(first, last)| *last - *first + 1).sum();
                prop_assert_eq!(held, twin.len() as u64);
            }
        }
    }
}
