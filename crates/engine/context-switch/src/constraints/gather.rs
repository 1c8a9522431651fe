//! Some VMs on one node.

use super::{Lowered, NodeSets, Translate, Viewed};
use crate::configuration::Configuration;
use crate::vjob::VmId;
use serde::{Deserialize, Serialize};

/// All of these VMs that are hosted at the end are so on one node. VMs that are gathered with a common one are gathered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gather<V = VmId> {
    /// The VMs.
    pub vms: Vec<V>,
    /// Whether they stay on their node, if they do at the beginning.
    #[serde(default, skip_serializing_if = "super::is_no")]
    pub continuous: bool,
}

impl Gather {
    pub(super) fn lower(&self, lowered: &mut Lowered, sets: &mut NodeSets, current: &Configuration) {
        let mut hosts = self.vms.iter().filter_map(|vm| current.place(*vm).host());
        if let Some(host) = hosts.next().filter(|host| self.continuous && hosts.all(|other| other == *host)) {
            lowered.restrict(&self.vms, &sets.of(&[host]), true);
        }
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
        let Some((other, elsewhere)) = hosted.find(|(_, host)| *host != node) else {
            return viewed.strayed(&self.vms).filter(|_| self.continuous);
        };
        let on = |vm, node| format!("{} is on {}", viewed.vm(vm), viewed.node(node));
        Some(format!("{} and {}", on(first, node), on(other, elsewhere)))
    }
}

impl<V> Gather<V> {
    pub(super) fn map<N, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Gather<W> {
        Gather { vms: to.vms("vms", &self.vms), continuous: self.continuous }
    }
}
