//! What is free of the pools when, beside running jobs and reservations.

use super::needs::Need;
use super::openings::Openings;
use super::pools::Pools;
use super::profile::Profile;
use super::queue::Waiting;
use super::split::{Room, Split, Stay};
use dfrsim_model::{SimTime, Yield};

/// The free amount of each resource of each pool over time. Windows are not in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline {
    profiles: Vec<Profile>,
    /// When more may come free of which pool, rising: the ends of all that was taken. None where one number says what is free.
    ends: Vec<(SimTime, usize)>,
    /// Where a pass promises whole pools, of which only what runs is in the profiles.
    pub(super) openings: Option<Openings>,
}

impl Timeline {
    /// Makes the timeline of pools on which no job is, from a moment on.
    pub(super) fn new(pools: &Pools, now: SimTime) -> Timeline {
        let profile = |&whole: &u64| {
            let mut profile = Profile::new(whole);
            profile.clear(now);
            profile
        };
        Timeline { profiles: pools.whole.iter().map(profile).collect(), ends: Vec::new(), openings: None }
    }

    /// Forgets what was before now.
    pub(super) fn advance(&mut self, now: SimTime) {
        self.profiles.iter_mut().for_each(|profile| profile.advance(now));
        let passed = self.ends.partition_point(|(end, _)| *end <= now);
        self.ends.drain(..passed);
    }

    pub(super) fn take(&mut self, pools: &Pools, stay: Stay<'_>) {
        self.note_end(pools, stay);
        self.change(pools, stay, |profile, amount| profile.reserve(stay.start, stay.end, amount));
    }

    /// Notes when a stay gives its pools back.
    fn note_end(&mut self, pools: &Pools, stay: Stay<'_>) {
        if pools.single().is_some() || self.openings.is_some() {
            return;
        }
        for (pool, _) in stay.split.parts(stay.width) {
            let end = (stay.end, pool);
            if let Err(place) = self.ends.binary_search(&end) {
                self.ends.insert(place, end);
            }
        }
    }

    pub(super) fn give_back(&mut self, pools: &Pools, stay: Stay<'_>) {
        self.change(pools, stay, |profile, amount| profile.release(stay.start, stay.end, amount));
    }

    /// Moves a stay to an earlier one where one number says what is free.
    pub(super) fn move_up(&mut self, stay: Stay<'_>, to: (SimTime, SimTime)) {
        self.profiles[0].move_up((stay.start, stay.end), to, stay.width);
    }

    fn change(&mut self, pools: &Pools, stay: Stay<'_>, change: impl Fn(&mut Profile, u64)) {
        if let [single] = &mut self.profiles[..] {
            return change(single, stay.width.into());
        }
        for (pool, tasks) in stay.split.parts(stay.width) {
            let amounts = pools.taken(stay.need, pool, tasks);
            let profiles = &mut self.profiles[pool * pools.needs.dimensions()..][..pools.needs.dimensions()];
            if let Some(openings) = &mut self.openings {
                openings.change(pool);
                profiles.iter_mut().for_each(|profile| profile.advance(stay.start));
            }
            profiles.iter_mut().zip(amounts).for_each(|(profile, amount)| change(profile, amount));
        }
    }

    /// Returns the first moment from another one on at which a job has room, and that; `None` if there is none before the moment at which the job
    /// has a reservation already, whose room may be in the timeline where one number says what is free.
    pub(super) fn earliest(
        &self,
        pools: &Pools,
        from: SimTime,
        job: &Waiting,
        held: SimTime,
    ) -> Option<(SimTime, Room)> {
        if pools.single().is_some() {
            let speed = pools.groups[0].speed;
            let span = job.job.end(from, speed).since(from);
            let start = self.profiles[0].earliest_or_held(from, job.job.width, span, held);
            return (start < held).then(|| (start, (Split::default(), job.job.end(start, speed))));
        }
        let mut earliest: Option<(SimTime, Room)> = None;
        for &speed in &pools.speeds {
            let before = earliest.as_ref().map_or(held, |(start, _)| *start);
            let search = Search { timeline: self, pools, need: pools.needs.get(job.need), job, speed };
            earliest = search.run(from, before).or(earliest);
        }
        earliest
    }

    /// The same for a job behind all others of a queue that is served in turn, after which no other one has a reservation.
    pub(super) fn earliest_in_turn(
        &self,
        pools: &Pools,
        from: SimTime,
        job: &Waiting,
    ) -> Option<(SimTime, Room)> {
        if pools.single().is_none() {
            return self.earliest(pools, from, job, SimTime::MAX);
        }
        let start = self.profiles[0].earliest_where_rising(from, job.job.width);
        let end = job.job.end(start, pools.groups[0].speed);
        (start < SimTime::MAX).then(|| (start, (Split::default(), end)))
    }

    /// The same where a pass may promise whole pools and what is free now is [counted](Pools::count).
    pub(super) fn earliest_beside(
        &mut self,
        pools: &Pools,
        (now, from): (SimTime, SimTime),
        job: &Waiting,
        held: SimTime,
    ) -> Option<(SimTime, Room)> {
        match &mut self.openings {
            Some(openings) => openings.earliest((pools, &self.profiles), (now, from, held), job),
            None => self.earliest(pools, from, job, held),
        }
    }
}

/// The search for the first moment at which a job has room on nodes that have a speed at least.
struct Search<'a> {
    timeline: &'a Timeline,
    pools: &'a Pools,
    need: &'a Need,
    job: &'a Waiting,
    speed: Yield,
}

/// For how many tasks there is room in each pool and in all of them, at most: a pool has room for more only once something on it
/// has ended.
struct Most {
    tasks: Vec<u64>,
    sum: u64,
}

impl Search<'_> {
    #[inline(never)]
    fn run(&self, from: SimTime, before: SimTime) -> Option<(SimTime, Room)> {
        let Search { timeline: Timeline { ends, .. }, pools, job, speed, .. } = *self;
        let width = u64::from(job.job.width);
        let begin = |moment: SimTime| ends.partition_point(|(end, _)| *end <= moment);
        if from >= before {
            return None;
        }
        let unknown = || Most { tasks: vec![u64::MAX; pools.len()], sum: u64::MAX };
        let (mut start, mut most, mut next) = (from, unknown(), begin(from));
        while start < before {
            if most.sum >= width {
                self.make_exact(start, &mut most);
                if most.sum >= width {
                    let end = job.job.end(start, speed);
                    let room =
                        pools.choose((speed, start, end), job.need, job.job.width, |pool| most.tasks[pool]);
                    return Some((start, (room, end)));
                }
            }
            let opens = pools.opens(self.need, start).min();
            let ends_next = ends.get(next).map(|(end, _)| *end);
            start = opens.into_iter().chain(ends_next).min()?;
            if opens == Some(start) {
                (next, most) = (begin(start), unknown());
                continue;
            }
            let end = job.job.end(start, speed);
            while let Some(&(_, pool)) = ends.get(next).filter(|(at, _)| *at == start) {
                next += 1;
                if pools.is_open_to(pools.group_of(pool), self.need, speed, (start, end)) {
                    let tasks = self.tasks(pool, start, end);
                    most.sum = most.sum - most.tasks[pool] + tasks;
                    most.tasks[pool] = tasks;
                }
            }
        }
        None
    }

    /// Counts the pools that may have room.
    fn make_exact(&self, start: SimTime, most: &mut Most) {
        let end = self.job.job.end(start, self.speed);
        most.sum = 0;
        for group in self.pools.open(self.need, self.speed, start, end) {
            for pool in group.pools.clone() {
                if most.tasks[pool] > 0 {
                    most.tasks[pool] = self.tasks(pool, start, end);
                    most.sum += most.tasks[pool];
                }
            }
        }
    }

    /// For how many tasks a pool has room from a moment to another.
    fn tasks(&self, pool: usize, start: SimTime, end: SimTime) -> u64 {
        let dimensions = self.pools.needs.dimensions();
        let profiles = &self.timeline.profiles[pool * dimensions..][..dimensions];
        self.need.times_in(profiles.iter().map(|profile| profile.least(start, end)))
    }
}
