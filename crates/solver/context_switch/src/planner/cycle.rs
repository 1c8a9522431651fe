//! Cycles of migrations that wait for each other, and their resolution (section 4.1, figure 8).

use crate::action::{Action, Kind};
use crate::cluster::Cluster;
use crate::configuration::Place;
use crate::ledger::Ledger;
use dfrsim_model::NodeId;

/// A migration by way of a pivot node, which breaks a cycle.
pub(super) struct Detour {
    /// Index of the VM's action among the remaining ones.
    pub(super) index: usize,
    pub(super) first: Action,
    pub(super) then: Action,
}

/// Breaks each cycle for which a pivot node is available, by starting a migration out of it. `waits`
/// selects the remaining actions that wait in cycles. A VM moves to a pivot at most once, which
/// guarantees termination.
pub(super) fn break_by_pivots(
    cluster: &Cluster,
    ledger: &mut Ledger,
    remaining: &[Action],
    waits: impl Fn(Action) -> bool,
) -> Vec<Detour> {
    let mut is_entered = vec![false; cluster.nodes().len()];
    let entered = remaining.iter().filter_map(|action| action.to().host());
    entered.for_each(|node| is_entered[node.index()] = true);
    // Nodes that other actions enter are tried last, as those actions would have to wait.
    let mut pivots: Vec<NodeId> = cluster.node_ids().collect();
    pivots.sort_by_key(|node| is_entered[node.index()]);
    let mut detours = Vec::new();
    for cycle in cycles(cluster, remaining, waits) {
        if let Some(detour) = find_detour(cluster, ledger, remaining, &cycle, &pivots) {
            ledger.record_pivot(detour.first.vm());
            ledger.begin(cluster, detour.first);
            detours.push(detour);
        }
    }
    detours
}

/// Finds the smallest VM of a cycle that a node outside of the cycle admits, and the first such
/// node.
fn find_detour(
    cluster: &Cluster,
    ledger: &Ledger,
    remaining: &[Action],
    cycle: &[usize],
    pivots: &[NodeId],
) -> Option<Detour> {
    let nodes: Vec<NodeId> = cycle.iter().filter_map(|&index| remaining[index].from().host()).collect();
    let mut cycle = cycle.to_vec();
    // Actions are sorted by the names of their VMs, so indices break ties.
    cycle.sort_by_key(|&index| (cluster.vm(remaining[index].vm()).demand.memory, index));
    cycle.into_iter().find_map(|index| {
        let action = remaining[index];
        let (vm, Place::Running(to)) = (action.vm(), action.to()) else { return None };
        if action.kind() != Kind::Migrate
            || ledger.has_used_pivot(vm)
            || cluster.constraints().vm(vm).acts_once()
        {
            return None;
        }
        let pivots = pivots.iter().copied().filter(|node| !nodes.contains(node) && *node != to);
        let mut firsts = pivots.filter_map(|node| Action::to_run(vm, action.from(), node));
        let first = firsts.find(|&first| ledger.admits(cluster, first))?;
        Some(Detour { index, first, then: Action::to_run(vm, first.to(), to)? })
    })
}

/// Finds node-disjoint cycles of waiting actions, each as the indices of its actions: each action
/// enters the node that the next one leaves.
///
/// If actions do not fit now but fit at the end, others must leave their nodes first. So if none of
/// the remaining actions fits, they contain a cycle.
pub(super) fn cycles(
    cluster: &Cluster,
    remaining: &[Action],
    waits: impl Fn(Action) -> bool,
) -> Vec<Vec<usize>> {
    let mut first_leaving = vec![None; cluster.nodes().len()];
    for (index, &action) in remaining.iter().enumerate().rev() {
        if let Some(node) = action.from().host().filter(|_| action.is_remote() && waits(action)) {
            first_leaving[node.index()] = Some(index);
        }
    }
    let entered = |index: usize| remaining[index].to().host();
    let next = |index: usize| entered(index).and_then(|node| first_leaving[node.index()]);
    // Start of the walk that visited each action, if any.
    let mut met = vec![None; remaining.len()];
    let mut cycles = Vec::new();
    for start in first_leaving.iter().flatten().copied() {
        let mut at = Some(start);
        while let Some(index) = at.filter(|&index| met[index].is_none()) {
            met[index] = Some(start);
            at = next(index);
        }
        // A walk that meets itself has found a cycle that no earlier walk visited.
        if let Some(first) = at.filter(|&index| met[index] == Some(start)) {
            let walk =
                std::iter::successors(Some(first), |&index| next(index).filter(|&index| index != first));
            cycles.push(walk.collect());
        }
    }
    cycles
}
