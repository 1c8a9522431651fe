//! Placement of tasks while a mapping is repaired.

use crate::rules::Rules;
use crate::tasks::{Tasks, UNPLACED, weighted_sum};
use std::cmp::Reverse;

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
    /// Rules that are not resources, with the placed tasks.
    pub(crate) rules: Option<Box<dyn Rules>>,
}

impl Placement {
    /// Places all tasks on the given nodes. Tasks for a node whose overload is close to an overflow
    /// stay unplaced, and so do tasks that a rule forbids beside those that are more expensive to
    /// move.
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
        self.rules.clone_from(&tasks.rules);
        let mut order: Vec<u32> = (0..node_of.len() as u32).collect();
        if self.rules.is_some() {
            order.sort_by_key(|&task| Reverse(tasks.cost[task as usize]));
        }
        for task in order {
            let node = node_of[task as usize];
            // Far from an overflow: no single task has such a demand.
            if node != UNPLACED
                && self.free(node).iter().all(|&free| free > i64::MIN / 2)
                && self.is_allowed(task, node, &[])
            {
                self.add(tasks, task, node);
            }
        }
    }

    /// Returns whether the rules allow a task on a node that other tasks leave.
    pub(crate) fn is_allowed(&self, task: u32, node: u32, leaving: &[u32]) -> bool {
        self.rules.as_ref().is_none_or(|rules| rules.admits(task, node, leaving))
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
        !self.is_overloaded(node)
            && tasks.used(task).iter().all(|&(at, takes)| takes <= free[at as usize])
            && self.is_allowed(task, node, &[])
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
        let fits = if self.is_overloaded(node) {
            (0..).zip(tasks.demand(task)).all(|(at, &takes)| has_room(at, takes))
        } else {
            tasks.used(task).iter().all(|&(at, takes)| has_room(at as usize, takes))
        };
        fits && self.is_allowed(task, node, &others)
    }

    /// Returns the cost increase if the task left its node.
    pub(crate) fn leaving_cost(&self, tasks: &Tasks, task: u32) -> u64 {
        tasks.saved_on(task, self.node_of[task as usize])
    }

    /// Iterates over the tasks that are placed at a cost.
    pub(crate) fn away(&self, tasks: &Tasks) -> impl Iterator<Item = u32> {
        let is_away = |&at: &usize| tasks.cost[at] > 0 && self.node_of[at] != tasks.home[at];
        (0..tasks.count()).filter(is_away).map(|task| task as u32)
    }

    pub(crate) fn add(&mut self, tasks: &Tasks, task: u32, node: u32) {
        if let Some(rules) = &mut self.rules {
            rules.add(task, node);
        }
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
        self.cost -= u128::from(tasks.saved_on(task, node));
    }

    pub(crate) fn remove(&mut self, tasks: &Tasks, task: u32) {
        let node = self.node_of[task as usize];
        self.cost += u128::from(self.leaving_cost(tasks, task));
        if let Some(rules) = &mut self.rules {
            rules.remove(task, node);
        }
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
