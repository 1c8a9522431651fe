//! EASY backfilling of vjobs (section 2.1).

use super::view::View;
use crate::assignment::{Assignment, Unit, units};
use crate::cluster::Cluster;
use crate::vjob::VjobId;
use dfrsim_model::SimTime;

/// Backfills vjobs behind the queue head: those that fit now and are expected to end by the shadow
/// time, or that do not use the nodes reserved for the head.
pub(super) fn backfill(view: &View<'_>, assignment: &mut Assignment<&Cluster>, waiting: &[VjobId]) {
    let [head, others @ ..] = waiting else { return };
    let Some((begin, mut reserved)) = reservation(view, assignment, *head) else { return };
    for &vjob in others {
        let items = view.waiting_units(vjob);
        let ends_before = view.expected_ends[vjob.index()] <= begin;
        let leaves_room = |reserved: &mut Assignment<&Cluster>| ends_before || reserved.first_fit(&items);
        if assignment.first_fit(&items) && !leaves_room(&mut reserved) {
            items.iter().for_each(|unit| assignment.unassign(unit));
        }
    }
}

/// Computes the reservation of the queue head: the shadow time, at which it can start if all other
/// vjobs end as expected, and the assignment including the head then.
fn reservation<'a>(
    view: &View<'_>,
    assignment: &Assignment<&'a Cluster>,
    head: VjobId,
) -> Option<(SimTime, Assignment<&'a Cluster>)> {
    let mut reserved = assignment.clone();
    let hosted = |vjob: &VjobId| -> Vec<Unit> {
        let vms = view.cluster.vms_of(*vjob).iter().copied();
        units(view.cluster, vms.filter(|vm| assignment.host(*vm).is_some()))
    };
    let mut running: Vec<VjobId> =
        view.cluster.vjob_ids().filter(|vjob| *vjob != head && !hosted(vjob).is_empty()).collect();
    running.sort_by_key(|vjob| view.expected_ends[vjob.index()]);
    for vjob in running {
        hosted(&vjob).iter().for_each(|unit| reserved.unassign(unit));
        if reserved.first_fit(&view.waiting_units(head)) {
            return Some((view.expected_ends[vjob.index()].max(view.now), reserved));
        }
    }
    None
}
