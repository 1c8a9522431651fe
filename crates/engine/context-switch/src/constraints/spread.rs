//! No two of some VMs on one node.

use super::{Lowered, Translate, Viewed};
use crate::vjob::VmId;
use serde::{Deserialize, Serialize};

/// No two of these VMs on one node: for high availability (section 7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread<V = VmId> {
    /// The VMs.
    pub vms: Vec<V>,
    /// Whether that holds at any moment, or at the end only.
    #[serde(default = "super::yes", skip_serializing_if = "super::is_yes")]
    pub continuous: bool,
}

impl Spread {
    pub(super) fn lower(&self, lowered: &mut Lowered) {
        for vm in &self.vms {
            lowered.part(*vm, self.vms.iter().copied().filter(|other| other != vm), self.continuous);
        }
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        self.vms.iter().enumerate().find_map(|(at, vm)| {
            let host = viewed.host(*vm)?;
            let other =
                self.vms[..at].iter().find(|other| *other != vm && viewed.host(**other) == Some(host))?;
            Some(format!("{} and {} are on {}", viewed.vm(*other), viewed.vm(*vm), viewed.node(host)))
        })
    }
}

impl<V> Spread<V> {
    pub(super) fn map<N, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Spread<W> {
        Spread { vms: to.vms("vms", &self.vms), continuous: self.continuous }
    }
}
