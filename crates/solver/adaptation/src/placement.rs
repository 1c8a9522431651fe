//! Placement of tasks while a mapping is repaired.

use crate::tasks::{Tasks, UNPLACED, weighted_sum};

/// A placement of tasks on nodes, which may be overloaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    /// Node of each task.
    pub(crate) node_of: Vec<u32>,
    /// Tasks on each node.
    pub(crate) on: Vec<Vec<u32>>,
    /// Free amounts, one row per node; negative where the node is overloaded.
    free: Vec<i64>,
    width: usize,
    /// Moving cost of the placement; unplaced tasks count as moved.
    pub(crate) cost: u128,
    /// Weighted sum of the free amounts on each node.
    pub(crate) free_weight: Vec<f64>,
}

impl Placement {
    /// Places all tasks on the given nodes. Tasks for a node whose overload is close to an overflow
    /// stay unplaced.
    pub(crate) fn reset(&mut self, tasks: &Tasks, node_of: &[u32]) {
        self.width = tasks.dimensions;
        self.free.clone_from(&tasks.capacity);
        self.on.resize_with(tasks.capacity.len() / tasks.dimensions.max(1), Vec::new);
        self.on.iter_mut().for_each(Vec::clear);
        self.node_of.clear();
        self.node_of.resize(node_of.len(), UNPLACED);
        self.cost = tasks.cost.iter().map(|&cost| u128::from(cost)).sum();
        self.free_weight.clear();
        self.free_weight
            .extend(self.free.chunks_exact(self.width).map(|free| weighted_sum(&tasks.scarcity, free)));
        for (task, &node) in (0..).zip(node_of).filter(|(_, node)| **node != UNPLACED) {
            // Far from an overflow: no single task has such a demand.
            if self.free(node).iter().all(|&free| free > i64::MIN / 2) {
                self.add(tasks, task, node);
            }
        }
    }

    pub(crate) fn free(&self, node: u32) -> &[i64] {
        &self.free[node as usize * self.width..][..self.width]
    }

    pub(crate) fn nodes(&self) -> std::ops::Range<u32> {
        0..self.on.len() as u32
    }

    pub(crate) fn is_overloaded(&self, node: u32) -> bool {
        self.free(node).iter().any(|&free| free < 0)
    }

    pub(crate) fn fits(&self, tasks: &Tasks, task: u32, node: u32) -> bool {
        self.free(node).iter().zip(tasks.demand(task)).all(|(free, takes)| takes <= free)
    }

    /// Returns whether a task fits on a node if the given other tasks leave it.
    pub(crate) fn fits_instead<const N: usize>(
        &self,
        tasks: &Tasks,
        task: u32,
        others: [u32; N],
        node: u32,
    ) -> bool {
        let leaves = others.map(|other| tasks.demand(other));
        let mut amounts = self.free(node).iter().zip(tasks.demand(task)).enumerate();
        amounts
            .all(|(at, (free, takes))| *takes <= leaves.iter().fold(*free, |room, leaves| room + leaves[at]))
    }

    /// Returns the cost increase if the task left its node.
    pub(crate) fn leaving_cost(&self, tasks: &Tasks, task: u32) -> u64 {
        let at = task as usize;
        if self.node_of[at] == tasks.home[at] { tasks.cost[at] } else { 0 }
    }

    /// Iterates over the tasks that are placed at a cost.
    pub(crate) fn away(&self, tasks: &Tasks) -> impl Iterator<Item = u32> {
        let is_away = |&at: &usize| tasks.cost[at] > 0 && self.node_of[at] != tasks.home[at];
        (0..tasks.count()).filter(is_away).map(|task| task as u32)
    }

    pub(crate) fn add(&mut self, tasks: &Tasks, task: u32, node: u32) {
        let free = &mut self.free[node as usize * self.width..][..self.width];
        free.iter_mut().zip(tasks.demand(task)).for_each(|(free, takes)| *free -= takes);
        self.free_weight[node as usize] -= tasks.weight[task as usize];
        self.on[node as usize].push(task);
        self.node_of[task as usize] = node;
        if tasks.home[task as usize] == node {
            self.cost -= u128::from(tasks.cost[task as usize]);
        }
    }

    pub(crate) fn remove(&mut self, tasks: &Tasks, task: u32) {
        let node = self.node_of[task as usize];
        self.cost += u128::from(self.leaving_cost(tasks, task));
        let free = &mut self.free[node as usize * self.width..][..self.width];
        free.iter_mut().zip(tasks.demand(task)).for_each(|(free, takes)| *free += takes);
        self.free_weight[node as usize] += tasks.weight[task as usize];
        let on = &mut self.on[node as usize];
        let at = on
            .iter()
            .position(|&other| other == task)
            .expect("a placed task must be in the list of its node");
        on.swap_remove(at);
        self.node_of[task as usize] = UNPLACED;
    }
}
