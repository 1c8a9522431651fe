//! Nodes that differ, and what tasks ask of them, in any number of dimensions.

/// The place of CPU among the dimensions: memory comes before it, further resources after it.
pub(crate) const CPU: usize = 1;

/// What the nodes of a cluster have, class by class.
#[derive(Clone, Debug)]
pub struct Capacities {
    /// What a node of each class has of memory, of CPU, and of each further resource.
    pub classes: Vec<Vec<u64>>,
    /// By what sizes are divided to be compared with each other, above zero; those of memory and CPU are the same.
    pub wholes: Vec<u64>,
    /// The class of each node.
    pub class_of: Vec<usize>,
}

impl Capacities {
    /// The amounts of a node.
    #[must_use]
    pub fn of(&self, node: usize) -> &[u64] {
        &self.classes[self.class_of[node]]
    }
    /// The amount that all nodes have together in a dimension.
    pub(crate) fn total(&self, dimension: usize) -> u128 {
        self.class_of.iter().map(|&class| u128::from(self.classes[class][dimension])).sum()
    }
}

/// What a task asks of nodes that differ, in units of their capacities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSize {
    /// What it holds in each dimension at any yield: memory, whole GPUs.
    pub held: Vec<u64>,
    /// What it uses in each dimension at a yield of 1: CPU, shared GPUs.
    pub used: Vec<u64>,
    /// Whether it may be on nodes of each class.
    pub allowed: Vec<bool>,
}
