//! Some VMs with no other VM on their nodes.

use super::{Lowered, Translate, Viewed};
use crate::vjob::VmId;
use serde::{Deserialize, Serialize};

/// These VMs share a node with each other at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lonely<V = VmId> {
    /// The VMs.
    pub vms: Vec<V>,
    /// Whether that holds at any moment, or at the end only.
    #[serde(default = "super::yes", skip_serializing_if = "super::is_yes")]
    pub continuous: bool,
}

impl Lonely {
    pub(super) fn lower(&self, lowered: &mut Lowered) {
        let is_lonely = |vm: &VmId| self.vms.contains(vm);
        let all = (0..lowered.apart.len() as u32).map(VmId);
        let (lonely, others): (Vec<VmId>, Vec<VmId>) = all.partition(is_lonely);
        for (some, strangers) in [(&lonely, &others), (&others, &lonely)] {
            some.iter().for_each(|vm| lowered.part(*vm, strangers.iter().copied(), self.continuous));
        }
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        viewed.hosted(&self.vms).find_map(|(vm, host)| {
            let other =
                viewed.all().find(|other| !self.vms.contains(other) && viewed.host(*other) == Some(host))?;
            Some(format!("{} and {} are on {}", viewed.vm(vm), viewed.vm(other), viewed.node(host)))
        })
    }
}

impl<V> Lonely<V> {
    pub(super) fn map<N, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Lonely<W> {
        Lonely { vms: to.vms("vms", &self.vms), continuous: self.continuous }
    }
}
