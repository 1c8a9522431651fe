//! Where VMs may arrive, and where they may be at the end.

use super::document::{Constraint, Document, Place};
use super::fault::PlanFault;
use std::collections::BTreeMap;

/// What is broken by VMs that arrive on nodes while all go from some places to others. Before the first pool and while VMs
/// stay constraints need not hold.
pub(super) fn faults(
    plan: &Document,
    vms: &BTreeMap<&str, usize>,
    pool: usize,
    before: &[Place],
    after: &[Place],
) -> Vec<PlanFault> {
    let mut faults = Vec::new();
    for (at, vm) in plan.vms.iter().enumerate() {
        let Some(node) = after[at].host().filter(|host| before[at].host() != Some(host)) else { continue };
        // Who is there at some moment of the pool.
        let is_there = |name: &str| {
            let there = |place: &Place| place.host() == Some(node);
            let other = vms[name];
            other != at && (there(&before[other]) || there(&after[other]))
        };
        let named = |list: &[String]| list.contains(&vm.name);
        let listed = |list: &[String]| list.iter().any(|listed| listed == node);
        let others = |list: &[String]| list.iter().any(|name| is_there(name));
        for constraint in &plan.constraints {
            let broken = match constraint {
                Constraint::Fence { vms, nodes } => (named(vms) && !listed(nodes)).then_some("fence"),
                Constraint::Ban { vms, nodes } => (named(vms) && listed(nodes)).then_some("ban"),
                Constraint::Spread { vms } => (named(vms) && others(vms)).then_some("spread"),
                Constraint::Split { groups } => {
                    let own = groups.iter().position(|group| named(group));
                    let meets = |own| (0..groups.len()).any(|group| group != own && others(&groups[group]));
                    own.is_some_and(meets).then_some("split")
                }
                Constraint::Lonely { vms } => {
                    let strangers = plan.vms.iter().filter(|other| vms.contains(&other.name) != named(vms));
                    strangers.map(|other| &other.name).any(|name| is_there(name)).then_some("lonely")
                }
                Constraint::Among { vms, groups } => {
                    (named(vms) && !groups.iter().any(|group| listed(group))).then_some("among")
                }
                Constraint::Root { vms } => {
                    let root = vm.before.host().filter(|root| *root != node);
                    (named(vms) && root.is_some()).then_some("root")
                }
                _ => None,
            };
            if let Some(constraint) = broken {
                let (vm, node) = (vm.name.clone(), node.to_owned());
                faults.push(PlanFault::Constraint { pool, vm, node, constraint });
            }
        }
    }
    faults
}

/// A VM with its node.
type Hosted<'a> = (&'a String, &'a str);

/// The constraints that hold at the end only: gathered VMs, and groups of nodes.
pub(super) fn faults_in_the_end(plan: &Document, places: &[Place]) -> Vec<PlanFault> {
    let mut faults = Vec::new();
    let mut break_if = |vms: &[String], constraint, is_broken: &dyn Fn(&[Hosted<'_>]) -> bool| {
        let hosted = plan.vms.iter().zip(places).filter(|(vm, _)| vms.contains(&vm.name));
        let hosted: Vec<Hosted<'_>> =
            hosted.filter_map(|(vm, place)| Some((&vm.name, place.host()?))).collect();
        if let Some((vm, node)) = hosted.last().filter(|_| is_broken(&hosted)) {
            let (pool, vm, node) = (plan.pools.len(), (*vm).clone(), (*node).to_owned());
            faults.push(PlanFault::Constraint { pool, vm, node, constraint });
        }
    };
    for constraint in &plan.constraints {
        match constraint {
            Constraint::Gather { vms } => {
                break_if(vms, "gather", &|hosted| hosted.iter().any(|(_, node)| *node != hosted[0].1));
            }
            Constraint::Among { vms, groups } => {
                let has_all = |group: &Vec<String>, hosted: &[Hosted<'_>]| {
                    hosted.iter().all(|(_, node)| group.iter().any(|listed| listed == node))
                };
                break_if(vms, "among", &|hosted| !groups.iter().any(|group| has_all(group, hosted)));
            }
            _ => {}
        }
    }
    faults
}
