//! When pools have room beside running jobs, which only give room back, and beside whole pools that a pass promises to others.

use super::needs::Need;
use super::pools::Pools;
use super::profile::Profile;
use super::queue::Waiting;
use super::split::{Room, Stay};
use dfrsim_model::{SimSpan, SimTime, Yield};

/// Room for some more tasks of a need in a pool, from a moment to another.
#[derive(Clone, Copy, Debug)]
struct Opening {
    from: SimTime,
    until: SimTime,
    pool: usize,
    tasks: u64,
}

/// The openings for a need, by begin.
#[derive(Clone, Debug, Default)]
struct OfNeed {
    /// Those beside what runs alone, and their version.
    base: Vec<Opening>,
    base_seen: u64,
    /// Those beside what is promised, too.
    openings: Vec<Opening>,
    seen: u64,
    /// The shortest time for which a job has asked: shorter ones are left out.
    shortest: Option<SimSpan>,
}

/// The openings for all needs, each brought up to date when it is asked for.
#[derive(Clone, Debug)]
pub(super) struct Openings {
    version: u64,
    /// The version since which there are promises.
    withdrawn: u64,
    /// The last pools in which what runs changed, with the versions since then, and the version before them.
    moves: Vec<(u64, usize)>,
    forgotten: u64,
    /// By pool: the versions since which what runs there, and what is promised of it, are as they are, 0 without a promise; and the larger one.
    moved: Vec<u64>,
    cut: Vec<u64>,
    touched: Vec<u64>,
    /// The openings begin before this.
    before: SimTime,
    /// By pool, by begin.
    promised: Vec<Vec<(SimTime, SimTime)>>,
    needs: Vec<OfNeed>,
    /// Those in which the last job that was asked about has its room.
    last: Vec<usize>,
    /// Those that a search has found, and their tasks by pool; kept to reuse their memory.
    found: Vec<usize>,
    rooms: Vec<(usize, u64)>,
}

impl Openings {
    pub(super) fn new(pools: &Pools) -> Openings {
        let count = pools.len();
        Openings {
            version: 1,
            withdrawn: 1,
            moves: Vec::new(),
            forgotten: 1,
            moved: vec![1; count],
            cut: vec![0; count],
            touched: vec![1; count],
            before: SimTime::MAX,
            promised: vec![Vec::new(); count],
            needs: Vec::new(),
            last: Vec::new(),
            found: Vec::new(),
            rooms: Vec::new(),
        }
    }

    /// What runs in a pool changes.
    pub(super) fn change(&mut self, pool: usize) {
        self.version += 1;
        (self.moved[pool], self.touched[pool]) = (self.version, self.version);
        // Once so much has changed, all is found again.
        if self.moves.len() > 2 * self.moved.len() {
            self.forgotten = self.version;
            self.moves.clear();
        }
        self.moves.push((self.version, pool));
    }

    /// Promises the pools of a stay, in which the last job that was asked about has its room.
    pub(super) fn promise(&mut self, pools: &Pools, stay: Stay<'_>) {
        let is_known = self.needs[stay.need].seen == self.version;
        self.version += 1;
        for (pool, _) in stay.split.parts(stay.width) {
            (self.cut[pool], self.touched[pool]) = (self.version, self.version);
            let spans = &mut self.promised[pool];
            spans.insert(spans.partition_point(|(from, _)| *from < stay.start), (stay.start, stay.end));
        }
        let Openings { version, cut, needs, last, before, .. } = self;
        let OfNeed { seen, openings, shortest, .. } = &mut needs[stay.need];
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
        behind.retain(|it| it.is_of_use(*before, *shortest));
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
        self.version += 1;
        self.withdrawn = self.version;
    }

    /// Where a job can start now, where what is free now is [counted](Pools::count).
    pub(super) fn room_now(&self, pools: &Pools, now: SimTime, job: &Waiting) -> Option<Room> {
        let (rooms, need, width) =
            (&pools.rooms[job.need], pools.needs.get(job.need), u64::from(job.job.width));
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
            let mut missing = width;
            let has_room = { open }.any(|pool| {
                missing = missing.saturating_sub(room(pool));
                missing == 0
            });
            has_room.then(|| (pools.choose(at, job.need, job.job.width, room), end))
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
        let Openings { needs, last, found, rooms, .. } = self;
        let openings = &needs[job.need].openings;
        let (is_slow, width, span) = (pools.speeds.len() > 1, u64::from(job.job.width), job.job.span(speed));
        let (mut sum, mut start, mut first_until) = (0, from, SimTime::MAX);
        found.clear();
        for (at, it) in openings.iter().enumerate() {
            let begin = it.from.max(from);
            if sum >= width && begin > start {
                break;
            }
            // One that is too short when the job could begin in it is so later, too.
            let end = begin.saturating_add(span);
            if it.until < end || is_slow && pools.group_of(it.pool).speed < speed {
                continue;
            }
            if begin >= before {
                break;
            }
            if first_until < end {
                found.retain(|&at: &usize| openings[at].until >= end);
                sum = found.iter().map(|&at| openings[at].tasks).sum();
                first_until = found.iter().map(|&at| openings[at].until).min().unwrap_or(SimTime::MAX);
            }
            found.push(at);
            (sum, start, first_until) = (sum + it.tasks, begin, first_until.min(it.until));
        }
        if sum < width {
            return None;
        }
        rooms.clear();
        rooms.extend(found.iter().map(|&at| (openings[at].pool, openings[at].tasks)));
        rooms.sort_unstable();
        rooms.dedup_by(|other, first| {
            let is_same = other.0 == first.0;
            first.1 += if is_same { other.1 } else { 0 };
            is_same
        });
        let end = start.saturating_add(span);
        let split = pools.choose_among((speed, start, end), job.need, job.job.width, |group| {
            let place = |pool: usize| rooms.partition_point(|(other, _)| *other < pool);
            rooms[place(group.pools.start)..place(group.pools.end)].iter().copied()
        });
        std::mem::swap(last, found);
        Some((start, (split, end)))
    }

    /// Makes the openings for a need those of now, as far as they begin before another moment, which is the same in all of a pass.
    fn look(&mut self, (pools, profiles): (&Pools, &[Profile]), now: SimTime, job: &Waiting) {
        if self.needs.len() <= job.need {
            self.needs.resize_with(job.need + 1, OfNeed::default);
        }
        let Openings {
            version,
            withdrawn,
            moves,
            forgotten,
            moved,
            cut,
            touched,
            before,
            promised,
            needs,
            ..
        } = self;
        let of_need = &mut needs[job.need];
        let span = job.job.span(pools.speeds[0]);
        if of_need.shortest.is_none_or(|shortest| span < shortest) {
            (of_need.shortest, of_need.seen) = (Some(span), 0);
        }
        let (base_seen, seen) = (of_need.base_seen, of_need.seen);
        if seen == *version {
            return;
        }
        let last = &moves[moves.partition_point(|(version, _)| *version <= base_seen)..];
        if base_seen < *forgotten || !last.is_empty() {
            let mut stale: Vec<usize> = if base_seen < *forgotten {
                (0..moved.len()).filter(|&pool| moved[pool] > base_seen).collect()
            } else {
                last.iter().map(|(_, pool)| *pool).collect()
            };
            stale.sort_unstable();
            stale.dedup();
            let need = pools.needs.get(job.need);
            of_need.renew_base((pools, profiles), (now, need), &stale, |pool| moved[pool] > base_seen);
            of_need.base_seen = *version;
        }
        if seen < *withdrawn {
            let count = of_need.base.partition_point(|it| it.from < *before);
            of_need.openings.clear();
            of_need.openings.extend(&of_need.base[..count]);
            of_need.keep_promises(promised, *before, |pool| cut[pool] > 0);
        } else {
            of_need.keep_promises(promised, *before, |pool| touched[pool] > seen);
        }
        of_need.seen = *version;
    }
}

impl OfNeed {
    /// Finds the openings in some pools again.
    fn renew_base(
        &mut self,
        (pools, profiles): (&Pools, &[Profile]),
        (now, need): (SimTime, &Need),
        stale: &[usize],
        is_stale: impl Fn(usize) -> bool,
    ) {
        self.base.retain(|it| !is_stale(it.pool));
        let mut found = Vec::new();
        for &pool in stale {
            let group = pools.group_of(pool);
            if !need.fits[group.class] {
                continue;
            }
            for_each_rise((pools, profiles), (now, need), pool, |from, tasks| {
                let it = Opening { from, until: SimTime::MAX, pool, tasks };
                it.beside(&group.windows, |part| found.push(part));
            });
        }
        merge(&mut self.base, found);
    }

    /// Makes the openings in some pools those of the base beside what is promised.
    fn keep_promises(
        &mut self,
        promised: &[Vec<(SimTime, SimTime)>],
        before: SimTime,
        is_stale: impl Fn(usize) -> bool,
    ) {
        let mut found = Vec::new();
        for it in self.base.iter().take_while(|it| it.from < before).filter(|it| is_stale(it.pool)) {
            let is_of_use = |part: &Opening| part.is_of_use(before, self.shortest);
            it.beside(&promised[it.pool], |part| found.extend(Some(part).filter(is_of_use)));
        }
        self.openings.retain(|it| !is_stale(it.pool));
        merge(&mut self.openings, found);
    }
}

/// Adds some openings to others that are sorted.
fn merge(sorted: &mut Vec<Opening>, mut others: Vec<Opening>) {
    others.sort_by_key(|it| it.from);
    let mut left = sorted.len();
    sorted.extend(&others);
    let mut at = sorted.len();
    while let Some(last) = others.last() {
        at -= 1;
        if left > 0 && sorted[left - 1].from > last.from {
            left -= 1;
            sorted[at] = sorted[left];
        } else {
            sorted[at] = *last;
            others.pop();
        }
    }
}

impl Opening {
    /// Whether it begins before a moment, and is as long as that.
    fn is_of_use(&self, before: SimTime, shortest: Option<SimSpan>) -> bool {
        self.from < before.min(self.until)
            && shortest.is_none_or(|it| self.from.saturating_add(it) <= self.until)
    }

    /// Calls a function for each part of it that is outside of some spans, which are sorted.
    fn beside(self, spans: &[(SimTime, SimTime)], mut each: impl FnMut(Opening)) {
        let mut from = self.from;
        for &(begin, end) in spans {
            if from < begin.min(self.until) {
                each(Opening { from, until: begin.min(self.until), ..self });
            }
            from = from.max(end);
        }
        if from < self.until {
            each(Opening { from, ..self });
        }
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
