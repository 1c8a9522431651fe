//! When pools have room beside running jobs, which only give room back, and beside whole pools that a pass promises to others.

use super::needs::Need;
use super::pools::Pools;
use super::profile::Profile;
use super::queue::Waiting;
use super::split::{Room, Stay};
use dfrsim_model::{SimTime, Yield};

/// Room for some more tasks of a need in a pool, from a moment to another.
#[derive(Clone, Copy, Debug)]
struct Opening {
    from: SimTime,
    until: SimTime,
    pool: usize,
    tasks: u64,
}

/// The openings for a need.
#[derive(Clone, Debug, Default)]
struct OfNeed {
    /// The version of the pools of which they are.
    seen: u64,
    /// While there are promises: the openings without them, and the version of these.
    without: Option<(u64, Vec<Opening>)>,
    /// By begin.
    openings: Vec<Opening>,
}

/// The openings for all needs, each brought up to date when it is asked for.
#[derive(Clone, Debug)]
pub(super) struct Openings {
    version: u64,
    /// By pool: the versions since which what runs there, and what is promised of it, are as they are; 0 without a promise.
    moved: Vec<u64>,
    cut: Vec<u64>,
    /// By pool, by begin.
    promised: Vec<Vec<(SimTime, SimTime)>>,
    needs: Vec<OfNeed>,
    /// Those in which the last job that was asked about has its room.
    last: Vec<usize>,
}

impl Openings {
    pub(super) fn new(pools: &Pools) -> Openings {
        let count = pools.len();
        Openings {
            version: 1,
            moved: vec![1; count],
            cut: vec![0; count],
            promised: vec![Vec::new(); count],
            needs: Vec::new(),
            last: Vec::new(),
        }
    }

    /// What runs in a pool changes.
    pub(super) fn change(&mut self, pool: usize) {
        self.version += 1;
        self.moved[pool] = self.version;
    }

    /// Promises the pools of a stay, in which the last job that was asked about has its room.
    pub(super) fn promise(&mut self, pools: &Pools, stay: Stay<'_>) {
        let is_known = self.needs[stay.need].seen == self.version;
        self.version += 1;
        for (pool, _) in stay.split.parts(stay.width) {
            self.cut[pool] = self.version;
            let spans = &mut self.promised[pool];
            spans.insert(spans.partition_point(|(from, _)| *from < stay.start), (stay.start, stay.end));
        }
        let Openings { version, cut, needs, last, .. } = self;
        let OfNeed { seen, openings, .. } = &mut needs[stay.need];
        // With one opening at a time in each pool, it is the one that was found which is split.
        let need = pools.needs.get(stay.need);
        let whole = |pool| need.times_in(pools.of(&pools.whole, pool).iter().copied());
        if !is_known || stay.split.parts(stay.width).any(|(pool, _)| whole(pool) > 1) {
            return;
        }
        let mut behind = Vec::new();
        for &at in &*last {
            let it = &mut openings[at];
            if cut[it.pool] == *version {
                behind.push(Opening { from: stay.end, ..*it });
                it.until = stay.start;
            }
        }
        behind.retain(|it| it.from < it.until);
        let place = openings.partition_point(|it| it.from < stay.end);
        openings.splice(place..place, behind);
        *seen = *version;
    }

    /// Takes all promises back.
    pub(super) fn withdraw(&mut self) {
        for (spans, cut) in self.promised.iter_mut().zip(&mut self.cut).filter(|(_, cut)| **cut > 0) {
            spans.clear();
            *cut = 0;
        }
        for it in &mut self.needs {
            if let Some(without) = it.without.take() {
                (it.seen, it.openings) = without;
            }
        }
    }

    /// Where a job can start now, where what is free now is [counted](Pools::count).
    pub(super) fn room_now(&self, pools: &Pools, now: SimTime, job: &Waiting) -> Option<Room> {
        let (rooms, need, width) = (&pools.rooms[job.need], pools.needs.get(job.need), job.job.width.into());
        pools.speeds.iter().find_map(|&speed| {
            let end = job.job.end(now, speed);
            let at = (speed, now, end);
            if pools.open_sum(rooms, job.need, at) < width {
                return None;
            }
            let is_free = |pool: usize| self.promised[pool].first().is_none_or(|(from, _)| *from >= end);
            let room =
                |pool: usize| if rooms.tasks[pool] > 0 && is_free(pool) { rooms.tasks[pool] } else { 0 };
            let open = pools.open(need, speed, now, end).flat_map(|group| group.pools.clone());
            (open.map(room).sum::<u64>() >= width)
                .then(|| (pools.choose(at, job.need, job.job.width, room), end))
        })
    }

    /// The first moment from another one on, and before a third one, at which a job has room, and that.
    pub(super) fn earliest(
        &mut self,
        (pools, profiles): (&Pools, &[Profile]),
        (now, from, before): (SimTime, SimTime, SimTime),
        job: &Waiting,
    ) -> Option<(SimTime, Room)> {
        self.look((pools, profiles), now, job.need);
        let mut earliest: Option<(SimTime, Room)> = None;
        for &speed in &pools.speeds {
            let before = earliest.as_ref().map_or(before, |(start, _)| *start);
            earliest = self.find(pools, speed, (from, before), job).or(earliest);
        }
        earliest
    }

    fn find(
        &mut self,
        pools: &Pools,
        speed: Yield,
        (from, before): (SimTime, SimTime),
        job: &Waiting,
    ) -> Option<(SimTime, Room)> {
        let openings = &self.needs[job.need].openings;
        let is_slow = pools.speeds.len() > 1;
        let (mut found, mut sum, mut next, mut start) = (Vec::new(), 0, 0, from);
        let mut first_until = SimTime::MAX;
        while start < before {
            let end = job.job.end(start, speed);
            if first_until < end {
                found.retain(|&at: &usize| openings[at].until >= end);
                sum = found.iter().map(|&at| openings[at].tasks).sum();
                first_until = found.iter().map(|&at| openings[at].until).min().unwrap_or(SimTime::MAX);
            }
            while let Some(it) = openings.get(next).filter(|it| it.from <= start) {
                if it.until >= end && !(is_slow && pools.group_of(it.pool).speed < speed) {
                    found.push(next);
                    sum += it.tasks;
                    first_until = first_until.min(it.until);
                }
                next += 1;
            }
            if sum >= job.job.width.into() {
                let mut tasks = vec![0; pools.len()];
                found.iter().for_each(|&at| tasks[openings[at].pool] += openings[at].tasks);
                let at = (speed, start, end);
                let split = pools.choose(at, job.need, job.job.width, |pool| tasks[pool]);
                self.last = found;
                return Some((start, (split, end)));
            }
            start = openings.get(next)?.from;
        }
        None
    }

    /// Makes the openings for a need those of now.
    fn look(&mut self, (pools, profiles): (&Pools, &[Profile]), now: SimTime, need: usize) {
        if self.needs.len() <= need {
            self.needs.resize_with(need + 1, OfNeed::default);
        }
        let Openings { version, moved, cut, promised, needs, .. } = self;
        let of_need = &mut needs[need];
        if of_need.seen == *version && of_need.without.is_some() {
            return;
        }
        let need = pools.needs.get(need);
        let seen = of_need.seen;
        if of_need.without.is_none() {
            of_need.refresh((pools, profiles), (now, need), (|pool| moved[pool] > seen, |_| &[]));
            of_need.without = Some((*version, of_need.openings.clone()));
            of_need.refresh((pools, profiles), (now, need), (|pool| cut[pool] > 0, |pool| &promised[pool]));
        } else {
            let is_stale = |pool: usize| moved[pool].max(cut[pool]) > seen;
            of_need.refresh((pools, profiles), (now, need), (is_stale, |pool| &promised[pool]));
        }
        of_need.seen = *version;
    }
}

impl OfNeed {
    /// Finds the openings in some pools again, beside what is promised of them.
    fn refresh<'a>(
        &mut self,
        (pools, profiles): (&Pools, &[Profile]),
        (now, need): (SimTime, &Need),
        (is_stale, promised): (impl Fn(usize) -> bool, impl Fn(usize) -> &'a [(SimTime, SimTime)]),
    ) {
        let fitting = pools.groups.iter().filter(|group| need.fits[group.class]);
        let stale: Vec<usize> =
            fitting.flat_map(|group| group.pools.clone()).filter(|&pool| is_stale(pool)).collect();
        if stale.is_empty() {
            return;
        }
        self.openings.retain(|it| !is_stale(it.pool));
        for pool in stale {
            let windows = &pools.group_of(pool).windows;
            let mut both = Vec::new();
            let spans = if windows.is_empty() {
                promised(pool)
            } else {
                both.extend(windows.iter().chain(promised(pool)));
                both.sort_unstable();
                &both
            };
            for_each_rise((pools, profiles), (now, need), pool, |from, tasks| {
                let last = spans.iter().fold(from, |from, &(begin, end)| {
                    if from < begin {
                        self.openings.push(Opening { from, until: begin, pool, tasks });
                    }
                    from.max(end)
                });
                if last < SimTime::MAX {
                    self.openings.push(Opening { from: last, until: SimTime::MAX, pool, tasks });
                }
            });
        }
        self.openings.sort_by_key(|it| it.from);
    }
}

/// Calls a function for each moment from which on a pool has room for more tasks beside running jobs, with how many more.
fn for_each_rise(
    (pools, profiles): (&Pools, &[Profile]),
    (now, need): (SimTime, &Need),
    pool: usize,
    mut each: impl FnMut(SimTime, u64),
) {
    let dimensions = pools.needs.dimensions();
    let free = &profiles[pool * dimensions..][..dimensions];
    let (mut at, mut had) = (Some(now), 0);
    while let Some(from) = at {
        let has = need.times_in(free.iter().map(|profile| profile.least(from, from)));
        if has > had {
            each(from, has - had);
            had = has;
        }
        at = free.iter().filter_map(|profile| profile.next_rise(from)).min();
    }
}
