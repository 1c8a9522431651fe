//! Set of the job numbers that have occurred in a log.

use std::collections::BTreeMap;

/// Maximum number of ranges, which take about 100 MB. Numbers that would start another range are not
/// recorded.
const MAX_RANGES: usize = 1 << 21;

/// Set of the numbers so far, as ranges. Logs are numbered almost in order, so a few ranges hold
/// millions of numbers, and most numbers follow the last one.
#[derive(Debug, Default)]
pub(super) struct JobNumbers {
    /// Last number of each range, by the first one. Ranges are never adjacent. The entry of the open
    /// range is outdated.
    ranges: BTreeMap<u64, u64>,
    /// Range that was extended last.
    open: Option<OpenRange>,
}

#[derive(Debug)]
struct OpenRange {
    first: u64,
    last: u64,
    /// First number of the next range, if there is one.
    next: Option<u64>,
}

impl OpenRange {
    /// Returns whether the number directly follows this range without joining it to the next one.
    fn is_followed_by(&self, number: u64) -> bool {
        self.last.checked_add(1) == Some(number) && self.next.is_none_or(|next| next - number > 1)
    }
}

impl JobNumbers {
    /// Adds a number; returns whether it is new.
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
        if joins_below.is_none() && above.is_none() && self.ranges.len() == MAX_RANGES {
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

    /// Writes the open range back to the map.
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
            let (mut seen, mut twin) = (JobNumbers::default(), BTreeSet::new());
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
