//! The assignments from which the search begins.

use super::Search;
use super::complete::MOST_UNITS;
use super::cover::cheapest_cover;
use super::goal::Goal;
use super::repair::PartialAssignment;
use crate::cluster::first_come_first_served;
use dfrsim_model::{NodeId, Seed};
use std::cmp::Reverse;

/// Assigns some units, and returns those that are left, the most urgent first.
type Begin = fn(&Goal<'_>, &mut PartialAssignment<'_>) -> Vec<usize>;

/// The beginnings in their order. Each may spend this number of eighths of the budget.
const BEGINNINGS: [(Begin, u32); 2] = [(staying, 1), (packed, 1)];
/// What a problem that is too large for complete search spends the rest on.
const LAST: (Begin, u32) = (staying, 8);

/// Looks for a first assignment. Who may stay stays, and only the others are given nodes. If that fails, all are packed into
/// empty nodes in the order of the decision module, which finds the nodes of what it has decided.
pub(super) fn search(search: &mut Search<'_>, seed: Seed) {
    let mut rng = seed.rng();
    let last = (search.goal.units.len() > MOST_UNITS).then_some(LAST);
    for (begin, eighths) in BEGINNINGS.into_iter().chain(last) {
        let mut partial = PartialAssignment::new(search.goal, &search.planner.room);
        let mut left = begin(search.goal, &mut partial);
        // The last one is the first that gets a node.
        left.reverse();
        // Where there is one, another is found by changing it as well.
        let mut budget = search.budget.part(if search.best.is_some() { 0 } else { eighths });
        let is_settled = partial.settle(left, &mut budget, &mut rng);
        search.budget.steps = budget.steps;
        if is_settled {
            search.offer_planned(&partial.nodes, &partial.enters);
        }
        if search.best.is_some() {
            break;
        }
    }
}

/// Leaves units where they are, but for those whose moving costs least where a node is overloaded, or a constraint is broken.
/// Returns the others: first those that make most wait if they do, vjob by vjob, the largest first, and last what is run.
pub(super) fn staying(goal: &Goal<'_>, partial: &mut PartialAssignment<'_>) -> Vec<usize> {
    let mut at_home = vec![Vec::new(); goal.cluster.nodes().len()];
    let mut others = Vec::new();
    for unit in 0..goal.units.len() {
        match goal.host(unit) {
            Some(host) => at_home[host.index()].push(unit),
            None => others.push(unit),
        }
    }
    for (node, units) in (0..).map(NodeId).zip(at_home) {
        let items: Vec<_> = units.iter().map(|&unit| (goal.units[unit].demand, goal.price(unit))).collect();
        let taken = items.iter().fold(crate::Amount::NONE, |sum, (demand, _)| sum + *demand);
        let leaving = cheapest_cover(&items, taken - partial.assignment.room(node));
        for (at, unit) in units.into_iter().enumerate() {
            if !leaving.contains(&at) && partial.admits(unit, node) {
                partial.put(unit, node);
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

/// Packs vjobs into empty nodes by first-fit decreasing, as the decision module does. Returns the units for which there was no
/// node.
fn packed(goal: &Goal<'_>, partial: &mut PartialAssignment<'_>) -> Vec<usize> {
    let mut left = Vec::new();
    for vjob in first_come_first_served(goal.cluster) {
        let mut units: Vec<usize> = goal.units_of(vjob).filter(|&unit| goal.vjob(unit) == vjob).collect();
        // Units are numbered by size.
        units.sort_unstable();
        units.dedup();
        for unit in units {
            match goal.cluster.node_ids().find(|&node| partial.admits(unit, node)) {
                Some(node) => partial.put(unit, node),
                None => left.push(unit),
            }
        }
    }
    left
}
