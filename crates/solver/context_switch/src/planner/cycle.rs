//! Cycles of migrations that wait for each other, and how they are broken (section 4.1, figure 8).

use super::ledger::Ledger;
use crate::action::{Action, Kind};
use crate::cluster::Cluster;
use crate::configuration::Place;
use dfrsim_model::NodeId;

/// A VM that makes room in a cycle: first to a pivot, then to where it is wanted.
pub(super) struct Detour {
    /// The index of its action among those that remain.
    pub(super) index: usize,
    pub(super) first: Action,
    pub(super) then: Action,
}

/// Breaks each cycle that has a pivot now: begins a migration that makes room in it. `waits` says which of the remaining
/// actions wait in cycles. A VM is moved to a pivot at most once, so that the plan ends.
pub(super) fn by_pivots(
    cluster: &Cluster,
    ledger: &mut Ledger,
    remaining: &[Action],
    waits: impl Fn(Action) -> bool,
) -> Vec<Detour> {
    let mut is_entered = vec![false; cluster.nodes().len()];
    let entered = remaining.iter().filter_map(|action| action.to().host());
    entered.for_each(|node| is_entered[node.index()] = true);
    // Others wait for nodes that are entered: those are taken last.
    let mut pivots: Vec<NodeId> = cluster.node_ids().collect();
    pivots.sort_by_key(|node| is_entered[node.index()]);
    let mut detours = Vec::new();
    for cycle in cycles(cluster, remaining, waits) {
        if let Some(detour) = by_pivot(cluster, ledger, remaining, &cycle, &pivots) {
            ledger.use_pivot(detour.first.vm());
            ledger.begin(cluster, detour.first);
            detours.push(detour);
        }
    }
    detours
}

/// The smallest VM of a cycle that a node outside of it admits, with the first such node.
fn by_pivot(
    cluster: &Cluster,
    ledger: &Ledger,
    remaining: &[Action],
    cycle: &[usize],
    pivots: &[NodeId],
) -> Option<Detour> {
    let nodes: Vec<NodeId> = cycle.iter().filter_map(|&index| remaining[index].from().host()).collect();
    let mut cycle = cycle.to_vec();
    // Actions are ordered by the names of their VMs, so indices decide among VMs of one size.
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

/// Cycles of waiting actions that share no node, each as the indices of its actions: each enters the node that the next one
/// leaves.
///
/// Where actions do not fit now and do at the end, others must leave their nodes. If none of all that remain fits, there is
/// a cycle among those.
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
    // The walk in which each action was met, if any.
    let mut met = vec![None; remaining.len()];
    let mut cycles = Vec::new();
    for start in first_leaving.iter().flatten().copied() {
        let mut at = Some(start);
        while let Some(index) = at.filter(|&index| met[index].is_none()) {
            met[index] = Some(start);
            at = next(index);
        }
        // Where the walk met itself there is a cycle that no walk before has met.
        if let Some(first) = at.filter(|&index| met[index] == Some(start)) {
            let walk =
                std::iter::successors(Some(first), |&index| next(index).filter(|&index| index != first));
            cycles.push(walk.collect());
        }
    }
    cycles
}
