//! Groups of VMs on different nodes.

use super::{Lowered, Translate, Viewed};
use crate::vjob::VmId;
use serde::{Deserialize, Serialize};

/// No two VMs of different groups on one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split<V = VmId> {
    /// The groups of VMs; no VM is in two.
    pub groups: Vec<Vec<V>>,
    /// Whether that holds at any moment, or at the end only.
    #[serde(default = "super::yes", skip_serializing_if = "super::is_yes")]
    pub continuous: bool,
}

impl Split {
    pub(super) fn lower(&self, lowered: &mut Lowered) {
        for (at, group) in self.groups.iter().enumerate() {
            let others = self.groups.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<VmId> = others.flat_map(|(_, group)| group).copied().collect();
            group.iter().for_each(|vm| lowered.part(*vm, others.iter().copied(), self.continuous));
        }
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        self.groups.iter().enumerate().find_map(|(at, group)| {
            viewed.hosted(group).find_map(|(vm, host)| {
                let before = self.groups[..at].iter().flatten();
                let other = before.copied().find(|other| viewed.host(*other) == Some(host))?;
                Some(format!("{} and {} are on {}", viewed.vm(other), viewed.vm(vm), viewed.node(host)))
            })
        })
    }
}

impl<V: PartialEq> Split<V> {
    pub(super) fn map<N, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Split<W> {
        let groups = self.groups.iter().enumerate();
        let mapped = groups.clone().map(|(at, group)| to.vms(&format!("groups[{at}]"), group)).collect();
        for (at, group) in groups {
            let earlier = |vm: &V| self.groups[..at].iter().any(|group| group.contains(vm));
            if let Some(position) = group.iter().position(earlier) {
                to.fault(
                    &format!("groups[{at}][{position}]"),
                    "the VM is in a group before this one".to_owned(),
                );
            }
        }
        Split { groups: mapped, continuous: self.continuous }
    }
}
