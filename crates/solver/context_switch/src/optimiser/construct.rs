//! Construction of initial assignments.

use super::Search;
use super::complete::MAX_UNITS;
use super::cover::cheapest_cover;
use super::goal::Goal;
use super::repair::PartialAssignment;
use crate::cluster::first_come_first_served;
use dfrsim_model::{NodeId, Seed};
use std::cmp::Reverse;

/// Assigns some units and returns the remaining ones, most urgent first.
type Construction = fn(&Goal<'_>, &mut PartialAssignment<'_>) -> Vec<usize>;

/// Construction heuristics in order, with the eighths of the budget that each may spend.
const CONSTRUCTIONS: [(Construction, u32); 2] = [(keep_in_place, 1), (pack_from_empty, 1)];
/// Fallback for problems that are too large for complete search; it may spend the rest of the
/// budget.
const FALLBACK: (Construction, u32) = (keep_in_place, 8);

/// Constructs an initial assignment. The first heuristic leaves VMs on their nodes where possible
/// and places only the others. If it fails, the second one packs all VMs into empty nodes in the
/// order of the decision module, and so finds a solution wherever that module did.
pub(super) fn search(search: &mut Search<'_>, seed: Seed) {
    let mut rng = seed.rng();
    let last = (search.goal.units.len() > MAX_UNITS).then_some(FALLBACK);
    for (begin, eighths) in CONSTRUCTIONS.into_iter().chain(last) {
        let mut partial = PartialAssignment::new(search.goal, &search.planner.free);
        let mut left = begin(search.goal, &mut partial);
        // Units are taken from the end of the list.
        left.reverse();
        // If an incumbent exists, local search on it takes the place of ejection, which therefore
        // gets no budget.
        let mut budget = search.budget.limited_to(if search.best.is_some() { 0 } else { eighths });
        let is_settled = partial.place_with_ejections(left, &mut budget, &mut rng);
        search.budget.steps = budget.steps;
        if is_settled {
            search.offer_planned(&partial.nodes, &partial.enters);
        }
        if search.best.is_some() {
            break;
        }
    }
}

/// Leaves units on their nodes, except the cheapest set to move off an overloaded node and those
/// whose constraints are violated. Returns the others: first those whose waiting delays the most
/// actions, vjob by vjob and largest first; runs come last.
pub(super) fn keep_in_place(goal: &Goal<'_>, partial: &mut PartialAssignment<'_>) -> Vec<usize> {
    let mut at_home = vec![Vec::new(); goal.cluster.nodes().len()];
    let mut others = Vec::new();
    for unit in 0..goal.units.len() {
        match goal.host(unit) {
            Some(host) => at_home[host.index()].push(unit),
            None => others.push(unit),
        }
    }
    for (node, units) in (0..).map(NodeId).zip(at_home) {
        let items: Vec<_> =
            units.iter().map(|&unit| (goal.units[unit].demand, goal.departure_cost_of_unit(unit))).collect();
        let taken = items.iter().fold(crate::Amount::NONE, |sum, (demand, _)| sum + *demand);
        let leaving = cheapest_cover(&items, taken - partial.assignment.free(node));
        for (at, unit) in units.into_iter().enumerate() {
            if !leaving.contains(&at) && partial.admits(unit, node) {
                partial.insert(unit, node);
            } else {
                others.push(unit);
            }
        }
    }
    others.sort_by_key(|&unit| {
        let most = partial.waiting(unit);
        let vjob = if most > 1 { goal.vjob(unit).index() } else { 0 };
        (Reverse(most), vjob, goal.host(unit).is_none(), unit)
    });
    others
}

/// Packs vjobs into empty nodes by first-fit decreasing, as the decision module does. Returns the
/// units that fit nowhere.
fn pack_from_empty(goal: &Goal<'_>, partial: &mut PartialAssignment<'_>) -> Vec<usize> {
    let mut left = Vec::new();
    for vjob in first_come_first_served(goal.cluster) {
        let mut units: Vec<usize> = goal.units_of(vjob).filter(|&unit| goal.vjob(unit) == vjob).collect();
        // Units are numbered by decreasing size.
        units.sort_unstable();
        units.dedup();
        for unit in units {
            match goal.cluster.node_ids().find(|&node| partial.admits(unit, node)) {
                Some(node) => partial.insert(unit, node),
                None => left.push(unit),
            }
        }
    }
    left
}
