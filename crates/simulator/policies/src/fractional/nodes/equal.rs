//! Identical nodes, stored as segments of adjacent nodes in the same state.

use super::segments::Segments;
use super::{FreeMemory, Nodes, PlacementRequest, Task};
use dfrsim_cluster::{JobHandle, NodeRange, View};
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Share, Yield};
use dfrsim_packing::mcb::{Mcb, McbOptions};
use dfrsim_packing::shares::Shares;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Free memory and CPU load of each node under the current mapping.
#[derive(Debug)]
pub(super) struct EqualNodes {
    segments: Segments,
    /// Load of each node of a segment, by the first node of the segment.
    loads: Vec<NodeLoad>,
    /// Segments that can take tasks of the job being placed and have none yet, by load, then node
    /// number.
    unused: BinaryHeap<Reverse<Candidate>>,
    /// Segments that have tasks of the job being placed and can take more, in the same order.
    reusable: VecDeque<Candidate>,
    /// Segments that have tasks of the job being placed, by their first nodes.
    used: Vec<usize>,
    /// Tasks of the job being placed on the nodes of a segment, by its first node; 0 between
    /// placements.
    tasks_on: Vec<TaskCounts>,
    /// Number of each segment, by its first node; `u32::MAX` if it has none.
    numbers: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct NodeLoad {
    /// Free memory in share units.
    free_memory: u32,
    /// Sum of weight * need of the tasks on the node (independent of their yields), in share units.
    load: u64,
}

/// Nodes of a segment and their load, including tasks of the job being placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    load: u64,
    first: usize,
    nodes: u32,
}

/// Number of tasks of the job being placed on the nodes of a segment.
#[derive(Clone, Copy, Debug, Default)]
struct TaskCounts {
    /// Tasks on each node.
    each: u32,
    /// Number of leading nodes with one more task, if the tasks did not suffice for all.
    more_on: u32,
}

impl EqualNodes {
    /// Creates `nodes` nodes without tasks.
    pub(super) fn new(nodes: u32) -> EqualNodes {
        EqualNodes {
            segments: Segments::new(nodes),
            loads: vec![NodeLoad { free_memory: Share::ONE.units(), load: 0 }; nodes as usize + 1],
            unused: BinaryHeap::new(),
            reusable: VecDeque::new(),
            used: Vec::new(),
            tasks_on: vec![TaskCounts::default(); nodes as usize],
            numbers: vec![0; nodes as usize],
        }
    }

    /// Counts the tasks with this memory that fit into the free memory of each node of a segment, at
    /// most `most`.
    fn fit_count_in(&self, segment: usize, memory: Share, most: u32) -> u32 {
        let free = self.loads[segment].free_memory;
        free.checked_div(memory.units()).map_or(most, |room| room.min(most))
    }

    /// Returns the maximum number of tasks per node.
    fn max_per_node(wanted: PlacementRequest) -> u32 {
        wanted.max_per_node.unwrap_or(wanted.tasks)
    }

    /// Places tasks without CPU need. They do not change the load, so each node is filled before the
    /// next one is used. Returns the number of tasks that do not fit.
    fn pile_up(&mut self, memory: Share, tasks: u32, most: u32, placement: &mut Vec<NodeRange>) -> u32 {
        let (mut left, mut parts) = (tasks, Vec::new());
        while let Some(Reverse(Candidate { first, nodes, .. })) = self.unused.pop().filter(|_| left > 0) {
            let room = self.fit_count_in(first, memory, most);
            let first = NodeId(first as u32);
            let full = NodeRange { first, nodes: nodes.min(left / room), tasks: room };
            left -= full.nodes * room;
            let next = NodeId(first.0 + full.nodes);
            let rest = if full.nodes < nodes { std::mem::take(&mut left) } else { 0 };
            parts.extend([full, NodeRange { first: next, nodes: 1, tasks: rest }]);
        }
        parts.retain(|part| part.nodes > 0 && part.tasks > 0);
        parts.sort_unstable_by_key(|part| part.first);
        parts.into_iter().for_each(|part| part.push_onto(placement));
        left
    }

    /// Places each task with a CPU need on the least loaded node. Returns the number of tasks that
    /// do not fit.
    fn spread_out(&mut self, task: Task, tasks: u32, most: u32, placement: &mut Vec<NodeRange>) -> u32 {
        let memory = task.memory.units();
        self.reusable.clear();
        let mut left = tasks;
        while left > 0 {
            // The queue stays sorted: segments return to it in the order in which they were taken,
            // each with the same additional load.
            let is_fresh = match (self.unused.peek(), self.reusable.front()) {
                (Some(Reverse(fresh)), Some(again)) => fresh < again,
                (fresh, _) => fresh.is_some(),
            };
            let next = if is_fresh {
                self.unused.pop().map(|Reverse(candidate)| candidate)
            } else {
                self.reusable.pop_front()
            };
            let Some(Candidate { load, first, nodes }) = next else { break };
            let on = &mut self.tasks_on[first];
            if on.each == 0 {
                self.used.push(first);
            }
            if left < nodes {
                on.more_on = left;
                left = 0;
                break;
            }
            on.each += 1;
            left -= nodes;
            let free = self.loads[first].free_memory - memory * on.each;
            if on.each < most && free >= memory {
                self.reusable.push_back(Candidate { load: load + task.load, first, nodes });
            }
        }
        self.used.sort_unstable();
        for first in self.used.drain(..) {
            let TaskCounts { each, more_on } = std::mem::take(&mut self.tasks_on[first]);
            let middle = first as u32 + more_on;
            let parts =
                [(first as u32..middle, each + 1), (middle..self.segments.end_of(first) as u32, each)];
            for (nodes, tasks) in parts.into_iter().filter(|(nodes, tasks)| !nodes.is_empty() && *tasks > 0) {
                NodeRange { first: NodeId(nodes.start), nodes: nodes.len() as u32, tasks }
                    .push_onto(placement);
            }
        }
        left
    }
}

impl Nodes for EqualNodes {
    fn without_tasks(&self) -> Box<dyn Nodes> {
        super::equal(self.segments.nodes() as u32)
    }
    fn is_homogeneous(&self) -> bool {
        true
    }
    fn can_fit(&self, view: View<'_>, job: JobHandle, on_all: bool) -> bool {
        let (job, nodes) =
            (view.job(job), if on_all { view.nodes().into() } else { self.segments.nodes() as u64 });
        let on_one = Share::ONE.units().checked_div(job.memory().units()).map_or(u64::MAX, u64::from);
        on_one.saturating_mul(nodes) >= u64::from(job.tasks())
    }
    fn add(&mut self, placement: &[NodeRange], task: Task) {
        for range in placement {
            let nodes = range.indices();
            for end in [nodes.start, nodes.end] {
                if let Some(parted) = self.segments.add_boundary(end) {
                    self.loads[end] = self.loads[parted];
                }
            }
            for (first, _) in self.segments.within(nodes) {
                let load = &mut self.loads[first];
                load.free_memory -= task.memory.units() * range.tasks;
                load.load += task.load * u64::from(range.tasks);
            }
        }
    }

    /// Removes tasks that were added with the same placement.
    fn remove(&mut self, placement: &[NodeRange], task: Task) {
        for range in placement {
            let nodes = range.indices();
            for (first, _) in self.segments.within(nodes.clone()) {
                let load = &mut self.loads[first];
                load.free_memory += task.memory.units() * range.tasks;
                load.load -= task.load * u64::from(range.tasks);
            }
            self.segments.remove_boundary(nodes.start);
            self.segments.remove_boundary(nodes.end);
        }
    }
    fn can_add(&self, placement: &[NodeRange], task: Task) -> bool {
        let has_room = |range: &NodeRange| {
            let mut segments = self.segments.within(range.indices());
            segments.all(|(first, _)| self.fit_count_in(first, task.memory, range.tasks) == range.tasks)
        };
        placement.iter().all(has_room)
    }
    fn fit_count_on(&self, placement: &[NodeRange], wanted: PlacementRequest) -> u64 {
        let segments = placement.iter().flat_map(|range| self.segments.within(range.indices()));
        let room =
            |first| u64::from(self.fit_count_in(first, wanted.task.memory, EqualNodes::max_per_node(wanted)));
        segments.map(|(first, nodes)| room(first) * nodes.len() as u64).sum()
    }
    fn fit_count(&self, wanted: PlacementRequest) -> u64 {
        let room =
            |first| u64::from(self.fit_count_in(first, wanted.task.memory, EqualNodes::max_per_node(wanted)));
        self.segments.all().map(|nodes| room(nodes.start) * nodes.len() as u64).sum()
    }
    fn store_free_memory(&self, room: &mut FreeMemory) {
        let free = |first: usize| Share::try_from_units(self.loads[first].free_memory);
        let segments = self.segments.all();
        room.set(segments.map(|nodes| {
            (free(nodes.start).expect("free memory must be at most that of a node"), nodes.len() as u32)
        }));
    }
    fn fits(&self, room: &mut FreeMemory, wanted: PlacementRequest) -> bool {
        room.fits(wanted.task.memory, wanted.tasks)
    }
    /// Places tasks on the node with enough free memory and the lowest load, in which jobs are
    /// weighted: the higher the load, the lower the yield level that the node allows. Ties: the
    /// lowest node number.
    fn place_greedily(&mut self, wanted: PlacementRequest, placement: &mut Vec<NodeRange>) -> bool {
        let (PlacementRequest { task, tasks, .. }, most) = (wanted, EqualNodes::max_per_node(wanted));
        let memory = task.memory.units();
        let mut fresh = std::mem::take(&mut self.unused).into_vec();
        fresh.clear();
        fresh.extend(self.segments.all().filter_map(|nodes| {
            let NodeLoad { free_memory, load } = self.loads[nodes.start];
            let candidate = Candidate { load, first: nodes.start, nodes: nodes.len() as u32 };
            (free_memory >= memory).then_some(Reverse(candidate))
        }));
        self.unused = BinaryHeap::from(fresh);
        let begin = placement.len();
        let left = if task.load == 0 {
            self.pile_up(task.memory, tasks, most, placement)
        } else {
            self.spread_out(task, tasks, most, placement)
        };
        if left > 0 {
            placement.truncate(begin);
            return false;
        }
        self.add(&placement[begin..], task);
        true
    }
    fn mcb(&self, options: McbOptions) -> Mcb {
        Mcb::new(self.segments.nodes() as u32, options)
    }
    fn shares(&self) -> Shares {
        Shares::new(self.segments.nodes() as u32)
    }
    /// Numbers the segments in order, from 0: all, or only those whose load exceeds the CPU of a
    /// node, which may be contested. If all weights are 1, the minimum, these are exactly the
    /// contested ones.
    fn number_nodes(&mut self, only_contested: bool) {
        let mut next = 0;
        for nodes in self.segments.all() {
            let is_meant = !only_contested || self.loads[nodes.start].load > u64::from(Share::ONE.units());
            self.numbers[nodes.start] = if is_meant { next } else { u32::MAX };
            next += u32::from(is_meant);
        }
    }
    /// Appends a placement by segment numbers, without unnumbered segments. All nodes of a segment
    /// divide their CPU in the same way.
    fn parts(&self, _job: JobHandle, placement: &[NodeRange], parts: &mut Vec<NodeTasks>) {
        for range in placement {
            for (first, _) in self.segments.within(range.indices()) {
                let number = self.numbers[first];
                if number != u32::MAX {
                    parts.push(NodeTasks { node: NodeId(number), tasks: range.tasks });
                }
            }
        }
    }
    fn instance(&self, view: View<'_>, jobs: &[JobHandle]) -> Instance {
        let offline = |&job: &JobHandle| OfflineJob {
            tasks: view.job(job).tasks(),
            demand: [view.job(job).memory().units(), view.job(job).cpu_need().units()].into(),
            least_yield: Yield::ZERO,
        };
        let whole = [Share::ONE.units(); 2];
        Instance {
            fixed: 1,
            fluid: 1,
            nodes: vec![whole.into(); self.segments.nodes()],
            jobs: jobs.iter().map(offline).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Places each task on the first node of the lowest load that has enough memory; returns the
    /// tasks per node, or `None` if they do not all fit.
    fn one_by_one(table: &EqualNodes, task: Task, tasks: u32, most: u32) -> Option<Vec<u32>> {
        let loads = table.segments.all().flat_map(|nodes| vec![table.loads[nodes.start]; nodes.len()]);
        let mut nodes: Vec<NodeLoad> = loads.collect();
        let mut tasks_on = vec![0; nodes.len()];
        for _ in 0..tasks {
            let has_room =
                |node: &usize| nodes[*node].free_memory >= task.memory.units() && tasks_on[*node] < most;
            let fitting = (0..nodes.len()).filter(has_room);
            let node = fitting.min_by_key(|&node| nodes[node].load)?;
            nodes[node].free_memory -= task.memory.units();
            nodes[node].load += task.load;
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
            let mut table = EqualNodes::new(nodes);
            let mut placed: Vec<(Task, Vec<NodeRange>)> = Vec::new();
            for (need, memory, tasks, most, leaves) in jobs {
                let memory = Share::from_ratio(memory, 10);
                let task = Task { job: JobHandle::new(0), weight: 1, load: need, memory };
                let expected = one_by_one(&table, task, tasks, most);
                let mut placement = Vec::new();
                let wanted = PlacementRequest { task, tasks, max_per_node: Some(most) };
                prop_assert_eq!(table.place_greedily(wanted, &mut placement), expected.is_some());
                let parts = (0..).zip(expected.unwrap_or_default()).filter(|&(_, tasks)| tasks > 0);
                let mut expected = Vec::new();
                for (node, tasks) in parts {
                    NodeRange { first: NodeId(node), nodes: 1, tasks }.push_onto(&mut expected);
                }
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
