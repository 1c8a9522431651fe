//! Nodes and what they have free before a packing begins.

/// The nodes in order, as runs of nodes with the same free capacity. What nodes can have free is numbered, so that a
/// packing can remember what it did with a node of the same kind.
#[derive(Debug, Default)]
pub struct NodeRuns<const D: usize> {
    runs: Vec<NodeRun>,
    kinds: Vec<[u64; D]>,
}

/// Neighbouring nodes with the same free capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRun {
    /// The number of what is free on each.
    pub kind: u32,
    /// How many they are.
    pub nodes: u32,
}

impl<const D: usize> NodeRuns<D> {
    /// Removes all runs and kinds, and keeps the memory.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.kinds.clear();
    }
    /// Appends nodes of the kind of this number.
    pub fn push(&mut self, kind: u32, nodes: u32) {
        match self.runs.last_mut() {
            Some(run) if run.kind == kind => run.nodes += nodes,
            _ => self.runs.push(NodeRun { kind, nodes }),
        }
    }
    /// Gives the next number to nodes that have so much free.
    pub fn push_kind(&mut self, free: [u64; D]) {
        self.kinds.push(free);
    }
    /// Returns the runs, in the order of the nodes.
    pub fn runs(&self) -> &[NodeRun] {
        &self.runs
    }
    /// The free resources of nodes, by the numbers of their kinds.
    pub fn kinds(&self) -> &[[u64; D]] {
        &self.kinds
    }
}
