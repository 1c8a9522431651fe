//! The head of the queue at its reservation.

use super::pools::Pools;
use super::queue::Waiting;
use super::running::Run;
use super::split::{Room, Span, Split};
use dfrsim_model::batch::NodeUse;
use dfrsim_model::{SimTime, Yield};

/// In place of a version of the pools: that and all later ones.
const FROM_NOW_ON: u64 = u64::MAX;

/// The head of the queue at its reservation.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) time: SimTime,
    need: usize,
    /// No slower nodes are its own, and it ends then.
    speed: Yield,
    end: SimTime,
    /// How many tasks more than it has there is room for.
    pub(super) spare: u64,
    /// How many of its tasks each pool has room for, and what is free there; empty for a single pool.
    tasks: Vec<u64>,
    free: Vec<u64>,
    /// By need and speed: the least width for which there was no room beside it, at a version of the pools, or from then on.
    refused: Vec<(u64, u64)>,
}

impl Head {
    /// Makes the reservation at the earliest moment at which a job has room beside running ones; `None` if there is no such moment. Running
    /// jobs come with the moments at which they are expected to leave, which rise. The rooms for its tasks must be [counted](Pools::count).
    pub(super) fn new<'a>(
        pools: &Pools,
        now: SimTime,
        job: &Waiting,
        releases: impl Iterator<Item = (SimTime, &'a Run)>,
    ) -> Option<Head> {
        let (need, width) = (job.need, u64::from(job.job.width));
        let head = |time, spare| {
            let (speed, end, refused) = (Yield::ONE, SimTime::MAX, Vec::new());
            Head { time, need, speed, end, spare, tasks: Vec::new(), free: Vec::new(), refused }
        };
        if let Some(mut free) = pools.single() {
            let mut time = now;
            for (end, run) in releases {
                if free >= width && end > time {
                    break;
                }
                free += u64::from(run.width);
                time = end;
            }
            return (free >= width).then(|| head(time, free - width));
        }
        let mut free = pools.free.clone();
        let mut opens: Vec<SimTime> = pools.opens(pools.needs.get(need), now).collect();
        opens.sort_unstable();
        let (mut opens, mut releases) = (opens.into_iter().peekable(), releases.peekable());
        let mut time = now;
        let (mut rooms, amounts) = (pools.rooms[need].clone(), pools.needs.get(need));
        loop {
            while let Some((_, run)) = releases.next_if(|(end, _)| *end <= time) {
                pools.free_up((&mut free, &mut rooms), amounts, (run.need, &run.split, run.width));
            }
            while opens.next_if(|&until| until <= time).is_some() {}
            for &speed in pools.speeds.iter().filter(|_| rooms.all >= width) {
                let at = (speed, time, job.job.end(time, speed));
                let sum = pools.open_sum(&rooms, need, at);
                if sum >= width {
                    let mut tasks = vec![0; rooms.tasks.len()];
                    for group in pools.open(amounts, speed, time, at.2) {
                        tasks[group.pools.clone()].copy_from_slice(&rooms.tasks[group.pools.clone()]);
                    }
                    return Some(Head { tasks, free, speed, end: at.2, ..head(time, sum - width) });
                }
            }
            let next = releases.peek().map(|(end, _)| *end).into_iter().chain(opens.peek().copied());
            time = next.min()?;
        }
    }

    /// From when to when its reservation is, and on how fast nodes.
    pub(super) fn at(&self) -> Span {
        (self.speed, self.time, self.end)
    }

    /// For how many of its tasks each pool has room at its reservation.
    pub(super) fn rooms(&self, width: u32) -> Vec<u64> {
        if self.tasks.is_empty() { vec![self.spare + u64::from(width)] } else { self.tasks.clone() }
    }

    /// A running job that was expected to leave at a moment leaves now.
    pub(super) fn grow(&mut self, pools: &Pools, end: SimTime, run: &Run) {
        self.refused.clear();
        if end <= self.time {
            return;
        }
        if pools.is_single {
            self.spare += u64::from(run.width);
            return;
        }
        let dimensions = pools.needs.dimensions();
        for (pool, tasks) in run.split.parts(run.width) {
            let taken: Vec<u64> = pools.taken(run.need, pool, tasks).collect();
            let free = &mut self.free[pool * dimensions..][..dimensions];
            free.iter_mut().zip(taken).for_each(|(free, taken)| *free += taken);
            let of_head = pools.needs.get(self.need);
            if pools.open(of_head, self.speed, self.time, self.end).any(|group| group.pools.contains(&pool)) {
                let room = of_head.times_in(free.iter().copied());
                self.spare += room - self.tasks[pool];
                self.tasks[pool] = room;
            }
        }
    }

    /// Where a job can start now that must leave the head its room, from which it takes what it takes of it.
    pub(super) fn room_beside(&mut self, pools: &mut Pools, now: SimTime, job: &Waiting) -> Option<Room> {
        let Some(free) = pools.single() else { return self.room_on_groups(pools, now, job) };
        let (width, end) = (u64::from(job.job.width), job.job.end(now, pools.groups[0].speed));
        if width > free || end > self.time && width > self.spare {
            return None;
        }
        self.spare -= if end > self.time { width } else { 0 };
        Some((Split::default(), end))
    }

    /// The same where one number does not say it all.
    #[inline(never)]
    fn room_on_groups(&mut self, pools: &mut Pools, now: SimTime, job: &Waiting) -> Option<Room> {
        pools.count(job.need);
        let (pools, width) = (&*pools, u64::from(job.job.width));
        let rooms = &pools.rooms[job.need];
        if rooms.all < width {
            return None;
        }
        let version = pools.version();
        for (place, &speed) in pools.speeds.iter().enumerate() {
            let end = job.job.end(now, speed);
            let at = (speed, now, end);
            if pools.open_sum(rooms, job.need, at) < width {
                continue;
            }
            if end <= self.time {
                return Some((pools.choose(at, job.need, job.job.width, |pool| rooms.tasks[pool]), end));
            }
            // What fails for one job fails for all others with the same need that are as wide.
            let key = job.need * pools.speeds.len() + place;
            if self.refused.len() <= key {
                self.refused.resize(key + 1, (0, 0));
            }
            let (of, least) = self.refused[key];
            if (of == version || of == FROM_NOW_ON) && width >= least && !pools.has_windows {
                continue;
            }
            match self.beside(pools, job, at) {
                Ok(split) => {
                    self.cost(pools, job.need, &split, job.job.width);
                    return Some((split, end));
                }
                // While none of its room can be lost, that which is beside it becomes no more.
                Err(placed) if self.spare == 0 => self.refused[key] = (FROM_NOW_ON, placed + 1),
                Err(_) => self.refused[key] = (version, width),
            }
        }
        None
    }

    /// The pools of a job that ends after the reservation: those first where the head loses no room; or for how many of its tasks there
    /// is room there.
    fn beside(&self, pools: &Pools, job: &Waiting, at: Span) -> Result<Split, u64> {
        let (need, rooms, width) = (pools.needs.get(job.need), &pools.rooms[job.need].tasks, job.job.width);
        let harmless = |pool: usize| match (self.tasks[pool], pools.node_use) {
            (0, _) => rooms[pool],
            (tasks, NodeUse::Shared) if rooms[pool] > 0 => {
                let of_head = &pools.needs.get(self.need).amounts;
                let kept = pools.of(&self.free, pool).iter().zip(of_head);
                rooms[pool].min(need.times_in(kept.map(|(free, need)| free - need * tasks)))
            }
            _ => 0,
        };
        let mut split = pools.choose(at, job.need, width, harmless);
        let placed: u32 = split.0.iter().map(|(_, tasks)| tasks).sum();
        if placed < width {
            // Each more takes at least one of the head's.
            if self.spare == 0 {
                return Err(placed.into());
            }
            let mut rest = rooms.clone();
            split.0.iter().for_each(|&(pool, tasks)| rest[pool] -= u64::from(tasks));
            let more = pools.choose(at, job.need, width - placed, |pool| rest[pool]);
            split.add_all(more);
        }
        let lost =
            |&(pool, tasks): &(usize, u32)| self.tasks[pool] - self.left_to(pools, job.need, pool, tasks);
        let is_beside = split.0.iter().map(lost).sum::<u64>() <= self.spare;
        if is_beside { Ok(split) } else { Err(placed.into()) }
    }

    /// How many tasks of the head a pool has room for beside some of another job.
    fn left_to(&self, pools: &Pools, need: usize, pool: usize, tasks: u32) -> u64 {
        if self.tasks[pool] == 0 {
            return 0;
        }
        let taken = pools.taken(need, pool, tasks);
        let free = pools.of(&self.free, pool).iter().zip(taken);
        let left = free.map(|(free, taken)| free.saturating_sub(taken));
        pools.needs.get(self.need).times_in(left).min(self.tasks[pool])
    }

    /// Takes what a job takes off the room of the head.
    fn cost(&mut self, pools: &Pools, need: usize, split: &Split, width: u32) {
        let dimensions = pools.needs.dimensions();
        for (pool, tasks) in split.parts(width) {
            let left = self.left_to(pools, need, pool, tasks);
            self.spare -= self.tasks[pool] - left;
            self.tasks[pool] = left;
            let taken = pools.taken(need, pool, tasks);
            for (free, taken) in self.free[pool * dimensions..].iter_mut().zip(taken) {
                *free = free.saturating_sub(taken);
            }
        }
    }
}
