//! Some VMs act at different times.

use super::{Lowered, Translate};
use crate::vjob::VmId;
use serde::{Deserialize, Serialize};

/// No two actions on these VMs overlap, in any order. The suspends and the resumes of VMs of one vjob go
/// together all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Serialise<V = VmId> {
    /// The VMs.
    pub vms: Vec<V>,
}

impl Serialise {
    pub(super) fn lower(&self, lowered: &mut Lowered) {
        for vm in &self.vms {
            lowered.in_turn[vm.index()].extend(self.vms.iter().filter(|other| *other != vm));
        }
    }
}

impl<V> Serialise<V> {
    pub(super) fn map<N, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Serialise<W> {
        Serialise { vms: to.vms("vms", &self.vms) }
    }
}
