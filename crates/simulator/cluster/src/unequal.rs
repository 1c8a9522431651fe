//! Heterogeneous nodes, and the jobs' requirements beyond CPU and memory.

use crate::common::CommonUse;
use crate::devices::DeviceState;
use crate::node_loads::NodeLoads;
use crate::sleep::NodeStates;
use crate::{JobHandle, NodeRange, Placement, Rule};
use dfrsim_model::platform::classes::{Demand, NodeClass, NodeClasses, UnequalNodes};
use dfrsim_model::platform::devices::{DeviceRequest, OnDevices};
use dfrsim_model::{Job, NodeId, Share, SimTime, Yield};
use std::ops::Range;
use std::sync::Arc;

/// State of heterogeneous nodes. CPU and memory in use are in [`NodeLoads`], as for every cluster.
#[derive(Debug)]
pub(crate) struct UnequalState {
    nodes: Arc<UnequalNodes>,
    /// Requirements of each job, by handle.
    demands: Vec<Demand>,
    /// Amount in use of each resource, in units of 2^-20 share units of one. All resources of a node
    /// are followed by those of the next.
    used: Vec<u128>,
    devices: Option<DeviceState>,
    common: CommonUse,
    /// States of the nodes; `None` if all stay awake.
    pub(crate) sleep: Option<NodeStates>,
}

impl UnequalState {
    pub(crate) fn new(nodes: Arc<UnequalNodes>) -> UnequalState {
        let classes = &nodes.classes;
        let used = vec![0; classes.nodes() as usize * classes.resources().len()];
        let devices = DeviceState::new(classes);
        let common = CommonUse::new(classes.common());
        let sleep = NodeStates::new(classes);
        UnequalState { nodes, demands: Vec::new(), used, devices, common, sleep }
    }
    /// Keeps the amounts in use of the resources of the whole cluster, with which those after a decision
    /// are compared.
    pub(crate) fn keep_common_use(&mut self) {
        self.common.keep();
    }
    /// Finds a resource of the whole cluster that is exceeded, and of which more is in use than was kept.
    pub(crate) fn exceeded_common(&self, now: SimTime) -> Option<Rule> {
        self.common.violated_rule(now, self.classes().common())
    }
    /// Returns the devices of each node that a job holds; empty if it requests none.
    pub(crate) fn devices(&self, job: JobHandle) -> &[(u32, OnDevices)] {
        self.devices.as_ref().map_or(&[], |devices| devices.held(job))
    }
    /// Returns the request of a job for devices, and their state; `None` if it requests none.
    fn device_request(&mut self, job: JobHandle) -> Option<(DeviceRequest, &mut DeviceState)> {
        let devices = self.devices.as_mut()?;
        Some((self.demands[job.index()].devices(devices.resource)?, devices))
    }
    /// Assigns tasks of a job, which holds no devices, to those that a decision names, or else to those
    /// that the rule of the platform chooses.
    pub(crate) fn bind(
        &mut self,
        job: JobHandle,
        placement: Placement<'_>,
        named: &[(u32, OnDevices)],
        at: Yield,
    ) {
        if self.devices.is_none() {
            return;
        }
        let nodes = Arc::clone(&self.nodes);
        if let Some((request, devices)) = self.device_request(job) {
            devices.bind(job, request, placement, named, at, &nodes.classes);
        }
    }
    /// Sets the yield of a job, which keeps its devices.
    pub(crate) fn set_device_yield(&mut self, job: JobHandle, at: Yield) {
        if let Some((request, devices)) = self.device_request(job) {
            devices.set_yield(job, request, at);
        }
    }
    /// Releases the devices of a job.
    pub(crate) fn unbind(&mut self, job: JobHandle) {
        if let Some((request, devices)) = self.device_request(job) {
            devices.release(job, request);
        }
    }
    /// Counts the tasks of a job that a migration from these nodes moves, if they have devices: those that
    /// leave their node or one of their devices. `None` if they have none.
    pub(crate) fn moved(&self, job: JobHandle, before: Placement<'_>) -> Option<u32> {
        let devices = self.devices.as_ref()?;
        let request = self.demand(job).devices(devices.resource)?;
        Some(devices.moved(job, request, before))
    }
    pub(crate) fn classes(&self) -> &NodeClasses {
        &self.nodes.classes
    }
    pub(crate) fn demand(&self, job: JobHandle) -> &Demand {
        &self.demands[job.index()]
    }

    /// Stores the requirements of an arriving job.
    pub(crate) fn submit(&mut self, handle: JobHandle, job: &Job) {
        if self.demands.len() <= handle.index() {
            self.demands.resize_with(handle.index() + 1, Demand::default);
        }
        self.nodes.set_demand(job, &mut self.demands[handle.index()]);
    }

    /// Returns the speed of the slowest of the nodes at a level.
    pub(crate) fn speed_on(&self, placement: Placement<'_>, level: u8) -> Yield {
        let classes = self.classes();
        if classes.classes().len() == 1 {
            return classes.speed_at(0, level);
        }
        let of_range = |range: &NodeRange| {
            let nodes = range.indices();
            let (first, last) =
                (classes.class_of(nodes.start as u32), classes.class_of(nodes.end as u32 - 1));
            (first..=last).map(|class| classes.speed_at(class, level)).min()
        };
        placement.ranges().iter().filter_map(of_range).min().unwrap_or(Yield::ONE)
    }

    fn change(
        &mut self,
        job: JobHandle,
        placement: Placement<'_>,
        (at, level): (Yield, u8),
        change: impl Fn(&mut u128, u128),
    ) {
        let (resources, demand) = (self.nodes.classes.resources(), &self.demands[job.index()]);
        if !demand.common.is_empty() && !placement.is_empty() {
            self.common.change(self.nodes.classes.common(), demand, (at, level), &change);
        }
        if resources.is_empty() || demand.resources.iter().all(|asked| asked.count == 0) {
            return;
        }
        for part in placement {
            let first = part.node.index() * resources.len();
            let used = &mut self.used[first..first + resources.len()];
            for ((used, resource), asked) in used.iter_mut().zip(resources).zip(&demand.resources) {
                let held = u128::from(asked.held(resource.sharing)) << Yield::BITS;
                let shared = u128::from(asked.usable(resource.sharing)) * u128::from(at.units());
                change(used, u128::from(part.tasks) * (held + shared));
            }
        }
    }
    /// Adds the use of a job's tasks at a yield and a level.
    pub(crate) fn add(&mut self, job: JobHandle, placement: Placement<'_>, at: (Yield, u8)) {
        self.change(job, placement, at, |used, more| *used += more);
    }
    /// Removes the use that was added with the same arguments.
    pub(crate) fn remove(&mut self, job: JobHandle, placement: Placement<'_>, at: (Yield, u8)) {
        self.change(job, placement, at, |used, less| *used -= less);
    }

    /// Finds the first rule that the job violates on its nodes: a missing feature, or an exceeded
    /// capacity.
    pub(crate) fn violated_rule(
        &self,
        job: JobHandle,
        placement: Placement<'_>,
        loads: &NodeLoads,
    ) -> Option<Rule> {
        let of_range = |range: &NodeRange| {
            let mut by_class = self.classes().by_class(range.indices());
            by_class.find_map(|(class, nodes)| self.violated_rule_in(job, class, nodes, loads))
        };
        let violated = placement.ranges().iter().find_map(of_range);
        violated.or_else(|| self.violated_devices(job, placement))
    }
    fn violated_devices(&self, job: JobHandle, placement: Placement<'_>) -> Option<Rule> {
        let devices = self.devices.as_ref()?;
        let request = self.demand(job).devices(devices.resource)?;
        let node = devices.violation(job, request, placement, self.classes())?;
        Some(Rule::Device(node, Arc::clone(&self.classes().resources()[devices.resource].name)))
    }
    /// Finds the first rule that the job violates on consecutive nodes of a class.
    fn violated_rule_in(
        &self,
        job: JobHandle,
        place: usize,
        nodes: Range<usize>,
        loads: &NodeLoads,
    ) -> Option<Rule> {
        let classes = self.classes();
        let (class, demand, first) =
            (&classes.classes()[place], self.demand(job), NodeId(nodes.start as u32));
        let missing = demand.features & !class.features;
        if missing != 0 {
            let name = classes.feature_names(missing).next().unwrap_or_default();
            return Some(Rule::Feature(first, name.into()));
        }
        if let Some(some) = demand.any_of.iter().find(|&&some| some & class.features == 0) {
            let names = classes.feature_names(*some).collect::<Vec<_>>().join("|");
            return Some(Rule::Feature(first, names.into()));
        }
        let capacity = (class.memory, classes.cpu(place));
        if classes.resources().is_empty() {
            return loads.excess_in(nodes, capacity);
        }
        let violated = |node: usize| {
            loads.excess_in(node..node + 1, capacity).or_else(|| self.violated_resource(class, node))
        };
        { nodes }.find_map(violated)
    }
    /// Finds the first resource of a node of a class that is exceeded.
    fn violated_resource(&self, class: &NodeClass, node: usize) -> Option<Rule> {
        let resources = self.classes().resources();
        let used = &self.used[node * resources.len()..];
        let exceeded = resources.iter().zip(used).zip(&class.amounts).find(|((_, used), amount)| {
            let whole = u128::from(Share::ONE.units()) << Yield::BITS;
            **used > u128::from(**amount) * whole
        });
        exceeded.map(|((resource, _), _)| Rule::Resource(NodeId(node as u32), Arc::clone(&resource.name)))
    }
}
