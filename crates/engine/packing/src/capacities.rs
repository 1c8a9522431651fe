//! Nodes that differ, and what tasks ask of them, in any number of dimensions.

/// The place of CPU among the dimensions: memory comes before it, further resources after it.
pub(crate) const CPU: usize = 1;

/// What the nodes of a cluster have, class by class.
#[derive(Clone, Debug)]
pub struct Capacities {
    classes: Vec<Vec<u64>>,
    wholes: Vec<u64>,
    class_of: Vec<usize>,
}

impl Capacities {
    /// Nodes of these classes, each with amounts of memory, of CPU, and of each further resource. In each dimension sizes are compared
    /// as parts of `wholes`, which are above zero: those of memory and CPU are the same.
    #[must_use]
    pub fn new(classes: Vec<Vec<u64>>, wholes: Vec<u64>, class_of: Vec<usize>) -> Capacities {
        Capacities { classes, wholes, class_of }
    }
    /// The amounts of a node.
    #[must_use]
    pub fn of(&self, node: usize) -> &[u64] {
        &self.classes[self.class_of[node]]
    }
    /// The class of each node.
    #[must_use]
    pub fn class_of(&self) -> &[usize] {
        &self.class_of
    }
    /// The amounts of a node of each class.
    #[must_use]
    pub fn classes(&self) -> &[Vec<u64>] {
        &self.classes
    }
    /// By what sizes are divided to be compared with each other.
    #[must_use]
    pub fn wholes(&self) -> &[u64] {
        &self.wholes
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
