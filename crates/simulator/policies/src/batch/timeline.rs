//! Free resources of the pools over time, given running jobs and reservations.

use super::allocation::{Allocation, Occupancy, Slot};
use super::pools::Pools;
use super::profile::Profile;
use super::queue::Waiting;
use super::requests::TaskRequest;
use super::will_run::WillRun;
use dfrsim_model::{SimSpan, SimTime, Yield};

/// Free amount of each resource of each pool over time. Maintenance windows are not included.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline {
    /// Profiles of all pools, followed by those of the resources of the whole cluster.
    profiles: Vec<Profile>,
    /// Times at which a pool may have more free resources, in ascending order: the ends of all
    /// occupancies. Not used for a single pool.
    ends: Vec<(SimTime, usize)>,
    /// Reservations of whole pools, if a cycle makes these; the profiles then contain running jobs
    /// only.
    pub(super) will_run: Option<WillRun>,
}

impl Timeline {
    /// Builds the timeline of empty pools from `now` on.
    pub(super) fn new(pools: &Pools, now: SimTime) -> Timeline {
        let profile = |&whole: &u64| {
            let mut profile = Profile::new(whole);
            profile.clear(now);
            profile
        };
        let planned = pools.common.iter().filter(|_| !pools.skips_unlicensed);
        let common = planned.flat_map(|common| common.profiles(now));
        let profiles = pools.capacity.iter().map(profile).chain(common).collect();
        Timeline { profiles, ends: Vec::new(), will_run: None }
    }

    /// Makes this timeline equal to another one without reservations of whole pools, and keeps its memory.
    pub(super) fn copy_from(&mut self, other: &Timeline) {
        self.profiles.clone_from(&other.profiles);
        self.ends.clone_from(&other.ends);
        self.will_run = None;
    }

    /// Drops what is before `now`.
    pub(super) fn advance(&mut self, now: SimTime) {
        self.profiles.iter_mut().for_each(|profile| profile.advance(now));
        let passed = self.ends.partition_point(|(end, _)| *end <= now);
        self.ends.drain(..passed);
    }

    pub(super) fn allocate(&mut self, pools: &Pools, stay: Occupancy<'_>) {
        self.note_end(pools, stay);
        self.will_run.iter_mut().for_each(|will_run| will_run.add_end(stay.end));
        self.change(pools, stay, |profile, amount| profile.reserve(stay.start, stay.end, amount));
    }

    /// Records the end of an occupancy.
    fn note_end(&mut self, pools: &Pools, stay: Occupancy<'_>) {
        if pools.is_one_pool || self.will_run.is_some() {
            return;
        }
        for (pool, _) in stay.allocation.parts(stay.size) {
            let end = (stay.end, pool);
            if let Err(place) = self.ends.binary_search(&end) {
                self.ends.insert(place, end);
            }
        }
    }

    pub(super) fn release(&mut self, pools: &Pools, stay: Occupancy<'_>) {
        self.will_run.iter_mut().for_each(|will_run| will_run.remove_end(stay.end));
        self.change(pools, stay, |profile, amount| profile.release(stay.start, stay.end, amount));
    }

    /// Moves an occupancy to an earlier interval, in a single pool.
    pub(super) fn move_earlier(&mut self, stay: Occupancy<'_>, to: (SimTime, SimTime)) {
        self.profiles[0].move_earlier((stay.start, stay.end), to, stay.size);
    }

    fn change(&mut self, pools: &Pools, stay: Occupancy<'_>, change: impl Fn(&mut Profile, u64)) {
        if let [single] = &mut self.profiles[..] {
            return change(single, stay.size.into());
        }
        for (pool, tasks, devices) in stay.allocation.parts_on_devices(stay.size) {
            let amounts = pools.taken(stay.request, pool, (tasks, devices));
            let profiles =
                &mut self.profiles[pool * pools.requests.dimensions()..][..pools.requests.dimensions()];
            if let Some(will_run) = &mut self.will_run {
                will_run.note_run_change(pool);
                profiles.iter_mut().for_each(|profile| profile.advance(stay.start));
            }
            profiles.iter_mut().zip(amounts).for_each(|(profile, amount)| change(profile, amount));
        }
        let common = self.profiles[pools.capacity.len()..].iter_mut();
        for (profile, amount) in common.zip(&pools.requests.get(stay.request).common) {
            if self.will_run.is_some() {
                profile.advance(stay.start);
            }
            change(profile, *amount);
        }
    }

    /// Reserves the pools of an occupancy in a cycle that reserves whole pools, and its amounts of the
    /// resources of the whole cluster.
    pub(super) fn reserve_in_cycle(&mut self, pools: &Pools, stay: Occupancy<'_>) {
        let Some(will_run) = &mut self.will_run else { return };
        will_run.reserve(stay);
        let amounts = &pools.requests.get(stay.request).common;
        if amounts.iter().any(|amount| *amount > 0) {
            will_run.note_amounts(stay.request, (stay.start, stay.end));
            let common = self.profiles[pools.capacity.len()..].iter_mut();
            common.zip(amounts).for_each(|(profile, amount)| profile.reserve(stay.start, stay.end, *amount));
        }
    }

    /// Cancels the reservations of a cycle that reserves whole pools.
    pub(super) fn cancel_reservations_of_cycle(&mut self, pools: &Pools) {
        let Some(will_run) = &mut self.will_run else { return };
        for (request, (start, end)) in will_run.cancel_reservations() {
            let common = self.profiles[pools.capacity.len()..].iter_mut();
            let amounts = &pools.requests.get(request).common;
            common.zip(amounts).for_each(|(profile, amount)| profile.release(start, end, *amount));
        }
    }

    /// Returns whether the amounts of a request of the resources of the whole cluster are free from
    /// `start` to `end`.
    pub(super) fn has_common_amounts(
        &self,
        pools: &Pools,
        request: &TaskRequest,
        start: SimTime,
        end: SimTime,
    ) -> bool {
        let mut common = self.profiles[pools.capacity.len()..].iter().zip(&request.common);
        common.all(|(profile, amount)| *amount == 0 || profile.min_free(start, end) >= *amount)
    }

    /// Finds the earliest slot for the job from `from` on; `None` if there is none before `held`,
    /// where the job already has a reservation. In a single pool, the reservation may be in the
    /// timeline during the search.
    pub(super) fn earliest(
        &self,
        pools: &Pools,
        from: SimTime,
        job: &Waiting,
        held: SimTime,
    ) -> Option<(SimTime, Slot)> {
        if pools.single().is_some() {
            let speed = pools.groups[0].speed;
            let span = job.job.end(from, speed).since(from);
            let start = self.profiles[0].earliest_or_reserved(from, job.job.size, span, held);
            return (start < held).then(|| (start, (Allocation::default(), job.job.end(start, speed))));
        }
        if pools.is_one_pool {
            return self.earliest_in_one_pool(pools, from, job, held);
        }
        let mut earliest: Option<(SimTime, Slot)> = None;
        for &speed in pools.speeds_of(job.request) {
            let before = earliest.as_ref().map_or(held, |(start, _)| *start);
            let search = Search { timeline: self, pools, need: pools.requests.get(job.request), job, speed };
            earliest = search.find_earliest(from, before).or(earliest);
        }
        earliest
    }

    /// Finds the earliest slot where the nodes are a single pool and the cluster has further resources
    /// as a whole. Each profile in turn moves the start to the next time from which it has enough, until
    /// none moves it.
    #[inline(never)]
    fn earliest_in_one_pool(
        &self,
        pools: &Pools,
        from: SimTime,
        job: &Waiting,
        held: SimTime,
    ) -> Option<(SimTime, Slot)> {
        let (nodes, common) = self.profiles.split_first()?;
        let (speed, amounts) = (pools.speed_of_pool(job.request), &pools.requests.get(job.request).common);
        let span = job.job.end(from, speed).since(from);
        let mut start = from;
        while start < held {
            let mut next = nodes.earliest_or_reserved(start, job.job.size, span, held);
            for (profile, &amount) in common.iter().zip(amounts).filter(|(_, amount)| **amount > 0) {
                next = profile.earliest_or_reserved(next, amount, span, held);
            }
            if next == start {
                return Some((start, (Allocation::default(), job.job.end(start, speed))));
            }
            start = next;
        }
        None
    }

    /// Finds the earliest slot for a job behind all others in a queue that is served in order; no
    /// reservation comes after it.
    pub(super) fn earliest_in_queue_order(
        &self,
        pools: &Pools,
        from: SimTime,
        job: &Waiting,
    ) -> Option<(SimTime, Slot)> {
        if pools.single().is_none() {
            return self.earliest(pools, from, job, SimTime::MAX);
        }
        let start = self.profiles[0].earliest_if_non_decreasing(from, job.job.size);
        let end = job.job.end(start, pools.groups[0].speed);
        (start < SimTime::MAX).then(|| (start, (Allocation::default(), end)))
    }

    /// Finds a slot now, beside all reservations in the timeline.
    pub(super) fn slot_now(&self, pools: &Pools, now: SimTime, job: &Waiting) -> Option<Slot> {
        if !pools.is_one_pool {
            let soon = now.saturating_add(SimSpan::from_micros(1));
            return self.earliest(pools, now, job, soon).map(|(_, slot)| slot);
        }
        let end = job.job.end(now, pools.speed_of_pool(job.request));
        let fits = self.profiles[0].min_free(now, end) >= u64::from(job.job.size)
            && self.has_common_amounts(pools, pools.requests.get(job.request), now, end);
        fits.then(|| (Allocation::default(), end))
    }

    /// Finds the earliest slot where a cycle may reserve whole pools. The free resources must have
    /// been [counted](Pools::count).
    pub(super) fn earliest_with_reservations(
        &mut self,
        pools: &Pools,
        (now, from): (SimTime, SimTime),
        job: &Waiting,
        held: SimTime,
    ) -> Option<(SimTime, Slot)> {
        match &mut self.will_run {
            Some(will_run) => will_run.earliest((pools, &self.profiles), (now, from, held), job),
            None => self.earliest(pools, from, job, held),
        }
    }
}

/// Search for the earliest slot on nodes of a minimum speed.
struct Search<'a> {
    timeline: &'a Timeline,
    pools: &'a Pools,
    need: &'a TaskRequest,
    job: &'a Waiting,
    speed: Yield,
}

/// Upper bounds on the tasks that fit, by pool and in total. The bound of a pool can rise only when
/// an occupancy in it ends.
struct FitBounds {
    by_pool: Vec<u64>,
    total: u64,
}

impl Search<'_> {
    #[inline(never)]
    fn find_earliest(&self, from: SimTime, before: SimTime) -> Option<(SimTime, Slot)> {
        let Search { timeline: Timeline { ends, .. }, pools, job, speed, .. } = *self;
        let width = u64::from(job.job.size);
        let begin = |moment: SimTime| ends.partition_point(|(end, _)| *end <= moment);
        if from >= before {
            return None;
        }
        let unknown = || FitBounds { by_pool: vec![u64::MAX; pools.len()], total: u64::MAX };
        let (mut start, mut most, mut next) = (from, unknown(), begin(from));
        // Time of the last change other than those of the amounts of the whole cluster.
        let mut changed = from;
        while start < before {
            if most.total >= width {
                self.make_exact(start, &mut most);
                let end = job.job.end(start, speed);
                if most.total >= width && self.timeline.has_common_amounts(pools, self.need, start, end) {
                    let mut room = pools
                        .choose((speed, start, end), job.request, job.job.size, |pool| most.by_pool[pool]);
                    self.bind(&mut room, start, end);
                    return Some((start, (room, end)));
                }
            }
            let reopens = pools.window_ends(self.need, start).min();
            let rises = pools.next_rise(start, changed);
            let opens = reopens.into_iter().chain(rises).min();
            let ends_next = ends.get(next).map(|(end, _)| *end);
            start = opens.into_iter().chain(ends_next).min()?;
            if [reopens, ends_next].contains(&Some(start)) {
                changed = start;
            }
            if opens == Some(start) {
                (next, most) = (begin(start), unknown());
                continue;
            }
            let end = job.job.end(start, speed);
            while let Some(&(_, pool)) = ends.get(next).filter(|(at, _)| *at == start) {
                next += 1;
                if pools.is_open_to(pools.group_of(pool), self.need, speed, (start, end)) {
                    let tasks = self.fit_count(pool, start, end);
                    most.total = most.total - most.by_pool[pool] + tasks;
                    most.by_pool[pool] = tasks;
                }
            }
        }
        None
    }

    /// Replaces the positive bounds by exact counts.
    fn make_exact(&self, start: SimTime, most: &mut FitBounds) {
        let end = self.job.job.end(start, self.speed);
        most.total = 0;
        for group in self.pools.open(self.need, self.speed, start, end) {
            for pool in group.pools.clone() {
                if most.by_pool[pool] > 0 {
                    most.by_pool[pool] = self.fit_count(pool, start, end);
                    most.total += most.by_pool[pool];
                }
            }
        }
    }

    /// Counts the tasks that fit into a pool from `start` to `end`.
    fn fit_count(&self, pool: usize, start: SimTime, end: SimTime) -> u64 {
        let dimensions = self.pools.requests.dimensions();
        let profiles = &self.timeline.profiles[pool * dimensions..][..dimensions];
        self.need.tasks_in_each(profiles.iter().map(|profile| profile.min_free(start, end)))
    }

    /// Chooses devices that are free from `start` to `end`, if the job requests any.
    fn bind(&self, split: &mut Allocation, start: SimTime, end: SimTime) {
        if self.need.devices.is_some() {
            let dimensions = self.pools.requests.dimensions();
            split.choose_devices(|pool, tasks| {
                let profiles = &self.timeline.profiles[pool * dimensions..][..dimensions];
                let free: Vec<u64> = profiles.iter().map(|profile| profile.min_free(start, end)).collect();
                self.need.devices_in(&free, tasks, self.pools.device_groups(pool))
            });
        }
    }
}
