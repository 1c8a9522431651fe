//! Nodes that are on at the end.

use super::{Lowered, Translate};
use dfrsim_model::NodeId;
use serde::{Deserialize, Serialize};

/// These nodes are on at the end; those that are off are switched on at the beginning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Online<N = NodeId> {
    /// The nodes.
    pub nodes: Vec<N>,
}

impl Online {
    pub(super) fn lower(&self, lowered: &mut Lowered) {
        self.nodes.iter().for_each(|node| lowered.is_on[node.index()] = true);
    }
}

impl<N> Online<N> {
    pub(super) fn map<V, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Online<M> {
        Online { nodes: to.nodes("nodes", &self.nodes) }
    }
}
