//! Units for which no node has room push others out (ejection search).

use super::Budget;
use super::repair::{MOST_CANDIDATES, PartialAssignment};
use dfrsim_model::{NodeId, Rng};

impl PartialAssignment<'_> {
    /// Gives nodes to units, the last one first, until none is left. Where no node admits a unit, it gets one on which others
    /// make room, and these are next: those that were without a node least often (ejection search). Whether all have one
    /// before the budget is spent.
    pub(super) fn settle(&mut self, mut left: Vec<usize>, budget: &mut Budget, rng: &mut Rng) -> bool {
        let first_pool = self.goal.usual_pool();
        // To bring back what makes others wait is harder.
        let mut ejected: Vec<u64> = (0..self.goal.units.len()).map(|unit| self.waiting(unit) - 1).collect();
        while let Some(unit) = left.pop() {
            if self.put_all(&[unit], first_pool, rng) == 1 {
                continue;
            }
            ejected[unit] += 1;
            let found = if budget.step() { self.gentlest(unit, &ejected, rng) } else { None };
            let Some((node, leaving)) = found else { return false };
            leaving.iter().for_each(|&other| self.take(other));
            self.put(unit, node);
            left.extend(leaving);
        }
        true
    }

    /// The node on which a unit needs others to leave that were ejected least often altogether, with these.
    fn gentlest(&mut self, unit: usize, ejected: &[u64], rng: &mut Rng) -> Option<(NodeId, Vec<usize>)> {
        let mut best: Option<(u64, NodeId, Vec<usize>)> = None;
        for node in self.hosts(unit, rng).take(MOST_CANDIDATES) {
            let Some(leaving) = self.leaving(unit, node, ejected) else { continue };
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

    /// The units that must leave so that a node admits another: those that constraints keep apart from it, then those that were
    /// ejected least often; `None` if it may not be there regardless of who leaves.
    fn leaving(&mut self, unit: usize, node: NodeId, ejected: &[u64]) -> Option<Vec<usize>> {
        let barring = self.assignment.barring(&self.goal.units[unit], node)?;
        let mut leaving: Vec<usize> =
            barring.into_iter().map(|vm| self.goal.unit_of(vm)).collect::<Option<_>>()?;
        leaving.sort_unstable();
        leaving.dedup();
        let mut places = self.take_all(&leaving);
        let by_rule = leaving.len();
        let mut residents = self.residents(node).to_vec();
        residents.sort_by_key(|&other| (ejected[other], self.goal.units[other].demand.memory));
        for other in residents {
            if self.admits(unit, node) {
                break;
            }
            places.extend(self.take_all(&[other]));
            leaving.push(other);
        }
        let is_enough = self.admits(unit, node);
        // Small ones that left before larger ones may be able to stay.
        let mut at = by_rule;
        while is_enough && at < leaving.len() {
            let (other, _, enters) = places[at];
            self.place(other, node, enters);
            if self.admits(unit, node) {
                leaving.remove(at);
                places.remove(at);
            } else {
                self.take(other);
                at += 1;
            }
        }
        places.iter().for_each(|&(unit, node, enters)| self.place(unit, node, enters));
        is_enough.then_some(leaving)
    }
}
