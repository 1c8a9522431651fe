//! Complete search by branch and bound over all assignments.

use super::Search;
use crate::assignment::Assignment;
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use dfrsim_model::NodeId;

/// Largest number of units for which the search is attempted.
pub(super) const MAX_UNITS: usize = 40;
/// Divisor of the step budget: a quarter of all steps may be spent here once there is an incumbent.
const STEPS_DIVISOR: u64 = 4;

/// Searches depth first, the largest units first and the current node of each unit first (section
/// 4.3). Returns true if the search was exhaustive or the incumbent reached the lower bound.
pub(super) fn search(search: &mut Search<'_>) -> bool {
    if search.is_proven() {
        return true;
    }
    let units = search.goal.units.len();
    if units > MAX_UNITS {
        return false;
    }
    let goal = search.goal;
    let mut least = vec![goal.decided_cost; units + 1];
    for unit in (0..units).rev() {
        least[unit] = goal.cluster.joint_cost(goal.least_cost(unit), least[unit + 1]);
    }
    let steps = if search.best.is_some() {
        search.budget.limits.steps / STEPS_DIVISOR
    } else {
        search.budget.limits.steps
    };
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
    /// Lower bound on the local costs of the units from each index on; the decided actions are
    /// included.
    least_from: Vec<u64>,
    assignment: Assignment<&'a Cluster>,
    nodes: Vec<NodeId>,
    configuration: Configuration,
    last_step: u64,
}

impl Tree<'_> {
    /// Assigns the units from `depth` on. `cost` is a lower bound on the local and waiting costs of
    /// the units before. Returns true if the subtree was searched exhaustively.
    fn visit(&mut self, search: &mut Search<'_>, depth: usize, cost: u64) -> bool {
        let goal = search.goal;
        if depth == goal.units.len() {
            search.offer_exactly(
                &self.nodes,
                &self.configuration,
                goal.cluster.joint_cost(cost, goal.decided_cost),
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
            let fits_at_once = goal.entering_demand(unit, node).fits(goal.free_at_once[node.index()]);
            let waiting = if fits_at_once { 0 } else { goal.first_departure_cost[node.index()] };
            let both = |one, other| goal.cluster.joint_cost(one, other);
            let cost = both(cost, both(goal.cost(unit, node), waiting));
            let least = both(cost, self.least_from[depth + 1]);
            if search.best.as_ref().is_some_and(|best| least >= best.cost) {
                continue;
            }
            if search.budget.steps >= self.last_step || !search.budget.try_step() {
                return false;
            }
            self.nodes[depth] = node;
            self.assignment.assign(unit, node);
            unit.vms.iter().for_each(|&vm| self.configuration.set(vm, Place::Running(node)));
            let is_complete = self.visit(search, depth + 1, cost);
            self.assignment.unassign(unit);
            if !is_complete {
                return false;
            }
        }
        true
    }
}
