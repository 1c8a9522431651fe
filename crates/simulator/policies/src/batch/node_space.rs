//! Nodes that a backfill cycle reserves for waiting jobs, in the form of Slurm: a table of intervals,
//! each with the pools that are reserved in it.

use dfrsim_model::SimTime;
use std::borrow::Cow;
use std::ops::Range;

/// Table of intervals. An interval lasts until the next one begins, and the last one has no end.
#[derive(Clone, Debug)]
pub(super) struct NodeSpace {
    begins: Vec<SimTime>,
    /// Changes from the interval before to each one.
    changes: Vec<Change>,
    /// Row of each interval, so that an interval is split without moving those behind it.
    rows: Vec<u32>,
    /// Pools by row, one bit each: those reserved in the interval, and those reserved in it or in an
    /// earlier one.
    bits: Vec<u64>,
    bits_until: Vec<u64>,
    /// Number of words of a row.
    words: usize,
    /// Reserved pools, in the order in which they were reserved.
    reserved: Vec<ReservedPool>,
    /// Index of the one that ends first, per pool; [`NONE`] if there is none.
    first_by_pool: Vec<u32>,
    /// Begins of the reservations, and their ends, in ascending order, each with the indices of its
    /// reserved pools.
    reservations_by_begin: Vec<(SimTime, Range<u32>)>,
    reservations_by_end: Vec<(SimTime, Range<u32>)>,
}

/// Pool of a reservation.
#[derive(Clone, Copy, Debug)]
struct ReservedPool {
    pool: u32,
    /// Index of the next one of the same pool in the order of their ends; [`NONE`] if there is none.
    next: u32,
    until: SimTime,
    /// First begin of this one and of those of the same pool that end later.
    first_begin: SimTime,
}

/// Index that stands for none.
const NONE: u32 = u32::MAX;

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
        NodeSpace {
            begins,
            changes,
            rows: vec![0],
            bits: vec![0; words],
            bits_until: vec![0; words],
            words,
            reserved: Vec::new(),
            first_by_pool: vec![NONE; pools],
            reservations_by_begin: Vec::new(),
            reservations_by_end: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.begins.truncate(1);
        self.changes.truncate(1);
        // The first interval keeps its row.
        self.rows.truncate(1);
        for bits in [&mut self.bits, &mut self.bits_until] {
            bits.truncate(self.words);
            bits.fill(0);
        }
        self.reserved.drain(..).for_each(|it| self.first_by_pool[it.pool as usize] = NONE);
        self.reservations_by_begin.clear();
        self.reservations_by_end.clear();
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
        self.bits_until.extend_from_within(own..own + self.words);
        at + 1
    }

    /// Reserves pools for an interval, which must not be empty.
    pub(super) fn reserve(&mut self, pools: impl Iterator<Item = usize>, (from, until): (SimTime, SimTime)) {
        let (first, end) = (self.split(from), self.split(until));
        let known = self.reserved.len();
        for pool in pools {
            self.link(pool, (from, until));
        }
        for (at, row) in self.rows[first..].iter().enumerate() {
            let row = *row as usize * self.words;
            let is_reserved = at < end - first;
            for it in &self.reserved[known..] {
                let (place, bit) = (row + it.pool as usize / 64, 1 << (it.pool % 64));
                self.bits[place] |= if is_reserved { bit } else { 0 };
                self.bits_until[place] |= bit;
            }
        }
        let pools = known as u32..self.reserved.len() as u32;
        for (list, time) in [(&mut self.reservations_by_begin, from), (&mut self.reservations_by_end, until)]
        {
            list.insert(list.partition_point(|(other, _)| *other <= time), (time, pools.clone()));
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

    /// Adds a reservation of one pool.
    fn link(&mut self, pool: usize, (from, until): (SimTime, SimTime)) {
        let index = self.reserved.len() as u32;
        let (mut before, mut next, mut first_begin) = (None, self.first_by_pool[pool], from);
        while let Some(it) = self.reserved.get_mut(next as usize) {
            if it.until > until {
                first_begin = from.min(it.first_begin);
                break;
            }
            it.first_begin = it.first_begin.min(from);
            before = Some(next);
            next = it.next;
        }
        match before {
            Some(before) => self.reserved[before as usize].next = index,
            None => self.first_by_pool[pool] = index,
        }
        self.reserved.push(ReservedPool { pool: pool as u32, next, until, first_begin });
    }

    /// Returns whether a pool is reserved at some time from `start` to `end`, both included.
    pub(super) fn is_reserved(&self, pool: usize, span: (SimTime, SimTime)) -> bool {
        self.is_reserved_from(self.first_by_pool[pool], span)
    }

    /// Returns whether one of the reserved pool of this index and the next ones of the same pool overlaps
    /// with a span.
    fn is_reserved_from(&self, mut index: u32, (start, end): (SimTime, SimTime)) -> bool {
        while let Some(it) = self.reserved.get(index as usize) {
            if it.until > start {
                return it.first_begin <= end;
            }
            index = it.next;
        }
        false
    }

    /// Returns the number of words of a set of pools.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Returns the pools that are reserved at some time until `end`, included.
    fn reserved_until(&self, end: SimTime) -> &[u64] {
        &self.bits_until[self.rows[self.interval_at(end)] as usize * self.words..][..self.words]
    }

    /// Returns the pools that are reserved at some time from `start` to `end`, both included.
    pub(super) fn reserved_between(&self, start: SimTime, end: SimTime) -> Cow<'_, [u64]> {
        // A cycle reserves nothing that ends before it.
        if self.reservations_by_end.first().is_none_or(|(first_end, _)| *first_end > start) {
            return self.reserved_until(end).into();
        }
        let mut reserved = vec![0; self.words];
        for interval in self.interval_at(start)..=self.interval_at(end) {
            reserved.iter_mut().zip(self.reserved_in(interval)).for_each(|(word, other)| *word |= other);
        }
        reserved.into()
    }

    /// Returns the time at which a job that cannot start in an interval is tried again: the end of the
    /// first interval after which a pool is free that was not. Only intervals are examined that begin
    /// by `end`, and one more. Equal intervals that follow each other count as one.
    fn later_start(&self, interval: usize, end: SimTime) -> Option<SimTime> {
        let mut begin = SimTime::ZERO;
        for at in interval + 1..self.begins.len() {
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

/// Span of time whose begin and end only move forward. Each reservation enters it and leaves it once,
/// however often the span moves.
#[derive(Clone, Debug, Default)]
pub(super) struct MovingSpan {
    /// Number of reservations that begin by the end of the span, and of those that end by its begin.
    begun: usize,
    ended: usize,
    /// Interval that contains the begin of the span.
    interval: usize,
}

impl MovingSpan {
    /// Moves the end of a span that begins with the table; returns the pools that are reserved in it.
    pub(super) fn begin_until<'a>(&mut self, space: &'a NodeSpace, end: SimTime) -> &'a [u64] {
        let begun = space.reservations_by_begin.partition_point(|(from, _)| *from <= end);
        *self = MovingSpan { begun, ..MovingSpan::default() };
        space.reserved_until(end)
    }

    /// Moves the span to the time from `start` to `end`, both included. Calls `each` with each pool that
    /// is reserved by a reservation that has entered the span (true), and with each pool that is not
    /// reserved any more after one has left it (false).
    pub(super) fn move_to(
        &mut self,
        space: &NodeSpace,
        (start, end): (SimTime, SimTime),
        mut each: impl FnMut(usize, bool),
    ) {
        let pools_of = |pools: &Range<u32>| &space.reserved[pools.start as usize..pools.end as usize];
        while let Some((_, pools)) = space.reservations_by_end.get(self.ended).filter(|it| it.0 <= start) {
            self.ended += 1;
            for it in pools_of(pools) {
                if !space.is_reserved_from(it.next, (start, end)) {
                    each(it.pool as usize, false);
                }
            }
        }
        while let Some((_, pools)) = space.reservations_by_begin.get(self.begun).filter(|it| it.0 <= end) {
            self.begun += 1;
            // What ends before the span begins does not enter it.
            for it in pools_of(pools).iter().take_while(|it| it.until > start) {
                each(it.pool as usize, true);
            }
        }
    }

    /// Returns the time at which a job that cannot start from `start` on, and would last until `end`, is
    /// tried again.
    pub(super) fn later_start(
        &mut self,
        space: &NodeSpace,
        (start, end): (SimTime, SimTime),
    ) -> Option<SimTime> {
        self.interval +=
            space.begins[self.interval + 1..].iter().take_while(|begin| **begin <= start).count();
        space.later_start(self.interval, end)
    }
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

/// Iterates over the pools of the word of a set with this index, in ascending order.
pub(super) fn pools_of_word(index: usize, mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        (word > 0).then(|| {
            word &= word - 1;
            index * 64 + bit as usize
        })
    })
}

/// Iterates over the pools of a set in a range, in ascending order.
pub(super) fn pools_in(set: &[u64], pools: Range<usize>) -> impl Iterator<Item = usize> {
    let words = pools.start / 64..pools.end.div_ceil(64);
    words.flat_map(|index| pools_of_word(index, set[index])).filter(move |pool| pools.contains(pool))
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
        let later = |start, end| space.later_start(space.interval_at(at(start)), at(end));
        // At 20 s no pool becomes free, as the same one is reserved again.
        assert_eq!([later(0, 30), later(15, 30)], [Some(at(40)); 2]);
        assert_eq!([later(40, 60), later(50, 60)], [Some(at(50)), None]);
        // The interval from 10 to 30 s begins after 5 s, and is the last one that counts.
        assert_eq!(later(0, 5), None);
        let reserved = |pool, start, end| space.is_reserved(pool, (at(start), at(end)));
        assert_eq!([reserved(0, 0, 9), reserved(0, 0, 10), reserved(0, 40, 50)], [false, true, false]);
        assert_eq!([reserved(65, 0, 29), reserved(65, 49, 60), reserved(65, 50, 60)], [false, true, false]);
        for (start, end, expected) in [(0, 9, [0, 0]), (0, 10, [1, 0]), (20, 30, [1, 2]), (40, 60, [0, 2])] {
            assert_eq!(*space.reserved_between(at(start), at(end)), expected, "{start} to {end}");
        }
        let mut span = MovingSpan::default();
        assert_eq!(span.begin_until(&space, at(9)), [0, 0]);
        for (start, end, expected) in [
            (0, 9, vec![]),
            (0, 10, vec![(0, true)]),
            (20, 30, vec![(0, true), (65, true)]),
            (40, 60, vec![(0, false)]),
        ] {
            let mut changes = Vec::new();
            span.move_to(&space, (at(start), at(end)), |pool, is_added| changes.push((pool, is_added)));
            assert_eq!(changes, expected, "{start} to {end}");
        }
        space.clear();
        assert!(!space.is_reserved(0, (at(0), at(60))));
        assert!(space.later_start(space.interval_at(at(0)), at(60)).is_none());
    }

    #[test]
    fn pools_of_a_range_are_in_order() {
        let set = [1 | 1 << 63, 0, 0b101];
        let found = |pools| pools_in(&set, pools).collect::<Vec<_>>();
        assert_eq!(found(0..192), [0, 63, 128, 130]);
        assert_eq!([found(1..130), found(131..192), found(5..5)], [vec![63, 128], vec![], vec![]]);
    }
}
