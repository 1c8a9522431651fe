//! Tests of SLURM for the time at which a waiting job can start, where tasks share nodes.

use super::nodes::total;
use super::plan::{Slot, Timeline};
use super::queue::{Parts, Waiting, end_of};

/// Length of the first window for expected ends, and step to which its start is rounded up, in
/// microseconds.
const FIRST_WINDOW: u64 = 30_000_000;

/// Rounds a start and an end down to multiples of the backfill resolution.
pub(super) fn round((start, end): (u64, u64), resolution: u64) -> (u64, u64) {
    let step = resolution.max(1);
    (start - start % step, end - end % step)
}

/// Set of pools, one bit each.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PoolSet(Vec<u64>);

impl PoolSet {
    fn insert(&mut self, pool: usize) {
        self.0[pool / 64] |= 1 << (pool % 64);
    }
    fn is_subset(&self, other: &PoolSet) -> bool {
        self.0.iter().zip(&other.0).all(|(own, others)| own & !others == 0)
    }
}

/// Reservations of a backfill cycle.
#[derive(Clone, Debug)]
pub(super) struct Reservations {
    /// Intervals by pool.
    by_pool: Vec<Vec<(u64, u64)>>,
    /// Times at which the set of reserved pools changes, ascending from 0, with the set from then on.
    table: Vec<(u64, PoolSet)>,
    /// Amounts of the resources of the whole cluster that they hold, and their intervals.
    pub(super) common: Vec<(Vec<i64>, (u64, u64))>,
}

impl Reservations {
    /// Creates an empty table for a number of pools.
    pub(super) fn new(pools: usize) -> Reservations {
        let none = PoolSet(vec![0; pools.div_ceil(64)]);
        Reservations { by_pool: vec![Vec::new(); pools], table: vec![(0, none)], common: Vec::new() }
    }

    /// Adds amounts of the resources of the whole cluster that are held in an interval.
    pub(super) fn hold_common(&mut self, amounts: &[i64], span: (u64, u64)) {
        if !amounts.is_empty() {
            self.common.push((amounts.to_vec(), span));
        }
    }

    /// Adds pools that are reserved in an interval.
    pub(super) fn add(&mut self, parts: &Parts, (begin, until): (u64, u64)) {
        let [first, end] = [begin, until].map(|bound| self.split(bound));
        for &pool in parts.keys() {
            self.by_pool[pool].push((begin, until));
            self.table[first..end].iter_mut().for_each(|interval| interval.1.insert(pool));
        }
        self.table.dedup_by(|next, last| next.1 == last.1);
    }

    /// Returns the index of the interval that begins at a time, after splitting the one that contains
    /// it.
    fn split(&mut self, bound: u64) -> usize {
        let place = self.table.partition_point(|it| it.0 < bound);
        if self.table.get(place).is_none_or(|it| it.0 != bound) {
            let held = self.table[place - 1].1.clone();
            self.table.insert(place, (bound, held));
        }
        place
    }

    /// Returns whether an interval of a pool meets a condition, given its start and its end.
    fn has(&self, pool: usize, meets: impl Fn(u64, u64) -> bool) -> bool {
        self.by_pool[pool].iter().any(|&(begin, until)| meets(begin, until))
    }
}

/// State of a backfill cycle in which a job is tested.
#[derive(Debug)]
pub(super) struct WillRun<'a> {
    /// Timeline of the running jobs only, with their expected ends.
    pub(super) plan: Timeline,
    /// Expected ends of the running jobs, in ascending order, and their pools.
    pub(super) ends: Vec<(u64, &'a Parts)>,
    pub(super) reserved: &'a Reservations,
    /// Amount by which windows become longer; 0 if their length doubles.
    pub(super) growth: u64,
    pub(super) resolution: u64,
}

impl WillRun<'_> {
    /// Finds the start of a job by tests from `from` on, not after `latest`, and its slot on the
    /// fastest nodes.
    pub(super) fn earliest(&self, from: u64, job: &Waiting, latest: u64) -> Option<(u64, Slot)> {
        let speeds = self.plan.pools.speeds(job.level).iter();
        let found = speeds.filter_map(|&speed| self.with_speed(speed, from, job, latest));
        // Of several starts at the same time, the first one has the fastest nodes.
        found.min_by_key(|(start, _)| *start)
    }

    fn with_speed(&self, speed: u32, from: u64, job: &Waiting, latest: u64) -> Option<(u64, Slot)> {
        let pools = self.plan.pools.all.len();
        let mut test = from;
        while test <= latest {
            let end = end_of(test, job.planned, speed);
            let length = end - test;
            let free = self.plan.first_with_common(job, test, length)?;
            if free > test {
                test = free;
                continue;
            }
            let is_available = |pool: usize| {
                // Ends of jobs on nodes that take no jobs do not count.
                self.plan.pools.all[pool].usable[0] > 0
                    && self.plan.is_usable(pool, job, speed, (test, end))
                    && !self.reserved.has(pool, |begin, until| begin <= end && until > test)
            };
            let available: Vec<bool> = (0..pools).map(is_available).collect();
            let later = self.later(test, end).into_iter().chain(self.reopening(test, job)).min();
            let Some(ready) = self.ready(job, &available) else {
                test = later?;
                continue;
            };
            let start = ready.max(test);
            if let Some(later) = later.filter(|&later| start > later) {
                test = later;
                continue;
            }
            if start > latest {
                return None;
            }
            let free = self.plan.first_with_common(job, start, length)?;
            if free > start {
                test = free;
                continue;
            }
            let end = end_of(start, job.planned, speed);
            let fitting = |pool: usize| {
                let is_usable = available[pool] && self.plan.is_usable(pool, job, speed, (start, end));
                if is_usable { job.tasks_in(self.plan.least(pool, ready, ready)) } else { 0 }
            };
            let tasks: Vec<u64> = (0..pools).map(fitting).collect();
            if total(tasks.iter().copied()) >= job.tasks {
                let parts = self.plan.choose(job, start, &tasks, job.tasks);
                let (begin, until) = round((start, end), self.resolution);
                let is_reserved =
                    |&pool: &usize| self.reserved.has(pool, |from, to| from < until && to > begin);
                if start == test || !parts.keys().iter().any(is_reserved) {
                    return Some((start, Slot { tasks, end, speed }));
                }
            }
            test = start;
        }
        None
    }

    /// Returns the first end of a window or of a closed interval behind a test.
    fn reopening(&self, test: u64, job: &Waiting) -> Option<u64> {
        let windows = self.plan.pools.all.iter().flat_map(|pool| &pool.windows);
        let ends = windows.chain(job.closed.iter().flatten()).map(|&(_, until)| until);
        ends.filter(|&until| until > test).min()
    }

    /// Returns the time of the next test: the end of the first interval of the table of reservations
    /// behind which a pool is free that was reserved. The last interval that counts is the first one
    /// that begins after `end`.
    fn later(&self, test: u64, end: u64) -> Option<u64> {
        for pair in self.reserved.table.windows(2).filter(|pair| pair[1].0 > test) {
            if !pair[0].1.is_subset(&pair[1].1) {
                return Some(pair[1].0);
            }
            if pair[0].0 > end {
                return None;
            }
        }
        None
    }

    /// Returns the time at which the job fits on the available pools: now, or the last expected end
    /// in a window. A window extends to the next job on these pools if the next job anywhere ends
    /// in it.
    fn ready(&self, job: &Waiting, available: &[bool]) -> Option<u64> {
        let fits = |moment: u64| {
            let usable = available.iter().enumerate().filter(|(_, is_available)| **is_available);
            total(usable.map(|(pool, _)| job.tasks_in(self.plan.least(pool, moment, moment)))) >= job.tasks
        };
        let now = self.plan.now();
        if fits(now) {
            return Some(now);
        }
        let is_there = |parts: &Parts| parts.keys().iter().any(|&pool| available[pool]);
        let mut left: Vec<u64> = self.ends.iter().filter(|it| is_there(it.1)).map(|it| it.0).collect();
        left.dedup();
        let base = (left.first()? / FIRST_WINDOW + 1).saturating_mul(FIRST_WINDOW);
        let mut length = FIRST_WINDOW;
        for (at, &end) in left.iter().enumerate() {
            let next = self.ends.iter().map(|it| it.0).find(|&other| other > end);
            let is_inside = next.is_none_or(|next| next <= base.saturating_add(length));
            if is_inside && at + 1 < left.len() {
                continue;
            }
            if fits(end) {
                return Some(end);
            }
            let behind = next?.saturating_sub(base);
            if self.growth > 0 {
                let steps = behind.saturating_sub(length).div_ceil(self.growth);
                length = length.saturating_add(steps.saturating_mul(self.growth));
            }
            while self.growth == 0 && length < behind {
                length = length.saturating_mul(2);
            }
        }
        None
    }
}
