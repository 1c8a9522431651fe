//! Reservation of the queue head.

use super::allocation::{Allocation, Slot, Span};
use super::pools::Pools;
use super::queue::Waiting;
use super::running::RunningJob;
use dfrsim_model::batch::NodeUse;
use dfrsim_model::{SimTime, Yield};

/// Stands for all pool versions from the current one on.
const ALL_LATER_VERSIONS: u64 = u64::MAX;

/// Reservation of the queue head.
#[derive(Clone, Debug)]
pub(super) struct HeadReservation {
    pub(super) shadow_time: SimTime,
    request: usize,
    /// Minimum speed of the reserved nodes, and the end of the reservation at this speed.
    speed: Yield,
    end: SimTime,
    /// Extra nodes at the shadow time (Mu'alem and Feitelson 2001): tasks that fit beyond the head's
    /// own.
    pub(super) extra_nodes: u64,
    /// Tasks of the head that fit at the shadow time, and free amounts, per pool; empty for a single
    /// pool.
    tasks: Vec<u64>,
    free: Vec<u64>,
    /// Memo, by request and speed: the pool version it holds for, and the smallest size known not to
    /// fit without delaying the head.
    known_misfits: Vec<(u64, u64)>,
}

impl HeadReservation {
    /// Computes the reservation at the earliest time at which the job fits; `None` if there is none.
    /// `releases` are the running jobs with their expected ends, in ascending order. The tasks that
    /// fit per pool must have been [counted](Pools::count).
    pub(super) fn new<'a>(
        pools: &Pools,
        now: SimTime,
        job: &Waiting,
        releases: impl Iterator<Item = (SimTime, &'a RunningJob)>,
    ) -> Option<HeadReservation> {
        let (need, width) = (job.request, u64::from(job.job.size));
        let head = |time, spare| {
            let (speed, end, refused) = (Yield::ONE, SimTime::MAX, Vec::new());
            HeadReservation {
                shadow_time: time,
                request: need,
                speed,
                end,
                extra_nodes: spare,
                tasks: Vec::new(),
                free: Vec::new(),
                known_misfits: refused,
            }
        };
        if let Some(mut free) = pools.free_of_unlimited_pool() {
            let mut time = now;
            for (end, run) in releases {
                if free >= width && end > time {
                    break;
                }
                free += u64::from(run.size);
                time = end;
            }
            return (free >= width).then(|| head(time, free - width));
        }
        if pools.is_one_pool {
            return HeadReservation::in_one_pool(pools, now, job, releases, head(now, 0));
        }
        let mut free = pools.free.clone();
        let mut opens: Vec<SimTime> = pools.window_ends(pools.requests.get(need), now).collect();
        opens.sort_unstable();
        let (mut opens, mut releases) = (opens.into_iter().peekable(), releases.peekable());
        let mut time = now;
        let (mut rooms, amounts) = (pools.fit_counts[need].clone(), pools.requests.get(need));
        // Nodes are not chosen for the reservation.
        rooms.keys.clear();
        let mut changed = now;
        loop {
            while let Some((_, run)) = releases.next_if(|(end, _)| *end <= time) {
                pools.release_into(
                    (&mut free, &mut rooms),
                    amounts,
                    (run.request, &run.allocation, run.size),
                );
            }
            while opens.next_if(|&until| until <= time).is_some() {}
            for &speed in pools.speeds_of(need).iter().filter(|_| rooms.total >= width) {
                let at = (speed, time, job.job.end(time, speed));
                let sum = pools.open_sum(&rooms, need, at);
                if sum >= width && pools.has_common_amounts(need, time, at.2) {
                    let mut tasks = vec![0; rooms.by_pool.len()];
                    for group in pools.open(amounts, speed, time, at.2) {
                        tasks[group.pools.clone()].copy_from_slice(&rooms.by_pool[group.pools.clone()]);
                    }
                    return Some(HeadReservation {
                        tasks,
                        free,
                        speed,
                        end: at.2,
                        ..head(time, sum - width)
                    });
                }
            }
            let next = releases.peek().map(|(end, _)| *end).into_iter().chain(opens.peek().copied());
            time = earlier_rise(pools, (time, &mut changed), next.min())?;
        }
    }

    /// Computes the reservation where the nodes are a single pool and the cluster has further resources as
    /// a whole.
    #[inline(never)]
    fn in_one_pool<'a>(
        pools: &Pools,
        now: SimTime,
        job: &Waiting,
        releases: impl Iterator<Item = (SimTime, &'a RunningJob)>,
        head: HeadReservation,
    ) -> Option<HeadReservation> {
        let (speed, width) = (pools.speed_of_pool(job.request), u64::from(job.job.size));
        let mut releases = releases.peekable();
        let (mut time, mut free, mut changed) = (now, pools.free[0], now);
        loop {
            while let Some((_, run)) = releases.next_if(|(end, _)| *end <= time) {
                free += u64::from(run.size);
            }
            let end = job.job.end(time, speed);
            if free >= width && pools.has_common_amounts(job.request, time, end) {
                return Some(HeadReservation { shadow_time: time, end, extra_nodes: free - width, ..head });
            }
            let reopens = pools.window_ends(pools.requests.get(job.request), time);
            let next = reopens.chain(releases.peek().map(|(end, _)| *end)).min();
            time = earlier_rise(pools, (time, &mut changed), next)?;
        }
    }

    /// Returns the interval of the reservation, if it is one of particular amounts.
    pub(super) fn interval(&self) -> (SimTime, SimTime) {
        (self.shadow_time, self.end)
    }

    /// Adds the resources of a running job that ends now instead of at `end`, its expected end.
    pub(super) fn add_released(&mut self, pools: &Pools, end: SimTime, run: &RunningJob) {
        self.known_misfits.clear();
        if end <= self.shadow_time {
            return;
        }
        if pools.is_one_pool {
            self.extra_nodes += u64::from(run.size);
            return;
        }
        let dimensions = pools.requests.dimensions();
        for (pool, tasks, devices) in run.allocation.parts_on_devices(run.size) {
            let taken: Vec<u64> = pools.taken(run.request, pool, (tasks, devices)).collect();
            let free = &mut self.free[pool * dimensions..][..dimensions];
            free.iter_mut().zip(taken).for_each(|(free, taken)| *free += taken);
            let of_head = pools.requests.get(self.request);
            if pools
                .open(of_head, self.speed, self.shadow_time, self.end)
                .any(|group| group.pools.contains(&pool))
            {
                let room = of_head.tasks_in_pool(free);
                self.extra_nodes += room - self.tasks[pool];
                self.tasks[pool] = room;
            }
        }
    }

    /// Finds a slot now in which the job does not delay the head. Charges the resources that it uses
    /// beyond the shadow time to the extra nodes.
    pub(super) fn find_backfill_slot(
        &mut self,
        pools: &mut Pools,
        now: SimTime,
        job: &Waiting,
    ) -> Option<Slot> {
        let Some(free) = pools.free_of_unlimited_pool() else {
            return self.find_backfill_slot_on_groups(pools, now, job);
        };
        let (width, end) = (u64::from(job.job.size), job.job.end(now, pools.groups[0].speed));
        if width > free || end > self.shadow_time && width > self.extra_nodes {
            return None;
        }
        self.extra_nodes -= if end > self.shadow_time { width } else { 0 };
        Some((Allocation::default(), end))
    }

    /// Finds a backfill slot where nodes are of several groups, or tasks share nodes.
    #[inline(never)]
    fn find_backfill_slot_on_groups(
        &mut self,
        pools: &mut Pools,
        now: SimTime,
        job: &Waiting,
    ) -> Option<Slot> {
        if let Some(free) = pools.free_of_one_pool() {
            let speed = pools.speed_of_pool(job.request);
            let (width, end) = (u64::from(job.job.size), job.job.end(now, speed));
            let is_beyond = end > self.shadow_time;
            if width > free
                || is_beyond && width > self.extra_nodes
                || !pools.has_common_amounts(job.request, now, end)
            {
                return None;
            }
            self.extra_nodes -= if is_beyond { width } else { 0 };
            return Some((Allocation::default(), end));
        }
        pools.count(job.request);
        let (pools, width) = (&*pools, u64::from(job.job.size));
        let rooms = &pools.fit_counts[job.request];
        if rooms.total < width {
            return None;
        }
        let (version, has_devices) = (pools.version(), pools.requests.device_columns() > 0);
        for (place, &speed) in pools.speeds_of(job.request).iter().enumerate() {
            let end = job.job.end(now, speed);
            let at = (speed, now, end);
            if pools.open_sum(rooms, job.request, at) < width
                || !pools.has_common_amounts(job.request, now, end)
            {
                continue;
            }
            if end <= self.shadow_time {
                return Some((pools.choose(at, job.request, job.job.size, |pool| rooms.by_pool[pool]), end));
            }
            // If a job cannot start, neither can one with the same request and at least the same
            // size. Where devices are distinguished, a job that takes some changes which ones another
            // would get, so that only an equal job is known not to start.
            let key = job.request * pools.most_speeds() + place;
            if self.known_misfits.len() <= key {
                self.known_misfits.resize(key + 1, (0, 0));
            }
            let (of, least) = self.known_misfits[key];
            let is_known = match has_devices {
                true => of == version && width == least,
                false => (of == version || of == ALL_LATER_VERSIONS) && width >= least,
            };
            if is_known && !pools.has_windows {
                continue;
            }
            match self.allocate_after_shadow_time(pools, job, at) {
                Ok(split) => {
                    self.charge(pools, job.request, &split, job.job.size);
                    return Some((split, end));
                }
                // With no extra nodes left, the resources that do not delay the head cannot
                // increase.
                Err(placed) if self.extra_nodes == 0 && !has_devices => {
                    self.known_misfits[key] = (ALL_LATER_VERSIONS, placed + 1);
                }
                Err(_) => self.known_misfits[key] = (version, width),
            }
        }
        None
    }

    /// Allocates pools to a job that ends after the shadow time, those first where the head loses
    /// nothing. If that delays the head, returns the number of tasks that could be placed without
    /// loss to the head.
    fn allocate_after_shadow_time(&self, pools: &Pools, job: &Waiting, at: Span) -> Result<Allocation, u64> {
        let (need, rooms, width) =
            (pools.requests.get(job.request), &pools.fit_counts[job.request].by_pool, job.job.size);
        let harmless = |pool: usize| match (self.tasks[pool], pools.node_use) {
            (0, _) => rooms[pool],
            (tasks, NodeUse::Shared) if rooms[pool] > 0 => {
                let free = pools.amounts_of(&self.free, pool);
                let devices = pools.requests.get(self.request).devices_in(
                    free,
                    tasks as u32,
                    pools.device_groups(pool),
                );
                let taken = pools.taken(self.request, pool, (tasks as u32, devices));
                rooms[pool].min(need.tasks_in_each(free.iter().zip(taken).map(|(free, taken)| free - taken)))
            }
            _ => 0,
        };
        let mut split = pools.choose(at, job.request, width, harmless);
        let placed: u32 = split.pools().map(|(_, tasks)| tasks).sum();
        if placed < width {
            // Each further task takes at least one of the head's tasks, unless the head can have other
            // devices instead.
            if self.extra_nodes == 0 && pools.requests.device_columns() == 0 {
                return Err(placed.into());
            }
            let mut rest = rooms.clone();
            split.pools().for_each(|(pool, tasks)| rest[pool] -= u64::from(tasks));
            let more = pools.choose(at, job.request, width - placed, |pool| rest[pool]);
            split.add_all(&more);
        }
        let lost = |(pool, tasks): (usize, u32)| {
            self.tasks[pool] - self.tasks_left_to_head(pools, job.request, pool, tasks)
        };
        let is_beside = split.pools().map(lost).sum::<u64>() <= self.extra_nodes;
        if is_beside { Ok(split) } else { Err(placed.into()) }
    }

    /// Counts the tasks of the head that still fit in a pool alongside some tasks of another job.
    fn tasks_left_to_head(&self, pools: &Pools, need: usize, pool: usize, tasks: u32) -> u64 {
        if self.tasks[pool] == 0 {
            return 0;
        }
        let taken = pools.taken(need, pool, (tasks, pools.devices_now(need, pool, tasks)));
        let free = pools.amounts_of(&self.free, pool).iter().zip(taken);
        let left = free.map(|(free, taken)| free.saturating_sub(taken));
        pools.requests.get(self.request).tasks_in_each(left).min(self.tasks[pool])
    }

    /// Charges an allocation to the extra nodes and free amounts of the reservation.
    fn charge(&mut self, pools: &Pools, need: usize, split: &Allocation, width: u32) {
        let dimensions = pools.requests.dimensions();
        for (pool, tasks) in split.parts(width) {
            let left = self.tasks_left_to_head(pools, need, pool, tasks);
            self.extra_nodes -= self.tasks[pool] - left;
            self.tasks[pool] = left;
            let taken = pools.taken(need, pool, (tasks, pools.devices_now(need, pool, tasks)));
            for (free, taken) in self.free[pool * dimensions..].iter_mut().zip(taken) {
                *free = free.saturating_sub(taken);
            }
        }
    }
}

/// Returns the next time at which a job may fit, of which `next` is the next one at which nodes change, and
/// others are those at which the cluster gets more of a resource that it has as a whole. `changed` is the last
/// time at which nodes have changed.
#[inline]
fn earlier_rise(
    pools: &Pools,
    (time, changed): (SimTime, &mut SimTime),
    next: Option<SimTime>,
) -> Option<SimTime> {
    match pools.next_rise(time, *changed).filter(|&rise| next.is_none_or(|next| rise < next)) {
        Some(rise) => Some(rise),
        None => {
            *changed = next?;
            next
        }
    }
}
