//! Ejection search: units that fit nowhere displace others.

use super::SearchBudget;
use super::repair::{MAX_CANDIDATES, PartialAssignment};
use dfrsim_model::{NodeId, Rng};

impl PartialAssignment<'_> {
    /// Places the units of `left`, last one first, until none is left. If no node admits a unit, it
    /// displaces others, which are placed next: those with the fewest ejections so far (ejection
    /// search). Returns true if all units were placed within the budget.
    pub(super) fn place_with_ejections(
        &mut self,
        mut left: Vec<usize>,
        budget: &mut SearchBudget,
        rng: &mut Rng,
    ) -> bool {
        let first_pool = self.goal.typical_pool_cost();
        // Units that make others wait are harder to place again, so they start with a higher count.
        let mut ejected: Vec<u64> = (0..self.goal.units.len()).map(|unit| self.waiting(unit) - 1).collect();
        while let Some(unit) = left.pop() {
            if self.insert_all(&[unit], first_pool, rng) == 1 {
                continue;
            }
            ejected[unit] += 1;
            let found = if budget.try_step() { self.cheapest_ejection(unit, &ejected, rng) } else { None };
            let Some((node, leaving)) = found else { return false };
            leaving.iter().for_each(|&other| self.remove(other));
            self.insert(unit, node);
            left.extend(leaving);
        }
        true
    }

    /// Finds the node on which the unit displaces the units with the fewest ejections in total;
    /// returns it with these units.
    fn cheapest_ejection(
        &mut self,
        unit: usize,
        ejected: &[u64],
        rng: &mut Rng,
    ) -> Option<(NodeId, Vec<usize>)> {
        let mut best: Option<(u64, NodeId, Vec<usize>)> = None;
        for node in self.hosts(unit, rng).take(MAX_CANDIDATES) {
            let Some(leaving) = self.ejections_for(unit, node, ejected) else { continue };
            let price = leaving.iter().map(|&other| 1 + ejected[other]).sum();
            if best.as_ref().is_none_or(|(found, ..)| price < *found) {
                best = Some((price, node, leaving));
            }
            if price <= 1 {
                break;
            }
        }
        best.map(|(_, node, leaving)| (node, leaving))
    }

    /// Returns the units that must leave so that a node admits `unit`: those that constraints keep
    /// apart from it, then those with the fewest ejections. Returns `None` if the node cannot admit
    /// the unit even then.
    fn ejections_for(&mut self, unit: usize, node: NodeId, ejected: &[u64]) -> Option<Vec<usize>> {
        let barring = self.assignment.blockers(&self.goal.units[unit], node)?;
        let mut leaving: Vec<usize> =
            barring.into_iter().map(|vm| self.goal.unit_of(vm)).collect::<Option<_>>()?;
        leaving.sort_unstable();
        leaving.dedup();
        let mut places = self.remove_all(&leaving);
        let by_rule = leaving.len();
        let mut residents = self.residents(node).to_vec();
        residents.sort_by_key(|&other| (ejected[other], self.goal.units[other].demand.memory));
        for other in residents {
            if self.admits(unit, node) {
                break;
            }
            places.extend(self.remove_all(&[other]));
            leaving.push(other);
        }
        let is_enough = self.admits(unit, node);
        // Small units that were removed before larger ones may fit after all.
        let mut at = by_rule;
        while is_enough && at < leaving.len() {
            let (other, _, enters) = places[at];
            self.place(other, node, enters);
            if self.admits(unit, node) {
                leaving.remove(at);
                places.remove(at);
            } else {
                self.remove(other);
                at += 1;
            }
        }
        places.iter().for_each(|&(unit, node, enters)| self.place(unit, node, enters));
        is_enough.then_some(leaving)
    }
}
