//! Some VMs where they are.

use super::{Lowered, Translate, Viewed};
use crate::configuration::Configuration;
use crate::vjob::VmId;
use serde::{Deserialize, Serialize};

/// Those of these VMs that run or doze now come to no other node: they are never migrated. They may be suspended and resumed
/// where they are, with their vjob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Root<V = VmId> {
    /// The VMs.
    pub vms: Vec<V>,
}

impl Root {
    pub(super) fn lower(&self, lowered: &mut Lowered, current: &Configuration) {
        for &vm in &self.vms {
            if let Some(host) = current.place(vm).host() {
                lowered.roots[vm.index()] = Some(host);
            }
        }
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        let is_elsewhere = |(vm, host): &(VmId, _)| viewed.root(*vm).is_some_and(|root| root != *host);
        let (vm, host) = viewed.hosted(&self.vms).find(is_elsewhere)?;
        Some(format!("{} is on {}", viewed.vm(vm), viewed.node(host)))
    }
}

impl<V> Root<V> {
    pub(super) fn map<N, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Root<W> {
        Root { vms: to.vms("vms", &self.vms) }
    }
}
