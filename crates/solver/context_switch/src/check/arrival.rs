//! Constraints on the nodes of VMs that arrive, and on the final nodes.

use super::document::{Constraint, Document, Kind, PlaceRecord, State, VmRecord, in_units};
use super::fault::PlanViolation;
use rustc_hash::FxHashMap;

/// Collects the constraints that apply to each VM, in the order of the file.
pub(super) fn constraints_by_vm<'a>(
    plan: &'a Document,
    vms: &FxHashMap<&str, usize>,
) -> Vec<Vec<&'a Constraint>> {
    let mut of = vec![Vec::new(); plan.vms.len()];
    for constraint in &plan.constraints {
        let mut named: Vec<usize> = match constraint.kind {
            Kind::Lonely | Kind::Quarantine => (0..plan.vms.len()).collect(),
            _ => constraint.all_vms().map(|name| vms[name.as_str()]).collect(),
        };
        named.sort_unstable();
        named.dedup();
        named.into_iter().for_each(|vm| of[vm].push(constraint));
    }
    of
}

/// Finds the constraints violated by VMs that arrive on nodes while all VMs change from `before` to
/// `after`. Constraints need not hold before the first pool and for VMs that stay.
pub(super) fn faults(
    plan: &Document,
    vms: &FxHashMap<&str, usize>,
    concerned: &[Vec<&Constraint>],
    pool: usize,
    before: &[PlaceRecord],
    after: &[PlaceRecord],
) -> Vec<PlanViolation> {
    let mut faults = Vec::new();
    let is_end = pool == plan.pools.len();
    for (at, vm) in plan.vms.iter().enumerate() {
        let Some(node) = after[at].host().filter(|host| before[at].host() != Some(host)) else { continue };
        // True if the VM is on the node at some time in the pool.
        let is_there = |name: &str| {
            let there = |place: &PlaceRecord| place.host() == Some(node);
            let other = vms[name];
            other != at && (there(&before[other]) || there(&after[other]))
        };
        let named = |list: &[String]| list.contains(&vm.name);
        let listed = |list: &[String]| list.iter().any(|listed| listed == node);
        let others = |list: &[String]| list.iter().any(|name| is_there(name));
        for constraint in &concerned[at] {
            let (sets, groups) = (&constraint.vms, &constraint.nodes);
            let holds_now = constraint.is_continuous || is_end;
            let is_broken = match constraint.kind {
                Kind::Fence => !listed(&groups[0]),
                Kind::Ban => listed(&groups[0]),
                Kind::Spread => holds_now && others(&sets[0]),
                Kind::Split => {
                    let own = sets.iter().position(|group| named(group));
                    let meets = |own| (0..sets.len()).any(|group| group != own && others(&sets[group]));
                    holds_now && own.is_some_and(meets)
                }
                Kind::Lonely => {
                    let is_stranger = |other: &&VmRecord| sets[0].contains(&other.name) != named(&sets[0]);
                    holds_now && plan.vms.iter().filter(is_stranger).any(|other| is_there(&other.name))
                }
                Kind::Among | Kind::SplitAmong => !groups.iter().any(|group| listed(group)),
                Kind::Root => vm.before.host().is_some_and(|root| root != node),
                Kind::Quarantine => {
                    let comes = listed(&groups[0]) && vm.before.host() != Some(node);
                    let is_inside = |host: &str| groups[0].iter().any(|listed| listed == host);
                    comes || vm.before.host().is_some_and(|host| host != node && is_inside(host))
                }
                _ => false,
            };
            if is_broken {
                faults.push(PlanViolation::of_place(pool, &vm.name, node, constraint.kind));
            }
        }
    }
    faults
}

/// VM with its node.
type Hosted<'a> = (&'a String, &'a str);

/// Finds the violated constraints on sets of VMs: at the end and, for continuous constraints, at any
/// time if they held in the beginning.
pub(super) fn faults_together(
    plan: &Document,
    vms: &FxHashMap<&str, usize>,
    places: &[PlaceRecord],
) -> Vec<PlanViolation> {
    let mut faults = Vec::new();
    // Nodes on which each VM ever was.
    let mut ever: Vec<Vec<&str>> = plan.vms.iter().map(|vm| vm.before.host().into_iter().collect()).collect();
    for action in plan.pools.iter().flatten() {
        let before = &plan.vms[vms[action.vm.as_str()]].before;
        let hosts = action.to.as_deref().filter(|_| action.action.is_hosted());
        ever[vms[action.vm.as_str()]].extend(hosts.filter(|host| before.host() != Some(host)));
    }
    let mut break_if =
        |named: &[String], constraint, continuous, is_broken: &dyn Fn(&[Hosted<'_>]) -> bool| {
            let named: Vec<usize> = named.iter().map(|name| vms[name.as_str()]).collect();
            let name = |at: usize| &plan.vms[at].name;
            let before = named.iter().filter_map(|&at| Some((name(at), plan.vms[at].before.host()?)));
            let before: Vec<Hosted<'_>> = before.collect();
            let after = named.iter().filter_map(|&at| Some((name(at), places[at].host()?)));
            let mut seen: Vec<Hosted<'_>> = after.collect();
            if continuous && !before.is_empty() && !is_broken(&before) {
                seen.extend(named.iter().flat_map(|&at| ever[at].iter().map(move |host| (name(at), *host))));
            }
            if let Some((vm, node)) = seen.last().filter(|_| is_broken(&seen)) {
                faults.push(PlanViolation::of_place(plan.pools.len(), vm, node, constraint));
            }
        };
    let has_all = |group: &Vec<String>, hosted: &[Hosted<'_>]| {
        hosted.iter().all(|(_, node)| group.iter().any(|listed| listed == node))
    };
    for constraint in &plan.constraints {
        let (kind, sets, groups) = (constraint.kind, &constraint.vms, &constraint.nodes);
        match kind {
            Kind::Gather => {
                let differ = |hosted: &[Hosted<'_>]| hosted.iter().any(|(_, node)| *node != hosted[0].1);
                break_if(&sets[0], kind, constraint.is_continuous, &differ);
            }
            Kind::Among => break_if(&sets[0], kind, constraint.is_continuous, &|hosted| {
                !groups.iter().any(|group| has_all(group, hosted))
            }),
            Kind::SplitAmong => {
                for (at, set) in sets.iter().enumerate() {
                    let is_taken = |group: &Vec<String>| {
                        let earlier =
                            sets[..at].iter().flatten().filter_map(|name| places[vms[name.as_str()]].host());
                        earlier.into_iter().any(|host| group.iter().any(|listed| listed == host))
                    };
                    break_if(set, kind, false, &|hosted| {
                        let mut groups = groups.iter().filter(|group| has_all(group, hosted));
                        !hosted.is_empty() && !groups.any(|group| !is_taken(group))
                    });
                }
            }
            _ => {}
        }
    }
    faults.extend(unpreserved(plan, vms, places));
    faults
}

/// Finds the VMs that run with less than the amount to be preserved.
fn unpreserved(plan: &Document, vms: &FxHashMap<&str, usize>, places: &[PlaceRecord]) -> Vec<PlanViolation> {
    let mut faults = Vec::new();
    for constraint in &plan.constraints {
        if constraint.kind != Kind::Preserve {
            continue;
        }
        let (resource, least) = (&constraint.resource, in_units(constraint));
        for at in constraint.all_vms().map(|name| vms[name.as_str()]) {
            let (vm, place) = (&plan.vms[at], &places[at]);
            if place.state == State::Running && vm.takes(resource, place) < least {
                let node = place.node.as_deref().unwrap_or_default();
                faults.push(PlanViolation::of_place(plan.pools.len(), &vm.name, node, Kind::Preserve));
            }
        }
    }
    faults
}
