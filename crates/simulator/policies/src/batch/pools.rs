//! The nodes in pools, of which jobs take room for their tasks.
//!
//! Nodes are *alike* if they are of the same class and have the same windows before them; all alike nodes are a [`Group`]. Where a task has a
//! node of its own, a group is one pool, of which a number of nodes is free. Where tasks share nodes, each node is a pool, of which
//! a part of each resource is free. Equal nodes without a window are a single pool with one number: [`Pools::single`] is the fast path of
//! every question.

use super::free_nodes::FreeNodes;
use super::groups::{Group, alike};
use super::job::BatchJob;
use super::needs::{Need, Needs};
use super::queue::Waiting;
use super::rooms::Rooms;
use super::split::{Room, Span, Split};
use dfrsim_cluster::View;
use dfrsim_model::batch::{NodeUse, Place};
use dfrsim_model::{NodeId, SimSpan, SimTime, Yield};

/// The nodes of a cluster, and what is free of them now.
#[derive(Clone, Debug, Default)]
pub(super) struct Pools {
    pub(super) node_use: NodeUse,
    pub(super) place: Place,
    pub(super) groups: Vec<Group>,
    /// The different speeds, the highest first.
    pub(super) speeds: Vec<Yield>,
    pub(super) needs: Needs,
    pub(super) pool_of: Vec<usize>,
    /// What each pool has, resource by resource, and what of it is free.
    pub(super) whole: Vec<u64>,
    pub(super) free: Vec<u64>,
    /// The sum of what is free of each resource.
    total: Vec<u64>,
    /// The nodes that no job has, where a task has a node of its own.
    pub(super) nodes: FreeNodes,
    pub(super) is_single: bool,
    pub(super) has_windows: bool,
    /// The state of the platform for which the groups were made; the largest number before the first one.
    platform_changes: u64,
    /// By class: how many nodes there are, and what one has.
    classes: Vec<(u32, Vec<u64>)>,
    /// By need: for how many tasks there is room while the cluster is empty.
    most: Vec<u64>,
    /// By pool: the place of its group.
    group_at: Vec<usize>,
    /// The pools of the last changes of what is free, and how many changes were before.
    changed: Vec<usize>,
    forgotten: u64,
    /// By need.
    pub(super) rooms: Vec<Rooms>,
    /// By class: whether no job starts there for now; empty if all may.
    pub(super) closed: Vec<bool>,
}

impl Pools {
    /// Makes the pools of a cluster of this many nodes; [`Pools::follow`] groups them.
    pub(super) fn new(nodes: u32, node_use: NodeUse, place: Place) -> Pools {
        let (needs, nodes) = (Needs::new(node_use), FreeNodes::all(nodes, place));
        Pools { node_use, place, needs, nodes, platform_changes: u64::MAX, forgotten: 1, ..Pools::default() }
    }

    /// Whether no nodes are grouped yet.
    pub(super) fn are_new(&self) -> bool {
        self.platform_changes == u64::MAX
    }

    /// Whether [`Pools::follow`] will group the nodes again.
    pub(super) fn are_outdated(&self, view: View<'_>) -> bool {
        self.platform_changes != view.platform_changes()
    }

    /// Groups the nodes again if the platform has changed, all of them free; returns whether it has.
    #[inline]
    pub(super) fn follow(&mut self, view: View<'_>) -> bool {
        let changes = view.platform_changes();
        let is_new = std::mem::replace(&mut self.platform_changes, changes) != changes;
        if is_new {
            self.group(view);
        }
        is_new
    }

    #[inline(never)]
    fn group(&mut self, view: View<'_>) {
        self.groups = alike(view, self.place);
        self.has_windows =
            !self.needs.reservations.is_empty() || self.groups.iter().any(|group| !group.windows.is_empty());
        self.speeds = self.groups.iter().map(|group| group.speed).collect();
        self.speeds.sort_unstable_by(|a, b| b.cmp(a));
        self.speeds.dedup();
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
        self.group_at =
            self.groups.iter().flat_map(|group| group.pools.clone().map(|_| group.number)).collect();
        self.forgotten = self.version() + 1;
        self.changed.clear();
    }

    /// Counts changes of what is free.
    pub(super) fn version(&self) -> u64 {
        self.forgotten + self.changed.len() as u64
    }

    /// What is free, where one number says it all: equal nodes without windows, a node for each task.
    #[inline]
    pub(super) fn single(&self) -> Option<u64> {
        self.is_single.then(|| self.free[0])
    }

    /// For how many tasks of a need the cluster has room while it is empty and all nodes are up.
    #[inline]
    pub(super) fn most(&mut self, need: usize) -> u64 {
        while self.most.len() <= need {
            self.most.push(self.count_most(self.most.len()));
        }
        self.most[need]
    }

    #[inline(never)]
    fn count_most(&self, need: usize) -> u64 {
        let need = self.needs.get(need);
        let fitting = self.classes.iter().zip(&need.fits).filter(|(_, fits)| **fits);
        fitting.map(|((count, has), _)| u64::from(*count) * need.times_in(has.iter().copied())).sum()
    }

    /// How many pools there are.
    pub(super) fn len(&self) -> usize {
        self.group_at.len()
    }

    pub(super) fn group_of(&self, pool: usize) -> &Group {
        &self.groups[self.group_at[pool]]
    }

    /// The node of a pool, where each node is one.
    pub(super) fn node(&self, pool: usize) -> u32 {
        let group = self.group_of(pool);
        group.nodes[pool - group.pools.start]
    }

    fn is_closed(&self, class: usize) -> bool {
        self.closed.get(class).is_some_and(|&is_closed| is_closed)
    }

    /// Closes the nodes on which tasks of a need can be; returns whether all are closed then.
    pub(super) fn close(&mut self, need: usize) -> bool {
        self.closed.resize(self.classes.len(), false);
        self.closed.iter_mut().zip(&self.needs.get(need).fits).for_each(|(closed, fits)| *closed |= fits);
        self.closed.iter().all(|&is_closed| is_closed)
    }

    /// Whether no core or node is free.
    pub(super) fn is_full(&self) -> bool {
        self.total[0] == 0
    }

    /// Whether any core or node of a pool is free.
    pub(super) fn has_free(&self, pool: usize) -> bool {
        self.of(&self.free, pool)[0] > 0
    }

    /// Whether jobs might find room; of use is only a `false`.
    pub(super) fn might_fit(&self) -> impl Fn(&Waiting) -> bool {
        let most = self.needs.most_in(self.total[0]);
        let fits = move |job: &Waiting| {
            let need = &self.needs.get(job.need).amounts;
            need.iter().zip(&self.total).all(|(need, total)| need * u64::from(job.job.width) <= *total)
        };
        // Most jobs of a long queue fail the first test, which is the cheaper one.
        move |job| u64::from(job.job.width) <= most && fits(job)
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
        self.groups.iter().filter(move |it| self.is_open_to(it, need, speed, (start, end)))
    }

    /// Whether a job can have nodes of a group from one moment to another, none slower than a speed.
    pub(super) fn is_open_to(
        &self,
        group: &Group,
        need: &Need,
        speed: Yield,
        (start, end): (SimTime, SimTime),
    ) -> bool {
        group.speed >= speed
            && need.fits[group.class]
            && !self.is_closed(group.class)
            && group.is_open(start, end)
            && need.is_admitted(group.class, start, end)
    }

    /// Of some rooms those until a moment, in all pools.
    pub(super) fn open_sum(&self, rooms: &Rooms, need: usize, (speed, start, end): Span) -> u64 {
        self.open(self.needs.get(need), speed, start, end).map(|group| rooms.sums[group.number]).sum()
    }

    /// Counts one pool again, by what is free there.
    #[inline(always)]
    pub(super) fn count_pool(&self, rooms: &mut Rooms, need: &Need, free: &[u64], pool: usize) {
        let group = self.group_at[pool];
        if need.fits[self.groups[group].class] {
            rooms.set(pool, group, need.times_in(self.of(free, pool).iter().copied()));
        }
    }

    /// Gives what a job has in these pools back to what is free of all, and counts there the rooms of a need.
    pub(super) fn free_up(
        &self,
        (free, rooms): (&mut [u64], &mut Rooms),
        counted: &Need,
        (need, split, width): (usize, &Split, u32),
    ) {
        let dimensions = self.needs.dimensions();
        for (pool, tasks) in split.parts(width) {
            let freed = &mut free[pool * dimensions..][..dimensions];
            freed.iter_mut().zip(self.taken(need, pool, tasks)).for_each(|(free, taken)| *free += taken);
            self.count_pool(rooms, counted, free, pool);
        }
    }

    /// Counts for how many tasks of a need there is room, where that has changed since the last count.
    #[inline]
    pub(super) fn count(&mut self, need: usize) {
        if !self.is_single {
            self.count_pools(need);
        }
    }

    #[inline(never)]
    fn count_pools(&mut self, need: usize) {
        if self.rooms.len() <= need {
            self.rooms.resize_with(need + 1, Rooms::default);
        }
        let version = self.version();
        let mut rooms = std::mem::take(&mut self.rooms[need]);
        let amounts = self.needs.get(need);
        if let Some(seen) = rooms.version.checked_sub(self.forgotten) {
            for &pool in &self.changed[seen as usize..] {
                self.count_pool(&mut rooms, amounts, &self.free, pool);
            }
        } else {
            let pools = self.group_at.len();
            rooms = Rooms::none(pools, self.groups.len());
            (0..pools).for_each(|pool| self.count_pool(&mut rooms, amounts, &self.free, pool));
        }
        self.rooms[need] = Rooms { version, ..rooms };
    }

    /// Where a job can start now: on the fastest nodes that suffice.
    #[inline]
    pub(super) fn room_now(&mut self, now: SimTime, job: &Waiting) -> Option<Room> {
        let Some(free) = self.single() else { return self.room_on_groups(now, job) };
        let end = || (Split::default(), job.job.end(now, self.groups[0].speed));
        (u64::from(job.job.width) <= free).then(end)
    }

    /// The same where one number does not say it all.
    #[inline(never)]
    fn room_on_groups(&mut self, now: SimTime, job: &Waiting) -> Option<Room> {
        self.count(job.need);
        let (rooms, width) = (&self.rooms[job.need], job.job.width);
        if rooms.all < width.into() {
            return None;
        }
        self.speeds.iter().find_map(|&speed| {
            let end = job.job.end(now, speed);
            let at = (speed, now, end);
            let has_room = self.open_sum(rooms, job.need, at) >= width.into();
            has_room.then(|| (self.choose(at, job.need, width, |pool| rooms.tasks[pool]), end))
        })
    }

    /// What tasks take of each resource of a pool.
    pub(super) fn taken(&self, need: usize, pool: usize, tasks: u32) -> impl Iterator<Item = u64> {
        self.needs.taken(need, self.of(&self.whole, pool), tasks)
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

    #[inline(never)]
    fn change(&mut self, need: usize, split: &Split, width: u32, change: impl Fn(&mut u64, u64)) {
        let dimensions = self.needs.dimensions();
        for (pool, tasks) in split.parts(width) {
            self.will_change(pool);
            let Pools { needs, whole, free, total, .. } = self;
            let amounts = needs.taken(need, &whole[pool * dimensions..], tasks);
            let free = &mut free[pool * dimensions..];
            for (amount, (free, total)) in amounts.zip(free.iter_mut().zip(total)) {
                change(free, amount);
                change(total, amount);
            }
        }
    }

    fn will_change(&mut self, pool: usize) {
        // Once so much has changed, all is counted again.
        if self.changed.len() > 2 * self.group_at.len() {
            self.forgotten = self.version();
            self.changed.clear();
        }
        self.changed.push(pool);
    }

    /// Whether there is room for tasks of a need in these pools.
    pub(super) fn have_room(&self, need: usize, split: &Split) -> bool {
        let need = self.needs.get(need);
        let room = |pool| need.times_in(self.of(&self.free, pool).iter().copied());
        split.0.iter().all(|&(pool, tasks)| room(pool) >= tasks.into())
    }

    /// Takes what is free of the room for some tasks; what that is, to [release](Pools::release) it.
    pub(super) fn hold(&mut self, need: usize, split: &Split) -> Vec<(usize, u64)> {
        let dimensions = self.needs.dimensions();
        let amounts = split.0.iter().flat_map(|&(pool, tasks)| {
            (pool * dimensions..)
                .zip(self.taken(need, pool, tasks))
                .map(|(at, amount)| (at, amount.min(self.free[at])))
        });
        let held: Vec<(usize, u64)> = amounts.collect();
        self.change_held(&held, |free, amount| *free -= amount);
        held
    }

    /// Gives back what was held.
    pub(super) fn release(&mut self, held: &[(usize, u64)]) {
        self.change_held(held, |free, amount| *free += amount);
    }

    fn change_held(&mut self, held: &[(usize, u64)], change: impl Fn(&mut u64, u64)) {
        let dimensions = self.needs.dimensions();
        for &(at, amount) in held {
            self.will_change(at / dimensions);
            change(&mut self.free[at], amount);
            change(&mut self.total[at % dimensions], amount);
        }
    }

    fn groups_of(&self, split: &Split) -> impl Iterator<Item = &Group> {
        split.parts(0).map(|(pool, _)| self.group_of(pool))
    }

    /// When a job that starts in these pools ends by its estimate.
    #[inline]
    pub(super) fn end(&self, start: SimTime, job: &BatchJob, split: &Split) -> SimTime {
        job.end(start, if self.is_single { self.groups[0].speed } else { self.slowest(split) })
    }

    #[inline(never)]
    fn slowest(&self, split: &Split) -> Yield {
        self.groups_of(split).map(|group| group.speed).min().unwrap_or(Yield::ONE)
    }

    /// Whether no window begins in these pools from one moment to another, and no reservation keeps tasks of a need off them.
    pub(super) fn is_open(&self, split: &Split, need: usize, start: SimTime, end: SimTime) -> bool {
        let need = self.needs.get(need);
        self.groups_of(split)
            .all(|group| group.is_open(start, end) && need.is_admitted(group.class, start, end))
    }

    /// When nodes are open again to tasks of a need, behind a moment.
    pub(super) fn opens<'a>(&'a self, need: &'a Need, after: SimTime) -> impl Iterator<Item = SimTime> + 'a {
        let windows = self.groups.iter().flat_map(|group| &group.windows);
        let ends = windows.chain(need.closed.iter().flatten()).map(|&(_, until)| until);
        ends.filter(move |&until| until > after)
    }

    /// When a job leaves these pools that would end at a moment: a window ends its stay at the latest.
    pub(super) fn stays_until(&self, now: SimTime, end: SimTime, split: &Split) -> SimTime {
        if !self.has_windows {
            return end;
        }
        self.groups_of(split).filter_map(|group| group.next_window(now)).fold(end, SimTime::min)
    }
}
