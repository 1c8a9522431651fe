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
    /// Number of resources of which each node is overloaded.
    overloads: Vec<u32>,
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
        self.overloads.clear();
        self.overloads.resize(self.on.len(), 0);
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
        self.overloads[node as usize] > 0
    }

    /// Returns whether a task fits on a node. On an overloaded node no task fits.
    pub(crate) fn fits(&self, tasks: &Tasks, task: u32, node: u32) -> bool {
        let free = self.free(node);
        !self.is_overloaded(node) && tasks.used(task).iter().all(|&(at, takes)| takes <= free[at as usize])
    }

    /// Returns whether a task fits on a node if the given other tasks leave it.
    pub(crate) fn fits_instead<const N: usize>(
        &self,
        tasks: &Tasks,
        task: u32,
        others: [u32; N],
        node: u32,
    ) -> bool {
        let (free, leaves) = (self.free(node), others.map(|other| tasks.demand(other)));
        let has_room =
            |at: usize, takes: i64| takes <= leaves.iter().fold(free[at], |room, leaves| room + leaves[at]);
        if self.is_overloaded(node) {
            return (0..).zip(tasks.demand(task)).all(|(at, &takes)| has_room(at, takes));
        }
        tasks.used(task).iter().all(|&(at, takes)| has_room(at as usize, takes))
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
        for &(at, takes) in tasks.used(task) {
            let free = &mut free[at as usize];
            let was_enough = *free >= 0;
            *free -= takes;
            self.overloads[node as usize] += u32::from(was_enough && *free < 0);
        }
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
        for &(at, takes) in tasks.used(task) {
            let free = &mut free[at as usize];
            let was_short = *free < 0;
            *free += takes;
            self.overloads[node as usize] -= u32::from(was_short && *free >= 0);
        }
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
