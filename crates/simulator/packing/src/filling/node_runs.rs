//! Nodes and their free capacities before a packing begins.

/// Nodes in order, as runs of nodes with the same free capacity. The distinct free capacities
/// (*kinds*) are numbered, so that a packing can reuse its result for a node of the same kind.
#[derive(Debug, Default)]
pub struct NodeRuns<const D: usize> {
    runs: Vec<NodeRun>,
    kinds: Vec<[u64; D]>,
}

/// Consecutive nodes with the same free capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRun {
    /// Number of the free capacity of each node.
    pub kind: u32,
    /// Number of nodes.
    pub nodes: u32,
}

impl<const D: usize> NodeRuns<D> {
    /// Removes all runs and kinds, and keeps the memory.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.kinds.clear();
    }
    /// Appends nodes of a kind, given by its number.
    pub fn push(&mut self, kind: u32, nodes: u32) {
        match self.runs.last_mut() {
            Some(run) if run.kind == kind => run.nodes += nodes,
            _ => self.runs.push(NodeRun { kind, nodes }),
        }
    }
    /// Adds a kind of node with this free capacity; it gets the next number.
    pub fn push_kind(&mut self, free: [u64; D]) {
        self.kinds.push(free);
    }
    /// Returns the runs, in the order of the nodes.
    pub fn runs(&self) -> &[NodeRun] {
        &self.runs
    }
    /// Returns the free capacities, by the number of the kind.
    pub fn kinds(&self) -> &[[u64; D]] {
        &self.kinds
    }
}
