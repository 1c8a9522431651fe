//! Holes of pools alongside running jobs, whose resources are only ever released, and alongside
//! whole pools that are reserved for other jobs during a scheduling cycle.

use super::allocation::{Occupancy, Slot};
use super::changes::Changes;
use super::hole::{Hole, for_each_release, merge};
use super::hole_search::HoleSearch;
use super::pools::Pools;
use super::profile::Profile;
use super::queue::Waiting;
use super::requests::{Intervals, TaskRequest};
use super::windows::{last_end, last_ends};
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{SimSpan, SimTime, Yield};

/// Holes for all requests, each updated lazily when it is queried.
#[derive(Clone, Debug)]
pub(super) struct Holes {
    changes: Changes,
    /// Number of the change since which the current reservations have been made, and the reserved
    /// intervals by pool.
    cancelled_at: u64,
    reserved: Vec<Intervals>,
    by_request: Vec<RequestHoles>,
    /// Search whose last result contains the holes that the last query found.
    search: HoleSearch,
    /// Upper limit for the begin of holes; the same for all of a scheduling cycle.
    before: SimTime,
    rules: HoleRules,
}

/// Coarseness with which Slurm plans.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HoleRules {
    /// Amount by which the windows for expected ends become longer; zero if they double.
    pub(super) window_growth: SimSpan,
    /// Step to whose multiples the begins and ends of reservations are rounded down; zero if they are
    /// exact.
    pub(super) resolution: SimSpan,
}

impl HoleRules {
    /// Rounds the begin and the end of a reservation.
    fn round(self, (start, end): (SimTime, SimTime)) -> (SimTime, SimTime) {
        let step = self.resolution.micros().max(1);
        let [start, end] = [start, end].map(|time| SimTime::from_micros(time.micros() / step * step));
        (start, end)
    }
}

/// Holes for one request, ordered by begin.
#[derive(Clone, Debug)]
struct RequestHoles {
    /// Holes that begin now or at the expected ends of running jobs. They have no end, and those that
    /// begin at an end may have no tasks.
    releases: Vec<Hole>,
    /// Holes alongside running jobs only, which begin in windows.
    base: Vec<Hole>,
    /// Holes alongside running jobs and reservations, without unusable ones.
    holes: Vec<Hole>,
    /// Number of the last change that both lists include.
    seen: u64,
    /// Shortest run time queried so far, and whether it has become shorter since the lists were
    /// computed.
    shortest: SimSpan,
    is_shorter: bool,
}

impl Holes {
    pub(super) fn new(pools: &Pools, rules: HoleRules) -> Holes {
        Holes {
            changes: Changes::new(pools.len()),
            cancelled_at: 1,
            reserved: vec![Intervals::new(); pools.len()],
            by_request: Vec::new(),
            search: HoleSearch::default(),
            before: SimTime::MAX,
            rules,
        }
    }

    /// Notes that the running jobs of a pool changed.
    pub(super) fn note_run_change(&mut self, pool: usize) {
        self.changes.note_run_change(pool);
    }

    /// Reserves the pools of an occupancy, for the job of the last query.
    pub(super) fn reserve(&mut self, pools: &Pools, stay: Occupancy<'_>) {
        let (before, span) = (self.changes.last, self.rules.round((stay.start, stay.end)));
        if span.0 == span.1 {
            return;
        }
        self.changes.note_reservation(stay.allocation.parts(stay.size).map(|(pool, _)| pool));
        for (pool, _) in stay.allocation.parts(stay.size) {
            let spans = &mut self.reserved[pool];
            spans.insert(spans.partition_point(|(from, _)| *from < span.0), span);
        }
        // If no task fits alongside the job in any of its pools, exactly the holes that were found
        // are cut. Which devices the job will have is not known, so this is not asked of them.
        let need = pools.requests.get(stay.request);
        let has_devices = need.devices.is_some();
        let fills = |(pool, tasks)| {
            let whole = pools.amounts_of(&pools.capacity, pool).iter();
            need.tasks_in(
                whole
                    .zip(pools.taken(stay.request, pool, (tasks, OnDevices::default())))
                    .map(|(whole, taken)| whole - taken),
            ) == 0
        };
        let of_need = &mut self.by_request[stay.request];
        if has_devices || of_need.seen < before || !stay.allocation.parts(stay.size).all(fills) {
            return;
        }
        // A rounded begin may be in a hole before the closed interval that ends where the job starts.
        let is_behind = |&at: &usize| of_need.holes[at].from > span.0;
        if pools.has_windows && self.search.hole_indices.iter().any(is_behind) {
            return;
        }
        of_need
            .cut(&self.search.hole_indices, span, self.before, |pool| self.changes.has_changes(pool, before));
        of_need.seen = self.changes.last;
    }

    /// Cancels every reservation of every pool.
    pub(super) fn cancel_reservations(&mut self) {
        self.reserved.iter_mut().for_each(Intervals::clear);
        self.changes.last += 1;
        self.cancelled_at = self.changes.last;
    }

    /// Finds a slot for the job that starts now. The free resources must have been
    /// [counted](Pools::count).
    pub(super) fn find_slot_now(&self, pools: &Pools, now: SimTime, job: &Waiting) -> Option<Slot> {
        let (speed, end) = self.span_now(pools, now, job)?;
        let rooms = &pools.fit_counts[job.request];
        let room = |pool: usize| if self.is_unreserved(pool, end) { rooms.by_pool[pool] } else { 0 };
        Some((pools.choose((speed, now, end), job.request, job.job.size, room), end))
    }

    /// Returns whether no reservation of a pool begins before `end`.
    fn is_unreserved(&self, pool: usize, end: SimTime) -> bool {
        self.reserved[pool].first().is_none_or(|(from, _)| *from >= end)
    }

    /// Returns the minimum speed of its nodes and the end of a job, if it can start now.
    pub(super) fn span_now(&self, pools: &Pools, now: SimTime, job: &Waiting) -> Option<(Yield, SimTime)> {
        let (rooms, need, width) =
            (&pools.fit_counts[job.request], pools.requests.get(job.request), u64::from(job.job.size));
        pools.speeds.iter().find_map(|&speed| {
            let end = job.job.end(now, speed);
            if pools.open_sum(rooms, job.request, (speed, now, end)) < width {
                return None;
            }
            let open = pools.open(need, speed, now, end).flat_map(|group| group.pools.clone());
            let mut missing = width;
            let has_room = { open }.any(|pool| {
                let room = rooms.by_pool[pool];
                missing -= if room > 0 && self.is_unreserved(pool, end) { room.min(missing) } else { 0 };
                missing == 0
            });
            has_room.then_some((speed, end))
        })
    }

    /// Finds the earliest slot for the job that starts at or after `from` and before `before`.
    pub(super) fn earliest(
        &mut self,
        (pools, profiles): (&Pools, &[Profile]),
        (now, from, before): (SimTime, SimTime, SimTime),
        job: &Waiting,
    ) -> Option<(SimTime, Slot)> {
        if from >= before {
            return None;
        }
        self.before = before;
        self.refresh((pools, profiles), now, job);
        let openings = &self.by_request[job.request].holes;
        let mut earliest: Option<(SimTime, Slot)> = None;
        for &speed in &pools.speeds {
            let before = earliest.as_ref().map_or(before, |(start, _)| *start);
            earliest = self.search.find_earliest((pools, openings), speed, (from, before), job).or(earliest);
        }
        earliest
    }

    /// Updates the holes for the request of a job.
    fn refresh(&mut self, (pools, profiles): (&Pools, &[Profile]), now: SimTime, job: &Waiting) {
        if self.by_request.len() <= job.request {
            self.by_request.resize_with(job.request + 1, RequestHoles::new);
        }
        let Holes {
            changes,
            cancelled_at: withdrawn,
            reserved: promised,
            by_request: needs,
            before,
            rules,
            ..
        } = self;
        let (of_need, span) = (&mut needs[job.request], job.job.run_time_at(pools.speeds[0]));
        of_need.is_shorter |= span < of_need.shortest;
        of_need.shortest = of_need.shortest.min(span);
        let seen = of_need.seen;
        if seen == changes.last && !of_need.is_shorter {
            return;
        }
        let (mut moved, need) = (changes.pools_with_run_changes(seen), pools.requests.get(job.request));
        moved.retain(|&pool| need.fits[pools.group_of(pool).class]);
        if !moved.is_empty() {
            of_need.refresh_releases((pools, profiles), (now, need), &moved, |pool| {
                changes.has_run_changes(pool, seen)
            });
            of_need.refresh_base(pools, (now, need), rules.window_growth);
        }
        // A change of one expected end can change the windows of all others.
        let is_fresh = seen < *withdrawn || of_need.is_shorter || !moved.is_empty();
        if is_fresh {
            let count = of_need.base.partition_point(|it| it.from < *before);
            of_need.holes.clear();
            of_need.holes.extend(&of_need.base[..count]);
        }
        let since = if is_fresh { *withdrawn } else { seen };
        if changes.last > since {
            of_need.cut_reserved(promised, *before, |pool| changes.has_changes(pool, since));
        }
        (of_need.seen, of_need.is_shorter) = (changes.last, false);
    }
}

impl RequestHoles {
    fn new() -> RequestHoles {
        RequestHoles {
            releases: Vec::new(),
            base: Vec::new(),
            holes: Vec::new(),
            seen: 0,
            shortest: SimSpan::MAX,
            is_shorter: false,
        }
    }

    /// Recomputes the holes at expected ends in the pools `moved`, which the request can use.
    fn refresh_releases(
        &mut self,
        (pools, profiles): (&Pools, &[Profile]),
        (now, need): (SimTime, &TaskRequest),
        moved: &[usize],
        is_moved: impl Fn(usize) -> bool,
    ) {
        let (dimensions, mut found) = (pools.requests.dimensions(), Vec::new());
        self.releases.retain(|it| !is_moved(it.pool()));
        for &pool in moved {
            let free = &profiles[pool * dimensions..][..dimensions];
            for_each_release(free, (now, need, pool), |it| found.push(it));
        }
        merge(&mut self.releases, found);
    }

    /// Recomputes the holes alongside running jobs: they begin at the last expected end in a window,
    /// outside of maintenance windows and of the reservations of the site.
    fn refresh_base(&mut self, pools: &Pools, (now, need): (SimTime, &TaskRequest), growth: SimSpan) {
        let ends = self.releases.iter().map(|it| it.from).filter(|end| *end > now);
        let lasts = last_ends(ends, growth);
        self.base.clear();
        for it in self.releases.iter().filter(|it| it.tasks > 0) {
            let group = pools.group_of(it.pool());
            let from = if it.from > now { last_end(&lasts, it.from) } else { it.from };
            let closed = need.closed.get(group.class).filter(|spans| !spans.is_empty());
            Hole { from, ..*it }.for_each_outside(&group.windows, |part| match closed {
                Some(closed) => part.for_each_outside(closed, |part| self.base.push(part)),
                None => self.base.push(part),
            });
        }
        if pools.has_windows {
            self.base.sort_by_key(|it| it.from);
        }
    }

    /// Cuts the reserved intervals out of the holes in changed pools.
    fn cut_reserved(&mut self, promised: &[Intervals], before: SimTime, is_touched: impl Fn(usize) -> bool) {
        let (mut parts, mut kept, shortest) = (Vec::new(), 0, self.shortest);
        let is_of_use = |part: &Hole| part.is_usable(before, shortest);
        for at in 0..self.holes.len() {
            let it = self.holes[at];
            if !is_touched(it.pool()) {
                self.holes[kept] = it;
                kept += 1;
            } else {
                it.for_each_outside(&promised[it.pool()], |part| {
                    match part.from == it.from && is_of_use(&part) {
                        true => (self.holes[kept], kept) = (part, kept + 1),
                        false => parts.extend(Some(part).filter(is_of_use)),
                    }
                });
            }
        }
        self.holes.truncate(kept);
        merge(&mut self.holes, parts);
    }

    /// Cuts an interval out of those of the given holes that are in certain pools. Each of them must
    /// contain the interval.
    fn cut(
        &mut self,
        places: &[usize],
        (start, end): (SimTime, SimTime),
        before: SimTime,
        is_cut: impl Fn(usize) -> bool,
    ) {
        let mut behind = Vec::new();
        for &at in places {
            let it = &mut self.holes[at];
            if is_cut(it.pool()) {
                behind.push(Hole { from: end, ..*it });
                it.until = start;
            }
        }
        behind.retain(|it| it.is_usable(before, self.shortest));
        let place = self.holes.partition_point(|it| it.from < end);
        self.holes.splice(place..place, behind);
    }
}
