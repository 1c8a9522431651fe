//! Some VMs act one after the other.

use super::{Lowered, Translate};
use crate::vjob::VmId;
use serde::{Deserialize, Serialize};

/// All actions on a VM end before any action on a later one of this list begins. The suspends and the resumes of VMs of one
/// vjob go together all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Precedence<V = VmId> {
    /// The VMs in their order.
    pub vms: Vec<V>,
}

impl Precedence {
    pub(super) fn lower(&self, lowered: &mut Lowered) {
        for (at, vm) in self.vms.iter().enumerate() {
            lowered.before[vm.index()].extend(&self.vms[..at]);
        }
    }
}

impl<V: PartialEq> Precedence<V> {
    pub(super) fn map<N, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Precedence<W> {
        if let Some(at) = (0..self.vms.len()).find(|&at| self.vms[..at].contains(&self.vms[at])) {
            to.fault(&format!("vms[{at}]"), "the VM is here twice, and cannot precede itself".to_owned());
        }
        Precedence { vms: to.vms("vms", &self.vms) }
    }
}
