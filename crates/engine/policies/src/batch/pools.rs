//! The nodes in pools, of which jobs take room for their tasks.
//!
//! Nodes are *alike* if they are of the same class and have the same windows before them; all alike nodes are a [`Group`]. Where a task has a
//! node of its own, a group is one pool, of which a number of nodes is free. Where tasks share nodes, each node is a pool, of which
//! a part of each resource is free. Equal nodes without a window are a single pool with one number: [`Pools::single`] is the fast path of
//! every question.

use super::free_nodes::FreeNodes;
use super::job::BatchJob;
use super::needs::{Need, Needs};
use super::node_use::NodeUse;
use super::place::Place;
use super::queue::Waiting;
use super::running::Run;
use dfrsim_cluster::{JobHandle, NodeRange, View};
use dfrsim_model::{NodeId, NodeTasks, SimSpan, SimTime, Yield};
use dfrsim_platform::classes::{NodeClass, NodeClasses};
use std::collections::BTreeMap;
use std::ops::Range;

/// Alike nodes.
#[derive(Debug)]
pub(super) struct Group {
    /// Rising.
    nodes: Vec<u32>,
    /// The place of their class; 0 if all nodes are equal.
    class: usize,
    pub(super) speed: Yield,
    /// Jobs take nodes of groups with less of it first, where the policy places them so; otherwise 0.
    plenty: usize,
    /// The windows that are announced and not over, by begin.
    pub(super) windows: Vec<(SimTime, SimTime)>,
    pub(super) pools: Range<usize>,
}

impl Group {
    /// Whether none of its nodes is in a window at any time from one moment to another.
    pub(super) fn is_open(&self, start: SimTime, end: SimTime) -> bool {
        !self.windows.iter().any(|&(from, until)| from < end && until > start)
    }

    /// When the next window after a moment begins.
    fn next_window(&self, after: SimTime) -> Option<SimTime> {
        self.windows.iter().map(|&(from, _)| from).filter(|&from| from > after).min()
    }
}

/// How many tasks of a job each pool has; without an entry the single pool has all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Split(pub(super) Vec<(usize, u32)>);

impl Split {
    /// The pools and their tasks, for a job of this width.
    pub(super) fn parts(&self, width: u32) -> impl Iterator<Item = (usize, u32)> {
        let single = self.0.is_empty().then_some((0, width));
        single.into_iter().chain(self.0.iter().copied())
    }

    /// Puts more tasks in a pool.
    pub(super) fn add(&mut self, pool: usize, tasks: u32) {
        match self.0.iter_mut().find(|(other, _)| *other == pool) {
            Some((_, sum)) => *sum += tasks,
            None if tasks > 0 => self.0.push((pool, tasks)),
            None => {}
        }
    }
}

/// The speed that nodes have at least, and from when to when a job is on them.
pub(super) type Span = (Yield, SimTime, SimTime);

/// Where a job starts, and when it ends there by its estimate.
pub(super) type Room = (Split, SimTime);

/// The nodes of a cluster, and what is free of them now.
#[derive(Debug)]
pub(super) struct Pools {
    pub(super) node_use: NodeUse,
    place: Place,
    pub(super) groups: Vec<Group>,
    /// The different speeds, the highest first.
    pub(super) speeds: Vec<Yield>,
    pub(super) needs: Needs,
    pool_of: Vec<usize>,
    /// What each pool has, resource by resource, and what of it is free.
    pub(super) whole: Vec<u64>,
    pub(super) free: Vec<u64>,
    /// The sum of what is free of each resource.
    total: Vec<u64>,
    /// The nodes that no job has, where a task has a node of its own.
    nodes: FreeNodes,
    is_single: bool,
    has_windows: bool,
    /// The state of the platform for which the groups were made.
    platform_changes: Option<u64>,
    /// By class: how many nodes there are, and what one has.
    classes: Vec<(u32, Vec<u64>)>,
    /// Counts changes of what is free.
    version: u64,
    /// By need: for how many tasks there is room at each speed or above, and the version for which that was counted.
    rooms: Vec<(u64, Vec<u64>)>,
}

impl Pools {
    /// Makes the pools of a cluster of this many nodes; [`Pools::follow`] groups them.
    pub(super) fn new(nodes: u32, node_use: NodeUse, place: Place) -> Pools {
        Pools {
            node_use,
            place,
            groups: Vec::new(),
            speeds: Vec::new(),
            needs: Needs::new(node_use),
            pool_of: Vec::new(),
            whole: Vec::new(),
            free: Vec::new(),
            total: Vec::new(),
            nodes: FreeNodes::all(nodes, place),
            is_single: false,
            has_windows: false,
            platform_changes: None,
            classes: Vec::new(),
            version: 1,
            rooms: Vec::new(),
        }
    }

    /// Groups the nodes again if the platform has changed, all of them free; returns whether it has.
    pub(super) fn follow(&mut self, view: View<'_>) -> bool {
        let changes = Some(view.platform_changes());
        if std::mem::replace(&mut self.platform_changes, changes) == changes {
            return false;
        }
        self.group(view);
        self.needs.know(view.classes());
        let count = |class: usize| view.classes().map_or(view.nodes(), |all| all.classes()[class].nodes);
        let one = self.needs.node_of_each_class(view.classes());
        self.classes = one.into_iter().enumerate().map(|(class, has)| (count(class), has)).collect();
        let now = view.now();
        let soon = now.saturating_add(SimSpan::from_micros(1));
        self.whole.clear();
        self.pool_of = vec![0; view.nodes() as usize];
        let mut pools = 0;
        for group in &mut self.groups {
            let is_up = |&node: &u32| view.is_up(NodeId(node));
            let in_window = !group.is_open(now, soon);
            if self.node_use == NodeUse::Whole {
                let up = group.nodes.iter().filter(|node| in_window || is_up(node)).count();
                group.nodes.iter().for_each(|&node| self.pool_of[node as usize] = pools);
                self.whole.push(up as u64);
                group.pools = pools..pools + 1;
            } else {
                for (pool, &node) in (pools..).zip(&group.nodes) {
                    self.pool_of[node as usize] = pool;
                    let is_there = in_window || is_up(&node);
                    self.whole.extend(
                        self.classes[group.class].1.iter().map(|&has| if is_there { has } else { 0 }),
                    );
                }
                group.pools = pools..pools + group.nodes.len();
            }
            pools = group.pools.end;
        }
        self.is_single = self.node_use == NodeUse::Whole && self.groups.len() == 1 && !self.has_windows;
        self.free.clone_from(&self.whole);
        let dimensions = self.needs.dimensions();
        self.total = vec![0; dimensions];
        self.free.iter().enumerate().for_each(|(place, free)| self.total[place % dimensions] += free);
        self.nodes = FreeNodes::all(view.nodes(), self.place);
        for node in (0..view.nodes()).filter(|&node| !view.is_up(NodeId(node))) {
            self.nodes.remove(node..node + 1);
        }
        self.version += 1;
        true
    }

    /// Groups alike nodes.
    fn group(&mut self, view: View<'_>) {
        let (windows, classes) = (view.windows(), view.classes());
        let mut alike: BTreeMap<(usize, Vec<usize>), Vec<u32>> = BTreeMap::new();
        for node in 0..view.nodes() {
            let over_it = windows.iter().enumerate().filter(|(_, it)| it.outage.nodes.has(node));
            let over_it = over_it.map(|(place, _)| place).collect();
            let class = classes.map_or(0, |classes| classes.class_of(node));
            alike.entry((class, over_it)).or_default().push(node);
        }
        let plenty = classes.filter(|_| self.place == Place::Best).map(by_plenty).unwrap_or_default();
        let group = |((class, over_it), nodes): ((usize, Vec<usize>), Vec<u32>)| {
            let mut windows: Vec<_> =
                over_it.iter().map(|&it| (windows[it].outage.from, windows[it].outage.until)).collect();
            windows.sort_unstable();
            let speed = classes.map_or(Yield::ONE, |classes| classes.classes()[class].speed);
            let plenty = plenty.get(class).copied().unwrap_or(0);
            Group { nodes, class, speed, plenty, windows, pools: 0..0 }
        };
        self.groups = alike.into_iter().map(group).collect();
        self.has_windows = self.groups.iter().any(|group| !group.windows.is_empty());
        self.speeds = self.groups.iter().map(|group| group.speed).collect();
        self.speeds.sort_unstable_by(|a, b| b.cmp(a));
        self.speeds.dedup();
    }

    /// What is free, where one number says it all: equal nodes without windows, a node for each task.
    pub(super) fn single(&self) -> Option<u64> {
        self.is_single.then(|| self.free[0])
    }

    pub(super) fn has_windows(&self) -> bool {
        self.has_windows
    }

    /// The number of an estimated need, which jobs with equal tasks share.
    pub(super) fn need_of(&mut self, view: View<'_>, job: JobHandle) -> usize {
        self.needs.of(view, job)
    }

    /// For how many tasks of a need the cluster has room while it is empty and all nodes are up.
    pub(super) fn most(&self, need: usize) -> u64 {
        let need = self.needs.get(need);
        let fitting = self.classes.iter().zip(&need.fits).filter(|(_, fits)| **fits);
        fitting.map(|((count, has), _)| u64::from(*count) * need.times_in(has.iter().copied())).sum()
    }

    fn group_of(&self, pool: usize) -> &Group {
        &self.groups[self.groups.partition_point(|group| group.pools.end <= pool)]
    }

    /// The node of a pool, where each node is one.
    pub(super) fn node(&self, pool: usize) -> u32 {
        let group = self.group_of(pool);
        group.nodes[pool - group.pools.start]
    }

    /// Whether no core or node is free.
    pub(super) fn is_full(&self) -> bool {
        self.total[0] == 0
    }

    /// Whether a job might find room; of no use is only a `false`.
    pub(super) fn might_fit(&self, job: &Waiting) -> bool {
        let need = &self.needs.get(job.need).amounts;
        need.iter().zip(&self.total).all(|(need, total)| need * u64::from(job.job.width) <= *total)
    }

    /// What of all resources of a pool is in a vector of all pools.
    pub(super) fn of<'a>(&self, amounts: &'a [u64], pool: usize) -> &'a [u64] {
        let dimensions = self.needs.dimensions();
        &amounts[pool * dimensions..][..dimensions]
    }

    /// The groups of which a job can have nodes from one moment to another, none slower than a speed.
    pub(super) fn open<'a>(
        &'a self,
        need: &'a Need,
        speed: Yield,
        start: SimTime,
        end: SimTime,
    ) -> impl Iterator<Item = &'a Group> {
        self.groups
            .iter()
            .filter(move |it| it.speed >= speed && need.fits[it.class] && it.is_open(start, end))
    }

    /// For how many tasks of a job these pools have room until a moment, by what is free in each.
    pub(super) fn sum(&self, job: &Waiting, (speed, start, end): Span, tasks: impl Fn(usize) -> u64) -> u64 {
        let open = self.open(self.needs.get(job.need), speed, start, end);
        open.flat_map(|group| group.pools.clone()).map(tasks).sum()
    }

    /// The same of what is free now, remembered until that changes.
    fn sum_now(&mut self, job: &Waiting, at_speed: usize, now: SimTime, end: SimTime) -> u64 {
        let sum = |pools: &Pools, speed, end| {
            let need = pools.needs.get(job.need);
            pools.sum(job, (speed, now, end), |pool| {
                need.times_in(pools.of(&pools.free, pool).iter().copied())
            })
        };
        if self.has_windows {
            return sum(self, self.speeds[at_speed], end);
        }
        if self.rooms.len() <= job.need {
            self.rooms.resize(job.need + 1, (0, Vec::new()));
        }
        if self.rooms[job.need].0 != self.version {
            let rooms = self.speeds.iter().map(|&speed| sum(self, speed, SimTime::MAX)).collect();
            self.rooms[job.need] = (self.version, rooms);
        }
        self.rooms[job.need].1[at_speed]
    }

    /// Where a job can start now: on the fastest nodes that suffice.
    #[inline]
    pub(super) fn room_now(&mut self, now: SimTime, job: &Waiting) -> Option<Room> {
        let BatchJob { width, .. } = job.job;
        if self.is_single {
            let end = || (Split::default(), job.job.end(now, self.groups[0].speed));
            return (u64::from(width) <= self.free[0]).then(end);
        }
        self.room_on_groups(now, job)
    }

    /// The same where one number does not say it all.
    fn room_on_groups(&mut self, now: SimTime, job: &Waiting) -> Option<Room> {
        let width = job.job.width;
        (0..self.speeds.len()).find_map(|at| {
            let speed = self.speeds[at];
            let end = job.job.end(now, speed);
            (self.sum_now(job, at, now, end) >= width.into()).then(|| {
                let need = self.needs.get(job.need);
                let room = |pool| need.times_in(self.of(&self.free, pool).iter().copied());
                (self.choose((speed, now, end), job.need, width, room), end)
            })
        })
    }

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

    /// What tasks take of each resource of a pool.
    pub(super) fn taken(&self, need: usize, pool: usize, tasks: u32) -> impl Iterator<Item = u64> {
        let (is_exclusive, need) = (self.node_use == NodeUse::Exclusive, self.needs.get(need));
        let amounts = need.amounts.iter().zip(self.of(&self.whole, pool));
        amounts.map(move |(need, &whole)| if is_exclusive { whole } else { need * u64::from(tasks) })
    }

    /// Takes room for tasks of a job.
    #[inline]
    pub(super) fn take(&mut self, need: usize, split: &Split, width: u32) {
        if self.is_single {
            self.free[0] -= u64::from(width);
            self.total[0] -= u64::from(width);
            return;
        }
        self.change(need, split, width, |free, amount| *free -= amount);
    }

    /// Gives the room of tasks of a job back.
    #[inline]
    pub(super) fn give_back(&mut self, need: usize, split: &Split, width: u32) {
        if self.is_single {
            self.free[0] += u64::from(width);
            self.total[0] += u64::from(width);
            return;
        }
        self.change(need, split, width, |free, amount| *free += amount);
    }

    fn change(&mut self, need: usize, split: &Split, width: u32, change: impl Fn(&mut u64, u64)) {
        self.version += 1;
        let dimensions = self.needs.dimensions();
        for (pool, tasks) in split.parts(width) {
            let amounts: Vec<u64> = self.taken(need, pool, tasks).collect();
            for (dimension, amount) in amounts.into_iter().enumerate() {
                change(&mut self.free[pool * dimensions + dimension], amount);
                change(&mut self.total[dimension], amount);
            }
        }
    }

    /// Whether there is room for tasks of a need in these pools.
    pub(super) fn have_room(&self, need: usize, split: &Split) -> bool {
        let need = self.needs.get(need);
        let room = |pool| need.times_in(self.of(&self.free, pool).iter().copied());
        split.0.iter().all(|&(pool, tasks)| room(pool) >= tasks.into())
    }

    /// Takes what is free of the room for some tasks; what that is, to [release](Pools::release) it.
    pub(super) fn hold(&mut self, need: usize, split: &Split) -> Vec<(usize, u64)> {
        if split.0.is_empty() {
            return Vec::new();
        }
        let dimensions = self.needs.dimensions();
        let amounts = split.0.iter().flat_map(|&(pool, tasks)| {
            (pool * dimensions..)
                .zip(self.taken(need, pool, tasks))
                .map(|(at, amount)| (at, amount.min(self.free[at])))
        });
        let held: Vec<(usize, u64)> = amounts.collect();
        self.version += 1;
        for (at, amount) in &held {
            self.free[*at] -= amount;
            self.total[at % dimensions] -= amount;
        }
        held
    }

    /// Gives back what was held.
    pub(super) fn release(&mut self, held: &[(usize, u64)]) {
        if held.is_empty() {
            return;
        }
        self.version += 1;
        let dimensions = self.needs.dimensions();
        for (at, amount) in held {
            self.free[*at] += amount;
            self.total[at % dimensions] += amount;
        }
    }

    /// The pools that some nodes with tasks are in.
    pub(super) fn split(&self, on: &[NodeRange]) -> Split {
        let mut split = Split::default();
        if self.is_single {
            return split;
        }
        for range in on {
            for node in range.indices() {
                match split.0.last_mut().filter(|(last, _)| *last == self.pool_of[node]) {
                    Some((_, sum)) => *sum += range.tasks,
                    None => split.add(self.pool_of[node], range.tasks),
                }
            }
        }
        split
    }

    fn groups_of(&self, split: &Split) -> impl Iterator<Item = &Group> {
        split.parts(0).map(|(pool, _)| self.group_of(pool))
    }

    /// When a job that starts in these pools ends by its estimate.
    pub(super) fn end(&self, start: SimTime, job: &BatchJob, split: &Split) -> SimTime {
        if self.is_single {
            return job.end(start, self.groups[0].speed);
        }
        let slowest = self.groups_of(split).map(|group| group.speed).min();
        job.end(start, slowest.unwrap_or(Yield::ONE))
    }

    /// Whether no window begins in these pools from one moment to another.
    pub(super) fn is_open(&self, split: &Split, start: SimTime, end: SimTime) -> bool {
        self.groups_of(split).all(|group| group.is_open(start, end))
    }

    /// When a job leaves these pools that would end at a moment: a window ends its stay at the latest.
    pub(super) fn stays_until(&self, now: SimTime, end: SimTime, split: &Split) -> SimTime {
        if !self.has_windows {
            return end;
        }
        self.groups_of(split).filter_map(|group| group.next_window(now)).fold(end, SimTime::min)
    }

    /// The pools that give a job their room: of the groups those first whose next window comes first, then those with the least
    /// [plenty](Group::plenty), then those with the lowest nodes; in a group by the [`Place`]. As many tasks as there is room for.
    pub(super) fn choose(
        &self,
        (speed, start, end): Span,
        need: usize,
        width: u32,
        room: impl Fn(usize) -> u64,
    ) -> Split {
        if self.is_single {
            return Split(if width > 0 { vec![(0, width)] } else { Vec::new() });
        }
        let mut groups: Vec<&Group> = self.open(self.needs.get(need), speed, start, end).collect();
        groups.sort_by_key(|group| {
            (group.next_window(start).unwrap_or(SimTime::MAX), group.plenty, group.nodes[0])
        });
        let (mut split, mut missing) = (Split::default(), width);
        for group in groups {
            let rooms = group.pools.clone().map(|pool| (pool, room(pool))).filter(|(_, room)| *room > 0);
            let mut rooms: Vec<(usize, u64)> = rooms.collect();
            if self.node_use != NodeUse::Whole && self.place != Place::First {
                rooms = self.by_runs(&rooms, missing);
            }
            for (pool, room) in rooms {
                if missing == 0 {
                    return split;
                }
                let tasks = u32::try_from(room).unwrap_or(u32::MAX).min(missing);
                missing -= tasks;
                split.0.push((pool, tasks));
            }
        }
        split
    }

    /// Nodes of a group with room in the order in which the rule for places takes runs of them.
    fn by_runs(&self, rooms: &[(usize, u64)], width: u32) -> Vec<(usize, u64)> {
        let follows = |a: &(usize, u64), b: &(usize, u64)| self.node(a.0) + 1 == self.node(b.0);
        let runs: Vec<&[(usize, u64)]> = rooms.chunk_by(follows).collect();
        let lengths: Vec<u64> = runs.iter().map(|run| run.iter().map(|(_, room)| room).sum()).collect();
        self.place.order(&lengths, width.into()).into_iter().flat_map(|at| runs[at]).copied().collect()
    }

    /// The nodes of a job that starts in these pools, which it has from now on.
    pub(super) fn place(
        &mut self,
        view: View<'_>,
        width: u32,
        split: &Split,
        placement: &mut Vec<NodeRange>,
    ) {
        placement.clear();
        if self.is_single {
            return self.nodes.take(width, placement);
        }
        let mut parts: Vec<(u32, u32)> = Vec::with_capacity(width as usize);
        for (pool, tasks) in split.parts(width) {
            if self.node_use == NodeUse::Whole {
                let free = self.group_of(pool).nodes.iter().copied();
                let free = free.filter(|&node| self.nodes.has(node) && view.is_up(NodeId(node)));
                parts.extend(self.place.nodes(free, tasks).map(|node| (node, 1)));
            } else {
                parts.push((self.node(pool), tasks));
            }
        }
        parts.sort_unstable();
        for (node, tasks) in parts {
            if self.node_use == NodeUse::Whole {
                self.nodes.remove(node..node + 1);
            }
            NodeRange::from(NodeTasks { node: NodeId(node), tasks }).push_onto(placement);
        }
    }

    /// These nodes are free again, where a task has a node of its own.
    pub(super) fn leave(&mut self, on: &[NodeRange]) {
        if self.node_use == NodeUse::Whole {
            on.iter().for_each(|&range| self.nodes.insert(range));
        }
    }

    /// Takes nodes that a job has.
    pub(super) fn occupy(&mut self, on: &[NodeRange]) {
        if self.node_use == NodeUse::Whole {
            for range in on {
                let nodes = range.indices();
                self.nodes.remove(nodes.start as u32..nodes.end as u32);
            }
        }
    }
}

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

/// Ranks each class among all by what its nodes have. What a job leaves of it is in the same order for all jobs.
fn by_plenty(classes: &NodeClasses) -> Vec<usize> {
    let classes = classes.classes();
    let has = |class: &NodeClass| (class.amounts.clone(), class.memory, class.cpu);
    classes.iter().map(|class| classes.iter().filter(|other| has(other) < has(class)).count()).collect()
}
