//! Constraints that cannot all hold.

use super::complete::MAX_UNITS;
use super::{Limits, Unsolved, solve};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::constraints::Constraint;
use crate::vjob::VmId;
use dfrsim_model::Seed;
use dfrsim_state::ConstraintKind;
use std::collections::BTreeSet;

/// Limits of each search. A search that ends before it is complete proves nothing.
const LIMITS: Limits = Limits { steps: 4_000, time: None };

/// Maximum number of groups of VMs that are examined.
const MOST_GROUPS: usize = 64;

/// Finds constraints that cannot all hold for the VMs that run in `wanted`: none of them can be left
/// out. They are named by their numbers in the list of the cluster; an empty list means that some of
/// the VMs lack resources whatever the constraints. Returns `None` if nothing is proven.
///
/// VMs with common constraints form a group, unless the constraint concerns each VM by itself. The
/// other VMs are left out, so that the search is complete for groups of few VMs; what such a group
/// cannot do, the whole cluster cannot do either.
#[must_use]
pub fn contradiction(
    cluster: &Cluster,
    current: &Configuration,
    wanted: &Configuration,
) -> Option<Vec<usize>> {
    let list = cluster.constraints().list();
    let runs = |vm: &VmId| matches!(wanted.place(*vm), Place::Running(_));
    let own: Vec<BTreeSet<VmId>> =
        list.iter().map(|constraint| constraint.all_vms().copied().filter(runs).collect()).collect();
    groups(cluster, wanted, &own).into_iter().find_map(|vms| {
        let concerns =
            |number: &usize| list[*number].all_vms().count() == 0 || !own[*number].is_disjoint(&vms);
        let mut numbers: Vec<usize> = (0..list.len()).filter(concerns).collect();
        let is_contradictory = |numbers: &[usize]| {
            let list: Vec<Constraint> = numbers.iter().map(|&number| list[number].clone()).collect();
            is_infeasible(cluster, current, wanted, &vms, list)
        };
        if !is_contradictory(&numbers) {
            return None;
        }
        let mut at = 0;
        while at < numbers.len() {
            let mut rest = numbers.clone();
            rest.remove(at);
            if is_contradictory(&rest) { numbers = rest } else { at += 1 }
        }
        Some(numbers)
    })
}

/// Returns the groups of VMs to examine, the smallest first: each VM that no node may host, and VMs
/// with common constraints, and all of them if they are few.
fn groups(cluster: &Cluster, wanted: &Configuration, own: &[BTreeSet<VmId>]) -> Vec<BTreeSet<VmId>> {
    let constraints = cluster.constraints();
    let running = (0..).map(VmId).zip(wanted.places());
    let running = running.filter(|(_, place)| matches!(place, Place::Running(_))).map(|(vm, _)| vm);
    let all: BTreeSet<VmId> = running.clone().collect();
    let is_homeless = |vm: &VmId| !cluster.node_ids().any(|node| constraints.allows(*vm, node));
    let homeless: Vec<BTreeSet<VmId>> = running.filter(is_homeless).map(|vm| BTreeSet::from([vm])).collect();
    let concerns_each = |kind: ConstraintKind| {
        use ConstraintKind as K;
        matches!(kind, K::Fence | K::Ban | K::Root | K::Preserve | K::NoDelay | K::Deadline)
    };
    let mut groups: Vec<BTreeSet<VmId>> = Vec::new();
    for (constraint, vms) in constraints.list().iter().zip(own) {
        if vms.is_empty() || concerns_each(constraint.kind) {
            continue;
        }
        let mut vms = vms.clone();
        groups.retain(|others| {
            let is_apart = vms.is_disjoint(others);
            if !is_apart {
                vms.extend(others);
            }
            is_apart
        });
        groups.push(vms);
    }
    groups.push(all);
    groups.retain(|vms| vms.len() <= MAX_UNITS);
    groups.sort_by_key(BTreeSet::len);
    homeless.into_iter().chain(groups).take(MOST_GROUPS).collect()
}

/// Returns whether it is proven that no configuration in which only these VMs run satisfies the
/// constraints.
fn is_infeasible(
    cluster: &Cluster,
    current: &Configuration,
    wanted: &Configuration,
    vms: &BTreeSet<VmId>,
    list: Vec<Constraint>,
) -> bool {
    let only = |of: &Configuration| {
        let place =
            |(vm, &place): (u32, &Place)| if vms.contains(&VmId(vm)) { place } else { Place::Terminated };
        Configuration::new((0..).zip(of.places()).map(place).collect())
    };
    let (current, wanted) = (only(current), only(wanted));
    let cluster = cluster.clone().with_constraints(list, &current);
    matches!(solve(&cluster, &current, &wanted, &LIMITS, Seed::new(1)), Err(Unsolved::Infeasible))
}
