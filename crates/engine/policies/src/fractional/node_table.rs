//! The nodes while a decision is being made.

use dfrsim_cluster::JobView;
use dfrsim_model::{NodeId, NodeTasks, Share};
use std::collections::VecDeque;

/// Free memory and CPU load of each node under the mapping that is being made.
#[derive(Debug)]
pub(super) struct NodeTable {
    nodes: Vec<NodeLoad>,
    /// The nodes that can take a task of the job being placed and have none yet, by load, then number.
    candidates: Vec<(u64, u32)>,
    /// Those that have some and can take another, in the same order.
    again: VecDeque<(u64, u32)>,
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

/// The amount that one task takes.
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
            candidates: Vec::with_capacity(nodes as usize),
            again: VecDeque::new(),
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
    /// ties: the lowest node; at most `most` tasks on one node. Adds the tasks and appends their places, or does not
    /// change the table if they do not all fit.
    pub(super) fn place_greedily(
        &mut self,
        task: TaskSize,
        tasks: u32,
        most: u32,
        placement: &mut Vec<NodeTasks>,
    ) -> bool {
        let memory = task.memory.units();
        let fitting = self.nodes.iter().zip(0..).filter(|(load, _)| load.free_memory >= memory);
        self.candidates.clear();
        self.candidates.extend(fitting.map(|(load, node)| (load.need, node)));
        // Among as many nodes as tasks there is always one without a task, and it comes before all others.
        let enough = tasks as usize;
        if enough < self.candidates.len() {
            self.candidates.select_nth_unstable(enough);
            self.candidates.truncate(enough);
        }
        self.candidates.sort_unstable();
        self.again.clear();
        let mut fresh = self.candidates.iter().copied().peekable();
        let mut placed = 0;
        while placed < tasks {
            // Nodes come back in the order in which they were taken, each with the same need more.
            let is_fresh = match (fresh.peek(), self.again.front()) {
                (Some(fresh), Some(again)) => fresh < again,
                (fresh, _) => fresh.is_some(),
            };
            let next = if is_fresh { fresh.next() } else { self.again.pop_front() };
            let Some((load, node)) = next else { break };
            let tasks_here = &mut self.tasks_on[node as usize];
            *tasks_here += 1;
            placed += 1;
            let free = self.nodes[node as usize].free_memory - memory * *tasks_here;
            if *tasks_here < most && free >= memory {
                self.again.push_back((load + u64::from(task.need.units()), node));
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Task after task on the first node of the smallest load that has room: how many are on each, if all fit.
    fn one_by_one(table: &NodeTable, task: TaskSize, tasks: u32, most: u32) -> Option<Vec<u32>> {
        let mut nodes = table.nodes.clone();
        let mut tasks_on = vec![0; nodes.len()];
        for _ in 0..tasks {
            let has_room =
                |node: &usize| nodes[*node].free_memory >= task.memory.units() && tasks_on[*node] < most;
            let fitting = (0..nodes.len()).filter(has_room);
            let node = fitting.min_by_key(|&node| nodes[node].need)?;
            nodes[node].free_memory -= task.memory.units();
            nodes[node].need += u64::from(task.need.units());
            tasks_on[node] += 1;
        }
        Some(tasks_on)
    }

    proptest! {
        #[test]
        fn greedy_is_one_task_after_the_other(
            nodes in 1_u32..12,
            jobs in prop::collection::vec((0_u64..=4, 0_u64..=10, 1_u32..16, 1_u32..16, any::<bool>()), 1..30),
        ) {
            let mut table = NodeTable::new(nodes);
            let mut placed: Vec<(TaskSize, Vec<NodeTasks>)> = Vec::new();
            for (need, memory, tasks, most, leaves) in jobs {
                let task = TaskSize { need: Share::from_ratio(need, 4), memory: Share::from_ratio(memory, 10) };
                let expected = one_by_one(&table, task, tasks, most);
                let mut placement = Vec::new();
                prop_assert_eq!(table.place_greedily(task, tasks, most, &mut placement), expected.is_some());
                let parts = (0..).zip(expected.unwrap_or_default()).filter(|&(_, tasks)| tasks > 0);
                let expected: Vec<NodeTasks> =
                    parts.map(|(node, tasks)| NodeTasks { node: NodeId(node), tasks }).collect();
                prop_assert_eq!(&placement, &expected);
                placed.push((task, placement));
                if leaves {
                    let (task, placement) = placed.swap_remove(placed.len() / 2);
                    table.remove(&placement, task);
                }
            }
        }
    }
}
