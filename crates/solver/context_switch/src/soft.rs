//! Soft constraints: each violation costs its weight, in MB, beside the memory that a plan moves.

use crate::cluster::Cluster;
use crate::configuration::Configuration;
use crate::constraints::Constraint;
use crate::vjob::VmId;
use dfrsim_model::NodeId;
use dfrsim_state::ConstraintKind;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Result of a search with soft constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSoft<T> {
    /// Result of the best search.
    pub found: T,
    /// Soft constraints, or parts of them, that the best search had to satisfy.
    pub enforced: Vec<Constraint>,
    /// True if the searches ended before all parts of the violated constraints were tried.
    pub is_cut_short: bool,
}

/// Returns how often a configuration violates a soft constraint: the VMs outside of a fence, on the
/// nodes of a ban, or beyond the first one on a node for `spread`; the VMs that are not with most of
/// the others for `gather` and `among`; and once for the other kinds.
#[must_use]
pub fn violations(cluster: &Cluster, constraint: &Constraint, configuration: &Configuration) -> u64 {
    let mut vms: Vec<VmId> = constraint.all_vms().copied().collect();
    vms.sort_unstable();
    vms.dedup();
    let hosts = || vms.iter().filter_map(|vm| configuration.place(*vm).host());
    let mut counts: BTreeMap<NodeId, usize> = BTreeMap::new();
    hosts().for_each(|host| *counts.entry(host).or_default() += 1);
    let all = hosts().count();
    let inside = |nodes: &[NodeId]| hosts().filter(|host| nodes.contains(host)).count();
    let count = match constraint.kind {
        ConstraintKind::Fence => all - inside(&constraint.nodes[0]),
        ConstraintKind::Ban => inside(&constraint.nodes[0]),
        ConstraintKind::Spread => all - counts.len(),
        ConstraintKind::Gather => all - counts.values().max().unwrap_or(&0),
        ConstraintKind::Among => all - constraint.nodes.iter().map(|group| inside(group)).max().unwrap_or(0),
        _ => usize::from(cluster.is_violated(constraint, configuration)),
    };
    count as u64
}

/// Returns the sum of the weights of all violations of soft constraints.
#[must_use]
pub fn penalty(cluster: &Cluster, configuration: &Configuration) -> u64 {
    let of = |it: &Constraint| {
        u64::from(it.weight.unwrap_or(0)).saturating_mul(violations(cluster, it, configuration))
    };
    cluster.soft().iter().map(of).fold(0, u64::saturating_add)
}

/// Searches with soft constraints, of which the search itself knows none: some of them are enforced like
/// the others if that makes the result better. `search` gets the constraints to enforce, `places` returns
/// the configuration of a result, and `value` compares results, with their penalties; less is better.
///
/// The violated constraints, the largest weight first, are enforced together. If that does not make the
/// result better, each half of them is tried, and so on down to parts of the VMs of one constraint. At
/// most `searches` searches follow the first one.
///
/// # Errors
/// The error of the first search, which enforces no soft constraint.
pub fn keep_soft<T, E, V: Ord>(
    cluster: &Cluster,
    searches: usize,
    mut search: impl FnMut(&[Constraint]) -> Result<T, E>,
    places: impl Fn(&T) -> &Configuration,
    value: impl Fn(&T, u64) -> V,
) -> Result<KeptSoft<T>, E> {
    let valued = |found: &T| value(found, penalty(cluster, places(found)));
    let mut found = search(&[])?;
    let mut best = valued(&found);
    let mut enforced: Vec<Constraint> = Vec::new();
    let mut all = cluster.soft().to_vec();
    all.sort_by_key(|it| Reverse(it.weight));
    let mut left = searches;
    let mut parts = vec![all];
    while let Some(mut part) = parts.pop() {
        part.retain(|it| violations(cluster, it, places(&found)) > 0);
        if part.is_empty() {
            continue;
        }
        if left == 0 {
            return Ok(KeptSoft { found, enforced, is_cut_short: true });
        }
        left -= 1;
        let list = [&enforced[..], &part[..]].concat();
        let other = search(&list).ok().map(|other| (valued(&other), other));
        if let Some((value, other)) = other.filter(|(value, _)| *value < best) {
            (best, found, enforced) = (value, other, list);
            continue;
        }
        let halves = match &part[..] {
            [one] => halves(one),
            several => {
                let (first, second) = several.split_at(several.len().div_ceil(2));
                Some([first.to_vec(), second.to_vec()])
            }
        };
        parts.extend(halves.into_iter().flatten().rev());
    }
    Ok(KeptSoft { found, enforced, is_cut_short: false })
}

/// Returns two constraints on half the VMs each; `None` if a constraint cannot be divided.
fn halves(it: &Constraint) -> Option<[Vec<Constraint>; 2]> {
    let least = match it.kind {
        ConstraintKind::Fence | ConstraintKind::Ban => 2,
        ConstraintKind::Spread | ConstraintKind::Gather | ConstraintKind::Among => 3,
        _ => return None,
    };
    let vms = it.vms.first().filter(|vms| vms.len() >= least)?;
    let (first, second) = vms.split_at(vms.len().div_ceil(2));
    Some([first, second].map(|vms| vec![Constraint { vms: vec![vms.to_vec()], ..it.clone() }]))
}
