//! Nodes and what they have free before a packing begins.

/// The nodes in order, as runs of nodes with the same free capacity. What nodes can have free is numbered, so that a
/// packing can remember what it did with a node of the same kind.
#[derive(Debug, Default)]
pub(crate) struct NodeRuns<const D: usize> {
    runs: Vec<NodeRun>,
    kinds: Vec<[u64; D]>,
}

/// Neighbouring nodes with the same free capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeRun {
    /// The number of what is free on each.
    pub(crate) kind: u32,
    /// How many they are.
    pub(crate) nodes: u32,
}

impl<const D: usize> NodeRuns<D> {
    pub(crate) fn clear(&mut self) {
        self.runs.clear();
        self.kinds.clear();
    }
    /// Appends nodes of the kind of this number.
    pub(crate) fn push(&mut self, kind: u32, nodes: u32) {
        match self.runs.last_mut() {
            Some(run) if run.kind == kind => run.nodes += nodes,
            _ => self.runs.push(NodeRun { kind, nodes }),
        }
    }
    /// Gives the next number to nodes that have so much free.
    pub(crate) fn push_kind(&mut self, free: [u64; D]) {
        self.kinds.push(free);
    }
    pub(crate) fn runs(&self) -> &[NodeRun] {
        &self.runs
    }
    /// The free resources of nodes, by the numbers of their kinds.
    pub(crate) fn kinds(&self) -> &[[u64; D]] {
        &self.kinds
    }
}
