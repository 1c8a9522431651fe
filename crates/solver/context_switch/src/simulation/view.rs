//! What a policy sees.

use crate::assignment::{Unit, largest_first, units};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::vjob::VjobId;
use dfrsim_model::SimTime;

/// The view of a policy.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) current: &'a Configuration,
    /// The vjobs that want to run, in their order.
    pub(super) queue: &'a [VjobId],
    pub(super) now: SimTime,
    /// When each vjob is expected to end, if it begins now or runs.
    pub(super) expected_ends: &'a [SimTime],
}

impl View<'_> {
    /// The VMs of a vjob that wait, the largest first.
    pub(super) fn missing(&self, vjob: VjobId) -> Vec<Unit> {
        let vms = self.cluster.vms_of(vjob).iter().copied();
        let mut items = units(self.cluster, vms.filter(|vm| self.current.place(*vm) == Place::Waiting));
        largest_first(&mut items);
        items
    }
}
