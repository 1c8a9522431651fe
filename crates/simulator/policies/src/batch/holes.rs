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
}

/// Holes for one request, ordered by begin.
#[derive(Clone, Debug)]
struct RequestHoles {
    /// Holes alongside running jobs only.
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
    pub(super) fn new(pools: &Pools) -> Holes {
        Holes {
            changes: Changes::new(pools.len()),
            cancelled_at: 1,
            reserved: vec![Intervals::new(); pools.len()],
            by_request: Vec::new(),
            search: HoleSearch::default(),
            before: SimTime::MAX,
        }
    }

    /// Notes that the running jobs of a pool changed.
    pub(super) fn note_run_change(&mut self, pool: usize) {
        self.changes.note_run_change(pool);
    }

    /// Reserves the pools of an occupancy, for the job of the last query.
    pub(super) fn reserve(&mut self, pools: &Pools, stay: Occupancy<'_>) {
        let before = self.changes.last;
        self.changes.note_reservation(stay.allocation.parts(stay.size).map(|(pool, _)| pool));
        for (pool, _) in stay.allocation.parts(stay.size) {
            let spans = &mut self.reserved[pool];
            spans.insert(spans.partition_point(|(from, _)| *from < stay.start), (stay.start, stay.end));
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
        of_need.cut(&self.search.hole_indices, (stay.start, stay.end), self.before, |pool| {
            self.changes.has_changes(pool, before)
        });
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
        let Holes { changes, cancelled_at: withdrawn, reserved: promised, by_request: needs, before, .. } =
            self;
        let (of_need, span) = (&mut needs[job.request], job.job.run_time_at(pools.speeds[0]));
        of_need.is_shorter |= span < of_need.shortest;
        of_need.shortest = of_need.shortest.min(span);
        let seen = of_need.seen;
        if seen == changes.last && !of_need.is_shorter {
            return;
        }
        let (moved, need) = (changes.pools_with_run_changes(seen), pools.requests.get(job.request));
        let new = of_need
            .refresh_base((pools, profiles), (now, need), &moved, |pool| changes.has_run_changes(pool, seen));
        let is_fresh = seen < *withdrawn || of_need.is_shorter;
        if is_fresh {
            let count = of_need.base.partition_point(|it| it.from < *before);
            of_need.holes.clear();
            of_need.holes.extend(&of_need.base[..count]);
        }
        let (since, new) = if is_fresh { (*withdrawn, Vec::new()) } else { (seen, new) };
        if changes.last > since {
            let is_moved = |pool| !is_fresh && changes.has_run_changes(pool, since);
            of_need.cut_reserved(promised, *before, |pool| changes.has_changes(pool, since), is_moved, &new);
        }
        (of_need.seen, of_need.is_shorter) = (changes.last, false);
    }
}

impl RequestHoles {
    fn new() -> RequestHoles {
        RequestHoles {
            base: Vec::new(),
            holes: Vec::new(),
            seen: 0,
            shortest: SimSpan::MAX,
            is_shorter: false,
        }
    }

    /// Recomputes the holes alongside running jobs in the pools `moved`; returns them.
    fn refresh_base(
        &mut self,
        (pools, profiles): (&Pools, &[Profile]),
        (now, need): (SimTime, &TaskRequest),
        moved: &[usize],
        is_moved: impl Fn(usize) -> bool,
    ) -> Vec<Hole> {
        let mut found = Vec::new();
        if moved.is_empty() {
            return found;
        }
        self.base.retain(|it| !is_moved(it.pool()));
        let dimensions = pools.requests.dimensions();
        for &pool in moved {
            let group = pools.group_of(pool);
            if need.fits[group.class] {
                let free = &profiles[pool * dimensions..][..dimensions];
                let closed = need.closed.get(group.class).filter(|spans| !spans.is_empty());
                for_each_release(free, (now, need, pool), |it| {
                    it.for_each_outside(&group.windows, |part| match closed {
                        Some(closed) => part.for_each_outside(closed, |part| found.push(part)),
                        None => found.push(part),
                    });
                });
            }
        }
        merge(&mut self.base, found.clone());
        found
    }

    /// Cuts the reserved intervals out of the holes in changed pools. In pools whose running jobs
    /// changed, the holes are replaced by `new`.
    fn cut_reserved(
        &mut self,
        promised: &[Intervals],
        before: SimTime,
        is_touched: impl Fn(usize) -> bool,
        is_moved: impl Fn(usize) -> bool,
        new: &[Hole],
    ) {
        let (mut parts, mut kept, shortest) = (Vec::new(), 0, self.shortest);
        let is_of_use = |part: &Hole| part.is_usable(before, shortest);
        for at in 0..self.holes.len() {
            let it = self.holes[at];
            if !is_touched(it.pool()) {
                self.holes[kept] = it;
                kept += 1;
            } else if !is_moved(it.pool()) {
                it.for_each_outside(&promised[it.pool()], |part| {
                    match part.from == it.from && is_of_use(&part) {
                        true => (self.holes[kept], kept) = (part, kept + 1),
                        false => parts.extend(Some(part).filter(is_of_use)),
                    }
                });
            }
        }
        self.holes.truncate(kept);
        for it in new {
            it.for_each_outside(&promised[it.pool()], |part| parts.extend(Some(part).filter(is_of_use)));
        }
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
