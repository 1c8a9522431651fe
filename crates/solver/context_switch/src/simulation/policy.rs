//! The policies that decide which vjobs run, and where.

use super::easy;
use super::view::View;
use crate::assignment::{Assignment, units};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::decision::{SuspendTo, select_running};
use crate::optimiser::{Limits, cheapest};
use crate::vjob::VjobId;
use dfrsim_model::Seed;
use std::borrow::Cow;

/// A decision module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Static allocation, first come first served: a vjob books a processing unit for each of its VMs until it ends, and the
    /// first one that does not fit makes all others wait.
    Booking,
    /// The same with EASY backfilling (section 2.1): a vjob may pass the first one that does not fit if that is not delayed, by
    /// what the vjobs are expected to take.
    Easy,
    /// The sample decision module (section 3.2), whose configuration is taken as it is: first-fit decreasing.
    FirstFit(SuspendTo),
    /// The same with the cheapest configuration that the optimiser finds.
    Optimised(SuspendTo, Limits),
}

impl Policy {
    /// The cluster with what VMs count for: what is observed of them, or the units that they have booked.
    pub(super) fn counted<'a>(&self, observed: &'a Cluster) -> Cow<'a, Cluster> {
        match self {
            Policy::Booking | Policy::Easy => {
                let mut booked = observed.clone();
                observed.by_name().iter().for_each(|&vm| booked.observe_cpu(vm, 1));
                Cow::Owned(booked)
            }
            Policy::FirstFit(_) | Policy::Optimised(..) => Cow::Borrowed(observed),
        }
    }

    /// Whether plans are chosen by their costs.
    pub(super) const fn chooses_by_cost(&self) -> bool {
        matches!(self, Policy::Optimised(..))
    }

    /// A viable configuration to go to; the cluster is as [counted](Policy::counted).
    pub(super) fn decide(&self, view: &View<'_>, seed: Seed) -> Configuration {
        let View { cluster, current, queue, .. } = *view;
        match *self {
            Policy::Booking => booked(view, |_, _, _| {}),
            Policy::Easy => booked(view, easy::backfill),
            Policy::FirstFit(suspend_to) => select_running(cluster, current, queue, suspend_to),
            Policy::Optimised(suspend_to, limits) => {
                let first_fit = select_running(cluster, current, queue, suspend_to);
                let found = cheapest(cluster, current, &first_fit, &limits, seed);
                found.map_or(first_fit, |found| found.configuration)
            }
        }
    }
}

/// Vjobs that run stay where they are; others follow as long as they fit, and then those that `backfill` gives nodes to: it gets
/// the vjobs from the first one on that does not fit.
fn booked(
    view: &View<'_>,
    backfill: impl FnOnce(&View<'_>, &mut Assignment<'_>, &[VjobId]),
) -> Configuration {
    let View { cluster, current, queue, .. } = *view;
    let mut assignment = Assignment::empty(cluster);
    let mut wanted = current.clone();
    let runs = |vjob: VjobId| cluster.vms_of(vjob).iter().any(|vm| current.place(*vm) != Place::Waiting);
    for &vjob in queue.iter().filter(|vjob| runs(**vjob)) {
        for unit in units(cluster, cluster.vms_of(vjob).iter().copied()) {
            if let Some(node) = current.place(unit.vms[0]).host() {
                assignment.put(&unit, node);
            }
        }
    }
    for vjob in cluster.vjob_ids() {
        let places = cluster.vms_of(vjob).iter().map(|&vm| (vm, current.place(vm)));
        for (vm, place) in places {
            if matches!(place, Place::Running(_)) && !queue.contains(&vjob) {
                wanted.set(vm, Place::Terminated);
            }
        }
    }
    // Those of whose VMs some did not start are completed first.
    let passed = queue.iter().take_while(|vjob| assignment.first_fit(&view.missing(**vjob))).count();
    if passed < queue.len() {
        backfill(view, &mut assignment, &queue[passed..]);
    }
    for vm in queue.iter().flat_map(|&vjob| cluster.vms_of(vjob)) {
        if let Some(host) = assignment.host(*vm).filter(|_| current.place(*vm) == Place::Waiting) {
            wanted.set(*vm, Place::Running(host));
        }
    }
    wanted
}
