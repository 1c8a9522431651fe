//! The nodes while a decision is being made.

mod equal;
mod room;
mod segments;
mod unequal;

pub(super) use room::Room;

use super::available::Available;
use dfrsim_cluster::{JobHandle, JobView, NodeRange, Placement, View};
use dfrsim_model::offline::Instance;
use dfrsim_model::platform::classes::NodeClass;
use dfrsim_model::{NodeTasks, Share, Yield};
use dfrsim_packing::TaskSize;
use dfrsim_packing::mcb::{Mcb, McbOptions};
use dfrsim_packing::shares::Shares;
use equal::EqualNodes;
use std::fmt;
use unequal::UnequalNodes;

/// The amount that one task of a job takes.
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

    /// The load of a task of the job if this is its need.
    pub(super) fn load_of(job: JobView<'_>, need: Share) -> u64 {
        u64::from(job.weight()) * u64::from(need.units())
    }
}

/// What a job looks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) task: Task,
    pub(super) tasks: u32,
    /// How many of them a whole reference node can give their full CPU needs, where no more are to be on a node; where nodes differ,
    /// each counts what it has.
    pub(super) beside: Option<u32>,
}

impl Wanted {
    /// Room for all tasks of a job.
    pub(super) fn of(view: View<'_>, job: JobHandle) -> Wanted {
        Wanted { task: Task::of(view, job), tasks: view.job(job).tasks(), beside: None }
    }

    /// The same so that tasks have their full CPU needs beside each other, at least one to a node.
    pub(super) fn spread(view: View<'_>, job: JobHandle) -> Wanted {
        let wanted = Wanted::of(view, job);
        let need = view.job(job).cpu_need().units();
        let beside = Share::ONE.units().checked_div(need).unwrap_or(wanted.tasks);
        Wanted { beside: Some(beside.clamp(1, wanted.tasks)), ..wanted }
    }
}

/// What is free on each node, and how much it is loaded, under the mapping that is being made. Nodes have the numbers of [`Available`].
pub(super) trait Nodes: fmt::Debug {
    /// The same nodes without any tasks.
    fn emptied(&self) -> Box<dyn Nodes>;
    /// Whether they are alike, so that memory and CPU are all that counts.
    fn are_alike(&self) -> bool {
        false
    }
    /// A job is submitted: learns what it asks for.
    fn learn(&mut self, _view: View<'_>, _job: JobHandle) {}
    /// Whether a job fits if no other job is there: on these nodes, or on all nodes of the cluster.
    fn fit(&self, view: View<'_>, job: JobHandle, on_all: bool) -> bool;
    /// Tasks of a job come.
    fn add(&mut self, placement: &[NodeRange], task: Task);
    /// Takes away what was added with the same placement.
    fn remove(&mut self, placement: &[NodeRange], task: Task);
    /// Whether all tasks of a placement find room.
    fn have_room(&self, placement: &[NodeRange], task: Task) -> bool;
    /// How many of the wanted tasks the nodes of a placement have room for, at most as many as are wanted on each of them.
    fn room_on(&self, placement: &[NodeRange], wanted: Wanted) -> u64;
    /// The same of all nodes. Greedy places all tasks if and only if it is enough for them.
    fn room(&self, wanted: Wanted) -> u64;
    /// Notes the room that there is now.
    fn note(&self, _room: &mut Room) {}
    /// Whether the room that was noted takes all wanted tasks.
    fn take(&self, _room: &mut Room, wanted: Wanted) -> bool {
        self.room(wanted) >= u64::from(wanted.tasks)
    }
    /// The Greedy mapping (section 5.2.1): task after task on the best node that has room for it. Adds the tasks and appends their places,
    /// or does not change anything if they do not all fit.
    fn place_greedily(&mut self, wanted: Wanted, placement: &mut Vec<NodeRange>) -> bool;
    /// By handle: what a task asks for in all dimensions, where nodes differ.
    fn sizes(&self) -> Option<&[TaskSize]> {
        None
    }
    /// MCB on these nodes.
    fn mcb(&self, options: McbOptions) -> Mcb;
    /// Shares of these nodes.
    fn shares(&self) -> Shares;
    /// Numbers nodes for [`Nodes::parts`]: all, or only those where tasks may need more CPU than a node has.
    fn number(&mut self, _only_contested: bool) {}
    /// Appends a placement by the numbers of nodes, or of groups of nodes that share CPU in the same way.
    fn parts(&self, placement: &[NodeRange], parts: &mut Vec<NodeTasks>) {
        parts.extend(Placement::new(placement));
    }
    /// The problem of mapping these jobs to the empty nodes, in which nodes are identical only if they are alike.
    fn instance(&self, view: View<'_>, jobs: &[JobHandle]) -> Instance;
}

/// The available nodes of a cluster, without tasks.
pub(super) fn nodes(view: View<'_>, available: &Available) -> Box<dyn Nodes> {
    let reference = u64::from(Share::ONE.units());
    let differ = view.classes().is_some_and(|all| {
        let is_reference = |class: &NodeClass| {
            class.cpu == reference && class.memory == reference && class.speed == Yield::ONE
        };
        !(all.resources().is_empty() && all.features().is_empty() && all.classes().iter().all(is_reference))
    });
    if differ { Box::new(UnequalNodes::new(view, available)) } else { equal(available.count()) }
}

/// This many nodes that are alike, without tasks.
pub(super) fn equal(count: u32) -> Box<dyn Nodes> {
    Box::new(EqualNodes::new(count))
}
