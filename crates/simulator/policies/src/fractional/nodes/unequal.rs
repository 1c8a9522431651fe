//! Nodes that differ, with one dimension per resource.

use super::{Nodes, PlacementRequest, Task};
use crate::fractional::available::AvailableNodes;
use crate::fractional::devices::{DevicesOnNodes, MappedJob, NodeDevices, bind_mapping, room_on_shared};
use dfrsim_cluster::{JobHandle, NodeRange, Placement, View};
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::platform::classes::{NodeClasses, Sharing};
use dfrsim_model::platform::devices::{DeviceRequest, MOST_DEVICES, OnDevices, WHOLE_DEVICE};
use dfrsim_model::{NodeId, NodeTasks, Share, Yield};
use dfrsim_packing::mcb::{Mcb, McbOptions};
use dfrsim_packing::shares::Shares;
use dfrsim_packing::{Capacities, TaskSize, UNLIMITED};
use std::sync::Arc;

/// Index of CPU among the dimensions: memory precedes it, the resources of nodes follow.
const CPU: usize = 1;

/// Free amounts and load of each node, by dimension.
#[derive(Clone, Debug)]
pub(super) struct UnequalNodes {
    capacities: Arc<Capacities>,
    /// Speeds by node class.
    speeds: Vec<Yield>,
    /// Number of nodes in the cluster, by class.
    counts: Vec<u32>,
    /// True, per dimension, if the resource is divided by yields.
    shared: Vec<bool>,
    /// Requests of a task, by job handle.
    sizes: Vec<TaskSize>,
    nodes: Vec<NodeState>,
    /// Devices of the nodes; `None` if they have none.
    devices: Option<NodeDevices>,
    /// Sizes for the division of CPU where devices are shared, with one more dimension: the part of a
    /// device that is a [node of its own](UnequalNodes::parts).
    share_sizes: Vec<TaskSize>,
}

#[derive(Clone, Debug)]
struct NodeState {
    class: usize,
    /// Amounts that no task holds, by dimension.
    free: Vec<u64>,
    /// Sum over tasks of weight * need at a yield of 1, by dimension.
    load: Vec<u128>,
}

fn capacities(classes: &NodeClasses, nodes: impl Iterator<Item = NodeId>) -> Capacities {
    let one = u64::from(Share::ONE.units());
    let amounts =
        |of: &dyn Fn(usize) -> u64| -> Vec<u64> { (0..classes.resources().len()).map(of).collect() };
    let of_class = classes.classes().iter().map(|class| {
        let resources = amounts(&|at| u64::from(class.amounts[at]) * one);
        [vec![class.memory, class.cpu], resources].concat()
    });
    let most = |at: usize| classes.classes().iter().map(|class| class.amounts[at]).max().unwrap_or(1);
    let wholes = [vec![one; 2], amounts(&|at| u64::from(most(at)) * one)].concat();
    let class_of = nodes.map(|node| classes.class_of(node.0)).collect();
    let devices = classes
        .devices()
        .into_iter()
        .flat_map(|at| classes.classes().iter().map(move |class| class.amounts[at] as usize));
    let devices_are_shared = classes.resources().iter().any(|it| it.sharing == Sharing::SharedDevices);
    let devices = devices.collect();
    let device_groups = classes.classes().iter().map(|class| class.device_groups.clone()).collect();
    Capacities { classes: of_class.collect(), wholes, class_of, devices, device_groups, devices_are_shared }
}

/// Returns how many tasks of a size fit into the free amounts, at most `most`.
fn tasks_that_fit(free: &[u64], size: &TaskSize, most: u32) -> u32 {
    let rooms = free.iter().zip(&size.held).filter_map(|(free, held)| free.checked_div(*held));
    rooms.fold(most, |most, room| room.min(u64::from(most)) as u32)
}

impl UnequalNodes {
    /// Creates the available nodes of a cluster with node classes, without tasks.
    pub(super) fn new(view: View<'_>, available: &AvailableNodes) -> UnequalNodes {
        let classes = view.classes().expect("unequal nodes require node classes");
        let capacities = Arc::new(capacities(classes, available.nodes()));
        let shared = classes.resources().iter().map(|resource| resource.sharing.is_shared());
        let mut nodes = UnequalNodes {
            speeds: classes.classes().iter().map(|class| class.speed).collect(),
            counts: classes.classes().iter().map(|class| class.nodes).collect(),
            shared: [false, true].into_iter().chain(shared).collect(),
            sizes: Vec::new(),
            nodes: Vec::new(),
            devices: NodeDevices::new(&capacities),
            share_sizes: Vec::new(),
            capacities,
        };
        nodes.remove_all();
        view.jobs().iter().for_each(|&job| nodes.learn(view, job));
        nodes
    }

    fn remove_all(&mut self) {
        let empty = |&class: &usize| {
            let free = self.capacities.classes[class].clone();
            NodeState { class, load: vec![0; free.len()], free }
        };
        self.nodes = self.capacities.class_of.iter().map(empty).collect();
        if let Some(devices) = &mut self.devices {
            devices.remove_all(&self.capacities);
        }
    }

    /// Returns the request of a job for devices, and the devices of the nodes; `None` if it requests
    /// none.
    fn request(&self, job: JobHandle) -> Option<(DeviceRequest, &NodeDevices)> {
        let devices = self.devices.as_ref()?;
        Some((self.sizes[job.index()].devices?, devices))
    }

    /// Counts the requested tasks that fit into a node.
    fn fit_count_of(&self, number: usize, wanted: PlacementRequest) -> u32 {
        let (node, size) = (&self.nodes[number], &self.sizes[wanted.task.job.index()]);
        if !size.allowed[node.class] {
            return 0;
        }
        let tasks = tasks_that_fit(&node.free, size, self.max_per_node(node.class, wanted));
        match self.request(wanted.task.job) {
            Some((request, devices)) => devices.room(number, request).min(tasks.into()) as u32,
            None => tasks,
        }
    }

    /// Returns the maximum number of the requested tasks on a node of a class: all, or as many as
    /// can have their full needs there.
    fn max_per_node(&self, class: usize, wanted: PlacementRequest) -> u32 {
        let used = self.sizes[wanted.task.job.index()].used.iter().zip(&self.capacities.classes[class]);
        let beside = used.filter_map(|(used, capacity)| capacity.checked_div(*used)).min();
        let beside = beside
            .filter(|_| wanted.max_per_node.is_some())
            .map(|most| u32::try_from(most).unwrap_or(u32::MAX));
        beside.map_or(wanted.tasks, |beside| beside.clamp(1, wanted.tasks))
    }

    /// Computes the time per unit of work of a further task on a node, if yields are in proportion
    /// to weights, and the load of the node.
    fn slowness(&self, node: &NodeState, size: &TaskSize, weight: u64) -> (f64, f64) {
        let capacities = &self.capacities.classes[node.class];
        let loads = (0..capacities.len()).filter(|&dimension| size.used[dimension] > 0).map(|dimension| {
            let load = node.load[dimension] + u128::from(weight) * u128::from(size.used[dimension]);
            load as f64 / capacities[dimension] as f64
        });
        let of_others = node.load[CPU] as f64 / capacities[CPU] as f64;
        let load = loads.fold(of_others, f64::max);
        ((load / weight as f64).max(1.0) / self.speeds[node.class].as_f64(), load)
    }

    fn change(&mut self, node: usize, task: Task, tasks: u32, comes: bool) {
        let NodeState { free, load, .. } = &mut self.nodes[node];
        let TaskSize { held, used, .. } = &self.sizes[task.job.index()];
        for dimension in 0..free.len() {
            let held = held[dimension] * u64::from(tasks);
            let used = u128::from(used[dimension]) * u128::from(task.weight) * u128::from(tasks);
            if comes {
                free[dimension] -= held;
                load[dimension] += used;
            } else {
                free[dimension] += held;
                load[dimension] -= used;
            }
        }
    }
}

impl Nodes for UnequalNodes {
    fn without_tasks(&self) -> Box<dyn Nodes> {
        let mut emptied = self.clone();
        emptied.remove_all();
        Box::new(emptied)
    }
    fn learn(&mut self, view: View<'_>, job: JobHandle) {
        let (seen, demand) = (view.job(job), view.demand(job));
        let mut size = TaskSize {
            held: vec![u64::from(seen.memory().units()), 0],
            used: vec![0, u64::from(seen.cpu_need().units())],
            allowed: (0..self.speeds.len()).map(|class| view.fits(job, class)).collect(),
            devices: self.devices.as_ref().and_then(|_| {
                let at = view.classes()?.devices()?;
                demand?.devices(at)
            }),
        };
        self.devices.iter_mut().for_each(|devices| devices.forget(job));
        let resources = view.classes().into_iter().flat_map(NodeClasses::resources);
        for (resource, asked) in resources.zip(demand.into_iter().flat_map(|it| &it.resources)) {
            size.held.push(asked.held(resource.sharing));
            size.used.push(asked.usable(resource.sharing));
        }
        if self.sizes.len() <= job.index() {
            self.sizes.resize_with(view.handles(), TaskSize::default);
        }
        if self.capacities.devices_are_shared {
            let mut shares = size.clone();
            shares.used.push(size.devices.map_or(0, |request| request.part));
            if self.share_sizes.len() <= job.index() {
                self.share_sizes.resize_with(view.handles(), TaskSize::default);
            }
            self.share_sizes[job.index()] = shares;
        }
        self.sizes[job.index()] = size;
    }
    fn can_fit(&self, view: View<'_>, job: JobHandle, on_all: bool) -> bool {
        let (size, tasks) = (&self.sizes[job.index()], view.job(job).tasks());
        let room = |class: usize| {
            if !size.allowed[class] {
                return 0;
            }
            let room = u64::from(tasks_that_fit(&self.capacities.classes[class], size, tasks));
            let on_devices = |request: DeviceRequest| {
                let count = self.capacities.devices[class];
                match self.capacities.devices_are_shared {
                    true => room_on_shared(count, request),
                    false => request.tasks_in(&vec![WHOLE_DEVICE; count]),
                }
            };
            size.devices.map_or(room, |request| on_devices(request).min(room))
        };
        let rooms: u64 = if on_all {
            self.counts.iter().enumerate().map(|(class, &count)| u64::from(count) * room(class)).sum()
        } else {
            self.nodes.iter().map(|node| room(node.class)).sum()
        };
        rooms >= u64::from(tasks)
    }
    fn add(&mut self, placement: &[NodeRange], task: Task) {
        for range in placement {
            range.indices().for_each(|node| self.change(node, task, range.tasks, true));
        }
        if let Some(request) = self.request(task.job).map(|(request, _)| request)
            && let Some(devices) = self.devices.as_mut()
        {
            devices.add(task.job, request, placement);
        }
    }
    fn remove(&mut self, placement: &[NodeRange], task: Task) {
        for range in placement {
            range.indices().for_each(|node| self.change(node, task, range.tasks, false));
        }
        if let Some(request) = self.request(task.job).map(|(request, _)| request)
            && let Some(devices) = self.devices.as_mut().filter(|_| !placement.is_empty())
        {
            devices.remove(task.job, request);
        }
    }
    fn has_devices(&self) -> bool {
        self.devices.is_some()
    }
    fn devices(&self, job: JobHandle) -> &[(u32, OnDevices)] {
        self.devices.as_ref().map_or(&[], |devices| devices.of(job))
    }
    fn remember_devices(&mut self, job: JobHandle, on: DevicesOnNodes) {
        self.devices.iter_mut().for_each(|devices| devices.remember(job, on.clone()));
    }
    fn bind_mapping(&self, jobs: &[MappedJob<'_>]) -> Vec<DevicesOnNodes> {
        let request = |job: &MappedJob<'_>| {
            let request = self.sizes[job.job.index()].devices?;
            Some(self.capacities.request_at(request, job.packed))
        };
        let devices = |node: u32| self.capacities.devices[self.nodes[node as usize].class];
        let groups = |node: u32| self.capacities.device_groups_of(node as usize);
        bind_mapping(jobs, request, |node| (devices(node), groups(node)))
    }
    fn can_add(&self, placement: &[NodeRange], task: Task) -> bool {
        let size = &self.sizes[task.job.index()];
        let has_room = placement.iter().all(|range| {
            self.nodes[range.indices()]
                .iter()
                .all(|node| tasks_that_fit(&node.free, size, range.tasks) == range.tasks)
        });
        let devices = self.request(task.job);
        has_room && devices.is_none_or(|(request, devices)| devices.can_add(task.job, request, placement))
    }
    fn fit_count_on(&self, placement: &[NodeRange], wanted: PlacementRequest) -> u64 {
        let nodes = placement.iter().flat_map(|range| range.indices());
        nodes.map(|node| u64::from(self.fit_count_of(node, wanted))).sum()
    }
    fn fit_count(&self, wanted: PlacementRequest) -> u64 {
        (0..self.nodes.len()).map(|node| u64::from(self.fit_count_of(node, wanted))).sum()
    }
    /// Places tasks on the node where they progress fastest. Ties: the lowest load, then the lowest
    /// node number.
    fn place_greedily(&mut self, wanted: PlacementRequest, placement: &mut Vec<NodeRange>) -> bool {
        let rooms: Vec<u32> = (0..self.nodes.len()).map(|node| self.fit_count_of(node, wanted)).collect();
        if rooms.iter().map(|&room| u64::from(room)).sum::<u64>() < u64::from(wanted.tasks) {
            return false;
        }
        let task = wanted.task;
        let slowness = |nodes: &UnequalNodes, node: usize| {
            nodes.slowness(&nodes.nodes[node], &nodes.sizes[task.job.index()], task.weight.into())
        };
        let mut fitting: Vec<(usize, (f64, f64))> = Vec::new();
        fitting.extend(
            (0..rooms.len()).filter(|&node| rooms[node] > 0).map(|node| (node, slowness(self, node))),
        );
        let (mut tasks_on, begin) = (vec![0; rooms.len()], placement.len());
        for _ in 0..wanted.tasks {
            let order = |(_, (_, a)): &(usize, (usize, (f64, f64))),
                         (_, (_, b)): &(usize, (usize, (f64, f64)))| {
                a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
            };
            let best = fitting.iter().copied().enumerate().min_by(order);
            let (place, (node, _)) = best.expect("a node must remain while tasks are unplaced");
            self.change(node, task, 1, true);
            tasks_on[node] += 1;
            if tasks_on[node] == rooms[node] {
                fitting.remove(place);
            } else {
                fitting[place].1 = slowness(self, node);
            }
        }
        for (node, tasks) in (0..).map(NodeId).zip(tasks_on).filter(|(_, tasks)| *tasks > 0) {
            NodeRange { first: node, nodes: 1, tasks }.push_onto(placement);
        }
        if let Some(request) = self.request(task.job).map(|(request, _)| request)
            && let Some(devices) = self.devices.as_mut()
        {
            devices.add_anew(task.job, request, &placement[begin..]);
        }
        true
    }
    fn sizes(&self) -> Option<&[TaskSize]> {
        Some(&self.sizes)
    }
    fn mcb(&self, options: McbOptions) -> Mcb {
        Mcb::on(Arc::clone(&self.capacities), options)
    }
    fn shares(&self) -> Shares {
        if !self.capacities.devices_are_shared {
            return Shares::on(Arc::clone(&self.capacities));
        }
        let mut all = Capacities::clone(&self.capacities);
        all.classes.iter_mut().for_each(|class| class.push(UNLIMITED));
        all.wholes.push(WHOLE_DEVICE);
        let device = [vec![UNLIMITED; all.wholes.len() - 1], vec![WHOLE_DEVICE]].concat();
        let devices = vec![all.classes.len(); self.nodes.len() * MOST_DEVICES];
        all.class_of.extend(devices);
        all.classes.push(device);
        Shares::on(Arc::new(all))
    }
    fn share_sizes(&self) -> Option<&[TaskSize]> {
        Some(if self.capacities.devices_are_shared { &self.share_sizes } else { &self.sizes })
    }
    /// Appends the nodes of a placement and, if they are shared, the devices, which have the numbers after
    /// those of the nodes, as many for each node. Each of them limits the job as a node of its own.
    fn parts(&self, job: JobHandle, placement: &[NodeRange], parts: &mut Vec<NodeTasks>) {
        parts.extend(Placement::new(placement));
        if !self.capacities.devices_are_shared || placement.is_empty() {
            return;
        }
        let first = self.nodes.len() as u32;
        for &(node, on) in self.devices(job) {
            parts.extend(on.iter().map(|(device, tasks)| NodeTasks {
                node: NodeId(first + node * MOST_DEVICES as u32 + device as u32),
                tasks: tasks.into(),
            }));
        }
    }
    /// Models eligibility for classes as a resource that only the eligible classes have. A last
    /// resource, which no task requests, makes classes distinct. Amounts beyond 32 bits are rounded:
    /// down for nodes, up for tasks.
    fn instance(&self, view: View<'_>, jobs: &[JobHandle]) -> Instance {
        let sizes: Vec<&TaskSize> = jobs.iter().map(|job| &self.sizes[job.index()]).collect();
        let mut patterns: Vec<&[bool]> = sizes.iter().map(|size| &size.allowed[..]).collect();
        patterns.sort_unstable();
        patterns.dedup();
        let (rigid, shared): (Vec<usize>, Vec<usize>) =
            (0..self.shared.len()).partition(|&it| !self.shared[it]);
        let bits = |dimension: usize| {
            let most = self.capacities.classes.iter().map(|class| class[dimension]).max().unwrap_or(0);
            (u64::BITS - most.leading_zeros()).saturating_sub(u32::BITS)
        };
        let vector = |held: &dyn Fn(usize) -> u64,
                      of_pattern: &dyn Fn(&[bool]) -> u32,
                      class: u32|
         -> Box<[u32]> {
            let amount = |&dimension: &usize| u32::try_from(held(dimension)).unwrap_or(u32::MAX);
            let patterns = patterns.iter().map(|pattern| of_pattern(pattern));
            rigid.iter().map(amount).chain(patterns).chain([class]).chain(shared.iter().map(amount)).collect()
        };
        let node = |&class: &usize| {
            let amounts = &self.capacities.classes[class];
            let of_pattern = |pattern: &[bool]| u32::from(pattern[class]) << (u32::BITS - 2);
            vector(&|dimension| amounts[dimension] >> bits(dimension), &of_pattern, class as u32)
        };
        let offline = |(&job, size): (&JobHandle, &&TaskSize)| {
            let amount = |dimension: usize| {
                (size.held[dimension] + size.used[dimension]).div_ceil(1 << bits(dimension))
            };
            let of_pattern = |pattern: &[bool]| u32::from(pattern == size.allowed);
            OfflineJob {
                tasks: view.job(job).tasks(),
                demand: vector(&amount, &of_pattern, 0),
                least_yield: Yield::ZERO,
            }
        };
        Instance {
            fixed: rigid.len() + patterns.len() + 1,
            fluid: shared.len(),
            nodes: self.capacities.class_of.iter().map(node).collect(),
            jobs: jobs.iter().zip(&sizes).map(offline).collect(),
        }
    }
}
