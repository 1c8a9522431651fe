//! The search kernel of `dfrsim_adaptation` for units that fit nowhere.

use super::SearchBudget;
use super::goal::{Goal, NOWHERE};
use super::repair::PartialAssignment;
use crate::placement_rules::PlacementRules;
use dfrsim_adaptation::{UNPLACED, repaired};
use dfrsim_model::offline::{Adaptation, Instance, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Rng, Yield};

/// Maximum number of repairs in different ways.
const REPAIRS: usize = 64;

impl PartialAssignment<'_> {
    /// Places the units of `left`, last one first. Where no node admits a unit, the search kernel
    /// repairs the whole assignment, in several ways at most, each of which is a step. Returns true if
    /// all units were placed within the budget.
    pub(super) fn place_with_ejections(
        &mut self,
        mut left: Vec<usize>,
        budget: &mut SearchBudget,
        rng: &mut Rng,
    ) -> bool {
        let first_pool = self.goal.typical_pool_cost();
        let mut placed = vec![true; self.goal.units.len()];
        left.iter().for_each(|&unit| placed[unit] = false);
        while let Some(unit) = left.pop() {
            placed[unit] = self.insert_all(&[unit], first_pool, rng) == 1;
        }
        if placed.iter().all(|placed| *placed) {
            return true;
        }
        let start: Vec<u32> = self
            .nodes
            .iter()
            .zip(&placed)
            .map(|(node, placed)| if *placed { node.0 } else { UNPLACED })
            .collect();
        let problem = problem(self.goal);
        let tasks = self.goal.units.iter().map(|unit| unit.vms.clone()).collect();
        let rules = PlacementRules::complete(self.goal.cluster, &self.goal.decided, tasks);
        let repair = |number| repaired(&problem, Some(Box::new(rules.clone())), &start, number..number + 1);
        let found = (0..REPAIRS).take_while(|_| budget.try_step()).find_map(repair);
        let Some(nodes) = found else { return false };
        let is_new = |unit: &usize| !placed[*unit] || self.nodes[*unit].0 != nodes[*unit];
        let changed: Vec<usize> = (0..nodes.len()).filter(is_new).collect();
        changed.iter().filter(|unit| placed[**unit]).for_each(|&unit| self.remove(unit));
        changed.into_iter().all(|unit| {
            let node = NodeId(nodes[unit]);
            let admits = self.admits(unit, node);
            if admits {
                self.insert(unit, node);
            } else {
                self.nodes[unit] = NOWHERE;
            }
            admits
        })
    }
}

/// Returns the units as tasks whose memory and CPU are not shared; leaving its node costs a unit what
/// its VMs cost more elsewhere.
fn problem(goal: &Goal<'_>) -> Adaptation {
    let narrow = |amount: i64| amount.clamp(0, i64::from(u32::MAX)) as u32;
    // VMs that doze by decision keep their memory.
    let empty = goal.assignment();
    let nodes = goal.cluster.node_ids().map(|node| empty.free(node));
    let nodes = nodes.map(|free| [narrow(free.memory), narrow(free.cpu)].into());
    let jobs = goal.units.iter().map(|unit| OfflineJob {
        tasks: 1,
        demand: [narrow(unit.demand.memory), narrow(unit.demand.cpu)].into(),
        least_yield: Yield::ZERO,
    });
    let units = 0..goal.units.len();
    let home = |unit: usize| goal.host(unit).map(|node| NodeTasks { node, tasks: 1 }).into_iter().collect();
    Adaptation {
        instance: Instance { fixed: 1, fluid: 1, nodes: nodes.collect(), jobs: jobs.collect() },
        current: units.clone().map(home).collect(),
        cost: units.map(|unit| goal.departure_cost_of_unit(unit).min(u64::MAX - 1)).collect(),
    }
}
