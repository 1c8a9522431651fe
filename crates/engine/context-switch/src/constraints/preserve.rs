//! A least amount of a resource for some VMs.

use super::Translate;
use crate::decimal::Decimal;
use crate::vjob::VmId;
use serde::{Deserialize, Serialize};

/// Each of these VMs needs at least `amount` of a resource while it runs, from the beginning on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preserve<V = VmId> {
    /// The VMs.
    pub vms: Vec<V>,
    /// `cpu`, `memory`, or another one that nodes have.
    pub resource: String,
    /// How much of it; of resources but CPU a whole number.
    pub amount: Decimal,
}

impl<V> Preserve<V> {
    pub(super) fn map<N, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Preserve<W> {
        to.resource("resource", &self.resource);
        if self.resource != "cpu" && self.amount.parts() > 1 {
            to.fault("amount", format!("{} is not a whole number", self.amount));
        }
        Preserve { vms: to.vms("vms", &self.vms), resource: self.resource.clone(), amount: self.amount }
    }
}
