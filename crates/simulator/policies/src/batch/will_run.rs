//! Times at which waiting jobs can start, as Slurm's backfilling determines them where tasks share
//! nodes.
//!
//! A test at a time considers the pools that are not reserved while the job would run from then on.
//! If it does not fit into them now, the running jobs are removed in the order of their expected
//! ends, in [windows](super::windows); the job can start at the last end of the window after which it
//! fits. A window extends to the next job on these pools if the next job anywhere ends in it. If a
//! pool that is reserved becomes free before that, the job is tested again at that time.

use super::allocation::{Occupancy, Slot};
use super::changes::Changes;
use super::groups::Group;
use super::node_space::{NodeSpace, add_range, is_in, pools_in};
use super::pools::Pools;
use super::profile::{Profile, first_with_amounts};
use super::queue::Waiting;
use super::ready::{ReadySearch, Releases};
use super::release::{for_each_release, merge};
use dfrsim_model::{SimSpan, SimTime, Yield};

/// Running jobs and reservations of a backfill cycle, for tests of waiting jobs.
#[derive(Clone, Debug)]
pub(super) struct WillRun {
    changes: Changes,
    reserved: NodeSpace,
    /// Expected ends of all running jobs, in ascending order.
    ends: Vec<SimTime>,
    by_request: Vec<RequestReleases>,
    rules: PlanRules,
    search: ReadySearch,
    /// Requests and intervals of the reservations that hold resources of the whole cluster.
    amounts: Vec<(usize, (SimTime, SimTime))>,
}

/// Coarseness with which Slurm plans.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlanRules {
    /// Amount by which the windows for expected ends become longer; zero if they double.
    pub(super) window_growth: SimSpan,
    /// Step to whose multiples the starts and ends of reservations are rounded down; zero if
    /// they are exact.
    pub(super) resolution: SimSpan,
}

impl PlanRules {
    /// Rounds the start and the end of a reservation.
    fn round(self, (start, end): (SimTime, SimTime)) -> (SimTime, SimTime) {
        let step = self.resolution.micros().max(1);
        let [start, end] = [start, end].map(|time| SimTime::from_micros(time.micros() / step * step));
        (start, end)
    }
}

/// Releases for one request.
#[derive(Clone, Debug, Default)]
struct RequestReleases {
    releases: Releases,
    /// Number of the last change that they include.
    seen: u64,
}

impl WillRun {
    /// Creates the state without reservations, given the expected ends of the running jobs.
    pub(super) fn new(pools: &Pools, rules: PlanRules, mut ends: Vec<SimTime>) -> WillRun {
        ends.sort_unstable();
        WillRun {
            changes: Changes::new(pools.len()),
            reserved: NodeSpace::new(pools.len()),
            ends,
            by_request: Vec::new(),
            rules,
            search: ReadySearch::default(),
            amounts: Vec::new(),
        }
    }

    /// Notes that the running jobs of a pool changed.
    pub(super) fn note_run_change(&mut self, pool: usize) {
        self.changes.note_run_change(pool);
    }

    /// Adds the expected end of a running job.
    pub(super) fn add_end(&mut self, end: SimTime) {
        self.ends.insert(self.ends.partition_point(|other| *other < end), end);
    }

    /// Removes the expected end of a running job.
    pub(super) fn remove_end(&mut self, end: SimTime) {
        if let Ok(place) = self.ends.binary_search(&end) {
            self.ends.remove(place);
        }
    }

    /// Reserves the pools of an occupancy.
    pub(super) fn reserve(&mut self, stay: Occupancy<'_>) {
        let span = self.rules.round((stay.start, stay.end));
        if span.0 < span.1 {
            self.reserved.reserve(stay.allocation.parts(stay.size).map(|(pool, _)| pool), span);
        }
    }

    /// Notes that a reservation holds the amounts of a request of the resources of the whole cluster. They
    /// are held exactly in its interval, which is not rounded.
    pub(super) fn note_amounts(&mut self, request: usize, span: (SimTime, SimTime)) {
        self.amounts.push((request, span));
    }

    /// Cancels every reservation of every pool; returns the requests and intervals of those that hold
    /// resources of the whole cluster.
    pub(super) fn cancel_reservations(&mut self) -> Vec<(usize, (SimTime, SimTime))> {
        self.reserved.clear();
        std::mem::take(&mut self.amounts)
    }

    /// Finds a slot for the job that starts now. The free resources must have been
    /// [counted](Pools::count).
    pub(super) fn find_slot_now(&self, pools: &Pools, now: SimTime, job: &Waiting) -> Option<Slot> {
        let (speed, end) = self.span_now(pools, now, job)?;
        let rooms = &pools.fit_counts[job.request];
        let reserved = self.reserved.reserved_between(now, end);
        let room = |pool: usize| if is_in(&reserved, pool) { 0 } else { rooms.by_pool[pool] };
        Some((pools.choose((speed, now, end), job.request, job.job.size, room), end))
    }

    /// Returns the minimum speed of its nodes and the end of a job, if it can start now.
    pub(super) fn span_now(&self, pools: &Pools, now: SimTime, job: &Waiting) -> Option<(Yield, SimTime)> {
        let (rooms, need, width) =
            (&pools.fit_counts[job.request], pools.requests.get(job.request), u64::from(job.job.size));
        pools.speeds_of(job.request).iter().find_map(|&speed| {
            let end = job.job.end(now, speed);
            if pools.open_sum(rooms, job.request, (speed, now, end)) < width {
                return None;
            }
            // The sum is over the open groups, so it is exact without reservations.
            if self.reserved.is_empty() {
                return Some((speed, end));
            }
            let open = pools.open(need, speed, now, end).flat_map(|group| group.pools.clone());
            let (mut missing, reserved) = (width, self.reserved.reserved_between(now, end));
            let has_room = { open }.any(|pool| {
                let room = rooms.by_pool[pool];
                let is_of_use = room > 0 && !is_in(&reserved, pool);
                missing -= if is_of_use { room.min(missing) } else { 0 };
                missing == 0
            });
            has_room.then_some((speed, end))
        })
    }

    /// Finds the slot for the job that the tests from `from` on yield, if it starts before `before`.
    pub(super) fn earliest(
        &mut self,
        (pools, profiles): (&Pools, &[Profile]),
        (now, from, before): (SimTime, SimTime, SimTime),
        job: &Waiting,
    ) -> Option<(SimTime, Slot)> {
        self.refresh((pools, profiles), now, job.request);
        let mut earliest: Option<(SimTime, Slot)> = None;
        for &speed in pools.speeds_of(job.request) {
            let before = earliest.as_ref().map_or(before, |(start, _)| *start);
            let common = &profiles[pools.capacity.len()..];
            earliest = self.find_slot((pools, common), (now, speed), (from, before), job).or(earliest);
        }
        earliest
    }

    /// Finds the slot for the job on nodes of at least this speed. A test at a time at which its amounts of
    /// the resources of the whole cluster are not free moves to the next one at which they are.
    fn find_slot(
        &mut self,
        (pools, common): (&Pools, &[Profile]),
        (now, speed): (SimTime, Yield),
        (from, before): (SimTime, SimTime),
        job: &Waiting,
    ) -> Option<(SimTime, Slot)> {
        let (need, width) = (pools.requests.get(job.request), u64::from(job.job.size));
        self.search.reset(&self.reserved, &self.by_request[job.request].releases, now);
        let (is_changeable, is_limited) = (pools.has_windows, need.common.iter().any(|amount| *amount > 0));
        let (mut start, mut is_first) = (from, true);
        while start < before {
            let end = job.job.end(start, speed);
            let span = end.since(start);
            let amounts_from = |time| first_with_amounts(common, &need.common, time, span);
            if is_limited {
                let free = amounts_from(start)?;
                if free > start {
                    start = free;
                    continue;
                }
            }
            let later = self.search.later_start(&self.reserved, (start, end));
            let reopened = if is_changeable { pools.window_ends(need, start).min() } else { None };
            let later = later.into_iter().chain(reopened).min();
            let latest = later.unwrap_or(SimTime::MAX);
            let releases = &self.by_request[job.request].releases;
            if is_changeable || std::mem::take(&mut is_first) {
                self.search.open((&self.reserved, releases), |set| {
                    pools.open(need, speed, start, end).for_each(|group| add_range(set, group.pools.clone()));
                });
            }
            self.search.test((&self.reserved, releases), (start, end));
            let growth = self.rules.window_growth;
            let ready = self.search.ready_time((releases, &self.ends), (width, growth), latest);
            // A job that is ready after the time of the next test is tested again.
            let Some(ready) = ready.filter(|&ready| later.is_none_or(|later| ready.max(start) <= later))
            else {
                start = later?;
                continue;
            };
            let begin = ready.max(start);
            if begin >= before {
                return None;
            }
            if is_limited {
                let free = amounts_from(begin)?;
                if free > begin {
                    start = free;
                    continue;
                }
            }
            let (count, test_end) = (releases.count_until(ready), end);
            let end = job.job.end(begin, speed);
            let (search, is_open) =
                (&self.search, |group: &Group| pools.is_open_to(group, need, speed, (begin, end)));
            let rooms = |group: &Group| {
                let available = pools_in(search.available(), group.pools.clone());
                let rooms = available.map(move |pool| (pool, releases.tasks_of_pool(pool, count)));
                rooms.filter(|(_, tasks)| *tasks > 0)
            };
            let mut tested = pools.open(need, speed, start, test_end);
            if begin > start && !tested.all(is_open) {
                let open = pools.open(need, speed, begin, end).flat_map(rooms);
                if open.map(|(_, tasks)| tasks).sum::<u64>() < width {
                    // A window begins before the job would end.
                    start = begin;
                    continue;
                }
            }
            let split = pools.choose_among((speed, begin, end), job.request, job.job.size, rooms);
            let (from, until) = self.rules.round((begin, end));
            let last = SimTime::from_micros(until.micros().saturating_sub(1));
            let is_reserved = |(pool, _)| self.reserved.is_reserved(pool, (from, last));
            if begin > start && split.pools().any(is_reserved) {
                start = begin;
                continue;
            }
            return Some((begin, (split, end)));
        }
        None
    }

    /// Updates the releases for a request.
    fn refresh(&mut self, (pools, profiles): (&Pools, &[Profile]), now: SimTime, request: usize) {
        if self.by_request.len() <= request {
            self.by_request.resize_with(request + 1, RequestReleases::default);
        }
        let (releases, need) = (&mut self.by_request[request], pools.requests.get(request));
        let seen = releases.seen;
        if seen == self.changes.last() {
            return;
        }
        let mut changed = self.changes.pools_since(seen);
        changed.retain(|&pool| need.fits[pools.group_of(pool).class]);
        let (dimensions, mut found) = (pools.requests.dimensions(), Vec::new());
        let RequestReleases { releases, seen: included } = releases;
        releases.all.retain(|it| !self.changes.has_changed(it.pool(), seen));
        for &pool in &changed {
            let free = &profiles[pool * dimensions..][..dimensions];
            for_each_release(free, (now, need, pool), |it| found.push(it));
        }
        merge(&mut releases.all, found);
        releases.sort_by_pool(pools.len());
        *included = self.changes.last();
    }
}
