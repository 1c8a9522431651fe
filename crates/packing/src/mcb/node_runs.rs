//! Nodes and what stands on them before a packing begins.

/// The nodes in order, as runs of nodes with the same load. Loads are numbered, so that a packing can remember
/// what it did with a node of the same load.
#[derive(Debug)]
pub(super) struct NodeRuns<const D: usize> {
    runs: Vec<NodeRun>,
    loads: Vec<[u64; D]>,
}

/// Neighbouring nodes with the same load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeRun {
    /// The number of their load.
    pub(super) load: u32,
    /// How many they are.
    pub(super) nodes: u32,
}

impl<const D: usize> NodeRuns<D> {
    pub(super) fn new() -> NodeRuns<D> {
        NodeRuns { runs: Vec::new(), loads: Vec::new() }
    }
    pub(super) fn clear(&mut self) {
        self.runs.clear();
        self.loads.clear();
    }
    /// Appends nodes with the load of this number.
    pub(super) fn push(&mut self, load: u32, nodes: u32) {
        match self.runs.last_mut() {
            Some(run) if run.load == load => run.nodes += nodes,
            _ => self.runs.push(NodeRun { load, nodes }),
        }
    }
    /// Gives the next number to a load.
    pub(super) fn push_load(&mut self, load: [u64; D]) {
        self.loads.push(load);
    }
    pub(super) fn runs(&self) -> &[NodeRun] {
        &self.runs
    }
    /// The loads by their numbers.
    pub(super) fn loads(&self) -> &[[u64; D]] {
        &self.loads
    }
    /// The same, to be changed.
    pub(super) fn loads_mut(&mut self) -> &mut [[u64; D]] {
        &mut self.loads
    }
}
