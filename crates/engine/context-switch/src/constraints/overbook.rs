//! Nodes that may take more than they have.

use super::{Lowered, Translate};
use crate::decimal::Decimal;
use dfrsim_model::NodeId;
use serde::{Deserialize, Serialize};

/// VMs may take `ratio` times what each of these nodes has of a resource, rounded down; below 1 some of it is kept free. Of
/// several for one node the smallest counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overbook<N = NodeId> {
    /// The nodes.
    pub nodes: Vec<N>,
    /// `cpu`, `memory`, or another one that nodes have.
    pub resource: String,
    /// How many times what they have.
    pub ratio: Decimal,
}

impl Overbook {
    pub(super) fn lower(&self, lowered: &mut Lowered) {
        for node in &self.nodes {
            let ratios = &mut lowered.ratios[node.index()];
            match ratios.iter_mut().find(|(resource, _)| *resource == self.resource) {
                Some((_, ratio)) => *ratio = self.ratio.min(*ratio),
                None => ratios.push((self.resource.clone(), self.ratio)),
            }
        }
    }
}

impl<N> Overbook<N> {
    pub(super) fn map<V, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Overbook<M> {
        to.resource("resource", &self.resource);
        let nodes = to.nodes("nodes", &self.nodes);
        Overbook { nodes, resource: self.resource.clone(), ratio: self.ratio }
    }
}
