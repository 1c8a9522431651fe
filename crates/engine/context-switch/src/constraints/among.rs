//! Some VMs on one group of nodes.

use super::{Lowered, NodeSets, OneGroup, Translate, Viewed};
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
    pub(super) fn lower(&self, lowered: &mut Lowered, sets: &mut NodeSets) {
        let mut vms = self.vms.clone();
        vms.sort_unstable();
        vms.dedup();
        vms.iter().for_each(|vm| lowered.among_of[vm.index()].push(lowered.among.len()));
        lowered.restrict(&vms, &sets.of(&self.groups.concat()), true);
        let groups = self.groups.iter().map(|group| sets.of(group)).collect();
        lowered.among.push(OneGroup { vms, groups });
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        let mut hosts: Vec<NodeId> = viewed.hosted(&self.vms).map(|(_, host)| host).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let has_all = |group: &Vec<NodeId>| hosts.iter().all(|host| group.contains(host));
        if hosts.is_empty() || self.groups.iter().any(has_all) {
            return None;
        }
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
