//! Mapping jobs to nodes that differ, in any number of dimensions, and the yields of such a mapping.
//!
//! The rules are those of [`mcb`](crate::mcb) and [`shares`](crate::shares): on equal nodes with CPU and memory the results are the
//! same. A task holds a fixed amount in some dimensions (memory, whole GPUs), and in others an amount that its yield multiplies (CPU,
//! shared GPUs). There is no data structure that is fast on many equal nodes.

mod pack;
mod shares;

use dfrsim_model::{NodeTasks, Yield};

/// The size of a task in each dimension, in units of its capacity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSize {
    /// What it holds at any yield.
    pub fixed: Vec<u64>,
    /// What it uses at a yield of 1.
    pub fluid: Vec<u64>,
}

/// A job to be mapped.
#[derive(Clone, Copy, Debug)]
pub struct UnequalJob<'a> {
    /// How many tasks it has; at least one.
    pub tasks: u32,
    /// The size of a task.
    pub size: &'a TaskSize,
    /// Whether its tasks may be on nodes of each class.
    pub allowed: &'a [bool],
    /// Its place in the order of submission.
    pub sequence: u64,
    /// The nodes of its tasks if they may not move. Such a job stays there or is left out.
    pub pinned: Option<&'a [NodeTasks]>,
}

/// The nodes of a cluster by class.
#[derive(Clone, Debug)]
pub struct UnequalCluster {
    /// What a node of each class has in each dimension.
    capacities: Vec<Vec<u64>>,
    /// By what sizes are divided to be compared with each other: the first two dimensions have the same unit.
    wholes: Vec<u64>,
    /// The class of each node.
    class_of: Vec<usize>,
}

impl UnequalCluster {
    /// Nodes of these classes. In each dimension sizes are compared as parts of `wholes`, which are above zero.
    #[must_use]
    pub fn new(capacities: Vec<Vec<u64>>, wholes: Vec<u64>, class_of: Vec<usize>) -> UnequalCluster {
        UnequalCluster { capacities, wholes, class_of }
    }
    /// What a node has in each dimension.
    #[must_use]
    pub fn capacity(&self, node: usize) -> &[u64] {
        &self.capacities[self.class_of[node]]
    }
    /// The class of a node.
    #[must_use]
    pub fn class_of(&self, node: usize) -> usize {
        self.class_of[node]
    }
    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.class_of.len()
    }
    /// What all nodes have together in a dimension.
    fn total(&self, dimension: usize) -> u128 {
        self.class_of.iter().map(|&class| u128::from(self.capacities[class][dimension])).sum()
    }
}

impl TaskSize {
    /// What a task takes in a dimension at a yield, in units of 2^-20.
    fn at(&self, dimension: usize, job_yield: Yield) -> u128 {
        let fluid = u128::from(self.fluid[dimension]) * u128::from(job_yield.units());
        (u128::from(self.fixed[dimension]) << Yield::BITS) + fluid
    }
}
