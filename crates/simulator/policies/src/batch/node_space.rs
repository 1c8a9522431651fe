//! Nodes that a backfill cycle reserves for waiting jobs, in the form of Slurm: a table of intervals,
//! each with the pools that are reserved in it.

use dfrsim_model::SimTime;

/// Table of intervals. An interval lasts until the next one begins, and the last one has no end.
#[derive(Clone, Debug)]
pub(super) struct NodeSpace {
    begins: Vec<SimTime>,
    /// Reserved pools by interval, one bit each.
    bits: Vec<u64>,
    /// Number of words of an interval.
    words: usize,
}

impl NodeSpace {
    pub(super) fn new(pools: usize) -> NodeSpace {
        let words = pools.div_ceil(64);
        NodeSpace { begins: vec![SimTime::ZERO], bits: vec![0; words], words }
    }

    pub(super) fn clear(&mut self) {
        self.begins.truncate(1);
        self.bits.truncate(self.words);
        self.bits.fill(0);
    }

    /// Returns the interval that contains a time.
    fn interval_at(&self, time: SimTime) -> usize {
        self.begins.partition_point(|begin| *begin <= time) - 1
    }

    fn reserved_in(&self, interval: usize) -> &[u64] {
        &self.bits[interval * self.words..][..self.words]
    }

    /// Returns the interval that begins at a time, and splits the one that contains it if there is
    /// none.
    fn split(&mut self, time: SimTime) -> usize {
        let at = self.interval_at(time);
        if self.begins[at] == time {
            return at;
        }
        self.begins.insert(at + 1, time);
        let own = at * self.words..(at + 1) * self.words;
        self.bits.extend_from_within(own.clone());
        self.bits[own.end..].rotate_right(self.words);
        at + 1
    }

    /// Reserves a pool for an interval, which must not be empty.
    pub(super) fn reserve(&mut self, pool: usize, (from, until): (SimTime, SimTime)) {
        let (first, end) = (self.split(from), self.split(until));
        for interval in first..end {
            self.bits[interval * self.words + pool / 64] |= 1 << (pool % 64);
        }
    }

    /// Iterates over the intervals that contain a time from `start` to `end`, both included.
    fn intervals(&self, start: SimTime, end: SimTime) -> impl Iterator<Item = usize> {
        let first = self.interval_at(start);
        let behind = self.begins[first + 1..].iter().take_while(move |begin| **begin <= end).count();
        first..first + 1 + behind
    }

    /// Returns whether a pool is reserved at some time from `start` to `end`, both included.
    pub(super) fn is_reserved(&self, pool: usize, start: SimTime, end: SimTime) -> bool {
        self.intervals(start, end).any(|interval| is_in(self.reserved_in(interval), pool))
    }

    /// Collects the pools that are reserved at some time from `start` to `end`, both included.
    pub(super) fn collect_reserved(&self, start: SimTime, end: SimTime, reserved: &mut Vec<u64>) {
        reserved.clear();
        reserved.resize(self.words, 0);
        for interval in self.intervals(start, end) {
            reserved.iter_mut().zip(self.reserved_in(interval)).for_each(|(all, some)| *all |= some);
        }
    }

    /// Returns the time at which a job that cannot start from `start` on is tried again: the end of
    /// the first interval after which a pool is free that was not. Only intervals are examined that
    /// begin by `end`, and one more. Equal intervals that follow each other count as one.
    pub(super) fn later_start(&self, start: SimTime, end: SimTime) -> Option<SimTime> {
        let mut begin = SimTime::ZERO;
        for at in self.interval_at(start)..self.begins.len() - 1 {
            let (own, next) = (self.reserved_in(at), self.reserved_in(at + 1));
            if own.iter().zip(next).any(|(own, next)| own & !next != 0) {
                return Some(self.begins[at + 1]);
            }
            if own == next {
                continue;
            }
            if begin > end {
                return None;
            }
            begin = self.begins[at + 1];
        }
        None
    }
}

/// Returns whether a set has a pool.
pub(super) fn is_in(set: &[u64], pool: usize) -> bool {
    set[pool / 64] >> (pool % 64) & 1 == 1
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
            space.reserve(pool, (at(from), at(until)));
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
        let mut all = Vec::new();
        for (start, end, expected) in [(0, 9, [0, 0]), (0, 10, [1, 0]), (20, 30, [1, 2]), (40, 60, [0, 2])] {
            space.collect_reserved(at(start), at(end), &mut all);
            assert_eq!(all, expected, "{start} to {end}");
        }
        space.clear();
        assert!(!space.is_reserved(0, at(0), at(60)) && space.later_start(at(0), at(60)).is_none());
    }
}
