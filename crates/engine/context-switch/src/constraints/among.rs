//! Some VMs on one group of nodes.

use super::{Lowered, Translate, Viewed};
use crate::vjob::VmId;
use dfrsim_model::NodeId;
use serde::{Deserialize, Serialize};

/// All of these VMs that are hosted at the end are so on the nodes of one of these groups, whichever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Among<V = VmId, N = NodeId> {
    /// The VMs.
    pub vms: Vec<V>,
    /// The groups of nodes; a node may be in several.
    pub groups: Vec<Vec<N>>,
}

impl Among {
    pub(super) fn lower(&self, lowered: &mut Lowered) {
        lowered.restrict(&self.vms, |node| self.groups.iter().any(|group| group.contains(&node)));
        let number = lowered.among.len();
        let mut vms = self.vms.clone();
        vms.sort_unstable();
        vms.dedup();
        vms.iter().for_each(|vm| lowered.among_of[vm.index()].push(number));
        lowered.among.push(self.clone());
    }

    /// Whether one group has all of these nodes.
    pub(crate) fn share_a_group(&self, mut nodes: impl Iterator<Item = NodeId> + Clone) -> bool {
        self.groups.iter().any(|group| nodes.clone().all(|node| group.contains(&node)))
            || nodes.next().is_none()
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        let hosts = viewed.hosted(&self.vms).map(|(_, host)| host);
        if self.share_a_group(hosts.clone()) {
            return None;
        }
        let mut hosts: Vec<NodeId> = hosts.collect();
        hosts.sort_unstable();
        hosts.dedup();
        let names: Vec<String> = hosts.into_iter().map(|host| viewed.node(host)).collect();
        Some(format!("VMs are on {}, and no group has all of these", names.join(", ")))
    }
}

impl<V, N> Among<V, N> {
    pub(super) fn map<W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Among<W, M> {
        let groups = self.groups.iter().enumerate();
        let groups = groups.map(|(at, group)| to.nodes(&format!("groups[{at}]"), group)).collect();
        Among { vms: to.vms("vms", &self.vms), groups }
    }
}
