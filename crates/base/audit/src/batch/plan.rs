//! Free capacity over time.

use super::keys::{Mix, added_power, key};
use super::nodes::{Pool, Pools, total};
use super::queue::{DevicesByPool, Held, Parts, Waiting, end_of};
use crate::common::{amount_at, next_step, period};
use dfrsim_model::event::ResourceOfCluster;
use std::sync::Arc;

/// Free capacity of a pool as a step function; the first step begins now.
#[derive(Clone, Debug)]
struct Steps {
    times: Vec<u64>,
    /// Free amounts by resource.
    free: Vec<Vec<i64>>,
}

impl Steps {
    /// Returns the index of the step that begins at `time`, and inserts the step if there is none.
    fn at(&mut self, time: u64) -> usize {
        let place = self.times.partition_point(|&it| it < time);
        if self.times.get(place) != Some(&time) {
            self.times.insert(place, time);
            self.free.iter_mut().for_each(|free| free.insert(place, free[place - 1]));
        }
        place
    }
}

/// Timeline of the free capacity of all pools, after running jobs and reservations.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    now: u64,
    pub(super) pools: Arc<Pools>,
    steps: Vec<Steps>,
    /// Free amounts of the resources of the whole cluster. Of steps that repeat, the amounts of now are
    /// included, from which later ones differ.
    common: Option<Steps>,
    /// Free amounts now in addition to the running jobs, by pool, if reservations that begin
    /// now are in the timeline too.
    pub(super) beside_running: Option<Vec<Vec<i64>>>,
    /// Number of blocks of each pool that have begun; their nodes are free until a job starts.
    begun_blocks: Vec<i64>,
    /// Tasks submitted so far.
    mix: Arc<Mix>,
    /// True, per node, if it is awake before the decision; empty if no node sleeps.
    pub(super) awake: Arc<Vec<bool>>,
    /// Times at which capacity becomes free or a window ends, and the current time.
    times_to_try: Vec<u64>,
}

/// Slot in which a job can run.
#[derive(Debug)]
pub(super) struct Slot {
    /// Number of tasks that fit on each pool until the end of the slot.
    pub(super) tasks: Vec<u64>,
    pub(super) end: u64,
    /// Least speed of the nodes.
    pub(super) speed: u32,
}

impl Timeline {
    pub(super) fn new(
        pools: &Arc<Pools>,
        mix: &Arc<Mix>,
        now: u64,
        bounds: impl Iterator<Item = u64>,
    ) -> Timeline {
        let steps = |usable: &Vec<i64>| Steps {
            times: vec![now],
            free: usable.iter().map(|&amount| vec![amount]).collect(),
        };
        let ends = pools.all.iter().flat_map(|pool| pool.windows.iter().map(|&(_, until)| until));
        let once = pools.common.iter().filter(|it| period(it).is_none());
        let changes = once.flat_map(|it| &it.steps).map(|(from, _)| *from);
        let mut times: Vec<u64> = changes.filter(|&from| from > now).chain([now]).collect();
        times.sort_unstable();
        times.dedup();
        let at = |it: &ResourceOfCluster, time: u64| if period(it).is_some() { now } else { time };
        let amounts =
            |it: &ResourceOfCluster| times.iter().map(|&time| amount_at(it, at(it, time)) as i64).collect();
        let common = Steps { free: pools.common.iter().map(amounts).collect(), times: times.clone() };
        let mut times_to_try: Vec<u64> =
            ends.chain(times).chain(bounds.filter(|&bound| bound > now)).chain([now]).collect();
        times_to_try.sort_unstable();
        times_to_try.dedup();
        let steps = pools.all.iter().map(|pool| steps(&pool.usable)).collect();
        Timeline {
            now,
            pools: Arc::clone(pools),
            steps,
            common: (!pools.common.is_empty()).then_some(common),
            beside_running: None,
            begun_blocks: vec![0; pools.all.len()],
            mix: Arc::clone(mix),
            awake: Arc::default(),
            times_to_try,
        }
    }

    fn change(&mut self, job: &Waiting, held: Held<'_>, (from, until): (u64, u64), sign: i64) {
        for (&pool, &tasks) in held.0.iter().filter(|_| from < until) {
            let steps = &mut self.steps[pool];
            let (first, end) = (steps.at(from.max(self.now)), steps.at(until));
            for (resource, free) in steps.free.iter_mut().enumerate() {
                let amount = self.pools.amount(job, pool, (tasks, held.1), resource).saturating_mul(sign);
                free[first..end].iter_mut().for_each(|free| *free = free.saturating_add(amount));
            }
        }
        self.change_common(&job.common, (from, until), sign);
        let gain = if sign < 0 { until } else { from };
        if let Err(place) = self.times_to_try.binary_search(&gain) {
            self.times_to_try.insert(place, gain);
        }
    }
    fn change_common(&mut self, amounts: &[i64], (from, until): (u64, u64), sign: i64) {
        let Some(common) = self.common.as_mut().filter(|_| from < until) else { return };
        let (first, end) = (common.at(from.max(self.now)), common.at(until));
        for (free, amount) in common.free.iter_mut().zip(amounts) {
            let change = amount.saturating_mul(sign);
            free[first..end].iter_mut().for_each(|free| *free = free.saturating_add(change));
        }
    }
    /// Holds amounts of the resources of the whole cluster in an interval.
    pub(super) fn hold_common(&mut self, amounts: &[i64], span: (u64, u64)) {
        self.change_common(amounts, span, -1);
    }
    /// Returns whether too little of a resource of the whole cluster is free for a job that starts now on
    /// nodes of this speed.
    pub(super) fn lacks_common(&self, job: &Waiting, speed: u32) -> bool {
        self.missing_common(job, (self.now, end_of(self.now, job.planned, speed)), None).is_some()
    }
    /// Returns the timeline without resources of the whole cluster.
    pub(super) fn without_common(self) -> Timeline {
        Timeline { common: None, ..self }
    }
    /// Finds the first time from `from` on from which a job's amounts of the resources of the whole cluster
    /// are free for this long; `None` if there is none.
    pub(super) fn first_with_common(&self, job: &Waiting, from: u64, length: u64) -> Option<u64> {
        let later = self.common.iter().flat_map(|steps| steps.times.iter().copied());
        let later = later.filter(|&time| time > from).chain(self.changes_of_repeating(from));
        let mut times: Vec<u64> = [from].into_iter().chain(later).collect();
        times.sort_unstable();
        let is_free =
            |time: &u64| self.missing_common(job, (*time, time.saturating_add(length)), None).is_none();
        { times }.into_iter().find(is_free)
    }
    /// Returns the time of the last change of what is free, other than of amounts that repeat.
    fn settled(&self) -> u64 {
        let times = self.times_to_try.iter().chain(self.common.iter().flat_map(|steps| &steps.times));
        times.copied().filter(|&time| time < u64::MAX).max().unwrap_or(self.now)
    }
    /// Returns the longest time after which amounts repeat.
    fn period(&self) -> Option<u64> {
        self.pools.common.iter().filter_map(period).max().filter(|_| self.common.is_some())
    }
    /// Iterates over the times after `from` at which amounts that repeat change. After two rounds without
    /// other changes, a job that does not fit never fits.
    fn changes_of_repeating(&self, from: u64) -> impl Iterator<Item = u64> + '_ {
        let until = self
            .period()
            .map_or(0, |period| self.settled().max(from).saturating_add(period.saturating_mul(2)));
        let next = move |now: u64| {
            let repeating = self.pools.common.iter().filter(|it| period(it).is_some());
            { repeating }.filter_map(|it| next_step(it, now)).min().filter(|&at| at <= until)
        };
        std::iter::successors(Some(from).filter(|_| until > 0), move |&at| next(at)).skip(1)
    }
    /// Returns the amount of a resource at a time beyond that of now, if its steps repeat.
    fn beyond_now(&self, at: usize, time: u64) -> i64 {
        let resource = &self.pools.common[at];
        if period(resource).is_none() {
            return 0;
        }
        amount_at(resource, time) as i64 - amount_at(resource, self.now) as i64
    }
    /// Returns the smallest free amount of a resource of the whole cluster in an interval.
    fn least_common(&self, steps: &Steps, at: usize, (from, until): (u64, u64)) -> i64 {
        let of = |time: u64| {
            let step = steps.times.partition_point(|&it| it <= time) - 1;
            steps.free[at][step].saturating_add(self.beyond_now(at, time))
        };
        let repeating = self.changes_of_repeating(from).take_while(|&time| time < until);
        let changes = steps.times.iter().copied().filter(|&time| time > from && time < until);
        changes.chain(repeating).map(of).fold(of(from), i64::min)
    }
    /// Allocates pools to a job in an interval.
    pub(super) fn allocate(&mut self, job: &Waiting, held: Held<'_>, from: u64, until: u64) {
        self.change(job, held, (from, until), -1);
    }
    /// Takes what a job that starts now holds from the amounts that running jobs leave, by which nodes are
    /// chosen.
    pub(super) fn hold_beside_running(&mut self, job: &Waiting, (parts, devices): Held<'_>) {
        let Some(free) = &mut self.beside_running else { return };
        for (&pool, &tasks) in parts {
            for (at, free) in free[pool].iter_mut().enumerate() {
                *free = free.saturating_sub(self.pools.amount(job, pool, (tasks, devices), at));
            }
        }
    }
    /// Blocks pools for an interval, which may have begun, so that no task starts on them.
    pub(super) fn block(&mut self, parts: &Parts, from: u64, until: u64) {
        let from = from.max(self.now);
        for &pool in parts.keys().iter().filter(|_| from < until) {
            let (steps, whole) = (&mut self.steps[pool], &self.pools.all[pool].whole);
            let (first, end) = (steps.at(from), steps.at(until));
            self.begun_blocks[pool] += i64::from(from == self.now);
            for (free, whole) in steps.free.iter_mut().zip(whole) {
                free[first..end].iter_mut().for_each(|free| *free = free.saturating_sub(*whole));
            }
        }
        if let Err(place) = self.times_to_try.binary_search(&until) {
            self.times_to_try.insert(place, until);
        }
    }
    /// Releases pools of a job in an interval.
    pub(super) fn release(&mut self, job: &Waiting, held: Held<'_>, from: u64, until: u64) {
        self.change(job, held, (from, until), 1);
    }

    /// Returns the time of the decision.
    pub(super) fn now(&self) -> u64 {
        self.now
    }
    /// Returns the free amounts of all pools now.
    pub(super) fn free_of_pools(&self) -> Vec<Vec<i64>> {
        (0..self.steps.len()).map(|pool| self.least(pool, self.now, self.now).collect()).collect()
    }
    /// Chooses the pools for tasks of a job that starts at `start`, given the number of tasks that fit
    /// on each pool.
    pub(super) fn choose(&self, job: &Waiting, start: u64, room: &[u64], tasks: u64) -> Parts {
        let most = |at: usize| self.pools.all.iter().map(|pool| pool.whole[at]).max().unwrap_or(0);
        let is_scored = self.pools.policy.place.is_scored();
        let largest = (if is_scored { most(0) } else { 0 }, self.pools.columns as i64);
        let free_of = |pool: usize| -> Vec<i64> {
            match &self.beside_running {
                Some(free) => free[pool].clone(),
                None => {
                    let blocked =
                        self.pools.all[pool].whole.iter().map(|whole| whole * self.begun_blocks[pool]);
                    self.least(pool, self.now, self.now)
                        .zip(blocked)
                        .map(|(free, blocked)| free + blocked)
                        .collect()
                }
            }
        };
        let power = |pool: usize| {
            let Pool { usable, device_groups, kind, .. } = &self.pools.all[pool];
            added_power(job, (&free_of(pool), usable, device_groups), *kind)
        };
        let key_of = |pool: usize| {
            let free = free_of(pool);
            let Pool { usable, device_groups, .. } = &self.pools.all[pool];
            let node = (&free[..], &usable[..], &device_groups[..]);
            key(self.pools.policy.place, &self.mix, job, node, largest, power(pool))
        };
        let awake = if start == self.now { &self.awake[..] } else { &[] };
        self.pools.choose(start, (room, awake), tasks, key_of, power)
    }
    /// Determines the devices of a job in pools that it gets for an interval: they are free during all
    /// of it.
    pub(super) fn devices(&self, job: &Waiting, parts: &Parts, (from, until): (u64, u64)) -> DevicesByPool {
        self.pools.expected_devices(job, parts, |pool| self.least(pool, from, until))
    }
    /// Returns the free amount now of the first resource, which every task needs.
    pub(super) fn free_now(&self) -> i64 {
        self.steps.iter().fold(0, |sum, steps| sum.saturating_add(steps.free[0][0].max(0)))
    }
    /// Returns the least free amount of each resource of a pool in an interval; if it is empty, at
    /// its start.
    pub(super) fn least(&self, pool: usize, from: u64, until: u64) -> impl Iterator<Item = i64> {
        let Steps { times, free } = &self.steps[pool];
        let first = times.partition_point(|&it| it <= from) - 1;
        let end = times.partition_point(|&it| it < until).max(first + 1);
        free.iter().map(move |free| free[first..end].iter().copied().min().unwrap_or(0))
    }
    /// Returns whether the job can use a pool in an interval, given that it must not have slower
    /// nodes than `speed`.
    pub(super) fn is_usable(
        &self,
        pool: usize,
        job: &Waiting,
        speed: u32,
        (from, until): (u64, u64),
    ) -> bool {
        let pool = &self.pools.all[pool];
        let meets = |&(begin, end): &(u64, u64)| begin < until && end > from;
        let closed = job.closed.get(pool.kind).into_iter().flatten();
        pool.speed(job.level) >= speed && job.fits[pool.kind] && !pool.windows.iter().chain(closed).any(meets)
    }
    /// Iterates over the number of tasks of a job that fit on each pool in an interval.
    pub(super) fn fitting_tasks(
        &self,
        job: &Waiting,
        speed: u32,
        (from, until): (u64, u64),
    ) -> impl Iterator<Item = u64> {
        (0..self.steps.len()).map(move |pool| match self.is_usable(pool, job, speed, (from, until)) {
            true => job.tasks_in(self.least(pool, from, until)),
            false => 0,
        })
    }
    /// Returns the resource of the whole cluster of which too little is free for a job in an
    /// interval, in addition to the units of another job, with the amount that is free; `None`
    /// if there is enough.
    pub(super) fn missing_common(
        &self,
        job: &Waiting,
        (from, until): (u64, u64),
        other: Option<&Waiting>,
    ) -> Option<(&str, i64)> {
        let steps = self.common.as_ref()?;
        let first = steps.times.partition_point(|&it| it <= from) - 1;
        let end = steps.times.partition_point(|&it| it < until).max(first + 1);
        let least = |at: usize| match self.period() {
            Some(_) => self.least_common(steps, at, (from, until)),
            None => steps.free[at][first..end].iter().copied().min().unwrap_or(0),
        };
        let held = |at: usize| other.and_then(|other| other.common.get(at)).copied().unwrap_or(0);
        let mut amounts =
            job.common.iter().enumerate().map(|(at, need)| (at, *need, least(at).saturating_sub(held(at))));
        let missing = amounts.find(|(_, need, free)| *need > 0 && need > free);
        missing.map(|(at, _, free)| (self.pools.common[at].name.as_str(), free))
    }
    /// Finds a slot for a job that starts at `start` on nodes that are not slower than `speed`.
    pub(super) fn slot_at(&self, start: u64, job: &Waiting, speed: u32) -> Option<Slot> {
        let end = end_of(start, job.planned, speed);
        // In most cases too few tasks fit at the start already, which is quick to check.
        if total(self.fitting_tasks(job, speed, (start, start.saturating_add(1)))) < job.tasks {
            return None;
        }
        if self.missing_common(job, (start, end), None).is_some() {
            return None;
        }
        let tasks: Vec<u64> = self.fitting_tasks(job, speed, (start, end)).collect();
        (total(tasks.iter().copied()) >= job.tasks).then_some(Slot { tasks, end, speed })
    }
    /// Finds the earliest start of a job, not after `latest`, and its slot on the fastest nodes.
    pub(super) fn earliest(&self, job: &Waiting, latest: u64) -> Option<(u64, Slot)> {
        self.earliest_from(self.now, job, latest)
    }
    /// Finds the earliest start of a job from `from` on, not after `latest`, and its slot on the
    /// fastest nodes.
    pub(super) fn earliest_from(&self, from: u64, job: &Waiting, latest: u64) -> Option<(u64, Slot)> {
        let behind = self.times_to_try.iter().copied().filter(|&moment| moment > from);
        let mut moments: Vec<u64> = [from].into_iter().chain(behind).collect();
        if self.period().is_some() {
            moments.extend(self.changes_of_repeating(from).take_while(|&moment| moment <= latest));
            moments.sort_unstable();
        }
        let moments = moments.into_iter().take_while(|&moment| moment <= latest);
        let speeds = self.pools.speeds(job.level);
        let room = |start: u64| speeds.iter().find_map(|&speed| self.slot_at(start, job, speed));
        moments.into_iter().find_map(|moment| Some((moment, room(moment)?)))
    }
}
