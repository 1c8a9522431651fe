//! Resource requests per task.

use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::batch::{NodeUse, Place};
use dfrsim_model::platform::classes::{Demand, NodeClass, NodeClasses};
use dfrsim_model::platform::common::{CommonDemand, CommonResource};
use dfrsim_model::platform::devices::{DeviceRequest, MOST_DEVICES, OnDevices, WHOLE_DEVICE};
use dfrsim_model::platform::power::UsedPower;
use dfrsim_model::site::{JobClass, Reservation};
use dfrsim_model::{Share, SimTime, UserId};
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// Tenancy of a whole node, an additional resource where some jobs share nodes and others do not: a
/// task of a job with whole nodes takes all of it, any other task one unit.
const TENANCY: u64 = 1 << 32;

/// Time intervals (start, end), ordered by start.
pub(super) type Intervals = Vec<(SimTime, SimTime)>;

/// Resource request per task: a node of its own; or cores, memory, and other resources in their
/// order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TaskRequest {
    pub(super) amounts: Vec<u64>,
    /// Request for devices, whose free parts follow the other amounts of a node.
    pub(super) devices: Option<DeviceRequest>,
    /// Maximum number of the job's tasks on a node: 1 if they need different nodes.
    pub(super) most_per_node: u64,
    /// True, per node class, if the task may run there.
    pub(super) fits: Vec<bool>,
    /// Intervals in which the task may not run because of reservations, per node class, ordered
    /// by start; empty if there are none.
    pub(super) closed: Vec<Intervals>,
    /// Amounts of the resources of the whole cluster that all tasks of the job hold together; empty if
    /// there are none.
    pub(super) common: Vec<u64>,
    /// Power that a task adds on a node of each class at full speed in milliwatts, without that of used
    /// devices and sockets, if the placement depends on it; otherwise empty.
    pub(super) power: Vec<u64>,
    /// Speed level of the job; 0 is full speed.
    pub(super) level: u8,
    /// Power of the job at each level below full speed, in milliwatts; empty if there are none, and below
    /// full speed.
    pub(super) draws: Vec<u64>,
    /// Power that used devices and sockets of a node of each class add, if there are some and the
    /// placement depends on it; otherwise empty.
    pub(super) used_power: Vec<UsedPower>,
}

impl Hash for TaskRequest {
    /// Hashes the amounts; requests that differ in nothing else are few.
    fn hash<H: Hasher>(&self, state: &mut H) {
        for amount in self.amounts.iter().chain(&self.common) {
            state.write_u64(*amount);
        }
    }
}

impl TaskRequest {
    /// Returns whether no reservation excludes the task from the nodes of a class between `start`
    /// and `end`.
    pub(super) fn is_admitted(&self, class: usize, start: SimTime, end: SimTime) -> bool {
        let closed = self.closed.get(class);
        closed.is_none_or(|spans| !spans.iter().any(|&(from, until)| from < end && until > start))
    }

    /// Returns the cores and the devices of a task.
    pub(super) fn shape(&self) -> (u64, Option<DeviceRequest>) {
        (self.amounts[0], self.devices)
    }

    /// Counts the tasks of this request that fit into the given amounts of a pool, devices included.
    #[inline]
    pub(super) fn tasks_in_pool(&self, amounts: &[u64]) -> u64 {
        let most = self.tasks_in(amounts.iter().copied());
        match self.devices {
            Some(devices) if most > 0 => most.min(devices.tasks_in(&amounts[self.amounts.len()..])),
            _ => most,
        }
    }

    /// Counts the tasks of this request that fit into the free amounts of an iterator.
    #[inline]
    pub(super) fn tasks_in_each(&self, amounts: impl Iterator<Item = u64>) -> u64 {
        match self.devices {
            None => self.tasks_in(amounts),
            Some(_) => self.tasks_in_pool(&amounts.collect::<Vec<_>>()),
        }
    }

    /// Returns the power that a task adds on a node of a class with these free amounts, capacity and groups
    /// of devices, in milliwatts: with that of the devices and sockets which no task uses yet.
    pub(super) fn added_power(
        &self,
        class: usize,
        (free, groups): (&[u64], &[u32]),
        capacity: &[u64],
    ) -> u64 {
        let linear = self.power.get(class).copied().unwrap_or(0);
        let Some(power) = self.used_power.get(class) else { return linear };
        let before = &free[self.amounts.len()..];
        let is_free = |(device, _): &(usize, u8)| before[*device] == WHOLE_DEVICE;
        let devices = self.devices_in(free, 1, groups).iter().filter(is_free).count();
        let parts = capacity[0].saturating_sub(free[0]);
        linear + power.of(devices as u64, parts + self.amounts[0]) - power.of(0, parts)
    }

    /// Chooses the devices of some tasks, given the amounts of a pool and the groups of its devices;
    /// none if the tasks request none or do not fit.
    pub(super) fn devices_in(&self, amounts: &[u64], tasks: u32, groups: &[u32]) -> OnDevices {
        let Some(devices) = self.devices else { return OnDevices::default() };
        let free = &amounts[self.amounts.len()..];
        let chosen = match groups {
            [] => devices.choose(free, tasks),
            groups => devices.choose_near(free, tasks, groups),
        };
        chosen.unwrap_or_default()
    }

    /// Counts the tasks of this request that fit into the given amounts, without devices. The first
    /// amount of every request is positive.
    #[inline]
    pub(super) fn tasks_in(&self, amounts: impl Iterator<Item = u64>) -> u64 {
        let mut most = self.most_per_node;
        for (need, has) in self.amounts.iter().zip(amounts).filter(|(need, _)| **need > 0) {
            most = most.min(has / need);
            if most == 0 {
                break;
            }
        }
        most
    }
}

/// Distinct requests of all jobs, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct TaskRequests {
    node_use: NodeUse,
    /// True if the placement depends on the power of tasks.
    by_power: bool,
    dimensions: usize,
    /// Index of the resource whose units are devices, and the largest number of them on a node. Each
    /// has an amount behind the others.
    device: Option<usize>,
    columns: usize,
    /// Sizes of the groups of the devices of a node, by class; empty if no node has groups.
    device_groups: Vec<Vec<u32>>,
    all: Vec<TaskRequest>,
    numbers: FxHashMap<TaskRequest, usize>,
    /// Number of the request that was registered last, which the next one often equals.
    last: usize,
    /// Request of the job that is being looked up, whose vectors are used again.
    scratch: TaskRequest,
    pub(super) reservations: Vec<Reservation>,
    /// Partitions of the site, if nodes are shared and some of them restrict the nodes of their jobs.
    partitions: Vec<JobClass>,
    /// True if jobs of some partitions have whole nodes.
    has_tenancy: bool,
    /// Partitions with a maximum number of cores per node, by index: each is a further resource, of
    /// which its jobs take as much as they have cores.
    core_caps: Vec<(usize, u64)>,
    /// Number of speed levels below full speed, and the index of power among the resources of the whole
    /// cluster.
    levels: u8,
    power_at: usize,
    /// The smallest request of the first resource.
    least: u64,
}

impl TaskRequests {
    pub(super) fn new(node_use: NodeUse, place: Place) -> TaskRequests {
        let by_power = place.depends_on_power();
        TaskRequests { node_use, by_power, dimensions: 1, least: u64::MAX, ..TaskRequests::default() }
    }

    /// Learns the partitions of the site, some of which may give whole nodes to jobs.
    pub(super) fn learn_partitions(&mut self, partitions: &[JobClass]) {
        if self.node_use == NodeUse::Shared {
            self.has_tenancy = partitions.iter().any(|class| class.whole_nodes);
            let cap = |(at, class): (usize, &JobClass)| Some((at, u64::from(class.max_cores_per_node?)));
            self.core_caps = partitions.iter().enumerate().filter_map(cap).collect();
            if self.has_tenancy || !self.core_caps.is_empty() {
                self.partitions = partitions.to_vec();
            }
        }
    }

    /// Learns the resources that nodes have.
    pub(super) fn learn_resources(&mut self, classes: Option<&NodeClasses>) {
        self.levels = classes.map_or(0, |classes| classes.levels().len() as u8);
        let common = classes.map_or(&[][..], NodeClasses::common);
        let is_power = |resource: &CommonResource| resource.demand == CommonDemand::Draw;
        self.power_at = common.iter().position(is_power).unwrap_or(0);
        if self.node_use == NodeUse::Whole && classes.is_none() {
            self.all = vec![TaskRequest {
                amounts: vec![1],
                most_per_node: u64::MAX,
                fits: vec![true],
                ..TaskRequest::default()
            }];
            self.least = 1;
        }
        if self.node_use != NodeUse::Whole {
            let others = classes.map_or(0, |classes| classes.resources().len());
            if classes.is_none() {
                self.core_caps.clear();
            }
            self.device = classes.and_then(NodeClasses::devices);
            let counts =
                |at: usize| classes.into_iter().flat_map(NodeClasses::classes).map(move |it| it.amounts[at]);
            let most = self.device.and_then(|at| counts(at).max()).unwrap_or(0);
            self.columns = MOST_DEVICES.min(most as usize);
            let groups = classes.into_iter().flat_map(NodeClasses::classes).map(|it| &it.device_groups);
            self.device_groups = groups.cloned().collect();
            if self.device_groups.iter().all(Vec::is_empty) {
                self.device_groups.clear();
            }
            self.dimensions = 2 + others - usize::from(self.device.is_some())
                + usize::from(self.has_tenancy)
                + self.core_caps.len()
                + self.columns;
        }
    }

    /// Returns the number of resources in a request.
    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the number of devices that are distinguished on each node.
    pub(super) fn device_columns(&self) -> usize {
        self.columns
    }

    /// Returns whether the devices of some nodes are in groups.
    pub(super) fn has_device_groups(&self) -> bool {
        !self.device_groups.is_empty()
    }

    /// Returns the sizes of the groups of the devices of a node of a class; empty if it has no groups.
    pub(super) fn device_groups(&self, class: usize) -> &[u32] {
        self.device_groups.get(class).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of resources in a request without devices.
    pub(super) fn plain_dimensions(&self) -> usize {
        self.dimensions - self.columns
    }

    /// Returns whether jobs may run below full speed.
    #[inline]
    pub(super) fn has_levels(&self) -> bool {
        self.levels > 0
    }

    /// Returns the speed level of a request.
    #[inline]
    pub(super) fn level(&self, number: usize) -> u8 {
        if self.has_levels() { self.all[number].level } else { 0 }
    }

    /// Returns the numbers of a request at the levels below its own, from fast to slow.
    #[inline]
    pub(super) fn below(&self, number: usize) -> Range<usize> {
        number + 1..number + 1 + usize::from(self.levels - self.level(number))
    }

    /// Returns the number of a request, which is at full speed, at a level.
    pub(super) fn at_level(&self, number: usize, level: u8) -> usize {
        number + usize::from(level)
    }

    /// Iterates over all requests of jobs seen so far, at all levels.
    pub(super) fn all(&self) -> impl Iterator<Item = &TaskRequest> {
        self.all.iter()
    }

    pub(super) fn get(&self, number: usize) -> &TaskRequest {
        &self.all[number]
    }

    /// Returns whether tasks of request `one` fit wherever tasks of request `other` do.
    #[inline]
    pub(super) fn is_within(&self, one: usize, other: usize) -> bool {
        let (less, more) = (&self.all[one], &self.all[other]);
        let is_less = || less.amounts.iter().zip(&more.amounts).all(|(less, more)| less <= more);
        let has_devices = || match (less.devices, more.devices) {
            (None, _) => true,
            (Some(less), Some(more)) => less.is_within(more),
            (Some(_), None) => false,
        };
        let has_common = || less.common.iter().zip(&more.common).all(|(less, more)| less <= more);
        let is_kept_off = || less.closed == more.closed && less.most_per_node >= more.most_per_node;
        one == other
            || less.level == more.level
                && is_less()
                && has_devices()
                && has_common()
                && is_kept_off()
                && more.fits.iter().zip(&less.fits).all(|(more, less)| more <= less)
    }

    /// Returns an upper bound on the size of a job that fits into `free` units of the first
    /// resource.
    pub(super) fn max_tasks_in(&self, free: u64) -> u64 {
        free / self.least
    }

    /// Returns the amounts of a node of each class. Where cores are unknown, CPU is in units of a
    /// share of the node.
    pub(super) fn node_amounts_by_class(&self, classes: Option<&NodeClasses>) -> Vec<Vec<u64>> {
        let one = u64::from(Share::ONE.units());
        let mut all = match classes {
            None if self.node_use == NodeUse::Whole => vec![vec![1]],
            None => vec![vec![one, one]],
            Some(classes) if self.node_use == NodeUse::Whole => vec![vec![1]; classes.classes().len()],
            Some(classes) => {
                let of_class = |(place, class): (usize, &NodeClass)| {
                    let others = class.amounts.iter().enumerate().filter(|(at, _)| Some(*at) != self.device);
                    let amounts = others.map(|(_, &amount)| u64::from(amount));
                    [classes.core_parts_of(place), class.memory].into_iter().chain(amounts).collect()
                };
                classes.classes().iter().enumerate().map(of_class).collect()
            }
        };
        let core_parts = classes.map_or(1, |classes| classes.core_parts().into());
        for amounts in &mut all {
            amounts.extend(self.has_tenancy.then_some(TENANCY));
            amounts.extend(self.core_caps.iter().map(|(_, most)| most * core_parts));
        }
        if let (Some(device), Some(classes)) = (self.device, classes) {
            for (amounts, class) in all.iter_mut().zip(classes.classes()) {
                let has = |column: &usize| *column < class.amounts[device] as usize;
                let column = |column: usize| if has(&column) { WHOLE_DEVICE } else { 0 };
                amounts.extend((0..self.columns).map(column));
            }
        }
        all
    }

    /// Returns the amounts that a task with this number of cores takes of the resources by which
    /// partitions restrict nodes. The job belongs to the first partition that matches it.
    fn partition_amounts(&self, view: View<'_>, job: JobHandle, cores: u64) -> impl Iterator<Item = u64> {
        let (user, origin) = (view.job(job).user().map(UserId::number), view.job(job).origin());
        let own = self.partitions.iter().position(|class| class.matches(user, origin));
        let has_whole = own.is_some_and(|at| self.partitions[at].whole_nodes);
        let tenancy = self.has_tenancy.then_some(if has_whole { TENANCY } else { 1 });
        let capped = self.core_caps.iter().map(move |(at, _)| if Some(*at) == own { cores } else { 0 });
        tenancy.into_iter().chain(capped)
    }

    /// Computes the amount of each resource that tasks on these devices take in a pool whose nodes
    /// have the amounts `whole`.
    #[inline]
    pub(super) fn taken(
        &self,
        need: usize,
        whole: &[u64],
        (tasks, devices): (u32, OnDevices),
    ) -> impl Iterator<Item = u64> {
        let is_exclusive = self.node_use == NodeUse::Exclusive;
        let TaskRequest { amounts, devices: request, .. } = &self.all[need];
        let part = request.map_or(0, |request| request.part);
        // One loop over both kinds, since a chain of two takes more instructions for each amount.
        let of_column = move |column: usize| match amounts.get(column) {
            Some(need) => need * u64::from(tasks),
            None => u64::from(devices.on(column - amounts.len())) * part,
        };
        let whole = &whole[..self.dimensions];
        (0..self.dimensions).map(move |column| if is_exclusive { whole[column] } else { of_column(column) })
    }

    /// Returns the number of the job's request; jobs with equal tasks share it.
    #[inline]
    pub(super) fn request_of(&mut self, view: View<'_>, job: JobHandle) -> usize {
        let is_known = self.node_use == NodeUse::Whole && view.classes().is_none();
        if is_known { 0 } else { self.register(view, job) }
    }

    /// Returns, by node class, the intervals in which the job may not run there.
    fn closed_intervals(&self, view: View<'_>, job: JobHandle) -> Vec<Intervals> {
        let Some(classes) = view.classes() else { return Vec::new() };
        let has = |features: u64, it: &Reservation| {
            classes.feature_names(features).any(|name| name == it.feature())
        };
        let asked = view.demand(job).map_or(0, |demand| demand.features);
        let of_class = |class: &NodeClass| {
            let its = self.reservations.iter().filter(|it| has(class.features, it));
            let spans = its.flat_map(|it| it.blocked_intervals(has(asked, it)));
            let mut spans: Intervals = spans
                .map(|(from, until)| (SimTime::from_micros(from), SimTime::from_micros(until)))
                .collect();
            spans.sort_unstable();
            spans
        };
        classes.classes().iter().map(of_class).collect()
    }

    #[inline(never)]
    fn register(&mut self, view: View<'_>, job: JobHandle) -> usize {
        let mut request = std::mem::take(&mut self.scratch);
        self.describe(view, job, &mut request);
        if self.all.get(self.last) == Some(&request) {
            self.scratch = request;
            return self.last;
        }
        let number = match self.numbers.get(&request) {
            Some(number) => *number,
            None => {
                let number = self.all.len();
                self.least = self.least.min(request.amounts[0]);
                self.all.push(request.clone());
                self.numbers.insert(request.clone(), number);
                self.add_levels(&request);
                number
            }
        };
        self.scratch = request;
        self.last = number;
        number
    }

    /// Adds a request at each level below full speed, behind that at full speed.
    fn add_levels(&mut self, full: &TaskRequest) {
        for (level, draw) in (1..=self.levels).zip(&full.draws) {
            let mut request = TaskRequest { level, draws: Vec::new(), ..full.clone() };
            request.common[self.power_at] = *draw;
            self.all.push(request);
        }
    }

    /// Sets the request per task to that of a job at full speed.
    fn describe(&self, view: View<'_>, job: JobHandle, request: &mut TaskRequest) {
        let (seen, classes, demand) = (view.job(job), view.classes(), view.demand(job));
        let TaskRequest {
            amounts,
            devices,
            most_per_node,
            fits,
            closed,
            common,
            power,
            used_power,
            level: _,
            draws,
        } = request;
        amounts.clear();
        (*most_per_node, *devices) = (u64::MAX, None);
        if self.node_use == NodeUse::Whole {
            amounts.push(1);
        } else {
            let cpu = classes.map_or_else(
                || seen.cpu_need().units().max(1).into(),
                |it| it.core_parts_for(seen.cpu_need()),
            );
            let all = demand.map_or(&[][..], |demand| &demand.resources);
            let asked = all.iter().enumerate().filter(|(at, _)| Some(*at) != self.device);
            *devices = self.device.and_then(|at| demand?.devices(at));
            amounts.extend([cpu, seen.memory().units().into()]);
            amounts.extend(asked.map(|(_, asked)| u64::from(asked.count)));
            if !self.partitions.is_empty() {
                amounts.extend(self.partition_amounts(view, job, cpu).collect::<Vec<_>>());
            }
            if demand.is_some_and(|demand| demand.needs_distinct_nodes) {
                *most_per_node = 1;
            }
        }
        let count = classes.map_or(1, |classes| classes.classes().len());
        fits.clear();
        fits.extend((0..count).map(|class| view.fits(job, class)));
        common.clear();
        common.extend_from_slice(demand.map_or(&[], |demand| &demand.common));
        draws.clear();
        draws.extend_from_slice(demand.map_or(&[], |demand| &demand.draws));
        closed.clear();
        if !self.reservations.is_empty() {
            closed.extend(self.closed_intervals(view, job));
        }
        power.clear();
        if let Some(classes) = classes.filter(|_| self.by_power) {
            let none = Demand::default();
            let demand = demand.unwrap_or(&none);
            power.extend((0..count).map(|class| classes.task_power(class, seen.cpu_need(), demand)));
            used_power.clear();
            if classes.has_used_power() {
                used_power.extend((0..count).map(|class| classes.used_power(class).unwrap_or_default()));
            }
        }
    }
}
