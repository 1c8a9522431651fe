//! Cycles of migrations that wait for each other, and how they are broken (section 4.1, figure 8).

use super::ledger::Ledger;
use crate::action::{Action, Kind};
use crate::cluster::Cluster;
use crate::vjob::VmId;
use dfrsim_model::NodeId;

/// Breaks one cycle of actions of which none fits: begins an action that empties a place in it, changes what remains to be
/// done accordingly, and returns that action.
///
/// A VM is moved to a pivot at most once and suspended at most once, so that the plan ends.
pub(super) fn breaking(cluster: &Cluster, ledger: &mut Ledger, remaining: &mut [Action]) -> Action {
    let mut cycle = find(cluster, remaining);
    let nodes: Vec<NodeId> = cycle.iter().filter_map(|&index| remaining[index].from().host()).collect();
    // Actions stand by the names of their VMs, so indices decide among VMs of one size.
    cycle.sort_by_key(|&index| (cluster.vm(remaining[index].vm()).demand.memory, index));
    let bypass = cycle.iter().find_map(|&index| {
        let Kind::Migrate { from, to } = remaining[index].kind() else { return None };
        let vm = remaining[index].vm();
        if ledger.has_used_pivot(vm) {
            return None;
        }
        let mut pivots = cluster.node_ids().filter(|node| !nodes.contains(node) && *node != to);
        let pivot = pivots.find(|&node| ledger.admits(cluster, Action::migration(vm, from, node)))?;
        Some((index, Action::migration(vm, from, pivot), Action::migration(vm, pivot, to)))
    });
    let (index, first, then) = bypass.unwrap_or_else(|| suspended(cycle[0], remaining[cycle[0]]));
    if let Kind::Migrate { .. } = first.kind() {
        ledger.use_pivot(first.vm());
    }
    ledger.begin(cluster, first);
    remaining[index] = then;
    first
}

/// A migration, or the waking of a VM on another node, by way of the disk.
fn suspended(index: usize, action: Action) -> (usize, Action, Action) {
    let vm: VmId = action.vm();
    match action.kind() {
        Kind::Migrate { from, to } => (index, Action::suspend(vm, from, false), Action::resume(vm, from, to)),
        Kind::Wake { from, to } => (index, Action::suspend(vm, from, true), Action::resume(vm, from, to)),
        other => unreachable!("a {} leaves no node for another", other.name()),
    }
}

/// The indices of actions that leave the nodes of a cycle, in its order: each enters the node that the next one leaves.
///
/// Where an action does not fit now and does in the end, another must leave its node, and that one does not fit either.
fn find(cluster: &Cluster, remaining: &[Action]) -> Vec<usize> {
    let mut first_leaving = vec![None; cluster.nodes().len()];
    for (index, action) in remaining.iter().enumerate().rev() {
        if let Some(node) = action.from().host().filter(|_| action.kind().is_remote()) {
            first_leaving[node.index()] = Some(index);
        }
    }
    let next = |index: usize| {
        let node = remaining[index].to().host().expect("what does not fit enters a node");
        first_leaving[node.index()].expect("a node that is to have room is left by a VM")
    };
    // After as many steps as there are nodes the walk is in the cycle.
    let start = cluster.nodes().iter().fold(next(0), |index, _| next(index));
    let walk = std::iter::successors(Some(start), |&index| Some(next(index)).filter(|&index| index != start));
    walk.collect()
}
