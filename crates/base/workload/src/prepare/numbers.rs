//! Which job numbers a log has had.

use std::collections::BTreeMap;

/// The most ranges that are kept, some 100 MB. Numbers that would begin a further one are not remembered.
const MOST_RANGES: usize = 1 << 21;

/// The numbers met so far, as ranges: logs are numbered almost in order, so a few ranges hold millions of numbers, and most
/// numbers follow the last one.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The last number of each range, by its first one. No two ranges touch. That of the open range is out of date.
    ranges: BTreeMap<u64, u64>,
    /// The range that the last number joined.
    open: Option<OpenRange>,
}

#[derive(Debug)]
struct OpenRange {
    first: u64,
    last: u64,
    /// The first number of the next range, if there is one.
    next: Option<u64>,
}

impl OpenRange {
    /// Whether a number belongs directly behind it, and no other range directly behind the number.
    fn is_followed_by(&self, number: u64) -> bool {
        self.last.checked_add(1) == Some(number) && self.next.is_none_or(|next| next - number > 1)
    }
}

impl Numbers {
    /// Adds a number; whether it was not there before.
    #[inline]
    pub(super) fn insert(&mut self, number: u64) -> bool {
        match &mut self.open {
            Some(open) if open.is_followed_by(number) => {
                open.last = number;
                true
            }
            _ => self.insert_elsewhere(number),
        }
    }

    fn insert_elsewhere(&mut self, number: u64) -> bool {
        self.close();
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
        let last = above.unwrap_or(number);
        self.ranges.insert(first, last);
        let next = last.checked_add(1).and_then(|from| self.ranges.range(from..).next());
        self.open = Some(OpenRange { first, last, next: next.map(|(&next, _)| next) });
        true
    }

    /// Brings the open range up to date.
    fn close(&mut self) {
        if let Some(OpenRange { first, last, .. }) = self.open.take() {
            self.ranges.insert(first, last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn numbers_are_new_once(
            runs in prop::collection::vec((prop_oneof![0_u64..40, u64::MAX - 3..=u64::MAX], 1_u64..6), 0..40),
        ) {
            let (mut seen, mut twin) = (Numbers::default(), BTreeSet::new());
            for number in runs.iter().flat_map(|&(first, count)| first..=first.saturating_add(count - 1)) {
                prop_assert_eq!(seen.insert(number), twin.insert(number));
            }
            seen.close();
            let ranges: Vec<_> = seen.ranges.iter().collect();
            prop_assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 < *pair[1].0), "{:?}", ranges);
            let held: u64 = ranges.iter().map(|(first, last)| *last - *first + 1).sum();
            prop_assert_eq!(held, twin.len() as u64);
        }
    }
}
