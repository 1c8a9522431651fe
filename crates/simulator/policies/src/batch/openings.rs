//! When pools have room beside running jobs, which only give room back, and beside whole pools that a pass promises to others.

use super::changes::Changes;
use super::needs::{Need, Spans};
use super::opening::{Opening, for_each_rise, merge};
use super::opening_search::OpeningSearch;
use super::pools::Pools;
use super::profile::Profile;
use super::queue::Waiting;
use super::split::{Room, Stay};
use dfrsim_model::{SimSpan, SimTime, Yield};

/// The openings for all needs, each brought up to date when it is asked for.
#[derive(Clone, Debug)]
pub(super) struct Openings {
    changes: Changes,
    /// The change since which there are promises, and these, by pool.
    withdrawn: u64,
    promised: Vec<Spans>,
    needs: Vec<OfNeed>,
    /// Which of them the last job that was asked about has.
    search: OpeningSearch,
    /// They begin before this moment, which is the same in all of a pass.
    before: SimTime,
}

/// The openings for a need, by begin.
#[derive(Clone, Debug)]
struct OfNeed {
    /// Those beside what runs alone.
    base: Vec<Opening>,
    /// Those beside what is promised, too; without those that are of no use.
    openings: Vec<Opening>,
    /// The last change that is in both.
    seen: u64,
    /// The shortest time for which a job has asked, and whether those that are as short must be found.
    shortest: SimSpan,
    is_shorter: bool,
}

impl Openings {
    pub(super) fn new(pools: &Pools) -> Openings {
        Openings {
            changes: Changes::new(pools.len()),
            withdrawn: 1,
            promised: vec![Spans::new(); pools.len()],
            needs: Vec::new(),
            search: OpeningSearch::default(),
            before: SimTime::MAX,
        }
    }

    /// What runs in a pool changes.
    pub(super) fn change(&mut self, pool: usize) {
        self.changes.run(pool);
    }

    /// Promises the pools of a stay, in which the last job that was asked about has its room.
    pub(super) fn promise(&mut self, pools: &Pools, stay: Stay<'_>) {
        let before = self.changes.last;
        self.changes.promise(stay.split.parts(stay.width).map(|(pool, _)| pool));
        for (pool, _) in stay.split.parts(stay.width) {
            let spans = &mut self.promised[pool];
            spans.insert(spans.partition_point(|(from, _)| *from < stay.start), (stay.start, stay.end));
        }
        // Where it leaves a pool no room for a task, it is the openings that were found which are split.
        let need = pools.needs.get(stay.need);
        let fills = |(pool, tasks)| {
            let whole = pools.of(&pools.whole, pool).iter();
            need.times_in(whole.zip(pools.taken(stay.need, pool, tasks)).map(|(whole, taken)| whole - taken))
                == 0
        };
        let of_need = &mut self.needs[stay.need];
        if of_need.seen < before || !stay.split.parts(stay.width).all(fills) {
            return;
        }
        of_need.split(&self.search.places, (stay.start, stay.end), self.before, |pool| {
            self.changes.is_touched(pool, before)
        });
        of_need.seen = self.changes.last;
    }

    /// Takes all promises back.
    pub(super) fn withdraw(&mut self) {
        self.promised.iter_mut().for_each(Spans::clear);
        self.changes.last += 1;
        self.withdrawn = self.changes.last;
    }

    /// Where a job can start now, where what is free now is [counted](Pools::count).
    pub(super) fn room_now(&self, pools: &Pools, now: SimTime, job: &Waiting) -> Option<Room> {
        let (speed, end) = self.span_now(pools, now, job)?;
        let rooms = &pools.rooms[job.need];
        let room = |pool: usize| if self.is_free(pool, end) { rooms.tasks[pool] } else { 0 };
        Some((pools.choose((speed, now, end), job.need, job.job.width, room), end))
    }

    /// Whether no promise of a pool begins before a moment.
    fn is_free(&self, pool: usize, end: SimTime) -> bool {
        self.promised[pool].first().is_none_or(|(from, _)| *from >= end)
    }

    /// The speed that its nodes have at least, and the end, of a job that can start now.
    pub(super) fn span_now(&self, pools: &Pools, now: SimTime, job: &Waiting) -> Option<(Yield, SimTime)> {
        let (rooms, need, width) =
            (&pools.rooms[job.need], pools.needs.get(job.need), u64::from(job.job.width));
        pools.speeds.iter().find_map(|&speed| {
            let end = job.job.end(now, speed);
            if pools.open_sum(rooms, job.need, (speed, now, end)) < width {
                return None;
            }
            let open = pools.open(need, speed, now, end).flat_map(|group| group.pools.clone());
            let mut missing = width;
            let has_room = { open }.any(|pool| {
                let room = rooms.tasks[pool];
                missing -= if room > 0 && self.is_free(pool, end) { room.min(missing) } else { 0 };
                missing == 0
            });
            has_room.then_some((speed, end))
        })
    }

    /// The first moment from another one on, and before a third one, at which a job has room, and that.
    pub(super) fn earliest(
        &mut self,
        (pools, profiles): (&Pools, &[Profile]),
        (now, from, before): (SimTime, SimTime, SimTime),
        job: &Waiting,
    ) -> Option<(SimTime, Room)> {
        if from >= before {
            return None;
        }
        self.before = before;
        self.look((pools, profiles), now, job);
        let openings = &self.needs[job.need].openings;
        let mut earliest: Option<(SimTime, Room)> = None;
        for &speed in &pools.speeds {
            let before = earliest.as_ref().map_or(before, |(start, _)| *start);
            earliest = self.search.run((pools, openings), speed, (from, before), job).or(earliest);
        }
        earliest
    }

    /// Makes the openings for the need of a job those of now.
    fn look(&mut self, (pools, profiles): (&Pools, &[Profile]), now: SimTime, job: &Waiting) {
        if self.needs.len() <= job.need {
            self.needs.resize_with(job.need + 1, OfNeed::new);
        }
        let Openings { changes, withdrawn, promised, needs, before, .. } = self;
        let (of_need, span) = (&mut needs[job.need], job.job.span(pools.speeds[0]));
        of_need.is_shorter |= span < of_need.shortest;
        of_need.shortest = of_need.shortest.min(span);
        let seen = of_need.seen;
        if seen == changes.last && !of_need.is_shorter {
            return;
        }
        let (moved, need) = (changes.moved(seen), pools.needs.get(job.need));
        let new =
            of_need.renew_base((pools, profiles), (now, need), &moved, |pool| changes.is_moved(pool, seen));
        let is_fresh = seen < *withdrawn || of_need.is_shorter;
        if is_fresh {
            let count = of_need.base.partition_point(|it| it.from < *before);
            of_need.openings.clear();
            of_need.openings.extend(&of_need.base[..count]);
        }
        let (since, new) = if is_fresh { (*withdrawn, Vec::new()) } else { (seen, new) };
        if changes.last > since {
            let is_moved = |pool| !is_fresh && changes.is_moved(pool, since);
            of_need.keep_promises(promised, *before, |pool| changes.is_touched(pool, since), is_moved, &new);
        }
        (of_need.seen, of_need.is_shorter) = (changes.last, false);
    }
}

impl OfNeed {
    fn new() -> OfNeed {
        OfNeed { base: Vec::new(), openings: Vec::new(), seen: 0, shortest: SimSpan::MAX, is_shorter: false }
    }

    /// Finds those beside what runs in some pools again; returns them.
    fn renew_base(
        &mut self,
        (pools, profiles): (&Pools, &[Profile]),
        (now, need): (SimTime, &Need),
        moved: &[usize],
        is_moved: impl Fn(usize) -> bool,
    ) -> Vec<Opening> {
        let mut found = Vec::new();
        if moved.is_empty() {
            return found;
        }
        self.base.retain(|it| !is_moved(it.pool()));
        let dimensions = pools.needs.dimensions();
        for &pool in moved {
            let group = pools.group_of(pool);
            if need.fits[group.class] {
                let free = &profiles[pool * dimensions..][..dimensions];
                let closed = need.closed.get(group.class).filter(|spans| !spans.is_empty());
                for_each_rise(free, (now, need, pool), |it| {
                    it.beside(&group.windows, |part| match closed {
                        Some(closed) => part.beside(closed, |part| found.push(part)),
                        None => found.push(part),
                    });
                });
            }
        }
        merge(&mut self.base, found.clone());
        found
    }

    /// Cuts the openings in some pools by what is promised of these; those where what runs has moved are replaced by new ones.
    fn keep_promises(
        &mut self,
        promised: &[Spans],
        before: SimTime,
        is_touched: impl Fn(usize) -> bool,
        is_moved: impl Fn(usize) -> bool,
        new: &[Opening],
    ) {
        let (mut parts, mut kept, shortest) = (Vec::new(), 0, self.shortest);
        let is_of_use = |part: &Opening| part.is_of_use(before, shortest);
        for at in 0..self.openings.len() {
            let it = self.openings[at];
            if !is_touched(it.pool()) {
                self.openings[kept] = it;
                kept += 1;
            } else if !is_moved(it.pool()) {
                it.beside(&promised[it.pool()], |part| match part.from == it.from && is_of_use(&part) {
                    true => (self.openings[kept], kept) = (part, kept + 1),
                    false => parts.extend(Some(part).filter(is_of_use)),
                });
            }
        }
        self.openings.truncate(kept);
        for it in new {
            it.beside(&promised[it.pool()], |part| parts.extend(Some(part).filter(is_of_use)));
        }
        merge(&mut self.openings, parts);
    }

    /// Cuts those of some places that are in some pools by a span, which lies in each of them.
    fn split(
        &mut self,
        places: &[usize],
        (start, end): (SimTime, SimTime),
        before: SimTime,
        is_cut: impl Fn(usize) -> bool,
    ) {
        let mut behind = Vec::new();
        for &at in places {
            let it = &mut self.openings[at];
            if is_cut(it.pool()) {
                behind.push(Opening { from: end, ..*it });
                it.until = start;
            }
        }
        behind.retain(|it| it.is_of_use(before, self.shortest));
        let place = self.openings.partition_point(|it| it.from < end);
        self.openings.splice(place..place, behind);
    }
}
