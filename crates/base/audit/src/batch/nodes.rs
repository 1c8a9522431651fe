//! Pools of identical nodes, and the node selection.

use super::keys::mix;
use super::queue::{DevicesByPool, Parts, Waiting, end_of};
use crate::common::{has_round, lasting_amount, next_rise, rises_at};
use crate::job::Job;
use crate::levels::{largest_power, last_level};
use crate::nodes::{Kind, kinds_of_partition};
use crate::platform::{Platform, Window};
use crate::priority::matches;
use dfrsim_model::batch::{BatchPolicy, NodeUse, Place};
use dfrsim_model::event::ResourceOfCluster;
use dfrsim_model::site::{JobClass, Reservation, SiteSettings};
use dfrsim_model::{Share, SortedMap, Yield};
use std::sync::Arc;

/// Units of a node's tenancy, which tasks take where some jobs share nodes and others have whole
/// nodes: all of them, or one.
const TENANCY: i64 = 1 << 40;

/// Pool of nodes that are counted together: nodes of a kind with identical windows, or one node if
/// it can have several tasks.
#[derive(Debug)]
pub(super) struct Pool {
    nodes: Vec<u32>,
    /// Lowest of all nodes that are identical to these, in any pool.
    group: u32,
    pub(super) kind: usize,
    /// Speed at each speed level.
    speeds: Vec<u32>,
    /// Size rank of the kind under best-fit placement; otherwise 0.
    size_rank: usize,
    /// Maintenance windows as (start, end).
    pub(super) windows: Vec<(u64, u64)>,
    /// Capacity of its nodes by resource.
    pub(super) whole: Vec<i64>,
    /// Capacity, by resource, of the nodes that are up or in a window.
    pub(super) usable: Vec<i64>,
    /// Sizes of the groups of connected devices of a node.
    pub(super) device_groups: Vec<u32>,
}

impl Pool {
    /// Returns the speed of its nodes at a speed level.
    pub(super) fn speed(&self, level: u32) -> u32 {
        self.speeds.get(level as usize).or(self.speeds.first()).copied().unwrap_or(Yield::ONE.units())
    }
}

/// Pools between two changes of the platform.
#[derive(Debug, Default)]
pub(super) struct Pools {
    pub(super) policy: BatchPolicy,
    /// All pools: by kind and windows if each task has a whole node, otherwise by node.
    pub(super) all: Vec<Pool>,
    pool_of: Vec<usize>,
    /// Number of devices that are distinguished: the most that a node has, if tasks share nodes.
    pub(super) columns: usize,
    /// Distinct speeds in descending order, for each speed level.
    speeds: Vec<Vec<u32>>,
    /// Resources of the whole cluster.
    pub(super) common: Arc<Vec<ResourceOfCluster>>,
}

impl Pools {
    /// Returns the amount of a resource that tasks of a job take of a pool. The parts of devices come
    /// after the amounts that a job needs.
    pub(super) fn amount(
        &self,
        job: &Waiting,
        pool: usize,
        (tasks, devices): (u64, &DevicesByPool),
        resource: usize,
    ) -> i64 {
        match (self.policy.nodes, job.need.get(resource), job.devices) {
            (NodeUse::Exclusive, ..) if tasks > 0 => self.all[pool].whole[resource],
            (_, Some(need), _) => need.saturating_mul(tasks as i64),
            (_, None, None) => 0,
            (_, None, Some((_, part))) => {
                let of_pool = devices.get(&pool).and_then(|of_pool| of_pool.get(resource - job.need.len()));
                of_pool.map_or(0, |parts| (parts * part) as i64)
            }
        }
    }
    pub(super) fn node_of(&self, pool: usize) -> u32 {
        self.all[pool].nodes[0]
    }
    pub(super) fn pool_of(&self, node: u32) -> Option<usize> {
        self.pool_of.get(node as usize).copied()
    }
    pub(super) fn parts(&self, on: &[(u32, u32)]) -> Parts {
        let mut parts = Parts::default();
        on.iter().for_each(|it| *parts.or_default(self.pool_of[it.0 as usize]) += u64::from(it.1));
        parts
    }
    /// Returns the speed of the slowest of these pools at a speed level.
    pub(super) fn slowest(&self, parts: &Parts, level: u32) -> u32 {
        parts.keys().iter().map(|&pool| self.all[pool].speed(level)).min().unwrap_or(Yield::ONE.units())
    }
    /// Returns the distinct speeds at a speed level, in descending order.
    pub(super) fn speeds(&self, level: u32) -> &[u32] {
        self.speeds.get(level as usize).or(self.speeds.first()).map_or(&[], Vec::as_slice)
    }
    /// Returns the number of the last speed level; 0 without levels.
    pub(super) fn last_level(&self) -> u32 {
        self.speeds.len().saturating_sub(1) as u32
    }
    /// Returns a job as if it drew no power.
    pub(super) fn without_power(&self, job: &Waiting) -> Waiting {
        let mut job = job.clone();
        let of_power = job.common.iter_mut().zip(&*self.common).filter(|(_, resource)| resource.power);
        of_power.for_each(|(amount, _)| *amount = 0);
        job
    }

    /// Chooses the pools for a job that starts at `start`; `room` is the number of tasks that fit on
    /// each pool, and `key` ranks pools if the placement is scored; `power` is what a task adds. Pools whose next window comes first
    /// are preferred, then those of the lowest size rank, then those with the lowest nodes.
    pub(super) fn choose(
        &self,
        start: u64,
        (room, awake): (&[u64], &[bool]),
        tasks: u64,
        key: impl Fn(usize) -> (i128, i128),
        power: impl Fn(usize) -> i128,
    ) -> Parts {
        let next = |pool: &Pool| pool.windows.iter().map(|it| it.0).filter(|&from| from > start).min();
        let rank = |&place: &usize| {
            let pool = &self.all[place];
            (next(pool).unwrap_or(u64::MAX), pool.size_rank, pool.group)
        };
        let mut order: Vec<usize> = (0..room.len()).filter(|&place| room[place] > 0).collect();
        let is_single = self.policy.nodes != NodeUse::Whole;
        let is_awake = |place: usize| {
            is_single && awake.get(self.all[place].nodes[0] as usize).is_some_and(|is_awake| *is_awake)
        };
        if self.policy.place.is_scored()
            && total(order.iter().filter(|place| is_awake(**place)).map(|&place| room[place])) >= tasks
        {
            order.retain(|&place| is_awake(place));
        }
        if self.policy.place.is_scored() && self.policy.nodes != NodeUse::Whole {
            let window = |place: usize| next(&self.all[place]).unwrap_or(u64::MAX);
            let mut keys: Vec<(i128, i128)> = order.iter().map(|&place| key(place)).collect();
            if let Place::Mix(weight) = self.policy.place {
                let of_nodes: Vec<(i128, i128)> =
                    order.iter().zip(&keys).map(|(&place, key)| (key.0, power(place))).collect();
                keys.iter_mut().zip(mix(weight, &of_nodes)).for_each(|(key, sum)| key.0 = sum);
            }
            let mut ranked: Vec<_> = order.iter().copied().zip(keys).collect();
            ranked.sort_by_key(|&(place, key)| (window(place), key, self.node_of(place)));
            order = ranked.into_iter().map(|(place, _)| place).collect();
            let mut missing = tasks;
            let part = |place: usize| {
                let given = room[place].min(missing);
                missing -= given;
                (given > 0).then_some((place, given))
            };
            return order.into_iter().filter_map(part).collect();
        }
        order.sort_unstable_by_key(|&place| (rank(&place), place));
        let mut parts = Parts::default();
        for group in order.chunk_by(|a, b| rank(a) == rank(b)) {
            let missing = tasks - total(parts.values().iter().copied());
            let awake = total(group.iter().filter(|place| is_awake(**place)).map(|&place| room[place]));
            let some = group.iter().filter(|place| awake < missing || is_awake(**place));
            let rooms = some.map(|&place| (place, room[place]));
            parts.extend(select_nodes(self.policy.place, rooms, missing));
        }
        parts
    }
}

/// Adds up numbers of tasks, saturating.
pub(super) fn total(tasks: impl Iterator<Item = u64>) -> u64 {
    tasks.fold(0, u64::saturating_add)
}

/// Selects nodes for tasks, given the number of tasks that fit on each node in ascending order.
fn select_nodes(rule: Place, room: impl Iterator<Item = (usize, u64)>, mut missing: u64) -> Parts {
    let mut enough = 0_u64;
    let is_needed = |&(_, room): &(usize, u64)| {
        let is_needed = rule != Place::First || enough < missing;
        enough = enough.saturating_add(room);
        is_needed
    };
    let mut left: Vec<(usize, u64)> = room.take_while(is_needed).collect();
    let mut parts = Parts::default();
    while missing > 0 && !left.is_empty() {
        let length = |run: &&[(usize, u64)]| total(run.iter().map(|it| it.1));
        let runs = || left.chunk_by(|a, b| a.0 + 1 == b.0);
        let mut enough = runs().filter(|run| length(run) >= missing);
        let run = match rule {
            place if place == Place::First || place.is_scored() => None,
            Place::Contiguous => enough.next(),
            _ => enough.min_by_key(length).or_else(|| runs().rev().max_by_key(length)),
        };
        let run = run.unwrap_or(&left).to_vec();
        for &(place, room) in &run {
            let given = room.min(missing);
            missing -= given;
            parts.extend((given > 0).then_some((place, given)));
        }
        left.retain(|it| it.0 < run[0].0 || it.0 > run[run.len() - 1].0);
    }
    parts
}

/// Known state of the nodes.
#[derive(Debug, Default)]
pub(super) struct BatchNodes {
    kinds: Arc<Vec<Kind>>,
    /// True, per node, if it takes no jobs: it is down or drained.
    closed: Vec<bool>,
    /// True, per node, if it is drained and not down, so that jobs may still run there.
    drained: Vec<bool>,
    windows: Vec<Window>,
    pub(super) reservations: Vec<Reservation>,
    /// Partitions, if nodes are shared and some of them restrict the nodes of their jobs.
    partitions: Vec<JobClass>,
    /// Number of jobs on each node.
    pub(super) jobs: Vec<u32>,
    /// True if the pools are outdated.
    is_changed: bool,
    /// Last time for which pools were built; they include windows that begin or end at that time.
    built_at: Option<u64>,
    pub(super) pools: Arc<Pools>,
    /// True, per node, if it is awake before the decision; empty if no node sleeps.
    pub(super) awake: Arc<Vec<bool>>,
    common: Arc<Vec<ResourceOfCluster>>,
}

impl BatchNodes {
    pub(super) fn new(policy: BatchPolicy, kinds: &Arc<Vec<Kind>>) -> BatchNodes {
        let nodes = kinds.iter().map(|kind| kind.nodes as usize).sum();
        let pools = Arc::new(Pools { policy, ..Pools::default() });
        let (closed, drained) = (vec![false; nodes], vec![false; nodes]);
        let (jobs, kinds) = (vec![0; nodes], Arc::clone(kinds));
        let (windows, reservations, partitions) = Default::default();
        BatchNodes {
            kinds,
            closed,
            drained,
            windows,
            reservations,
            partitions,
            jobs,
            is_changed: true,
            built_at: None,
            pools,
            awake: Arc::default(),
            common: Arc::default(),
        }
    }
    pub(super) fn set_site(&mut self, settings: &SiteSettings) {
        self.reservations.clone_from(&settings.reservations);
        let is_special = |class: &JobClass| class.whole_nodes || class.max_cores_per_node.is_some();
        let is_mixed = settings.partitions.iter().any(is_special);
        if is_mixed && self.pools.policy.nodes == NodeUse::Shared {
            self.partitions.clone_from(&settings.partitions);
            self.is_changed = true;
        }
    }
    pub(super) fn set_kinds(&mut self, kinds: &Arc<Vec<Kind>>) {
        self.kinds = Arc::clone(kinds);
        self.is_changed = true;
    }
    pub(super) fn set_common(&mut self, resources: &[ResourceOfCluster]) {
        self.common = Arc::new(resources.to_vec());
        self.is_changed = true;
    }
    /// Returns whether the amounts of the cluster after their last steps suffice for a job, and those that
    /// repeat for as long as it is expected to take on the slowest nodes, and a margin.
    pub(super) fn has_lastingly(&self, job: &Waiting, margin: u64) -> bool {
        let fitting = self.kinds.iter().zip(&job.fits).filter(|(_, fits)| **fits);
        let slowest = fitting.map(|(kind, _)| kind.speed).min().unwrap_or(Yield::ONE.units());
        let length = end_of(0, job.planned, slowest).saturating_add(margin);
        let amounts = job.common.iter().map(|amount| u64::try_from(*amount).unwrap_or(0));
        let needs: Vec<(&ResourceOfCluster, u64)> = self.common.iter().zip(amounts).collect();
        if !has_round(&needs, length) {
            return false;
        }
        let last = |it: &ResourceOfCluster| lasting_amount(it) as i64;
        self.common.iter().zip(&job.common).all(|(resource, amount)| *amount <= last(resource))
    }
    /// Returns the next time at which the cluster gets more of a resource.
    pub(super) fn next_rise(&self, now: u64) -> Option<u64> {
        self.common.iter().filter_map(|resource| next_rise(resource, now)).min()
    }
    /// Returns whether the cluster gets more of a resource at a time.
    pub(super) fn rises_at(&self, now: u64) -> bool {
        self.common.iter().any(|resource| rises_at(resource, now))
    }
    pub(super) fn change(&mut self, platform: &Platform) {
        (self.closed, self.drained) = (platform.closed(), platform.drained());
        self.windows.clone_from(&platform.windows);
        self.is_changed = true;
    }
    /// Returns whether the capacities of all nodes are known.
    pub(super) fn is_capacity_known(&self) -> bool {
        self.kinds.iter().all(|kind| !self.node_pieces(kind).is_empty())
    }
    /// Selects the relevant amounts of a node or of a task: a single node if each task has a whole
    /// node. `of_partition` returns what partitions that have whole nodes, and then those with a
    /// maximum number of cores, add to it.
    fn pieces(&self, pieces: &[i64], of_partition: impl Fn(usize, &JobClass) -> (i64, i64)) -> Vec<i64> {
        if self.pools.policy.nodes == NodeUse::Whole {
            return vec![1];
        }
        if pieces.is_empty() {
            return Vec::new();
        }
        let all = || self.partitions.iter().enumerate();
        let is_mixed = self.partitions.iter().any(|class| class.whole_nodes);
        let tenancy = all().map(|(at, class)| of_partition(at, class).0).max().filter(|_| is_mixed);
        let has_cores = self.kinds.iter().all(|kind| kind.resources.is_some());
        let capped = all().filter(|(_, class)| has_cores && class.max_cores_per_node.is_some());
        let capped = capped.map(|(at, class)| of_partition(at, class).1);
        let mut pieces = pieces.to_vec();
        // Each device has an amount of its own.
        let counted = self.kinds.first().and_then(|kind| kind.device).and_then(|at| pieces.get_mut(2 + at));
        counted.into_iter().for_each(|count| *count = 0);
        pieces.into_iter().chain(tenancy).chain(capped).collect()
    }
    /// Returns the largest number of devices of a node, if tasks share nodes.
    fn columns(&self) -> usize {
        let count = |kind: &Kind| kind.device.and_then(|at| kind.pieces.get(2 + at).copied()).unwrap_or(0);
        let most = self.kinds.iter().map(count).max().unwrap_or(0);
        if self.pools.policy.nodes == NodeUse::Whole { 0 } else { most as usize }
    }
    /// Selects the relevant amounts of a node of this kind.
    fn node_pieces(&self, kind: &Kind) -> Vec<i64> {
        let count = kind.device.and_then(|at| kind.pieces.get(2 + at)).map_or(0, |count| *count as usize);
        let whole = i64::from(Share::ONE.units());
        let devices = (0..self.columns()).map(|device| if device < count { whole } else { 0 });
        let of_partition = |_: usize, class: &JobClass| {
            let most = i64::from(class.max_cores_per_node.unwrap_or(0));
            (TENANCY, most.saturating_mul(kind.core_parts as i64))
        };
        self.pieces(&kind.pieces, of_partition).into_iter().chain(devices).collect()
    }
    /// Selects the relevant amounts of a task of a job.
    pub(super) fn task_pieces(&self, job: &Job) -> Vec<i64> {
        let own = self.partitions.iter().position(|class| matches(class, job));
        self.pieces(&job.size.pieces, |at, class| match own == Some(at) {
            true => (if class.whole_nodes { TENANCY } else { 1 }, job.size.pieces[0]),
            false => (1, 0),
        })
    }
    /// Returns whether all nodes are up, no window is announced, and all reservations are over.
    pub(super) fn is_fully_available(&self, now: u64) -> bool {
        let is_over = self.bounds().all(|bound| bound <= now);
        self.windows.is_empty() && !self.closed.contains(&true) && is_over
    }
    /// Returns the intervals, by kind of node, in which reservations block jobs that request these
    /// features.
    pub(super) fn blocked_intervals(&self, features: &[String]) -> Vec<Vec<(u64, u64)>> {
        let of_kind = |kind: &Kind| {
            let its = self.reservations.iter().filter(|it| kind.features.contains(&it.feature()));
            its.flat_map(|it| it.blocked_intervals(features.contains(&it.feature()))).collect()
        };
        self.kinds.iter().map(of_kind).collect()
    }
    /// Returns the starts and ends of reservations, in microseconds.
    pub(super) fn bounds(&self) -> impl Iterator<Item = u64> {
        self.reservations.iter().flat_map(|it| [it.from_s, it.until_s]).map(|it| it.saturating_mul(1_000_000))
    }
    /// Returns a flag for each kind of nodes: true if the partition has them.
    pub(super) fn kinds_of_partition(&self, partition: Option<&str>) -> Vec<bool> {
        kinds_of_partition(&self.kinds, partition)
    }
    /// Returns whether no pools have been built yet.
    pub(super) fn is_new(&self) -> bool {
        self.pools.all.is_empty()
    }
    /// Computes the units of each resource of the whole cluster that a job holds at each speed level.
    pub(super) fn common_by_level(&self, job: &Job) -> Vec<Vec<i64>> {
        let at = |level: u32| {
            let power = largest_power(&self.kinds, &job.size, job.tasks, level);
            let of = |(resource, amount): (&ResourceOfCluster, &u64)| {
                let amount = if resource.power && level > 0 { power } else { *amount };
                i64::try_from(amount).unwrap_or(i64::MAX)
            };
            self.common.iter().zip(&job.size.common).map(of).collect()
        };
        (0..=last_level(&self.kinds)).map(at).collect()
    }
    /// Computes the power that a task of a job adds on a node of each kind at full speed; nothing if the placement does
    /// not depend on it.
    pub(super) fn power_of(&self, job: &Job) -> Vec<u64> {
        let kinds = self.kinds.iter().filter(|_| self.pools.policy.place.depends_on_power());
        kinds.map(|kind| kind.task_power(&job.size, 0)).collect()
    }
    /// Returns the kinds of nodes; none if the placement does not depend on the power of devices and sockets.
    pub(super) fn kinds_with_used_power(&self) -> Arc<Vec<Kind>> {
        let is_needed = self.pools.policy.place.depends_on_power();
        match is_needed && self.kinds.iter().any(Kind::has_used_power) {
            true => Arc::clone(&self.kinds),
            false => Arc::default(),
        }
    }
    /// Counts the tasks of a job that fit on an empty cluster.
    pub(super) fn max_tasks(&self, job: &Waiting) -> u64 {
        let fitting = self.kinds.iter().zip(&job.fits).filter(|(_, fits)| **fits);
        let on = |kind: &Kind| job.tasks_in(self.node_pieces(kind).into_iter());
        total(fitting.map(|(kind, _)| on(kind).saturating_mul(kind.nodes.into())))
    }

    /// Returns the next start or end of a window.
    pub(super) fn next_change(&self, now: u64) -> Option<u64> {
        self.windows.iter().flat_map(|it| [it.from, it.until]).filter(|&at| at > now).min()
    }
    /// Rebuilds the pools if they are outdated; returns whether the platform has changed.
    pub(super) fn update_pools(&mut self, now: u64) -> bool {
        let is_new = self.built_at != Some(now);
        let is_bound = is_new && self.windows.iter().any(|it| it.from == now || it.until == now);
        if !std::mem::take(&mut self.is_changed) && !is_bound {
            return false;
        }
        self.built_at = Some(now);
        self.windows.retain(|window| window.until > now);
        let mut alike: SortedMap<(usize, bool, Vec<usize>), Vec<u32>> = SortedMap::default();
        let mut kind_of = self.kinds.iter().enumerate().flat_map(|(kind, it)| vec![kind; it.nodes as usize]);
        for node in 0..self.closed.len() as u32 {
            let windows = (0..self.windows.len()).filter(|&place| self.windows[place].contains(node));
            let is_drained = self.drained[node as usize];
            alike.or_default((kind_of.next().unwrap_or(0), is_drained, windows.collect())).push(node);
        }
        let policy = self.pools.policy;
        let columns = self.columns();
        let (common, last) = (Arc::clone(&self.common), last_level(&self.kinds));
        let mut pools =
            Pools { policy, pool_of: vec![0; self.closed.len()], columns, common, ..Pools::default() };
        for ((place, _, windows), nodes) in alike {
            let kind = &self.kinds[place];
            let pieces = self.node_pieces(kind);
            let windows = windows.iter().map(|&place| (self.windows[place].from, self.windows[place].until));
            let windows: Vec<(u64, u64)> = windows.collect();
            let is_usable =
                |node: &&u32| !self.closed[**node as usize] || windows.iter().any(|&(from, _)| from <= now);
            for some in nodes.chunks(if policy.nodes == NodeUse::Whole { nodes.len() } else { 1 }) {
                let of =
                    |count: usize| pieces.iter().map(|amount| amount.saturating_mul(count as i64)).collect();
                pools.all.push(Pool {
                    nodes: some.to_vec(),
                    group: nodes[0],
                    kind: place,
                    speeds: (0..=last).map(|level| kind.speed_at(level)).collect(),
                    size_rank: if policy.place == Place::Best { kind.size_rank } else { 0 },
                    windows: windows.clone(),
                    whole: of(some.len()),
                    usable: of(some.iter().filter(is_usable).count()),
                    device_groups: kind.device_groups.clone(),
                });
            }
        }
        if policy.nodes != NodeUse::Whole {
            pools.all.sort_unstable_by_key(|pool| pool.nodes[0]);
        }
        for (place, pool) in pools.all.iter().enumerate() {
            pool.nodes.iter().for_each(|&node| pools.pool_of[node as usize] = place);
        }
        let speeds = |level: u32| {
            let mut speeds: Vec<u32> = self.kinds.iter().map(|kind| kind.speed_at(level)).collect();
            speeds.sort_unstable_by(|a, b| b.cmp(a));
            speeds.dedup();
            speeds
        };
        pools.speeds = (0..=last).map(speeds).collect();
        self.pools = Arc::new(pools);
        true
    }

    /// Selects the nodes of a job that gets tasks of these pools now.
    pub(super) fn place(&self, parts: &Parts) -> Vec<(u32, u32)> {
        let Pools { policy, all, .. } = &*self.pools;
        // If tasks share nodes, each pool is a node, which was already chosen.
        let room = |&node: &u32| match policy.nodes {
            NodeUse::Whole => u64::from(self.jobs[node as usize] == 0 && !self.closed[node as usize]),
            _ => u64::MAX,
        };
        let with_room = |pool: usize| all[pool].nodes.iter().map(move |node| (*node as usize, room(node)));
        // A job gets nodes that are awake if there are enough of them.
        let of = |(&pool, &tasks): (&usize, &u64)| {
            let free: Vec<(usize, u64)> = with_room(pool).filter(|it| it.1 > 0).collect();
            let is_awake = |it: &&(usize, u64)| self.awake.get(it.0).is_some_and(|is_awake| *is_awake);
            let awake: Vec<(usize, u64)> = free.iter().filter(is_awake).copied().collect();
            let is_enough = total(awake.iter().map(|it| it.1)) >= tasks;
            select_nodes(policy.place, if is_enough { awake } else { free }.into_iter(), tasks)
        };
        let on: Parts = parts.iter().flat_map(of).collect();
        on.into_iter().map(|(node, tasks)| (node as u32, tasks as u32)).collect()
    }
}
