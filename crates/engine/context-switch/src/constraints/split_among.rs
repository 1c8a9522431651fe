//! Sets of VMs on different groups of nodes.

use super::{Lowered, NodeSets, OneGroup, Translate, Viewed, check_disjoint};
use crate::vjob::VmId;
use dfrsim_model::NodeId;
use serde::{Deserialize, Serialize};

/// The VMs of each set that are hosted at the end are so on the nodes of one of these groups, and those of two sets not on the
/// same one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitAmong<V = VmId, N = NodeId> {
    /// The sets of VMs; no VM is in two.
    pub vms: Vec<Vec<V>>,
    /// The groups of nodes; no node is in two.
    pub groups: Vec<Vec<N>>,
}

impl SplitAmong {
    pub(super) fn lower(&self, lowered: &mut Lowered, sets: &mut NodeSets) {
        let all = sets.of(&self.groups.concat());
        let groups: Vec<_> = self.groups.iter().map(|group| sets.of(group)).collect();
        for (at, vms) in self.vms.iter().enumerate() {
            lowered.restrict(vms, &all, true);
            vms.iter().for_each(|vm| lowered.among_of[vm.index()].push(lowered.among.len()));
            let others = self.vms.iter().enumerate().filter(|(other, _)| *other != at);
            let others = others.flat_map(|(_, vms)| vms).copied().collect();
            lowered.among.push(OneGroup { vms: vms.clone(), groups: groups.clone(), others });
        }
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        let mut taken: Vec<(VmId, usize)> = Vec::new();
        for vms in &self.vms {
            let mut own: Option<(VmId, usize)> = None;
            for (vm, host) in viewed.hosted(vms) {
                let on = || format!("{} is on {}", viewed.vm(vm), viewed.node(host));
                let Some(group) = self.groups.iter().position(|group| group.contains(&host)) else {
                    return Some(format!("{}, which is in no group", on()));
                };
                if let Some((other, _)) = taken.iter().find(|(_, other)| *other == group) {
                    return Some(format!("{}, in the group of {} of another set", on(), viewed.vm(*other)));
                }
                match own {
                    Some((other, of_own)) if of_own != group => {
                        return Some(format!("{}, and {} is in another group", on(), viewed.vm(other)));
                    }
                    _ => own = Some((vm, group)),
                }
            }
            taken.extend(own);
        }
        None
    }
}

impl<V: PartialEq, N: Ord> SplitAmong<V, N> {
    pub(super) fn map<W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> SplitAmong<W, M> {
        check_disjoint(&self.groups, to);
        for (at, vms) in self.vms.iter().enumerate() {
            let earlier = |vm: &V| self.vms[..at].iter().any(|vms| vms.contains(vm));
            if let Some(position) = vms.iter().position(earlier) {
                to.fault(&format!("vms[{at}][{position}]"), "the VM is in a set before this one".to_owned());
            }
        }
        let vms = self.vms.iter().enumerate();
        let vms = vms.map(|(at, vms)| to.vms(&format!("vms[{at}]"), vms)).collect();
        let groups = self.groups.iter().enumerate();
        let groups = groups.map(|(at, group)| to.nodes(&format!("groups[{at}]"), group)).collect();
        SplitAmong { vms, groups }
    }
}
