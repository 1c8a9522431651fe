//! Policies that decide which vjobs run, and where.

use super::easy;
use super::view::View;
use crate::assignment::{Assignment, units};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::decision::{SuspendTo, select_running};
use crate::optimiser::{Limits, solve};
use crate::vjob::VjobId;
use dfrsim_model::Seed;
use std::borrow::Cow;

/// Decision modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Static allocation, first come first served. Each vjob books one processing unit per VM until
    /// it ends, and the first vjob that does not fit blocks all others.
    Booking,
    /// Static allocation with EASY backfilling (section 2.1): a vjob may overtake the queue head if,
    /// given the expected durations, this does not delay it.
    Easy,
    /// Sample decision module (section 3.2), with its first-fit decreasing configuration as it is.
    FirstFit(SuspendTo),
    /// Sample decision module, with the cheapest configuration that the optimiser finds for its
    /// decision.
    Optimised(SuspendTo, Limits),
}

impl Policy {
    /// Returns the cluster with the CPU demands that the policy uses: the observed ones, or the
    /// booked processing units.
    pub(super) fn counted_demands<'a>(&self, observed: &'a Cluster) -> Cow<'a, Cluster> {
        match self {
            Policy::Booking | Policy::Easy => {
                let mut booked = observed.clone();
                observed.by_name().iter().for_each(|&vm| booked.observe_cpu(vm, 1));
                Cow::Owned(booked)
            }
            Policy::FirstFit(_) | Policy::Optimised(..) => Cow::Borrowed(observed),
        }
    }

    /// Returns true if plans are chosen by their costs.
    pub(super) const fn chooses_by_cost(&self) -> bool {
        matches!(self, Policy::Optimised(..))
    }

    /// Decides on a viable target configuration; the cluster must have the demands of
    /// [`Policy::counted_demands`].
    pub(super) fn decide(&self, view: &View<'_>, seed: Seed) -> Configuration {
        let View { cluster, current, queue, .. } = *view;
        match *self {
            Policy::Booking => book(view, |_, _, _| {}),
            Policy::Easy => book(view, easy::backfill),
            Policy::FirstFit(suspend_to) => select_running(cluster, current, queue, suspend_to),
            Policy::Optimised(suspend_to, limits) => {
                let first_fit = select_running(cluster, current, queue, suspend_to);
                let found = solve(cluster, current, &first_fit, &limits, seed);
                found.map_or(first_fit, |found| found.configuration)
            }
        }
    }
}

/// Builds the configuration of a static allocation. Running vjobs keep their nodes and others follow
/// in order while they fit. Then `backfill` gets the rest of the queue, from the first vjob that
/// does not fit.
fn book(
    view: &View<'_>,
    backfill: impl FnOnce(&View<'_>, &mut Assignment<&Cluster>, &[VjobId]),
) -> Configuration {
    let View { cluster, current, queue, .. } = *view;
    let mut assignment = Assignment::empty(cluster);
    let mut wanted = current.clone();
    let runs = |vjob: VjobId| cluster.vms_of(vjob).iter().any(|vm| current.place(*vm) != Place::Waiting);
    for &vjob in queue.iter().filter(|vjob| runs(**vjob)) {
        for unit in units(cluster, cluster.vms_of(vjob).iter().copied()) {
            if let Some(node) = current.place(unit.vms[0]).host() {
                assignment.assign(&unit, node);
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
    // Vjobs of which only some VMs have started are completed first.
    let passed = queue.iter().take_while(|vjob| assignment.first_fit(&view.waiting_units(**vjob))).count();
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
