//! Complete search: every assignment, but for those that cannot be cheaper than the best.

use super::Search;
use crate::assignment::Assignment;
use crate::configuration::{Configuration, Place};
use dfrsim_model::NodeId;

/// Larger problems are not begun.
pub(super) const MOST_UNITS: usize = 40;
/// The part of all steps that may be spent here.
const PART: u64 = 4;

/// Depth first, the largest units first, each at home first (section 4.3). Whether every assignment was examined, or the
/// best one is the bound.
pub(super) fn search(search: &mut Search<'_>) -> bool {
    if search.is_proven() {
        return true;
    }
    let units = search.goal.units.len();
    if units > MOST_UNITS {
        return false;
    }
    let goal = search.goal;
    let mut least = vec![goal.decided_cost; units + 1];
    for unit in (0..units).rev() {
        least[unit] = goal.cluster.both(goal.least_cost(unit), least[unit + 1]);
    }
    let steps =
        if search.best.is_some() { search.budget.limits.steps / PART } else { search.budget.limits.steps };
    let mut tree = Tree {
        least_from: least,
        assignment: goal.assignment(),
        nodes: vec![NodeId(0); units],
        configuration: goal.decided.clone(),
        last_step: search.budget.steps.saturating_add(steps),
    };
    tree.visit(search, 0, 0)
}

struct Tree<'a> {
    /// The least that the units from one on, and the decided actions, cost by themselves.
    least_from: Vec<u64>,
    assignment: Assignment<'a>,
    nodes: Vec<NodeId>,
    configuration: Configuration,
    last_step: u64,
}

impl Tree<'_> {
    /// Assigns the units from `depth` on; those before cost so much by themselves and by what they wait for, at least.
    /// Whether all of it was examined.
    fn visit(&mut self, search: &mut Search<'_>, depth: usize, cost: u64) -> bool {
        let goal = search.goal;
        if depth == goal.units.len() {
            search.offer_exactly(
                &self.nodes,
                &self.configuration,
                goal.cluster.both(cost, goal.decided_cost),
            );
            return true;
        }
        let unit = &goal.units[depth];
        let home = goal.home(depth);
        let others = goal.cluster.node_ids().filter(|node| Some(*node) != home);
        let candidates: Vec<NodeId> = home.into_iter().chain(others).collect();
        for node in candidates {
            if search.is_proven() {
                return true;
            }
            if !self.assignment.admits(unit, node) {
                continue;
            }
            let fits_at_once = goal.entry(unit, node).fits(goal.free_at_once[node.index()]);
            let waiting = if fits_at_once { 0 } else { goal.first_leaves[node.index()] };
            let both = |one, other| goal.cluster.both(one, other);
            let cost = both(cost, both(goal.cost(unit, node), waiting));
            let least = both(cost, self.least_from[depth + 1]);
            if search.best.as_ref().is_some_and(|best| least >= best.cost) {
                continue;
            }
            if search.budget.steps >= self.last_step || !search.budget.step() {
                return false;
            }
            self.nodes[depth] = node;
            self.assignment.put(unit, node);
            unit.vms.iter().for_each(|&vm| self.configuration.set(vm, Place::Running(node)));
            let is_complete = self.visit(search, depth + 1, cost);
            self.assignment.take(unit);
            if !is_complete {
                return false;
            }
        }
        true
    }
}
