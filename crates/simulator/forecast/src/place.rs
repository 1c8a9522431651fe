//! Nodes for jobs of which only the number of nodes is known. As the nodes are identical, any free
//! ones will do.

use dfrsim_cluster::NodeRange;
use dfrsim_model::NodeId;
use std::collections::BTreeSet;

/// Nodes without jobs.
#[derive(Clone, Debug)]
pub(crate) struct FreeNodes(BTreeSet<u32>);

impl FreeNodes {
    /// Returns all nodes of an empty cluster.
    pub(crate) fn all(nodes: u32) -> FreeNodes {
        FreeNodes((0..nodes).collect())
    }

    /// Returns the number of free nodes.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Takes the lowest free nodes for a job; `None` if there are too few.
    pub(crate) fn take(&mut self, nodes: u32) -> Option<Vec<NodeRange>> {
        if self.0.len() < nodes as usize {
            return None;
        }
        let mut ranges = Vec::new();
        for _ in 0..nodes {
            let first = NodeId(self.0.pop_first()?);
            NodeRange { first, nodes: 1, tasks: 1 }.push_onto(&mut ranges);
        }
        Some(ranges)
    }

    /// Releases the nodes of a job.
    pub(crate) fn give(&mut self, ranges: &[NodeRange]) {
        self.0.extend(ranges.iter().flat_map(|range| range.indices()).map(|node| node as u32));
    }
}
