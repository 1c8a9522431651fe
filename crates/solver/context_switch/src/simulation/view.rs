//! Input of policies.

use crate::assignment::{Unit, largest_first, units};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::vjob::VjobId;
use dfrsim_model::SimTime;

/// State that a policy sees.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) current: &'a Configuration,
    /// Vjobs that are to run, in queue order.
    pub(super) queue: &'a [VjobId],
    pub(super) now: SimTime,
    /// Expected end of each vjob, if it starts now or is running.
    pub(super) expected_ends: &'a [SimTime],
}

impl View<'_> {
    /// Returns the waiting VMs of a vjob as units, largest first.
    pub(super) fn waiting_units(&self, vjob: VjobId) -> Vec<Unit> {
        let vms = self.cluster.vms_of(vjob).iter().copied();
        let mut items = units(self.cluster, vms.filter(|vm| self.current.place(*vm) == Place::Waiting));
        largest_first(&mut items);
        items
    }
}
