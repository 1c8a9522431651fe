//! Some VMs on some nodes only.

use super::{Lowered, NodeSets, Translate, Viewed};
use crate::vjob::VmId;
use dfrsim_model::NodeId;
use serde::{Deserialize, Serialize};

/// These VMs come to these nodes only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fence<V = VmId, N = NodeId> {
    /// The VMs.
    pub vms: Vec<V>,
    /// The nodes.
    pub nodes: Vec<N>,
}

impl Fence {
    pub(super) fn lower(&self, lowered: &mut Lowered, sets: &mut NodeSets) {
        lowered.restrict(&self.vms, &sets.of(&self.nodes), true);
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        let (vm, host) = viewed.hosted(&self.vms).find(|(_, host)| !self.nodes.contains(host))?;
        Some(format!("{} is on {}", viewed.vm(vm), viewed.node(host)))
    }
}

impl<V, N> Fence<V, N> {
    pub(super) fn map<W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Fence<W, M> {
        Fence { vms: to.vms("vms", &self.vms), nodes: to.nodes("nodes", &self.nodes) }
    }
}
