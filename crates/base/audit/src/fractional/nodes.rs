//! Nodes as plain lists: the free amount of each resource, and the load.

use crate::devices::{self, DeviceList, Triples};
use crate::nodes::{Kind, Size, TasksByNode};
use dfrsim_model::{Share, SortedMap, Yield};
use std::ops::Range;
use std::sync::Arc;

/// Index of CPU among the resources; memory comes before it, the others after it.
pub(super) const CPU: usize = 1;

/// Request for a placement by Greedy.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacementRequest<'a> {
    pub(super) size: &'a Size,
    pub(super) tasks: u32,
    pub(super) weight: u32,
    /// `/SPREAD`: at most as many tasks per node as can have their full needs together, but at least
    /// one.
    pub(super) spread: bool,
}

#[derive(Clone, Debug)]
pub(super) struct FractionalNode {
    pub(super) kind: usize,
    /// True if jobs may be on the node.
    pub(super) is_open: bool,
}

/// All nodes of the cluster by number.
#[derive(Clone, Debug)]
pub(super) struct FractionalNodes {
    pub(super) kinds: Arc<Vec<Kind>>,
    pub(super) all: Vec<FractionalNode>,
    /// Free amounts, by node and resource.
    free: Vec<i64>,
    /// Load, by node and resource: needs of tasks at a yield of 1, times their weights.
    load: Vec<u128>,
    /// Free part of each device, by node.
    devices: Vec<Vec<i64>>,
}

impl FractionalNodes {
    /// Creates nodes without tasks.
    pub(super) fn new(kinds: &Arc<Vec<Kind>>, is_open: impl Fn(u32) -> bool) -> FractionalNodes {
        let (mut all, mut free, mut devices) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, it) in kinds.iter().enumerate() {
            let numbers = all.len() as u32..all.len() as u32 + it.nodes;
            all.extend(numbers.map(|number| FractionalNode { kind, is_open: is_open(number) }));
            let capacity = it.capacity.iter().map(|&amount| amount as i64);
            free.extend(capacity.cycle().take(it.capacity.len() * it.nodes as usize));
            devices.resize(all.len(), whole_devices(it));
        }
        let load = vec![0; free.len()];
        FractionalNodes { kinds: Arc::clone(kinds), all, free, load, devices }
    }
    /// Returns the indices of a node's resources.
    fn resources(&self, node: u32) -> Range<usize> {
        let width = self.kinds[0].capacity.len();
        node as usize * width..(node as usize + 1) * width
    }
    /// Returns the nodes without any task.
    pub(super) fn without_tasks(&self) -> FractionalNodes {
        FractionalNodes::new(&self.kinds, |node| self.all[node as usize].is_open)
    }
    /// Returns whether all nodes are reference nodes, without resources other than CPU and memory.
    pub(super) fn is_homogeneous(&self) -> bool {
        let is_reference =
            |it: &Kind| it.capacity == [u64::from(Share::ONE.units()); 2] && it.speed == Yield::ONE.units();
        self.kinds.iter().all(is_reference)
    }
    pub(super) fn capacity(&self, node: u32) -> &[u64] {
        &self.kinds[self.all[node as usize].kind].capacity
    }

    pub(super) fn add(&mut self, on: &[(u32, u32)], size: &Size, weight: u32) {
        self.change(on, size, weight, true);
    }
    pub(super) fn remove(&mut self, on: &[(u32, u32)], size: &Size, weight: u32) {
        self.change(on, size, weight, false);
    }
    fn change(&mut self, on: &[(u32, u32)], size: &Size, weight: u32, comes: bool) {
        for &(node, tasks) in on {
            for (it, at) in self.resources(node).enumerate() {
                let held = size.held[it] as i64 * i64::from(tasks);
                let used = u128::from(size.used[it]) * u128::from(weight) * u128::from(tasks);
                self.free[at] += if comes { -held } else { held };
                self.load[at] = if comes { self.load[at] + used } else { self.load[at] - used };
            }
        }
    }

    /// Counts the requested tasks that fit on a node.
    fn fitting_tasks(&self, node: u32, wanted: PlacementRequest<'_>) -> u32 {
        let FractionalNode { kind, is_open } = self.all[node as usize];
        if !is_open || !wanted.size.allowed[kind] {
            return 0;
        }
        let beside = wanted.size.used.iter().zip(&self.kinds[kind].capacity);
        let beside = beside.filter_map(|(used, capacity)| capacity.checked_div(*used)).min();
        let most = u64::from(wanted.tasks);
        let most = beside.filter(|_| wanted.spread).map_or(most, |beside| beside.clamp(1, most));
        let tasks = tasks_in(&self.free[self.resources(node)], wanted.size, most as u32);
        let free = &self.devices[node as usize];
        let room = |request| match wanted.size.shares_devices {
            true => devices::tasks_in_shared(request, free),
            false => devices::tasks_in(request, free),
        };
        wanted.size.devices.map_or(tasks, |request| room(request).min(tasks.into()) as u32)
    }
    /// Returns whether all requested tasks fit. Greedy places all tasks if and only if this holds,
    /// as the nodes are filled independently.
    pub(super) fn fits(&self, wanted: PlacementRequest<'_>) -> bool {
        let rooms = self.numbers().map(|node| u64::from(self.fitting_tasks(node, wanted)));
        rooms.sum::<u64>() >= u64::from(wanted.tasks)
    }
    /// Returns whether tasks fit on given nodes.
    pub(super) fn fits_on(&self, on: &[(u32, u32)], held: &Triples, size: &Size) -> bool {
        let has_room = |&(node, tasks): &(u32, u32)| {
            let free = &self.free[self.resources(node)];
            self.all[node as usize].is_open && tasks_in(free, size, tasks) == tasks
        };
        let part = size.devices.map_or(0, |request| request.1);
        let is_free = |&(node, device, tasks): &(u32, u32, u32)| {
            let free = self.devices[node as usize].get(device as usize);
            size.shares_devices || free.is_some_and(|&free| free >= (part * u64::from(tasks)) as i64)
        };
        on.iter().all(has_room) && held.iter().all(is_free)
    }

    /// Takes parts of devices from the free ones.
    pub(super) fn take_devices(&mut self, held: &Triples, size: &Size) {
        self.change_devices(held, size, -1);
    }
    /// Returns parts of devices to the free ones.
    pub(super) fn return_devices(&mut self, held: &Triples, size: &Size) {
        self.change_devices(held, size, 1);
    }
    fn change_devices(&mut self, held: &Triples, size: &Size, sign: i64) {
        let part = size.devices.map_or(0, |request| request.1) as i64;
        for &(node, device, tasks) in held {
            // A record may name a device that does not exist, which is a violation of its own.
            let free = self.devices[node as usize].get_mut(device as usize);
            free.into_iter().for_each(|free| *free += sign * part * i64::from(tasks));
        }
    }
    fn groups(&self, node: u32) -> &[u32] {
        &self.kinds[self.all[node as usize].kind].device_groups
    }
    /// Chooses the devices of tasks by the rule of the platform.
    pub(super) fn choose_devices(&self, on: &[(u32, u32)], size: &Size) -> DeviceList {
        let Some(request) = size.devices else { return Vec::new() };
        let of_node = |&(node, tasks): &(u32, u32)| {
            let free = &self.devices[node as usize];
            let parts = match size.shares_devices {
                true => devices::expected_shared(request, free, tasks.into()),
                false => devices::expected(request, free, tasks.into(), self.groups(node)),
            };
            devices::triples(node, &parts).collect::<Vec<_>>()
        };
        on.iter().flat_map(of_node).collect()
    }

    /// Computes the slowness of a further task on a node if yields are proportional to weights, and
    /// the load including it.
    fn slowness(&self, node: u32, wanted: PlacementRequest<'_>) -> (f64, f64) {
        let Kind { capacity, speed, .. } = &self.kinds[self.all[node as usize].kind];
        let (used, weight, loads) = (&wanted.size.used, wanted.weight, &self.load[self.resources(node)]);
        let load =
            |it: usize| (loads[it] + u128::from(weight) * u128::from(used[it])) as f64 / capacity[it] as f64;
        let of_others = loads[CPU] as f64 / capacity[CPU] as f64;
        let load = (0..used.len()).filter(|&it| used[it] > 0).map(load).fold(of_others, f64::max);
        let speed = f64::from(*speed) / f64::from(Yield::ONE.units());
        ((load / f64::from(weight)).max(1.0) / speed, load)
    }
    /// Places a job by Greedy: task by task on the node on which it progresses fastest, then the
    /// least loaded, then the lowest.
    pub(super) fn place(&mut self, wanted: PlacementRequest<'_>) -> Option<TasksByNode> {
        if !self.fits(wanted) {
            return None;
        }
        let with_room =
            self.numbers().map(|node| (node, self.fitting_tasks(node, wanted))).filter(|it| it.1 > 0);
        let mut rated: Vec<(u32, u32, (f64, f64))> =
            with_room.map(|(node, room)| (node, room, self.slowness(node, wanted))).collect();
        let mut on = SortedMap::default();
        for _ in 0..wanted.tasks {
            let with_room = rated.iter_mut().filter(|it| it.1 > 0);
            let (node, room, slowness) =
                with_room.min_by(|a, b| a.2.0.total_cmp(&b.2.0).then(a.2.1.total_cmp(&b.2.1)))?;
            self.add(&[(*node, 1)], wanted.size, wanted.weight);
            // A task changes only the node that it is on.
            *slowness = self.slowness(*node, wanted);
            *room -= 1;
            *on.or_default(*node) += 1;
        }
        Some(on.into_iter().collect())
    }
    fn numbers(&self) -> Range<u32> {
        0..self.all.len() as u32
    }
}

/// Returns the free parts of the devices of an empty node.
pub(super) fn whole_devices(kind: &Kind) -> Vec<i64> {
    let one = u64::from(Share::ONE.units());
    let count = kind.device.map_or(0, |at| kind.capacity[2 + at] / one);
    vec![one as i64; count as usize]
}

/// Counts the tasks that fit into free amounts, up to a limit.
fn tasks_in(free: &[i64], size: &Size, most: u32) -> u32 {
    let held = free.iter().zip(&size.held).filter(|(_, held)| **held > 0);
    let times = held.map(|(free, held)| (*free).max(0) as u64 / held);
    times.fold(most, |most, times| times.min(u64::from(most)) as u32)
}
