//! What is free over time.

use super::nodes::{Pools, total};
use super::queue::{Parts, Waiting, end_of};
use std::sync::Arc;

/// What is free of a pool from each of some moments on; the first one is now.
#[derive(Clone, Debug)]
struct Steps {
    times: Vec<u64>,
    /// By resource.
    free: Vec<Vec<i64>>,
}

impl Steps {
    /// The place of the step that begins at a moment, made if there is none.
    fn at(&mut self, time: u64) -> usize {
        let place = self.times.partition_point(|&it| it < time);
        if self.times.get(place) != Some(&time) {
            self.times.insert(place, time);
            self.free.iter_mut().for_each(|free| free.insert(place, free[place - 1]));
        }
        place
    }
}

/// What is free of all pools beside jobs that run or have reservations.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    now: u64,
    pub(super) pools: Arc<Pools>,
    steps: Vec<Steps>,
    /// When something comes free or a window ends, and now.
    moments: Vec<u64>,
}

/// The pools on which a job can start at a moment.
#[derive(Debug)]
pub(super) struct Room {
    /// For how many tasks each has room until the end.
    pub(super) tasks: Vec<u64>,
    pub(super) end: u64,
    /// The least speed.
    pub(super) speed: u32,
}

impl Plan {
    pub(super) fn new(pools: &Arc<Pools>, now: u64, bounds: impl Iterator<Item = u64>) -> Plan {
        let steps = |usable: &Vec<i64>| Steps {
            times: vec![now],
            free: usable.iter().map(|&amount| vec![amount]).collect(),
        };
        let ends = pools.all.iter().flat_map(|pool| pool.windows.iter().map(|&(_, until)| until));
        let mut moments: Vec<u64> = ends.chain(bounds.filter(|&bound| bound > now)).chain([now]).collect();
        moments.sort_unstable();
        moments.dedup();
        let steps = pools.all.iter().map(|pool| steps(&pool.usable)).collect();
        Plan { now, pools: Arc::clone(pools), steps, moments }
    }

    fn change(&mut self, job: &Waiting, parts: &Parts, (from, until): (u64, u64), sign: i64) {
        for (&pool, &tasks) in parts.iter().filter(|_| from < until) {
            let steps = &mut self.steps[pool];
            let (first, end) = (steps.at(from.max(self.now)), steps.at(until));
            for (resource, free) in steps.free.iter_mut().enumerate() {
                let amount = self.pools.amount(job, pool, tasks, resource).saturating_mul(sign);
                free[first..end].iter_mut().for_each(|free| *free = free.saturating_add(amount));
            }
        }
        let gain = if sign < 0 { until } else { from };
        if let Err(place) = self.moments.binary_search(&gain) {
            self.moments.insert(place, gain);
        }
    }
    /// A job has tasks on these pools from one moment to another.
    pub(super) fn take(&mut self, job: &Waiting, parts: &Parts, from: u64, until: u64) {
        self.change(job, parts, (from, until), -1);
    }
    /// No task starts on these pools from one moment to another.
    pub(super) fn close(&mut self, parts: &Parts, from: u64, until: u64) {
        for &pool in parts.keys().iter().filter(|_| from < until) {
            let (steps, whole) = (&mut self.steps[pool], &self.pools.all[pool].whole);
            let (first, end) = (steps.at(from), steps.at(until));
            for (free, whole) in steps.free.iter_mut().zip(whole) {
                free[first..end].iter_mut().for_each(|free| *free = free.saturating_sub(*whole));
            }
        }
        if let Err(place) = self.moments.binary_search(&until) {
            self.moments.insert(place, until);
        }
    }
    /// It does not have them.
    pub(super) fn give_back(&mut self, job: &Waiting, parts: &Parts, from: u64, until: u64) {
        self.change(job, parts, (from, until), 1);
    }

    /// What is free now of the first resource, of which every task takes some.
    pub(super) fn free_now(&self) -> i64 {
        self.steps.iter().fold(0, |sum, steps| sum.saturating_add(steps.free[0][0].max(0)))
    }
    /// The least of each resource of a pool that is free from one moment to another, or at the first one.
    pub(super) fn least(&self, pool: usize, from: u64, until: u64) -> impl Iterator<Item = i64> {
        let Steps { times, free } = &self.steps[pool];
        let first = times.partition_point(|&it| it <= from) - 1;
        let end = times.partition_point(|&it| it < until).max(first + 1);
        free.iter().map(move |free| free[first..end].iter().copied().min().unwrap_or(0))
    }
    /// Whether a pool is of use to a job that is to have no slower nodes, from one moment to another.
    pub(super) fn is_open(&self, pool: usize, job: &Waiting, speed: u32, (from, until): (u64, u64)) -> bool {
        let pool = &self.pools.all[pool];
        let meets = |&(begin, end): &(u64, u64)| begin < until && end > from;
        let closed = job.closed.get(pool.kind).into_iter().flatten();
        pool.speed >= speed && job.fits[pool.kind] && !pool.windows.iter().chain(closed).any(meets)
    }
    /// For how many tasks of a job each pool has room.
    pub(super) fn room(
        &self,
        job: &Waiting,
        speed: u32,
        (from, until): (u64, u64),
    ) -> impl Iterator<Item = u64> {
        (0..self.steps.len()).map(move |pool| match self.is_open(pool, job, speed, (from, until)) {
            true => job.times_in(self.least(pool, from, until)),
            false => 0,
        })
    }
    /// Enough room for a job from a moment on, on nodes that are no slower.
    pub(super) fn room_at(&self, start: u64, job: &Waiting, speed: u32) -> Option<Room> {
        let end = end_of(start, job.planned, speed);
        // Mostly there is not enough already when it would start.
        if total(self.room(job, speed, (start, start.saturating_add(1)))) < job.tasks {
            return None;
        }
        let tasks: Vec<u64> = self.room(job, speed, (start, end)).collect();
        (total(tasks.iter().copied()) >= job.tasks).then_some(Room { tasks, end, speed })
    }
    /// The earliest moment, up to one, from which there is room for a job, on the fastest nodes.
    pub(super) fn earliest(&self, job: &Waiting, latest: u64) -> Option<(u64, Room)> {
        self.earliest_from(self.now, job, latest)
    }
    /// The same from a moment on.
    pub(super) fn earliest_from(&self, from: u64, job: &Waiting, latest: u64) -> Option<(u64, Room)> {
        let behind = self.moments.iter().copied().filter(|&moment| moment > from);
        let moments = [from].into_iter().chain(behind).take_while(|&moment| moment <= latest);
        let room = |start: u64| self.pools.speeds.iter().find_map(|&speed| self.room_at(start, job, speed));
        moments.into_iter().find_map(|moment| Some((moment, room(moment)?)))
    }
}
