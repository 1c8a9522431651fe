//! Nodes while a decision is being made.

mod equal;
mod free_memory;
mod segments;
mod unequal;

pub(super) use free_memory::FreeMemory;

use super::available::AvailableNodes;
use super::devices::{DevicesOnNodes, MappedJob};
use dfrsim_cluster::{JobHandle, JobView, NodeRange, Placement, View};
use dfrsim_model::offline::Instance;
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{NodeTasks, Share};
use dfrsim_packing::TaskSize;
use dfrsim_packing::mcb::{Mcb, McbOptions};
use dfrsim_packing::shares::Shares;
use equal::EqualNodes;
use std::fmt;
use unequal::UnequalNodes;

/// Resources taken by one task of a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) job: JobHandle,
    pub(super) weight: u32,
    /// Weight * need, in share units.
    pub(super) load: u64,
    pub(super) memory: Share,
}

impl Task {
    pub(super) fn of(view: View<'_>, job: JobHandle) -> Task {
        let seen = view.job(job);
        let (weight, memory) = (seen.weight(), seen.memory());
        Task { job, weight, load: Task::load_of(seen, seen.cpu_need()), memory }
    }

    /// Computes the load of a task of the job, given its need.
    pub(super) fn load_of(job: JobView<'_>, need: Share) -> u64 {
        u64::from(job.weight()) * u64::from(need.units())
    }
}

/// Request for the placement of a job's tasks.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacementRequest {
    pub(super) task: Task,
    pub(super) tasks: u32,
    /// Maximum number of tasks per node, if tasks are to have their full CPU needs; computed for a
    /// whole reference node. Where nodes differ, each node computes its own maximum.
    pub(super) max_per_node: Option<u32>,
}

impl PlacementRequest {
    /// Builds the request for all tasks of a job.
    pub(super) fn of(view: View<'_>, job: JobHandle) -> PlacementRequest {
        PlacementRequest { task: Task::of(view, job), tasks: view.job(job).tasks(), max_per_node: None }
    }

    /// Builds a request in which tasks keep their full CPU needs when they share a node; each node
    /// may take at least one.
    pub(super) fn spread(view: View<'_>, job: JobHandle) -> PlacementRequest {
        let wanted = PlacementRequest::of(view, job);
        let need = view.job(job).cpu_need().units();
        let beside = Share::ONE.units().checked_div(need).unwrap_or(wanted.tasks);
        PlacementRequest { max_per_node: Some(beside.clamp(1, wanted.tasks)), ..wanted }
    }
}

/// Free resources and load of each node under the current mapping. Nodes have the numbers of
/// [`AvailableNodes`].
pub(super) trait Nodes: fmt::Debug {
    /// Returns the same nodes without any tasks.
    fn without_tasks(&self) -> Box<dyn Nodes>;
    /// Returns whether all nodes are identical, so that only memory and CPU matter.
    fn is_homogeneous(&self) -> bool {
        false
    }
    /// Learns the request of a submitted job.
    fn learn(&mut self, _view: View<'_>, _job: JobHandle) {}
    /// Returns whether a job fits into empty nodes: into these nodes, or into all nodes of the
    /// cluster.
    fn can_fit(&self, view: View<'_>, job: JobHandle, on_all: bool) -> bool;
    /// Adds tasks of a job.
    fn add(&mut self, placement: &[NodeRange], task: Task);
    /// Removes tasks that were added with the same placement.
    fn remove(&mut self, placement: &[NodeRange], task: Task);
    /// Returns whether all tasks of a placement fit.
    fn can_add(&self, placement: &[NodeRange], task: Task) -> bool;
    /// Counts the requested tasks that fit into the nodes of a placement, at most the requested
    /// number on each of them.
    fn fit_count_on(&self, placement: &[NodeRange], wanted: PlacementRequest) -> u64;
    /// Counts the requested tasks that fit into all nodes. Greedy places all tasks if and only if
    /// the count is sufficient.
    fn fit_count(&self, wanted: PlacementRequest) -> u64;
    /// Stores the current free memory of the nodes.
    fn store_free_memory(&self, _room: &mut FreeMemory) {}
    /// Returns whether all requested tasks fit into the stored free memory.
    fn fits(&self, _room: &mut FreeMemory, wanted: PlacementRequest) -> bool {
        self.fit_count(wanted) >= u64::from(wanted.tasks)
    }
    /// Places tasks by Greedy (section 5.2.1): each task in turn on the best node where it fits.
    /// Adds the tasks and appends their placement, or changes nothing if they do not all fit.
    fn place_greedily(&mut self, wanted: PlacementRequest, placement: &mut Vec<NodeRange>) -> bool;
    /// Returns, by handle, the request of a task in all dimensions; `None` if nodes are identical.
    fn sizes(&self) -> Option<&[TaskSize]> {
        None
    }
    /// Returns, by handle, the request of a task in all dimensions of [`Nodes::shares`]; `None` if nodes
    /// are identical.
    fn share_sizes(&self) -> Option<&[TaskSize]> {
        None
    }
    /// Returns whether nodes have devices.
    fn has_devices(&self) -> bool {
        false
    }
    /// Returns the devices of a job's last placement, by node.
    fn devices(&self, _job: JobHandle) -> &[(u32, OnDevices)] {
        &[]
    }
    /// Sets the devices that a job gets if it is added to just these nodes.
    fn remember_devices(&mut self, _job: JobHandle, _on: DevicesOnNodes) {}
    /// Determines the devices of all jobs of a new mapping.
    fn bind_mapping(&self, jobs: &[MappedJob<'_>]) -> Vec<DevicesOnNodes> {
        vec![DevicesOnNodes::new(); jobs.len()]
    }
    /// Creates an MCB mapper for these nodes.
    fn mcb(&self, options: McbOptions) -> Mcb;
    /// Creates a CPU divider for these nodes.
    fn shares(&self) -> Shares;
    /// Numbers nodes for [`Nodes::parts`]: all, or only those where tasks may need more CPU than a
    /// node has.
    fn number_nodes(&mut self, _only_contested: bool) {}
    /// Appends a placement by the numbers of nodes, or of groups of nodes that divide their CPU in
    /// the same way.
    fn parts(&self, _job: JobHandle, placement: &[NodeRange], parts: &mut Vec<NodeTasks>) {
        parts.extend(Placement::new(placement));
    }
    /// Builds the offline instance that maps these jobs to the empty nodes. Its nodes are identical
    /// only if these are.
    fn instance(&self, view: View<'_>, jobs: &[JobHandle]) -> Instance;
}

/// Creates the available nodes of a cluster, without tasks.
pub(super) fn nodes(view: View<'_>, available: &AvailableNodes) -> Box<dyn Nodes> {
    let differ = view.classes().is_some_and(|all| !all.are_equal());
    if differ { Box::new(UnequalNodes::new(view, available)) } else { equal(available.count()) }
}

/// Creates identical nodes without tasks.
pub(super) fn equal(count: u32) -> Box<dyn Nodes> {
    Box::new(EqualNodes::new(count))
}
