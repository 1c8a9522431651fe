//! Violations of soft constraints at the end of a plan.

use super::document::{Constraint, Document, Kind, PlaceRecord};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Computes the sum of the weights of all violations.
pub(super) fn penalty(plan: &Document, vms: &FxHashMap<&str, usize>, places: &[PlaceRecord]) -> u64 {
    let host = |name: &str| places[vms[name]].host();
    plan.soft.iter().fold(0_u64, |sum, it| {
        let weight = u64::from(it.weight.unwrap_or_default());
        sum.saturating_add(weight.saturating_mul(count(plan, it, &host)))
    })
}

/// Counts the violations of a constraint.
fn count<'p>(plan: &'p Document, it: &Constraint, host: &dyn Fn(&str) -> Option<&'p str>) -> u64 {
    let named: BTreeSet<&String> = it.all_vms().collect();
    let mut hosts: Vec<&str> = named.iter().filter_map(|name| host(name)).collect();
    hosts.sort_unstable();
    let on_one_of = |group: &[String]| hosts.iter().filter(|host| group.iter().any(|it| it == *host)).count();
    let meets = |name: &String, others: &[&String]| {
        host(name).is_some_and(|own| others.iter().any(|other| *other != name && host(other) == Some(own)))
    };
    let count = match it.kind {
        Kind::Fence => hosts.len() - on_one_of(&it.nodes[0]),
        Kind::Ban => on_one_of(&it.nodes[0]),
        Kind::Spread => hosts.windows(2).filter(|pair| pair[0] == pair[1]).count(),
        Kind::Gather => {
            let largest = hosts.chunk_by(|one, other| one == other).map(<[_]>::len).max();
            hosts.len() - largest.unwrap_or(0)
        }
        Kind::Among => hosts.len() - it.nodes.iter().map(|group| on_one_of(group)).max().unwrap_or(0),
        Kind::Split => {
            let is_met = |(at, group): (usize, &Vec<String>)| {
                let others = it.vms.iter().enumerate().filter(|(other, _)| *other != at);
                let others: Vec<&String> = others.flat_map(|(_, others)| others).collect();
                group.iter().any(|name| meets(name, &others))
            };
            usize::from(it.vms.iter().enumerate().any(is_met))
        }
        Kind::Lonely => {
            let mut strangers = plan.vms.iter().map(|vm| &vm.name).filter(|name| !named.contains(name));
            let lonely: Vec<&String> = named.iter().copied().collect();
            usize::from(strangers.any(|stranger| meets(stranger, &lonely)))
        }
        Kind::SplitAmong => usize::from(!is_split_among(it, host)),
        _ => 0,
    };
    count as u64
}

/// Returns whether the VMs of each set are on the nodes of one group, and different sets on different
/// groups.
fn is_split_among<'p>(it: &Constraint, host: &dyn Fn(&str) -> Option<&'p str>) -> bool {
    let mut taken = BTreeSet::new();
    it.vms.iter().all(|set| {
        let group = |name: &String| {
            let own = host(name)?;
            Some(it.nodes.iter().position(|group| group.iter().any(|node| node == own)))
        };
        let groups: BTreeSet<Option<usize>> = set.iter().filter_map(group).collect();
        groups.len() <= 1 && groups.iter().all(|group| group.is_some() && taken.insert(*group))
    })
}
