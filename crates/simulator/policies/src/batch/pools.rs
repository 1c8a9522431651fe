//! Nodes grouped into pools, from which jobs allocate resources for their tasks.
//!
//! Nodes are *identical* if they are of the same class and have the same announced maintenance
//! windows; all identical nodes form a [`Group`]. Where each task has a node of its own, a group is
//! one pool, with a number of free nodes. Where tasks share nodes, each node is a pool, with a free
//! amount of each resource. Equal nodes without a window are a single pool with one number:
//! [`Pools::single`] is the fast path of every query.

use super::allocation::{Allocation, Slot, Span};
use super::common::CommonAmounts;
use super::fit_counts::FitCounts;
use super::free_nodes::FreeNodes;
use super::groups::{Group, group_identical_nodes};
use super::job::BatchJob;
use super::keys::{self, LargestNode};
use super::queue::Waiting;
use super::requests::{TaskRequest, TaskRequests};
use dfrsim_cluster::{DevicesOnNodes, JobHandle, View};
use dfrsim_model::batch::{NodeUse, Place};
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::platform::task_mix::TaskMix;
use dfrsim_model::{NodeId, SimSpan, SimTime, Yield};

/// Nodes of a cluster and their free resources.
#[derive(Clone, Debug, Default)]
pub(super) struct Pools {
    pub(super) node_use: NodeUse,
    pub(super) place: Place,
    pub(super) groups: Vec<Group>,
    /// Distinct node speeds in descending order, and those at each level below full speed.
    speeds: Vec<Yield>,
    speeds_below: Vec<Vec<Yield>>,
    pub(super) requests: TaskRequests,
    pub(super) pool_of: Vec<usize>,
    /// Capacity of each pool by resource, and its free part.
    pub(super) capacity: Vec<u64>,
    pub(super) free: Vec<u64>,
    /// Free amount of each resource over all pools.
    total: Vec<u64>,
    /// Unallocated nodes, where each task has a node of its own.
    pub(super) nodes: FreeNodes,
    /// True if the nodes are a single pool, and whether nothing else limits jobs, so that the number of
    /// its free nodes describes the cluster.
    pub(super) is_one_pool: bool,
    pub(super) is_single: bool,
    /// True if the nodes are a single pool, and no resource of the whole cluster can become too small for
    /// the jobs seen so far.
    is_unlimited: bool,
    /// Resources of the whole cluster; `None` if there are none.
    pub(super) common: Option<Box<CommonAmounts>>,
    /// True if plans hold no resources of the whole cluster: a job that lacks some now is skipped.
    pub(super) skips_unlicensed: bool,
    pub(super) has_windows: bool,
    /// Version of the platform from which the groups were made; the largest number before the first
    /// grouping.
    platform_changes: u64,
    /// Number of nodes, and capacity of one node, per class.
    classes: Vec<(u32, Vec<u64>)>,
    /// Number of tasks that fit into the empty cluster, per request.
    max_tasks: Vec<u64>,
    /// Index of the group of each pool.
    group_by_pool: Vec<usize>,
    /// Pools whose free resources changed, in order of change, and the number of changes before the
    /// first of them.
    changed: Vec<usize>,
    base_version: u64,
    mix: TaskMix,
    largest: LargestNode,
    /// Number of tasks that fit now, per request.
    pub(super) fit_counts: Vec<FitCounts>,
    /// True, per class, if no further job may start there for now; empty if all classes are open.
    pub(super) closed: Vec<bool>,
    /// Time of the decision, and for each node whether it was awake before; empty if no node sleeps.
    pub(super) awake: (SimTime, Vec<bool>),
}

impl Pools {
    /// Creates the pools of a cluster of `nodes` nodes; [`Pools::update`] groups them.
    pub(super) fn new(nodes: u32, node_use: NodeUse, place: Place) -> Pools {
        let (requests, nodes) = (TaskRequests::new(node_use, place), FreeNodes::all(nodes, place));
        Pools {
            node_use,
            place,
            requests,
            nodes,
            platform_changes: u64::MAX,
            base_version: 1,
            ..Pools::default()
        }
    }

    /// Returns whether the nodes have not been grouped yet.
    pub(super) fn is_ungrouped(&self) -> bool {
        self.platform_changes == u64::MAX
    }

    /// Returns whether [`Pools::update`] would regroup the nodes.
    pub(super) fn is_outdated(&self, view: View<'_>) -> bool {
        self.platform_changes != view.platform_changes()
    }

    /// Regroups the nodes if the platform has changed, and marks all of them as free; returns
    /// whether it has.
    #[inline]
    pub(super) fn update(&mut self, view: View<'_>) -> bool {
        let changes = view.platform_changes();
        let is_new = std::mem::replace(&mut self.platform_changes, changes) != changes;
        if is_new {
            self.regroup(view);
        }
        is_new
    }

    #[inline(never)]
    fn regroup(&mut self, view: View<'_>) {
        self.groups = group_identical_nodes(view, self.place);
        self.has_windows = !self.requests.reservations.is_empty()
            || self.groups.iter().any(|group| !group.windows.is_empty());
        let distinct = |level: u8| {
            let mut speeds: Vec<Yield> = self.groups.iter().map(|group| group.speed_at(level)).collect();
            speeds.sort_unstable_by(|a, b| b.cmp(a));
            speeds.dedup();
            speeds
        };
        let levels = view.classes().map_or(0, |classes| classes.levels().len() as u8);
        (self.speeds, self.speeds_below) = (distinct(0), (1..=levels).map(distinct).collect());
        self.requests.learn_resources(view.classes());
        let count = |class: usize| view.classes().map_or(view.nodes(), |all| all.classes()[class].nodes);
        let one = self.requests.node_amounts_by_class(view.classes());
        self.classes = one.into_iter().enumerate().map(|(class, has)| (count(class), has)).collect();
        let cores = self.classes.iter().map(|(_, has)| has[0]).max().unwrap_or(0);
        self.largest = LargestNode { cores, devices: self.requests.device_columns() };
        let now = view.now();
        let soon = now.saturating_add(SimSpan::from_micros(1));
        self.capacity.clear();
        self.pool_of = vec![0; view.nodes() as usize];
        let mut pools = 0;
        for group in &mut self.groups {
            let is_up = |&node: &u32| view.is_up(NodeId(node));
            let in_window = !group.is_open(now, soon);
            if self.node_use == NodeUse::Whole {
                let up = group.nodes.iter().filter(|node| in_window || is_up(node)).count();
                group.nodes.iter().for_each(|&node| self.pool_of[node as usize] = pools);
                self.capacity.push(up as u64);
                group.pools = pools..pools + 1;
            } else {
                for (pool, &node) in (pools..).zip(&group.nodes) {
                    self.pool_of[node as usize] = pool;
                    let is_there = in_window || is_up(&node);
                    self.capacity.extend(
                        self.classes[group.class].1.iter().map(|&has| if is_there { has } else { 0 }),
                    );
                }
                group.pools = pools..pools + group.nodes.len();
            }
            pools = group.pools.end;
        }
        self.is_one_pool = self.node_use == NodeUse::Whole
            && self.groups.len() == 1
            && !self.has_windows
            && !view.is_drained(NodeId(0));
        let most_tasks = self.is_one_pool.then(|| view.nodes().into());
        self.common = CommonAmounts::new(view.classes(), most_tasks, self.common.as_deref());
        if let Some(common) = self.common.as_mut().filter(|common| common.can_bind()) {
            self.requests.all().for_each(|request| common.learn_least(&request.common));
        }
        self.is_single = self.is_one_pool && self.common.is_none();
        self.is_unlimited = self.is_one_pool && !self.common.as_ref().is_some_and(|common| common.can_bind());
        self.free.clone_from(&self.capacity);
        let dimensions = self.requests.dimensions();
        self.total = vec![0; dimensions];
        self.free.iter().enumerate().for_each(|(place, free)| self.total[place % dimensions] += free);
        self.nodes = FreeNodes::all(view.nodes(), self.place);
        for node in (0..view.nodes()).filter(|&node| !view.is_up(NodeId(node))) {
            self.nodes.remove(node..node + 1);
        }
        self.group_by_pool =
            self.groups.iter().flat_map(|group| group.pools.clone().map(|_| group.index)).collect();
        self.base_version = self.version() + 1;
        self.changed.clear();
    }

    /// Returns the version of the free resources, which increases with each change.
    pub(super) fn version(&self) -> u64 {
        self.base_version + self.changed.len() as u64
    }

    /// Returns the number of free nodes if the cluster is a single pool: equal nodes without
    /// windows, and a node of its own for each task.
    #[inline]
    pub(super) fn single(&self) -> Option<u64> {
        self.is_single.then(|| self.free[0])
    }

    /// Returns whether the nodes are a single pool, and nothing else limits the jobs seen so far.
    #[inline]
    pub(super) fn is_unlimited(&self) -> bool {
        self.is_unlimited
    }

    /// Returns the number of free nodes if the nodes are a single pool, and nothing else limits the jobs
    /// seen so far.
    #[inline]
    pub(super) fn free_of_unlimited_pool(&self) -> Option<u64> {
        self.is_unlimited.then(|| self.free[0])
    }

    /// Returns the number of a job's request; jobs with equal tasks share it.
    #[inline]
    pub(super) fn request_of(&mut self, view: View<'_>, job: JobHandle) -> usize {
        let request = self.requests.request_of(view, job);
        if self.common.is_some() {
            self.learn_common_amounts(request, view.job(job).tasks());
        }
        request
    }

    /// Returns whether a job that does not start now may start at a lower speed level: there are levels,
    /// and the resources of the whole cluster do not suffice for it from now until its end on the slowest
    /// nodes.
    #[inline]
    pub(super) fn may_start_below(&self, now: SimTime, job: &Waiting) -> bool {
        self.requests.has_levels() && !self.has_common_amounts(job.request, now, self.slowest_end(now, job))
    }

    /// Learns the amounts of the resources of the whole cluster that a job with this request holds.
    #[inline(never)]
    fn learn_common_amounts(&mut self, request: usize, tasks: u32) {
        let Some(common) = &mut self.common else { return };
        if common.can_bind() {
            for level in request..self.requests.below(request).end {
                common.learn_least(&self.requests.get(level).common);
            }
            return;
        }
        common.learn(&self.requests.get(request).common, tasks.into());
        if common.can_bind() {
            self.requests.all().for_each(|request| common.learn_least(&request.common));
            self.is_unlimited = false;
            // Counts of tasks were not kept up to date.
            self.base_version = self.version() + 1;
            self.changed.clear();
        }
    }

    /// Returns the number of free nodes if the nodes are a single pool. Other resources may limit jobs.
    #[inline]
    pub(super) fn free_of_one_pool(&self) -> Option<u64> {
        self.is_one_pool.then(|| self.free[0])
    }

    /// Returns the number of tasks of a request that fit into the empty cluster while all nodes are
    /// up.
    #[inline]
    pub(super) fn max_tasks(&mut self, need: usize) -> u64 {
        while self.max_tasks.len() <= need {
            self.max_tasks.push(self.count_max_tasks(self.max_tasks.len()));
        }
        self.max_tasks[need]
    }

    /// Returns whether a job can run while the amounts of the cluster that repeat suffice for it: on the
    /// slowest nodes on which its tasks fit, for as long as it is expected to take and a margin.
    #[inline]
    pub(super) fn has_round_for(&mut self, view: View<'_>, job: JobHandle, margin: SimSpan) -> bool {
        let repeats = self.common.as_ref().is_some_and(|common| common.longest_period() > SimSpan::ZERO);
        !repeats || self.has_long_round_for(view, job, margin)
    }

    #[inline(never)]
    fn has_long_round_for(&mut self, view: View<'_>, job: JobHandle, margin: SimSpan) -> bool {
        let request = self.request_of(view, job);
        let (Some(common), Some(classes)) = (&self.common, view.classes()) else { return true };
        let need = self.requests.get(request);
        let fitting = classes.classes().iter().zip(&need.fits).filter(|(_, fits)| **fits);
        let slowest = fitting.map(|(class, _)| class.speed).min().unwrap_or(Yield::ONE);
        let length = BatchJob::new(view, job).run_time_at(slowest).saturating_add(margin);
        common.has_round_for(&need.common, length)
    }

    #[inline(never)]
    fn count_max_tasks(&self, need: usize) -> u64 {
        let need = self.requests.get(need);
        if self.common.as_ref().is_some_and(|common| !common.can_hold(&need.common)) {
            return 0;
        }
        let fitting = self.classes.iter().zip(&need.fits).filter(|(_, fits)| **fits);
        fitting.map(|((count, has), _)| u64::from(*count) * need.tasks_in_pool(has)).sum()
    }

    /// Returns whether a pool has any resources: its nodes are not all down or drained.
    pub(super) fn has_resources(&self, pool: usize) -> bool {
        self.amounts_of(&self.capacity, pool)[0] > 0
    }

    /// Returns the number of pools.
    pub(super) fn len(&self) -> usize {
        self.group_by_pool.len()
    }

    pub(super) fn group_of(&self, pool: usize) -> &Group {
        &self.groups[self.group_by_pool[pool]]
    }

    /// Returns the node of a pool, where each node is a pool.
    pub(super) fn node_of(&self, pool: usize) -> u32 {
        let group = self.group_of(pool);
        group.nodes[pool - group.pools.start]
    }

    /// Returns the sizes of the groups of the devices of a pool's nodes; empty if they have no groups.
    pub(super) fn device_groups(&self, pool: usize) -> &[u32] {
        match self.requests.has_device_groups() {
            true => self.requests.device_groups(self.group_of(pool).class),
            false => &[],
        }
    }

    fn is_closed(&self, class: usize) -> bool {
        self.closed.get(class).is_some_and(|&is_closed| is_closed)
    }

    /// Closes some node classes, given a flag for each; returns whether all classes are then closed.
    pub(super) fn close(&mut self, classes: &[bool]) -> bool {
        self.closed.resize(self.classes.len(), false);
        self.closed.iter_mut().zip(classes).for_each(|(closed, is_one)| *closed |= is_one);
        self.closed.iter().all(|&is_closed| is_closed)
    }

    /// Notes which nodes are awake before a decision.
    #[inline]
    pub(super) fn note_awake(&mut self, view: View<'_>) {
        if view.can_sleep() {
            self.awake = (view.now(), (0..view.nodes()).map(|node| view.is_awake(node)).collect());
        }
    }

    /// Returns whether no core or node is free, or too little of a resource of the whole cluster for any
    /// job.
    #[inline]
    pub(super) fn is_full(&self, now: SimTime) -> bool {
        self.total[0] == 0 || self.common.as_ref().is_some_and(|common| common.is_full(now))
    }

    /// Returns whether a core or node of the pool is free.
    pub(super) fn has_free(&self, pool: usize) -> bool {
        self.amounts_of(&self.free, pool)[0] > 0
    }

    /// Returns a necessary condition for a job to fit now: if it is false, the job does not fit.
    pub(super) fn might_fit(&self) -> impl Fn(&Waiting) -> bool {
        let most = self.requests.max_tasks_in(self.total[0]);
        let plain = self.requests.plain_dimensions();
        let devices: u64 = self.total[plain.min(self.total.len())..].iter().sum();
        let fits = move |job: &Waiting| {
            let need = self.requests.get(job.request);
            let parts = need.devices.map_or(0, |it| u64::from(it.count) * it.part);
            parts * u64::from(job.job.size) <= devices
                && need
                    .amounts
                    .iter()
                    .zip(&self.total)
                    .all(|(need, total)| need * u64::from(job.job.size) <= *total)
        };
        // Most jobs of a long queue fail the first, cheaper test.
        move |job| u64::from(job.job.size) <= most && fits(job)
    }

    /// Returns the entries of one pool in a vector of all pools' amounts.
    pub(super) fn amounts_of<'a>(&self, amounts: &'a [u64], pool: usize) -> &'a [u64] {
        let dimensions = self.requests.dimensions();
        &amounts[pool * dimensions..][..dimensions]
    }

    /// Iterates over the groups that a job can use from `start` to `end` and that have at least this
    /// speed.
    pub(super) fn open<'a>(
        &'a self,
        need: &'a TaskRequest,
        speed: Yield,
        start: SimTime,
        end: SimTime,
    ) -> impl Iterator<Item = &'a Group> {
        self.groups.iter().filter(move |it| self.is_open_to(it, need, speed, (start, end)))
    }

    /// Returns whether a job can use nodes of a group from `start` to `end` and the group has at
    /// least this speed.
    pub(super) fn is_open_to(
        &self,
        group: &Group,
        need: &TaskRequest,
        speed: Yield,
        (start, end): (SimTime, SimTime),
    ) -> bool {
        group.speed_at(need.level) >= speed
            && need.fits[group.class]
            && !self.is_closed(group.class)
            && group.is_open(start, end)
            && need.is_admitted(group.class, start, end)
    }

    /// Sums the tasks that fit into the groups that are usable during the given span.
    pub(super) fn open_sum(&self, rooms: &FitCounts, need: usize, (speed, start, end): Span) -> u64 {
        self.open(self.requests.get(need), speed, start, end).map(|group| rooms.by_group[group.index]).sum()
    }

    /// Recounts the tasks that fit into one pool, given the free amounts of all pools.
    #[inline(always)]
    pub(super) fn count_pool(&self, rooms: &mut FitCounts, need: &TaskRequest, free: &[u64], pool: usize) {
        let group = self.group_by_pool[pool];
        if need.fits[self.groups[group].class] {
            let free = self.amounts_of(free, pool);
            let tasks = need.tasks_in_pool(free);
            rooms.set(pool, group, tasks);
            if tasks > 0 && !rooms.keys.is_empty() {
                rooms.keys[pool] = self.key(need, free, pool);
            }
        }
    }

    /// Adds the allocation of a job to the free amounts, and recounts the tasks of request `counted`
    /// in its pools.
    pub(super) fn release_into(
        &self,
        (free, rooms): (&mut [u64], &mut FitCounts),
        counted: &TaskRequest,
        (need, split, width): (usize, &Allocation, u32),
    ) {
        let dimensions = self.requests.dimensions();
        for (pool, tasks, devices) in split.parts_on_devices(width) {
            let freed = &mut free[pool * dimensions..][..dimensions];
            freed
                .iter_mut()
                .zip(self.taken(need, pool, (tasks, devices)))
                .for_each(|(free, taken)| *free += taken);
            self.count_pool(rooms, counted, free, pool);
        }
    }

    /// Returns whether nodes are chosen by keys.
    pub(super) fn is_scored(&self) -> bool {
        self.place.is_scored() && self.node_use != NodeUse::Whole
    }

    /// Computes the key of a pool with these free amounts for one task.
    pub(super) fn key(&self, need: &TaskRequest, free: &[u64], pool: usize) -> i64 {
        let (capacity, class) = (self.amounts_of(&self.capacity, pool), self.group_of(pool).class);
        let free = (free, self.device_groups(pool));
        keys::key(self.place, (&self.mix, self.largest), (need, class), free, capacity)
    }

    /// Returns the power that a task adds on a pool now, in milliwatts.
    pub(super) fn added_power(&self, need: &TaskRequest, pool: usize) -> u64 {
        let free = (self.amounts_of(&self.free, pool), self.device_groups(pool));
        need.added_power(self.group_of(pool).class, free, self.amounts_of(&self.capacity, pool))
    }

    /// Counts tasks that were submitted, for the placement that depends on them.
    #[inline]
    pub(super) fn see(&mut self, request: usize, tasks: u32) {
        if self.place.depends_on_tasks() && self.mix.see(request, tasks) {
            let requests = &self.requests;
            self.mix.renew(|number| requests.get(number).shape());
            // All keys are outdated.
            self.base_version = self.version() + 1;
            self.changed.clear();
        }
    }

    /// Counts the tasks of a request that fit in each pool, where that has changed since the last
    /// count.
    #[inline]
    pub(super) fn count(&mut self, need: usize) {
        if !self.is_unlimited {
            self.count_pools(need);
        }
    }

    #[inline(never)]
    fn count_pools(&mut self, need: usize) {
        if self.fit_counts.len() <= need {
            self.fit_counts.resize_with(need + 1, FitCounts::default);
        }
        let version = self.version();
        let mut rooms = std::mem::take(&mut self.fit_counts[need]);
        let amounts = self.requests.get(need);
        if let Some(seen) = rooms.version.checked_sub(self.base_version) {
            for &pool in &self.changed[seen as usize..] {
                self.count_pool(&mut rooms, amounts, &self.free, pool);
            }
        } else {
            let pools = self.group_by_pool.len();
            rooms = FitCounts::zero(pools, self.groups.len(), self.is_scored());
            (0..pools).for_each(|pool| self.count_pool(&mut rooms, amounts, &self.free, pool));
        }
        self.fit_counts[need] = FitCounts { version, ..rooms };
    }

    /// Finds a slot now, on the fastest nodes that suffice.
    #[inline]
    pub(super) fn find_slot_now(&mut self, now: SimTime, job: &Waiting) -> Option<Slot> {
        let Some(free) = self.free_of_unlimited_pool() else { return self.find_slot_on_groups(now, job) };
        let end = || (Allocation::default(), job.job.end(now, self.groups[0].speed));
        (u64::from(job.job.size) <= free).then(end)
    }

    /// Finds a slot now where nodes are of several groups, or tasks share nodes.
    #[inline(never)]
    fn find_slot_on_groups(&mut self, now: SimTime, job: &Waiting) -> Option<Slot> {
        if self.is_one_pool {
            let end = job.job.end(now, self.speed_of_pool(job.request));
            let fits =
                u64::from(job.job.size) <= self.free[0] && self.has_common_amounts(job.request, now, end);
            return fits.then(|| (Allocation::default(), end));
        }
        self.count(job.request);
        let (rooms, width) = (&self.fit_counts[job.request], job.job.size);
        if rooms.total < width.into() {
            return None;
        }
        self.speeds_of(job.request).iter().find_map(|&speed| {
            let end = job.job.end(now, speed);
            let at = (speed, now, end);
            let has_room = self.open_sum(rooms, job.request, at) >= width.into()
                && self.has_common_amounts(job.request, now, end);
            has_room.then(|| (self.choose(at, job.request, width, |pool| rooms.by_pool[pool]), end))
        })
    }

    /// Returns whether the amounts of a request of the resources of the whole cluster are free from
    /// `start` to `end`.
    #[inline]
    pub(super) fn has_common_amounts(&self, request: usize, start: SimTime, end: SimTime) -> bool {
        let common = self.common.as_ref();
        common.is_none_or(|common| common.fits(&self.requests.get(request).common, start, end))
    }

    /// Returns a necessary condition for the resources of the whole cluster to suffice for a job that
    /// starts now, at some speed level, and may run beyond a time.
    pub(super) fn might_have_common_amounts(
        &self,
        now: SimTime,
        beyond: Option<SimTime>,
    ) -> impl Fn(&Waiting, bool) -> bool {
        let common = self.common.as_ref();
        let left = common.and_then(|common| common.left_now(now));
        let left_then = common.zip(beyond).and_then(|(common, time)| common.left_in_plan(time));
        let is_within = |amounts: &[u64], left: &Option<Vec<u64>>| {
            left.as_ref().is_none_or(|left| amounts.iter().zip(left).all(|(amount, left)| amount <= left))
        };
        move |job, runs_beyond| {
            let suffices = |request: usize| {
                let amounts = &self.requests.get(request).common;
                is_within(amounts, &left) && (!runs_beyond || is_within(amounts, &left_then))
            };
            suffices(job.request) || self.requests.below(job.request).any(suffices)
        }
    }

    /// Reserves the amounts of a request of the resources of the whole cluster in the plan of the cycle.
    #[inline]
    pub(super) fn reserve_common_amounts(&mut self, request: usize, start: SimTime, end: SimTime) {
        if let Some(common) = &mut self.common {
            common.reserve(&self.requests.get(request).common, start, end);
        }
    }

    /// Releases the amounts of a request of the resources of the whole cluster in the plan of the cycle.
    #[inline]
    pub(super) fn release_common_amounts(&mut self, request: usize, start: SimTime, end: SimTime) {
        if let Some(common) = &mut self.common {
            common.release(&self.requests.get(request).common, start, end);
        }
    }

    /// Computes the amount of each resource that tasks on these devices take in a pool.
    pub(super) fn taken(
        &self,
        need: usize,
        pool: usize,
        tasks: (u32, OnDevices),
    ) -> impl Iterator<Item = u64> {
        self.requests.taken(need, self.amounts_of(&self.capacity, pool), tasks)
    }

    /// Chooses the devices of tasks that would start now in a pool.
    pub(super) fn devices_now(&self, need: usize, pool: usize, tasks: u32) -> OnDevices {
        self.requests.get(need).devices_in(self.amounts_of(&self.free, pool), tasks, self.device_groups(pool))
    }

    /// Chooses the devices of a job that starts now, if it requests any and they are not chosen yet.
    #[inline]
    pub(super) fn bind(&self, need: usize, split: &mut Allocation) {
        if !self.is_single && self.requests.get(need).devices.is_some() && !split.has_devices() {
            split.choose_devices(|pool, tasks| self.devices_now(need, pool, tasks));
        }
    }

    /// Returns the devices of an allocation by node, in ascending order.
    pub(super) fn devices_on_nodes(&self, split: &Allocation) -> DevicesOnNodes {
        let parts = split.parts_on_devices(0);
        let mut on: DevicesOnNodes = parts.map(|(pool, _, devices)| (self.node_of(pool), devices)).collect();
        on.sort_unstable_by_key(|(node, _)| *node);
        on
    }

    /// Allocates resources to a job.
    #[inline(always)]
    pub(super) fn allocate(&mut self, need: usize, split: &Allocation, width: u32) {
        let take = |free: &mut u64, amount: u64| *free -= amount;
        match self.is_unlimited {
            true => self.change_of_one_pool(need, width, take),
            false => self.change(need, split, width, take),
        }
    }

    /// Releases the resources of a job.
    #[inline]
    pub(super) fn release(&mut self, need: usize, split: &Allocation, width: u32) {
        let give = |free: &mut u64, amount: u64| *free += amount;
        match self.is_unlimited {
            true => self.change_of_one_pool(need, width, give),
            false => self.change(need, split, width, give),
        }
    }

    #[inline(always)]
    fn change_of_one_pool(&mut self, need: usize, width: u32, change: impl Fn(&mut u64, u64)) {
        change(&mut self.free[0], width.into());
        change(&mut self.total[0], width.into());
        if let Some(common) = &mut self.common {
            common.change(&self.requests.get(need).common, change);
        }
    }

    #[inline(never)]
    fn change(&mut self, need: usize, split: &Allocation, width: u32, change: impl Fn(&mut u64, u64)) {
        if let Some(common) = &mut self.common {
            common.change(&self.requests.get(need).common, &change);
        }
        let dimensions = self.requests.dimensions();
        for (pool, tasks, devices) in split.parts_on_devices(width) {
            self.note_change(pool);
            let Pools { requests: needs, capacity: whole, free, total, .. } = self;
            let amounts = needs.taken(need, &whole[pool * dimensions..], (tasks, devices));
            let free = &mut free[pool * dimensions..];
            for (amount, (free, total)) in amounts.zip(free.iter_mut().zip(total)) {
                change(free, amount);
                change(total, amount);
            }
        }
    }

    fn note_change(&mut self, pool: usize) {
        // After so many changes, a full recount is cheaper than an incremental one.
        if self.changed.len() > 2 * self.group_by_pool.len() {
            self.base_version = self.version();
            self.changed.clear();
        }
        self.changed.push(pool);
    }

    fn groups_of(&self, split: &Allocation) -> impl Iterator<Item = &Group> {
        split.parts(0).map(|(pool, _)| self.group_of(pool))
    }

    /// Returns the estimated end of a job that starts in these pools.
    #[inline]
    pub(super) fn end(&self, start: SimTime, job: &BatchJob, need: usize, split: &Allocation) -> SimTime {
        let level = self.requests.level(need);
        job.end(start, if self.is_single { self.groups[0].speed } else { self.min_speed(split, level) })
    }

    #[inline(never)]
    fn min_speed(&self, split: &Allocation, level: u8) -> Yield {
        self.groups_of(split).map(|group| group.speed_at(level)).min().unwrap_or(Yield::ONE)
    }

    /// Returns the distinct speeds of nodes at the level of a request, in descending order.
    #[inline]
    pub(super) fn speeds_of(&self, need: usize) -> &[Yield] {
        match self.requests.level(need) {
            0 => &self.speeds,
            level => &self.speeds_below[usize::from(level) - 1],
        }
    }

    /// Returns the largest number of distinct speeds of nodes at a level.
    pub(super) fn most_speeds(&self) -> usize {
        self.speeds_below.iter().map(Vec::len).fold(self.speeds.len(), usize::max)
    }

    /// Returns the speed of the nodes at the level of a request, if they are a single pool.
    #[inline]
    pub(super) fn speed_of_pool(&self, need: usize) -> Yield {
        self.groups[0].speed_at(self.requests.level(need))
    }

    /// Returns the times after `after` at which windows end or reservations stop excluding the request.
    pub(super) fn window_ends<'a>(
        &'a self,
        need: &'a TaskRequest,
        after: SimTime,
    ) -> impl Iterator<Item = SimTime> + 'a {
        let windows = self.groups.iter().flat_map(|group| &group.windows);
        let ends = windows.chain(need.closed.iter().flatten()).map(|&(_, until)| until);
        ends.filter(move |&until| until > after)
    }

    /// Returns the first time after `after` at which the cluster gets more of a resource that it has as a
    /// whole, as far as a search can use it, given the last other change that it has seen.
    #[inline]
    pub(super) fn next_rise(&self, after: SimTime, changed: SimTime) -> Option<SimTime> {
        self.common.as_ref().and_then(|common| common.next_rise_of_search(after, changed))
    }

    /// Returns whether the amounts of the resources of the whole cluster are too small for a job that
    /// starts now, on whatever nodes.
    #[inline]
    pub(super) fn lacks_common_amounts(&self, now: SimTime, job: &Waiting) -> bool {
        let end = || job.job.end(now, self.speeds_of(job.request).first().copied().unwrap_or(Yield::ONE));
        self.common.is_some() && !self.has_common_amounts(job.request, now, end())
    }

    /// Returns whether plans hold no resources of the whole cluster, and the amounts are too small for a
    /// job that starts now, until its end on the slowest nodes.
    #[inline]
    pub(super) fn is_unlicensed(&self, now: SimTime, job: &Waiting) -> bool {
        self.skips_unlicensed
            && self.common.is_some()
            && !self.has_common_amounts(job.request, now, self.slowest_end(now, job))
    }

    /// Returns whether a job is [unlicensed](Self::is_unlicensed) at its level and at those below.
    #[inline]
    pub(super) fn is_unlicensed_at_all(&self, now: SimTime, job: &Waiting) -> bool {
        self.is_unlicensed(now, job)
            && self.requests.below(job.request).all(|request| self.is_unlicensed(now, &job.at(request)))
    }

    /// Returns the estimated end of a job that starts now on the slowest nodes.
    pub(super) fn slowest_end(&self, now: SimTime, job: &Waiting) -> SimTime {
        job.job.end(now, self.speeds_of(job.request).last().copied().unwrap_or(Yield::ONE))
    }

    /// Returns the time at which a job with estimated end `end` releases these pools: at the next
    /// window at the latest.
    pub(super) fn occupied_until(&self, now: SimTime, end: SimTime, split: &Allocation) -> SimTime {
        if !self.has_windows {
            return end;
        }
        self.groups_of(split).filter_map(|group| group.next_window(now)).fold(end, SimTime::min)
    }
}
