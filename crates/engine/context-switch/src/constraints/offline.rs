//! Nodes that are off at the end.

use super::{Lowered, Translate};
use dfrsim_model::NodeId;
use serde::{Deserialize, Serialize};

/// These nodes are off at the end: they host no VM then, and no VM comes to them before. Images on their disks stay there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offline<N = NodeId> {
    /// The nodes.
    pub nodes: Vec<N>,
}

impl Offline {
    pub(super) fn lower(&self, lowered: &mut Lowered) {
        self.nodes.iter().for_each(|node| lowered.is_on[node.index()] = false);
    }
}

impl<N> Offline<N> {
    pub(super) fn map<V, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Offline<M> {
        Offline { nodes: to.nodes("nodes", &self.nodes) }
    }
}
