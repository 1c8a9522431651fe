//! Devices of nodes while a decision is being made.

use dfrsim_cluster::{JobHandle, NodeRange, Placement};
use dfrsim_model::platform::devices::{DeviceRequest, OnDevices, WHOLE_DEVICE};
use dfrsim_model::{NodeTasks, Yield};
use dfrsim_packing::{Capacities, DeviceTasks, bind_in_order, take_devices};
use std::collections::BTreeMap;

/// Devices of a job: for each of its nodes, the number of tasks on each device.
pub(super) type DevicesOnNodes = Vec<(u32, OnDevices)>;

/// Free part of each device, and the devices of jobs.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeDevices {
    /// True if parts follow the yields of jobs, so that a device may have tasks with more than one whole.
    is_shared: bool,
    /// Sizes of the groups of devices, by node; empty if no devices are in groups.
    groups: Vec<Vec<u32>>,
    /// Free part of each device, by node; negative if it has more than one whole.
    free: Vec<Vec<i64>>,
    /// Devices of each job's last placement, by handle. A job that is added to just these nodes again
    /// gets them again.
    last: Vec<DevicesOnNodes>,
}

/// Largest number of tasks of a job on one device that is shared.
const MOST_TASKS: u64 = 250;

/// Counts the tasks of a job on a node, given its parts of devices.
fn tasks_on(request: DeviceRequest, on: OnDevices) -> u32 {
    on.iter().map(|(_, tasks)| u32::from(tasks)).sum::<u32>() / request.count
}

/// Returns free parts, without negative ones.
fn at_least_zero(free: &[i64]) -> Vec<u64> {
    free.iter().map(|&free| free.max(0) as u64).collect()
}

/// Counts the tasks for which there are enough devices, if they are shared.
pub(super) fn room_on_shared(devices: usize, request: DeviceRequest) -> u64 {
    let (devices, count) = (devices as u64, u64::from(request.count));
    if devices < count { 0 } else { devices * MOST_TASKS / count }
}

/// Chooses the devices of some tasks if devices are shared: by the rule of the platform as long as one
/// has room, and then the one with the smallest sum of parts, the lowest number among equal ones.
fn choose_shared(request: DeviceRequest, mut free: Vec<i64>, tasks: u32) -> OnDevices {
    let (part, mut given) = (request.part as i64, vec![0_u8; free.len()]);
    for _ in 0..request.count * tasks {
        let takes = (0..free.len()).filter(|&device| u32::from(given[device]) < tasks.min(MOST_TASKS as u32));
        let fullest = takes.clone().filter(|&device| free[device] >= part).min_by_key(|&device| free[device]);
        let Some(device) = fullest.or_else(|| takes.min_by_key(|&device| -free[device])) else { break };
        free[device] -= part;
        given[device] += 1;
    }
    OnDevices::from_pairs(given.into_iter().enumerate())
}

impl NodeDevices {
    pub(super) fn new(capacities: &Capacities) -> Option<NodeDevices> {
        let is_shared = capacities.devices_are_shared;
        let has_groups = capacities.device_groups.iter().any(|groups| !groups.is_empty());
        let nodes = if has_groups { capacities.class_of.len() } else { 0 };
        let groups = (0..nodes).map(|node| capacities.device_groups_of(node).to_vec()).collect();
        (!capacities.devices.is_empty()).then(|| NodeDevices { is_shared, groups, ..NodeDevices::default() })
    }
    /// Removes all jobs from the nodes; their last devices stay known.
    pub(super) fn remove_all(&mut self, capacities: &Capacities) {
        let whole = |class: &usize| vec![WHOLE_DEVICE as i64; capacities.devices[*class]];
        self.free = capacities.class_of.iter().map(whole).collect();
    }
    /// Forgets the devices of an earlier job with the same handle.
    pub(super) fn forget(&mut self, job: JobHandle) {
        self.remember(job, DevicesOnNodes::new());
    }
    /// Sets the last devices of a job.
    pub(super) fn remember(&mut self, job: JobHandle, on: DevicesOnNodes) {
        if self.last.len() <= job.index() {
            self.last.resize_with(job.index() + 1, Vec::new);
        }
        self.last[job.index()] = on;
    }
    /// Returns the last devices of a job.
    pub(super) fn of(&self, job: JobHandle) -> &[(u32, OnDevices)] {
        self.last.get(job.index()).map_or(&[], Vec::as_slice)
    }
    /// Counts the tasks for which a node has room.
    pub(super) fn room(&self, node: usize, request: DeviceRequest) -> u64 {
        match self.is_shared {
            true => room_on_shared(self.free[node].len(), request),
            false => request.tasks_in(&at_least_zero(&self.free[node])),
        }
    }
    /// Returns whether the last devices of a job are those of a placement.
    fn is_last(&self, job: JobHandle, request: DeviceRequest, placement: &[NodeRange]) -> bool {
        let last = self.of(job).iter().map(|&(node, on)| (node, tasks_on(request, on)));
        last.eq(Placement::new(placement).iter().map(|part| (part.node.0, part.tasks)))
    }
    /// Returns whether a job can get its last devices again if these are its nodes, or others there.
    pub(super) fn can_add(&self, job: JobHandle, request: DeviceRequest, placement: &[NodeRange]) -> bool {
        if self.is_last(job, request, placement) {
            return self.is_shared
                || self.of(job).iter().all(|&(node, on)| {
                    let free = &self.free[node as usize];
                    on.iter().all(|(device, tasks)| free[device] >= i64::from(tasks) * request.part as i64)
                });
        }
        Placement::new(placement)
            .iter()
            .all(|part| self.room(part.node.index(), request) >= u64::from(part.tasks))
    }
    /// Assigns the tasks of a job to its last devices if these are its nodes, and otherwise to those
    /// that the rule of the platform chooses.
    pub(super) fn add(&mut self, job: JobHandle, request: DeviceRequest, placement: &[NodeRange]) {
        if !self.is_last(job, request, placement) {
            let on = |part: NodeTasks| {
                let free = &self.free[part.node.index()];
                let chosen = match self.is_shared {
                    true => Some(choose_shared(request, free.clone(), part.tasks)),
                    false => {
                        let groups = self.groups.get(part.node.index()).map_or(&[][..], Vec::as_slice);
                        request.choose_near(&at_least_zero(free), part.tasks, groups)
                    }
                };
                debug_assert!(chosen.is_some(), "tasks are placed only where they fit");
                Some((part.node.0, chosen?))
            };
            let on = Placement::new(placement).iter().filter_map(on).collect();
            self.remember(job, on);
        }
        self.change(job, request, |free, parts| *free -= parts);
    }
    /// Assigns the tasks of a job to devices that the rule of the platform chooses.
    pub(super) fn add_anew(&mut self, job: JobHandle, request: DeviceRequest, placement: &[NodeRange]) {
        self.forget(job);
        self.add(job, request, placement);
    }
    /// Takes a job off its devices.
    pub(super) fn remove(&mut self, job: JobHandle, request: DeviceRequest) {
        self.change(job, request, |free, parts| *free += parts);
    }
    fn change(&mut self, job: JobHandle, request: DeviceRequest, change: impl Fn(&mut i64, i64)) {
        for &(node, on) in self.last.get(job.index()).into_iter().flatten() {
            let free = &mut self.free[node as usize];
            for (device, tasks) in on.iter() {
                change(&mut free[device], i64::from(tasks) * request.part as i64);
            }
        }
    }
}

/// A job of a new mapping.
#[derive(Debug)]
pub(super) struct MappedJob<'a> {
    pub(super) job: JobHandle,
    pub(super) sequence: u64,
    pub(super) placement: &'a [NodeTasks],
    /// Devices that it must keep, if it was pinned.
    pub(super) pinned: Option<DevicesOnNodes>,
    /// Devices that it has in the cluster.
    pub(super) home: DevicesOnNodes,
    /// Yield at which it was packed.
    pub(super) packed: Yield,
}

/// Determines the devices of all jobs of a new mapping. On each node, jobs that have as many tasks
/// there as before keep their devices, and the others get some in [order](bind_in_order); if they do
/// not fit so, all jobs that are not pinned get devices in this order. `of_node` returns the number of
/// devices of a node, and the sizes of their groups.
pub(super) fn bind_mapping<'a>(
    jobs: &[MappedJob<'_>],
    request: impl Fn(&MappedJob<'_>) -> Option<DeviceRequest>,
    of_node: impl Fn(u32) -> (usize, &'a [u32]),
) -> Vec<DevicesOnNodes> {
    let mut by_node: BTreeMap<u32, Vec<DeviceTasks>> = BTreeMap::new();
    for (at, job) in jobs.iter().enumerate() {
        let Some(request) = request(job) else { continue };
        for part in job.placement {
            by_node.entry(part.node.0).or_default().push(DeviceTasks {
                job: at,
                sequence: job.sequence,
                tasks: part.tasks,
                request,
                on: OnDevices::default(),
            });
        }
    }
    let mut devices = vec![DevicesOnNodes::new(); jobs.len()];
    for (node, mut here) in by_node {
        let on_node = |all: &[(u32, OnDevices)]| all.iter().find(|it| it.0 == node).map(|it| it.1);
        let pinned = |it: &DeviceTasks| jobs[it.job].pinned.as_deref().and_then(on_node);
        let home =
            |it: &DeviceTasks| on_node(&jobs[it.job].home).filter(|&on| tasks_on(it.request, on) == it.tasks);
        let bind = |here: &mut [DeviceTasks], kept: &dyn Fn(&DeviceTasks) -> Option<OnDevices>| {
            let (count, groups) = of_node(node);
            let mut free = vec![WHOLE_DEVICE; count];
            here.sort_by_key(|it| kept(it).is_none());
            let stay = here.iter().take_while(|it| kept(it).is_some()).count();
            let (stay, new) = here.split_at_mut(stay);
            let fits = stay.iter_mut().all(|it| {
                it.on = kept(it).unwrap_or_default();
                take_devices(&mut free, it.on, it.request.part)
            });
            fits && bind_in_order(&mut free, groups, new)
        };
        let is_bound = bind(&mut here, &|it| pinned(it).or_else(|| home(it))) || bind(&mut here, &pinned);
        debug_assert!(is_bound, "a mapping has devices for the tasks of each node");
        here.iter().for_each(|it| devices[it.job].push((node, it.on)));
    }
    devices
}
