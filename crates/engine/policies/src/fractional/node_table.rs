//! The nodes while a decision is being made.

use dfrsim_cluster::JobView;
use dfrsim_model::{NodeId, NodeTasks, Share};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Free memory and CPU load of each node under the mapping that is being made.
#[derive(Debug)]
pub(super) struct NodeTable {
    nodes: Vec<NodeLoad>,
    /// The nodes that can take a task of the job being placed, by load, then number.
    candidates: BinaryHeap<Reverse<(u64, u32)>>,
    /// Tasks of the job being placed, by node; all zero in between.
    tasks_on: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct NodeLoad {
    /// In share units.
    free_memory: u32,
    /// The sum of the needs of the tasks here (not of what they get), in share units.
    need: u64,
}

/// What one task takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskSize {
    pub(super) need: Share,
    pub(super) memory: Share,
}

impl TaskSize {
    pub(super) fn of(job: JobView<'_>) -> TaskSize {
        TaskSize { need: job.cpu_need(), memory: job.memory() }
    }
}

impl NodeTable {
    pub(super) fn new(nodes: u32) -> NodeTable {
        NodeTable {
            nodes: vec![NodeLoad { free_memory: Share::ONE.units(), need: 0 }; nodes as usize],
            candidates: BinaryHeap::with_capacity(nodes as usize),
            tasks_on: vec![0; nodes as usize],
        }
    }

    pub(super) fn add(&mut self, placement: &[NodeTasks], task: TaskSize) {
        for part in placement {
            let load = &mut self.nodes[part.node.index()];
            load.free_memory -= task.memory.units() * part.tasks;
            load.need += u64::from(task.need.units()) * u64::from(part.tasks);
        }
    }

    pub(super) fn remove(&mut self, placement: &[NodeTasks], task: TaskSize) {
        for part in placement {
            let load = &mut self.nodes[part.node.index()];
            load.free_memory += task.memory.units() * part.tasks;
            load.need -= u64::from(task.need.units()) * u64::from(part.tasks);
        }
    }

    /// The free memory of each node.
    pub(super) fn free_memory(&self) -> impl Iterator<Item = Share> + '_ {
        let free = |load: &NodeLoad| Share::try_from_units(load.free_memory);
        self.nodes.iter().map(move |load| free(load).expect("at most a node"))
    }

    /// Whether all tasks of a placement find their memory free.
    pub(super) fn has_room(&self, placement: &[NodeTasks], memory: Share) -> bool {
        placement.iter().all(|part| self.room_on(part.node, memory, part.tasks) == part.tasks)
    }

    /// How many tasks of this size the free memory of one node takes, at most `most`.
    pub(super) fn room_on(&self, node: NodeId, memory: Share, most: u32) -> u32 {
        let free = self.nodes[node.index()].free_memory;
        free.checked_div(memory.units()).map_or(most, |room| room.min(most))
    }

    /// How many tasks of this size the free memory of all nodes takes, at most `most` on one node.
    pub(super) fn room(&self, memory: Share, most: u32) -> u64 {
        let nodes = (0..self.nodes.len() as u32).map(NodeId);
        nodes.map(|node| u64::from(self.room_on(node, memory, most))).sum()
    }

    /// The Greedy mapping (section 5.2.1): task after task on the node with enough free memory and the smallest load;
    /// ties: the lowest node. Adds the tasks and appends their places, or changes nothing if they do not all fit.
    pub(super) fn place_greedily(
        &mut self,
        task: TaskSize,
        tasks: u32,
        placement: &mut Vec<NodeTasks>,
    ) -> bool {
        let memory = task.memory.units();
        let fitting = self.nodes.iter().zip(0..).filter(|(load, _)| load.free_memory >= memory);
        self.candidates.clear();
        self.candidates.extend(fitting.map(|(load, node)| Reverse((load.need, node))));
        let mut placed = 0;
        while placed < tasks {
            // The top is changed in place: its sinking is all that a task costs.
            let Some(mut top) = self.candidates.peek_mut() else { break };
            let node = top.0.1 as usize;
            self.tasks_on[node] += 1;
            placed += 1;
            let left = self.nodes[node].free_memory - memory * (self.tasks_on[node] - 1) - memory;
            if left >= memory {
                top.0.0 += u64::from(task.need.units());
            } else {
                std::collections::binary_heap::PeekMut::pop(top);
            }
        }
        let begin = placement.len();
        for (node, tasks) in self.tasks_on.iter_mut().enumerate().filter(|(_, tasks)| **tasks > 0) {
            placement.push(NodeTasks { node: NodeId(node as u32), tasks: std::mem::take(tasks) });
        }
        if placed < tasks {
            placement.truncate(begin);
            return false;
        }
        self.add(&placement[begin..], task);
        true
    }
}
