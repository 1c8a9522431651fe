//! Some VMs on none of some nodes.

use super::{Lowered, NodeSets, Translate, Viewed};
use crate::vjob::VmId;
use dfrsim_model::NodeId;
use serde::{Deserialize, Serialize};

/// These VMs come to none of these nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ban<V = VmId, N = NodeId> {
    /// The VMs.
    pub vms: Vec<V>,
    /// The nodes.
    pub nodes: Vec<N>,
}

impl Ban {
    pub(super) fn lower(&self, lowered: &mut Lowered, sets: &mut NodeSets) {
        lowered.restrict(&self.vms, &sets.of(&self.nodes), false);
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        let (vm, host) = viewed.hosted(&self.vms).find(|(_, host)| self.nodes.contains(host))?;
        Some(format!("{} is on {}", viewed.vm(vm), viewed.node(host)))
    }
}

impl<V, N> Ban<V, N> {
    pub(super) fn map<W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Ban<W, M> {
        Ban { vms: to.vms("vms", &self.vms), nodes: to.nodes("nodes", &self.nodes) }
    }
}
