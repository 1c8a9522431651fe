//! Some VMs on one node.

use super::{Lowered, Translate, Viewed};
use crate::vjob::VmId;
use serde::{Deserialize, Serialize};

/// All of these VMs that are hosted at the end are so on one node. VMs that are gathered with a common one are gathered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gather<V = VmId> {
    /// The VMs.
    pub vms: Vec<V>,
}

impl Gather {
    pub(super) fn lower(&self, lowered: &mut Lowered) {
        let mut joined: Vec<VmId> =
            self.vms.iter().flat_map(|vm| lowered.together[vm.index()].iter().chain([vm])).copied().collect();
        joined.sort_unstable();
        joined.dedup();
        for vm in &joined {
            lowered.together[vm.index()] = joined.iter().copied().filter(|other| other != vm).collect();
        }
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        let mut hosted = self.vms.iter().filter_map(|vm| Some((*vm, viewed.host(*vm)?)));
        let (first, node) = hosted.next()?;
        let (other, elsewhere) = hosted.find(|(_, host)| *host != node)?;
        let on = |vm, node| format!("{} is on {}", viewed.vm(vm), viewed.node(node));
        Some(format!("{} and {}", on(first, node), on(other, elsewhere)))
    }
}

impl<V> Gather<V> {
    pub(super) fn map<N, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Gather<W> {
        Gather { vms: to.vms("vms", &self.vms) }
    }
}
