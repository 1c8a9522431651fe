//! The nodes of tasks while a mapping is repaired.

use crate::tasks::{NOWHERE, Tasks, weighed};

/// A placement of tasks on nodes, which may be overloaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    /// The node of each task.
    pub(crate) node_of: Vec<u32>,
    /// The tasks on each node.
    pub(crate) on: Vec<Vec<u32>>,
    /// The free amounts on each node, negative where it is overloaded; a row for each.
    free: Vec<i64>,
    width: usize,
    /// The cost to have all tasks where they are, those without a node elsewhere than at home.
    pub(crate) cost: u128,
    /// The weight of what is free on each node.
    pub(crate) room: Vec<f64>,
}

impl Placement {
    /// Places all tasks where they are said to be, but no more on a node that is overloaded beyond all measure.
    pub(crate) fn start(&mut self, tasks: &Tasks, node_of: &[u32]) {
        self.width = tasks.width;
        self.free.clone_from(&tasks.offers);
        self.on.resize_with(tasks.offers.len() / tasks.width.max(1), Vec::new);
        self.on.iter_mut().for_each(Vec::clear);
        self.node_of.clear();
        self.node_of.resize(node_of.len(), NOWHERE);
        self.cost = tasks.cost.iter().map(|&cost| u128::from(cost)).sum();
        self.room.clear();
        self.room.extend(self.free.chunks_exact(self.width).map(|free| weighed(&tasks.scarcity, free)));
        for (task, &node) in (0..).zip(node_of).filter(|(_, node)| **node != NOWHERE) {
            // Far from the end of the numbers, which no single task comes near.
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
        self.free(node).iter().zip(tasks.takes(task)).all(|(free, takes)| takes <= free)
    }

    /// Whether a task fits in the place of others on its node.
    pub(crate) fn fits_instead<const N: usize>(
        &self,
        tasks: &Tasks,
        task: u32,
        others: [u32; N],
        node: u32,
    ) -> bool {
        let leaves = others.map(|other| tasks.takes(other));
        let mut amounts = self.free(node).iter().zip(tasks.takes(task)).enumerate();
        amounts
            .all(|(at, (free, takes))| *takes <= leaves.iter().fold(*free, |room, leaves| room + leaves[at]))
    }

    /// What more it would cost without the task where it is.
    pub(crate) fn loss(&self, tasks: &Tasks, task: u32) -> u64 {
        let at = task as usize;
        if self.node_of[at] == tasks.home[at] { tasks.cost[at] } else { 0 }
    }

    /// The tasks that it costs something to have where they are.
    pub(crate) fn away(&self, tasks: &Tasks) -> impl Iterator<Item = u32> {
        let is_away = |&at: &usize| tasks.cost[at] > 0 && self.node_of[at] != tasks.home[at];
        (0..tasks.count()).filter(is_away).map(|task| task as u32)
    }

    pub(crate) fn add(&mut self, tasks: &Tasks, task: u32, node: u32) {
        let free = &mut self.free[node as usize * self.width..][..self.width];
        free.iter_mut().zip(tasks.takes(task)).for_each(|(free, takes)| *free -= takes);
        self.room[node as usize] -= tasks.weight[task as usize];
        self.on[node as usize].push(task);
        self.node_of[task as usize] = node;
        if tasks.home[task as usize] == node {
            self.cost -= u128::from(tasks.cost[task as usize]);
        }
    }

    pub(crate) fn remove(&mut self, tasks: &Tasks, task: u32) {
        let node = self.node_of[task as usize];
        self.cost += u128::from(self.loss(tasks, task));
        let free = &mut self.free[node as usize * self.width..][..self.width];
        free.iter_mut().zip(tasks.takes(task)).for_each(|(free, takes)| *free += takes);
        self.room[node as usize] += tasks.weight[task as usize];
        let on = &mut self.on[node as usize];
        let at = on.iter().position(|&other| other == task).expect("the task is on its node");
        on.swap_remove(at);
        self.node_of[task as usize] = NOWHERE;
    }
}
