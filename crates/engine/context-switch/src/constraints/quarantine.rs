//! Nodes that no VM enters or leaves.

use super::{Lowered, NodeSets, Translate, Viewed};
use crate::configuration::Configuration;
use crate::vjob::VmId;
use dfrsim_model::NodeId;
use serde::{Deserialize, Serialize};

/// VMs that run or doze on these nodes now come to no other node, and no other VM comes to these nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quarantine<N = NodeId> {
    /// The nodes.
    pub nodes: Vec<N>,
}

impl Quarantine {
    pub(super) fn lower(&self, lowered: &mut Lowered, sets: &mut NodeSets, current: &Configuration) {
        let nodes = sets.of(&self.nodes);
        for (vm, place) in (0..).map(VmId).zip(current.places()) {
            match place.host().filter(|host| nodes.has(*host)) {
                Some(host) => lowered.roots[vm.index()] = Some(host),
                None => lowered.restrict(&[vm], &nodes, false),
            }
        }
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        let is_inside = |node: &NodeId| self.nodes.contains(node);
        viewed.all().find_map(|vm| {
            let host = viewed.host(vm)?;
            let root = viewed.root(vm).filter(is_inside);
            let is_wrong = if root.is_some() { root != Some(host) } else { is_inside(&host) };
            is_wrong.then(|| format!("{} is on {}", viewed.vm(vm), viewed.node(host)))
        })
    }
}

impl<N> Quarantine<N> {
    pub(super) fn map<V, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Quarantine<M> {
        Quarantine { nodes: to.nodes("nodes", &self.nodes) }
    }
}
