//! The head of the queue at its reservation.

use super::node_use::NodeUse;
use super::pools::Pools;
use super::queue::Waiting;
use super::running::Run;
use super::split::{Room, Span, Split};
use dfrsim_model::{SimTime, Yield};
use std::collections::BTreeMap;

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
    /// By need and speed: the least width for which there was no room beside it, at a version of the pools.
    refused: BTreeMap<(usize, usize), (u64, u64)>,
}

impl Head {
    /// Makes the reservation at the earliest moment at which a job has room beside running ones; `None` if there is no such moment. Running
    /// jobs come with the moments at which they are expected to leave, which rise.
    pub(super) fn new<'a>(
        pools: &Pools,
        now: SimTime,
        job: &Waiting,
        releases: impl Iterator<Item = (SimTime, &'a Run)>,
    ) -> Option<Head> {
        let (need, width) = (job.need, u64::from(job.job.width));
        let head = |time, spare| {
            let (speed, end, refused) = (Yield::ONE, SimTime::MAX, BTreeMap::new());
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
        let mut opens: Vec<SimTime> =
            pools.groups.iter().flat_map(|group| &group.windows).map(|it| it.1).collect();
        opens.retain(|&until| until > now);
        opens.sort_unstable();
        let (mut opens, mut releases) = (opens.into_iter().peekable(), releases.peekable());
        let mut time = now;
        let amounts = pools.needs.get(need);
        let tasks_in = |free: &[u64], pool: usize| amounts.times_in(pools.of(free, pool).iter().copied());
        // For how many tasks each pool has room, and at each speed all of those that are no slower.
        let mut rooms: Vec<u64> = Vec::new();
        loop {
            while let Some((_, Run { need, split, width, .. })) = releases.next_if(|(end, _)| *end <= time) {
                let dimensions = pools.needs.dimensions();
                for (pool, tasks) in split.parts(*width) {
                    for (free, taken) in
                        free[pool * dimensions..].iter_mut().zip(pools.taken(*need, pool, tasks))
                    {
                        *free += taken;
                    }
                    if let Some(room) = rooms.get_mut(pool) {
                        *room = amounts.times_in(free[pool * dimensions..][..dimensions].iter().copied());
                    }
                }
            }
            while opens.next_if(|&until| until <= time).is_some() {}
            if rooms.is_empty() {
                rooms = (0..pools.free.len() / pools.needs.dimensions())
                    .map(|pool| tasks_in(&free, pool))
                    .collect();
            }
            for &speed in &pools.speeds {
                let end = job.job.end(time, speed);
                let sum = pools.sum(job, (speed, time, end), |pool| rooms[pool]);
                if sum >= width {
                    let mut tasks = vec![0; rooms.len()];
                    for group in pools.open(amounts, speed, time, end) {
                        tasks[group.pools.clone()].copy_from_slice(&rooms[group.pools.clone()]);
                    }
                    return Some(Head { tasks, free, speed, end, ..head(time, sum - width) });
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
}

impl Pools {
    /// The same for a job that must leave a [`Head`] its room, from which it takes what it takes of it.
    pub(super) fn room_beside(&mut self, now: SimTime, job: &Waiting, head: &mut Head) -> Option<Room> {
        let width = u64::from(job.job.width);
        if self.is_single {
            let end = job.job.end(now, self.groups[0].speed);
            if width > self.free[0] || end > head.time && width > head.spare {
                return None;
            }
            head.spare -= if end > head.time { width } else { 0 };
            return Some((Split::default(), end));
        }
        (0..self.speeds.len()).find_map(|at| {
            let speed = self.speeds[at];
            let end = job.job.end(now, speed);
            if self.sum_now(job, at, now, end) < width {
                return None;
            }
            let need = self.needs.get(job.need);
            let room = |pool: usize| need.times_in(self.of(&self.free, pool).iter().copied());
            if end <= head.time {
                return Some((self.choose((speed, now, end), job.need, job.job.width, room), end));
            }
            // What fails for one job fails for all others with the same need that are as wide.
            let key = (job.need, at);
            let is_known = !self.has_windows
                && head
                    .refused
                    .get(&key)
                    .is_some_and(|&(version, least)| version == self.version && width >= least);
            let split = if is_known { None } else { self.beside(job, (speed, now, end), head) };
            match split {
                Some(split) => {
                    self.cost(head, job.need, &split, job.job.width);
                    Some((split, end))
                }
                None => {
                    let known = head.refused.get(&key).filter(|(version, _)| *version == self.version);
                    let least = known.map_or(width, |&(_, least)| least.min(width));
                    head.refused.insert(key, (self.version, least));
                    None
                }
            }
        })
    }

    /// The pools of a job that ends after the reservation of the head of the queue: those first where the head loses no room.
    fn beside(&self, job: &Waiting, at: Span, head: &Head) -> Option<Split> {
        let need = self.needs.get(job.need);
        let room = |pool: usize| need.times_in(self.of(&self.free, pool).iter().copied());
        let harmless = |pool: usize| match (head.tasks[pool], self.node_use) {
            (0, _) => room(pool),
            (tasks, NodeUse::Shared) => {
                let of_head = &self.needs.get(head.need).amounts;
                let kept = self.of(&head.free, pool).iter().zip(of_head);
                room(pool).min(need.times_in(kept.map(|(free, need)| free - need * tasks)))
            }
            (_, NodeUse::Whole | NodeUse::Exclusive) => 0,
        };
        let mut split = self.choose(at, job.need, job.job.width, harmless);
        let placed: u32 = split.0.iter().map(|(_, tasks)| tasks).sum();
        if placed < job.job.width {
            let taken =
                |pool| split.0.iter().find(|(other, _)| *other == pool).map_or(0, |(_, tasks)| *tasks);
            let rest = |pool| room(pool) - u64::from(taken(pool));
            let more = self.choose(at, job.need, job.job.width - placed, rest);
            more.0.into_iter().for_each(|(pool, tasks)| split.add(pool, tasks));
        }
        let cost: u64 = split
            .0
            .iter()
            .map(|&(pool, tasks)| head.tasks[pool] - self.left_to(head, job.need, pool, tasks))
            .sum();
        (cost <= head.spare).then_some(split)
    }

    /// How many tasks of the head of the queue a pool has room for beside some of another job.
    fn left_to(&self, head: &Head, need: usize, pool: usize, tasks: u32) -> u64 {
        if head.tasks[pool] == 0 {
            return 0;
        }
        let taken = self.taken(need, pool, tasks);
        let free =
            self.of(&head.free, pool).iter().zip(taken).map(|(free, taken)| free.saturating_sub(taken));
        self.needs.get(head.need).times_in(free).min(head.tasks[pool])
    }

    /// Takes what a job takes off the room of the head of the queue.
    fn cost(&self, head: &mut Head, need: usize, split: &Split, width: u32) {
        for (pool, tasks) in split.parts(width) {
            let left = self.left_to(head, need, pool, tasks);
            head.spare -= head.tasks[pool] - left;
            head.tasks[pool] = left;
            let dimensions = self.needs.dimensions();
            let taken = self.taken(need, pool, tasks);
            for (free, taken) in head.free[pool * dimensions..].iter_mut().zip(taken) {
                *free = free.saturating_sub(taken);
            }
        }
    }
}
