//! Some VMs on one group of nodes.

use super::{Lowered, NodeSets, OneGroup, Translate, Viewed, check_disjoint};
use crate::configuration::Configuration;
use crate::vjob::VmId;
use dfrsim_model::NodeId;
use serde::{Deserialize, Serialize};

/// All of these VMs that are hosted at the end are so on the nodes of one of these groups, whichever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Among<V = VmId, N = NodeId> {
    /// The VMs.
    pub vms: Vec<V>,
    /// The groups of nodes; a node may be in several, unless `continuous` is set.
    pub groups: Vec<Vec<N>>,
    /// Whether they stay in their group, if they do at the beginning.
    #[serde(default, skip_serializing_if = "super::is_no")]
    pub continuous: bool,
}

impl Among {
    pub(super) fn lower(&self, lowered: &mut Lowered, sets: &mut NodeSets, current: &Configuration) {
        let mut vms = self.vms.clone();
        vms.sort_unstable();
        vms.dedup();
        vms.iter().for_each(|vm| lowered.among_of[vm.index()].push(lowered.among.len()));
        let hosts: Vec<NodeId> = vms.iter().filter_map(|vm| current.place(*vm).host()).collect();
        let has_all = |group: &&Vec<NodeId>| hosts.iter().all(|host| group.contains(host));
        let own = self.groups.iter().find(has_all).filter(|_| self.continuous && !hosts.is_empty());
        let groups = own.map_or(&self.groups[..], std::slice::from_ref);
        lowered.restrict(&vms, &sets.of(&groups.concat()), true);
        let groups = groups.iter().map(|group| sets.of(group)).collect();
        lowered.among.push(OneGroup { vms, groups, others: Vec::new() });
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        let mut hosts: Vec<NodeId> = viewed.hosted(&self.vms).map(|(_, host)| host).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let has_all = |group: &Vec<NodeId>| hosts.iter().all(|host| group.contains(host));
        if hosts.is_empty() || self.groups.iter().any(has_all) {
            return viewed.strayed(&self.vms).filter(|_| self.continuous);
        }
        let names: Vec<String> = hosts.into_iter().map(|host| viewed.node(host)).collect();
        Some(format!("VMs are on {}, and no group has all of these", names.join(", ")))
    }
}

impl<V, N: Ord> Among<V, N> {
    pub(super) fn map<W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Among<W, M> {
        if self.continuous {
            check_disjoint(&self.groups, to);
        }
        let groups = self.groups.iter().enumerate();
        let groups = groups.map(|(at, group)| to.nodes(&format!("groups[{at}]"), group)).collect();
        Among { vms: to.vms("vms", &self.vms), groups, continuous: self.continuous }
    }
}
