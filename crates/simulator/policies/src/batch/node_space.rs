//! Nodes that a backfill cycle reserves for waiting jobs, in the form of Slurm: a table of intervals,
//! each with the pools that are reserved in it.

use dfrsim_model::SimTime;
use std::ops::Range;

/// Table of intervals. An interval lasts until the next one begins, and the last one has no end.
#[derive(Clone, Debug)]
pub(super) struct NodeSpace {
    begins: Vec<SimTime>,
    /// Changes from the interval before to each one.
    changes: Vec<Change>,
    /// Row of each interval, so that an interval is split without moving those behind it.
    rows: Vec<u32>,
    /// Reserved pools by row, one bit each.
    bits: Vec<u64>,
    /// Number of words of a row.
    words: usize,
}

/// Change of the reserved pools from one interval to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    None,
    /// Some pools are not reserved any more.
    Frees,
    /// Only further pools are reserved.
    Adds,
}

impl NodeSpace {
    pub(super) fn new(pools: usize) -> NodeSpace {
        let words = pools.div_ceil(64);
        let (begins, changes) = (vec![SimTime::ZERO], vec![Change::None]);
        NodeSpace { begins, changes, rows: vec![0], bits: vec![0; words], words }
    }

    pub(super) fn clear(&mut self) {
        self.begins.truncate(1);
        self.changes.truncate(1);
        // The first interval keeps its row.
        self.rows.truncate(1);
        self.bits.truncate(self.words);
        self.bits.fill(0);
    }

    /// Returns the interval that contains a time.
    fn interval_at(&self, time: SimTime) -> usize {
        self.begins.partition_point(|begin| *begin <= time) - 1
    }

    fn reserved_in(&self, interval: usize) -> &[u64] {
        &self.bits[self.rows[interval] as usize * self.words..][..self.words]
    }

    /// Returns whether nothing is reserved.
    pub(super) fn is_empty(&self) -> bool {
        self.begins.len() == 1
    }

    /// Returns the interval that begins at a time, and splits the one that contains it if there is
    /// none.
    fn split(&mut self, time: SimTime) -> usize {
        let at = self.interval_at(time);
        if self.begins[at] == time {
            return at;
        }
        self.begins.insert(at + 1, time);
        self.changes.insert(at + 1, Change::None);
        let own = self.rows[at] as usize * self.words;
        self.rows.insert(at + 1, (self.bits.len() / self.words.max(1)) as u32);
        self.bits.extend_from_within(own..own + self.words);
        at + 1
    }

    /// Reserves pools for an interval, which must not be empty.
    pub(super) fn reserve(&mut self, pools: impl Iterator<Item = usize>, (from, until): (SimTime, SimTime)) {
        let (first, end) = (self.split(from), self.split(until));
        for pool in pools {
            for row in &self.rows[first..end] {
                self.bits[*row as usize * self.words + pool / 64] |= 1 << (pool % 64);
            }
        }
        for interval in first.max(1)..=end {
            self.changes[interval] = self.change_to(interval);
        }
    }

    /// Compares an interval with the one before.
    fn change_to(&self, interval: usize) -> Change {
        let (before, own) = (self.reserved_in(interval - 1), self.reserved_in(interval));
        match before.iter().zip(own).any(|(before, own)| before & !own != 0) {
            true => Change::Frees,
            false if before == own => Change::None,
            false => Change::Adds,
        }
    }

    /// Returns the intervals that contain a time from `start` to `end`, both included.
    fn intervals(&self, start: SimTime, end: SimTime) -> Range<usize> {
        let first = self.interval_at(start);
        first..first + 1 + self.begins[first + 1..].partition_point(|begin| *begin <= end)
    }

    /// Returns whether a pool is reserved at some time from `start` to `end`, both included.
    pub(super) fn is_reserved(&self, pool: usize, start: SimTime, end: SimTime) -> bool {
        self.intervals(start, end).any(|interval| is_in(self.reserved_in(interval), pool))
    }

    /// Returns the number of words of a set of pools.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Returns the pools that are reserved at some time from `start` to `end`, both included.
    pub(super) fn reserved_between(&self, start: SimTime, end: SimTime) -> Vec<u64> {
        let mut reserved = vec![0; self.words];
        self.intervals(start, end).for_each(|interval| add_all(&mut reserved, self.reserved_in(interval)));
        reserved
    }

    /// Returns the time at which a job that cannot start from `start` on is tried again: the end of
    /// the first interval after which a pool is free that was not. Only intervals are examined that
    /// begin by `end`, and one more. Equal intervals that follow each other count as one.
    pub(super) fn later_start(&self, start: SimTime, end: SimTime) -> Option<SimTime> {
        let mut begin = SimTime::ZERO;
        for at in self.interval_at(start) + 1..self.begins.len() {
            match self.changes[at] {
                Change::Frees => return Some(self.begins[at]),
                Change::None => {}
                Change::Adds if begin > end => return None,
                Change::Adds => begin = self.begins[at],
            }
        }
        None
    }
}

/// Pools that are reserved in a span of time whose start and end only move forward. The span is in two
/// parts: of the first one the unions of the last intervals are known, however many, and of the second
/// one the union of all. Each interval is therefore read twice, however often the span moves.
#[derive(Clone, Debug, Default)]
pub(super) struct ReservedSpan {
    /// First interval for which there is a union, and the one behind the first part.
    first: usize,
    middle: usize,
    /// First interval of the span, and the one behind it.
    begin: usize,
    behind: usize,
    /// Union of the intervals from each one of the first part to the end of that part.
    unions: Vec<u64>,
    /// Union of the second part.
    second: Vec<u64>,
}

impl ReservedSpan {
    /// Begins again with an empty span at the start of the table.
    pub(super) fn reset(&mut self, space: &NodeSpace) {
        (self.first, self.middle, self.begin, self.behind) = (0, 0, 0, 1);
        self.unions.clear();
        self.second.clear();
        self.second.resize(space.words, 0);
    }

    /// Moves the span to the time from `start` to `end`, both included, and removes the reserved pools
    /// from a set.
    pub(super) fn remove_reserved(
        &mut self,
        space: &NodeSpace,
        (start, end): (SimTime, SimTime),
        set: &mut [u64],
    ) {
        let words = space.words;
        self.begin += space.begins[self.begin + 1..].iter().take_while(|begin| **begin <= start).count();
        let known = self.behind;
        self.behind += space.begins[known..].iter().take_while(|begin| **begin <= end).count();
        if self.begin < self.middle {
            (known..self.behind).for_each(|interval| add_all(&mut self.second, space.reserved_in(interval)));
            remove_all(set, &self.unions[(self.begin - self.first) * words..][..words]);
            remove_all(set, &self.second);
            return;
        }
        (self.first, self.middle) = (self.begin, self.behind);
        self.unions.clear();
        (self.first..self.middle).for_each(|at| self.unions.extend_from_slice(space.reserved_in(at)));
        for at in (words..self.unions.len()).rev() {
            self.unions[at - words] |= self.unions[at];
        }
        self.second.fill(0);
        remove_all(set, &self.unions[..words]);
    }
}

/// Adds all pools of another set to a set.
fn add_all(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

/// Removes all pools of another set from a set.
fn remove_all(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(word, other)| *word &= !other);
}

/// Adds successive pools to a set.
pub(super) fn add_range(set: &mut [u64], pools: Range<usize>) {
    let mut at = pools.start;
    while at < pools.end {
        let count = (64 - at % 64).min(pools.end - at);
        set[at / 64] |= u64::MAX >> (64 - count) << (at % 64);
        at += count;
    }
}

/// Returns whether a set has a pool.
pub(super) fn is_in(set: &[u64], pool: usize) -> bool {
    set[pool / 64] >> (pool % 64) & 1 == 1
}

/// Iterates over the pools of a set in a range, in ascending order.
pub(super) fn pools_in(set: &[u64], pools: Range<usize>) -> impl Iterator<Item = usize> {
    let words = pools.start / 64..pools.end.div_ceil(64);
    let of_word = |at: usize| {
        let mut word = set[at];
        std::iter::from_fn(move || {
            let bit = word.trailing_zeros();
            (word > 0).then(|| {
                word &= word - 1;
                at * 64 + bit as usize
            })
        })
    };
    words.flat_map(of_word).filter(move |pool| pools.contains(pool))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pool 0 is reserved from 10 to 20 and from 20 to 40 s, pool 65 from 30 to 50 s.
    #[test]
    fn jobs_are_tried_again_when_a_pool_becomes_free() {
        let at = SimTime::from_secs;
        let mut space = NodeSpace::new(66);
        for (pool, from, until) in [(0, 20, 40), (0, 10, 20), (65, 30, 50)] {
            space.reserve([pool].into_iter(), (at(from), at(until)));
        }
        let later = |start, end| space.later_start(at(start), at(end));
        // At 20 s no pool becomes free, as the same one is reserved again.
        assert_eq!([later(0, 30), later(15, 30)], [Some(at(40)); 2]);
        assert_eq!([later(40, 60), later(50, 60)], [Some(at(50)), None]);
        // The interval from 10 to 30 s begins after 5 s, and is the last one that counts.
        assert_eq!(later(0, 5), None);
        let reserved = |pool, start, end| space.is_reserved(pool, at(start), at(end));
        assert_eq!([reserved(0, 0, 9), reserved(0, 0, 10), reserved(0, 40, 50)], [false, true, false]);
        assert_eq!([reserved(65, 0, 29), reserved(65, 49, 60), reserved(65, 50, 60)], [false, true, false]);
        let mut span = ReservedSpan::default();
        span.reset(&space);
        for (start, end, expected) in [(0, 9, [0, 0]), (0, 10, [1, 0]), (20, 30, [1, 2]), (40, 60, [0, 2])] {
            assert_eq!(space.reserved_between(at(start), at(end)), expected, "{start} to {end}");
            let mut free = [u64::MAX; 2];
            span.remove_reserved(&space, (at(start), at(end)), &mut free);
            assert_eq!(free.map(|word| !word), expected, "{start} to {end}");
        }
        space.clear();
        assert!(!space.is_reserved(0, at(0), at(60)) && space.later_start(at(0), at(60)).is_none());
    }

    #[test]
    fn pools_of_a_range_are_in_order() {
        let set = [1 | 1 << 63, 0, 0b101];
        let found = |pools| pools_in(&set, pools).collect::<Vec<_>>();
        assert_eq!(found(0..192), [0, 63, 128, 130]);
        assert_eq!([found(1..130), found(131..192), found(5..5)], [vec![63, 128], vec![], vec![]]);
    }
}
