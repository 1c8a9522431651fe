//! Greedy reinsertion of units on the nodes that seem cheapest.

use super::estimate::Estimate;
use super::goal::{Goal, NOWHERE};
use crate::amount::Amount;
use crate::assignment::{Assignment, Unit};
use crate::cluster::Cluster;
use crate::vjob::{VjobId, VmId};
use dfrsim_model::{NodeId, Rng};
use rand::RngExt;
use std::cmp::Reverse;

/// An assignment under change, with the free resources of its first pool.
#[derive(Clone, Debug)]
pub(super) struct PartialAssignment<'a> {
    pub(super) goal: &'a Goal<'a>,
    pub(super) assignment: Assignment<&'a Cluster>,
    /// Node of each unit; unspecified for units without one.
    pub(super) nodes: Vec<NodeId>,
    /// Units on each node.
    residents: Vec<Vec<usize>>,
    /// Current free resources of each node, minus those of units that enter it in the first pool.
    first_pool_free: Vec<Amount>,
    /// True for units that enter their node in the first pool, as far as resources are concerned.
    pub(super) enters: Vec<bool>,
    /// True for vjobs whose resumes are deliberately delayed to a later pool.
    pub(super) delayed: Vec<bool>,
    pub(super) estimate: Estimate,
}

/// Undo information for a change: the removed units, their former places, and the vjob whose delay
/// was toggled.
pub(super) struct Change {
    pub(super) removed: Vec<usize>,
    pub(super) places: Vec<(usize, NodeId, bool)>,
    pub(super) toggled: Option<VjobId>,
}

/// Maximum number of nodes examined for a unit, unless none of them admits it; covers every usual
/// cluster.
const MAX_CANDIDATES: usize = 512;
/// Maximum number of candidates of equal cost.
const MAX_EQUALS: usize = 32;

impl<'a> PartialAssignment<'a> {
    /// Creates an assignment in which no unit has a node.
    pub(super) fn new(goal: &'a Goal<'a>, room: &[Amount]) -> PartialAssignment<'a> {
        PartialAssignment {
            goal,
            assignment: goal.assignment(),
            nodes: vec![NodeId(0); goal.units.len()],
            residents: vec![Vec::new(); goal.cluster.nodes().len()],
            first_pool_free: room.to_vec(),
            enters: vec![false; goal.units.len()],
            delayed: vec![false; goal.cluster.vjobs().len()],
            estimate: Estimate::new(goal),
        }
    }

    /// Returns the free resources of a node for units that enter it in the first pool.
    pub(super) fn first_pool_free(&self, node: NodeId) -> Amount {
        self.first_pool_free[node.index()]
    }

    /// Returns the units on a node.
    pub(super) fn residents(&self, node: NodeId) -> &[usize] {
        &self.residents[node.index()]
    }

    /// Checks that a node has the resources for a unit and that the constraints allow it.
    pub(super) fn admits(&self, unit: usize, node: NodeId) -> bool {
        self.assignment.admits(&self.goal.units[unit], node)
    }

    pub(super) fn insert(&mut self, unit: usize, node: NodeId) {
        let entry = self.goal.entering_demand(&self.goal.units[unit], node);
        self.place(unit, node, !self.is_delayed(unit) && entry.fits(self.first_pool_free[node.index()]));
    }

    /// Places a unit on a node; with [`NOWHERE`], records that it has none.
    pub(super) fn place(&mut self, unit: usize, node: NodeId, enters: bool) {
        if node == NOWHERE {
            (self.enters[unit], self.nodes[unit]) = (false, node);
            self.estimate.missing += 1;
            return;
        }
        if enters {
            self.first_pool_free[node.index()] -=
                self.goal.entering_demand(&self.goal.units[unit], node).positive();
        }
        (self.enters[unit], self.nodes[unit]) = (enters, node);
        self.estimate.change(self.goal, unit, node, enters, true);
        self.residents[node.index()].push(unit);
        self.assignment.assign(&self.goal.units[unit], node);
    }

    pub(super) fn remove(&mut self, unit: usize) {
        let node = self.nodes[unit];
        if node == NOWHERE {
            self.estimate.missing -= 1;
            return;
        }
        self.estimate.change(self.goal, unit, node, self.enters[unit], false);
        if self.enters[unit] {
            self.first_pool_free[node.index()] +=
                self.goal.entering_demand(&self.goal.units[unit], node).positive();
        }
        self.residents[node.index()].retain(|&resident| resident != unit);
        self.assignment.unassign(&self.goal.units[unit]);
    }

    /// Removes units from their nodes and returns their former places.
    pub(super) fn remove_all(&mut self, units: &[usize]) -> Vec<(usize, NodeId, bool)> {
        let places = units.iter().map(|&unit| (unit, self.nodes[unit], self.enters[unit])).collect();
        units.iter().for_each(|&unit| self.remove(unit));
        places
    }

    /// Undoes a change.
    pub(super) fn undo(&mut self, Change { removed: taken, places, toggled: turned }: &Change) {
        taken.iter().for_each(|&unit| self.remove(unit));
        places.iter().for_each(|&(unit, node, enters)| self.place(unit, node, enters));
        turned.iter().for_each(|vjob| self.toggle_delay(*vjob));
    }

    /// Moves units to other nodes and decides anew which units enter these nodes in the first pool,
    /// starting with those whose waiting delays the most actions.
    pub(super) fn rearrange(&mut self, moved: &[(usize, NodeId)], nodes: &[NodeId]) -> Change {
        let hosted = nodes.iter().filter(|node| **node != NOWHERE);
        let mut taken: Vec<usize> = hosted.flat_map(|&node| self.residents(node)).copied().collect();
        taken.extend(moved.iter().map(|(unit, _)| *unit).filter(|&unit| self.nodes[unit] == NOWHERE));
        let places = self.remove_all(&taken);
        taken.sort_by_key(|&unit| (self.is_delayed(unit), Reverse(self.waiting(unit)), unit));
        for &unit in &taken {
            let node =
                moved.iter().find(|(other, _)| *other == unit).map_or(self.nodes[unit], |(_, node)| *node);
            if node != NOWHERE && self.admits(unit, node) {
                self.insert(unit, node);
            } else {
                self.place(unit, NOWHERE, false);
            }
        }
        Change { removed: taken, places, toggled: None }
    }

    /// Toggles whether the vjob's resumes are delayed to a later pool.
    pub(super) fn toggle_delay(&mut self, vjob: VjobId) {
        self.delayed[vjob.index()] = !self.delayed[vjob.index()];
    }

    /// Returns true if the unit has a resume of a vjob that is delayed.
    fn is_delayed(&self, unit: usize) -> bool {
        self.goal.units[unit].vms.iter().any(|&vm| self.goal.sleeps(vm) && self.delayed[self.vjob(vm)])
    }

    fn vjob(&self, vm: VmId) -> usize {
        self.goal.cluster.vm(vm).vjob.index()
    }

    /// Counts the actions that wait if the unit does: all resumes of its vjob, or only its own.
    pub(super) fn waiting(&self, unit: usize) -> u64 {
        let cluster = self.goal.cluster;
        let sleeping = self.goal.units[unit].vms.iter().filter(|vm| self.goal.sleeps(**vm));
        sleeping.map(|vm| cluster.vms_of(cluster.vm(*vm).vjob).len() as u64).max().unwrap_or(1)
    }

    /// Places units, in order, on the nodes of least cost, including the cost of waiting for a first
    /// pool of cost `first_pool`. Ties are broken in favour of the current node, then of the node
    /// with the least remaining capacity, starting from a random node. Stops at the first unit that
    /// fits nowhere. Returns the number of units placed.
    pub(super) fn insert_all(&mut self, units: &[usize], first_pool: u64, rng: &mut Rng) -> usize {
        let has_none = |&unit: &usize| match self.cheapest_node(unit, first_pool, rng) {
            Some(node) => {
                self.insert(unit, node);
                false
            }
            None => true,
        };
        units.iter().position(has_none).unwrap_or(units.len())
    }

    /// Places units as `insert_all` does, but leaves those that fit nowhere without a node and
    /// continues.
    pub(super) fn insert_possible(&mut self, units: &[usize], first_pool: u64, rng: &mut Rng) {
        for &unit in units {
            match self.cheapest_node(unit, first_pool, rng) {
                Some(node) => self.insert(unit, node),
                None => self.place(unit, NOWHERE, false),
            }
        }
    }

    fn cheapest_node(&self, index: usize, first_pool: u64, rng: &mut Rng) -> Option<NodeId> {
        let unit = &self.goal.units[index];
        let (waits, waiting) = (self.is_delayed(index), self.waiting(index) * first_pool);
        let least = self.goal.least_cost(index);
        let (mut best, mut equals) = (None, 0);
        for (examined, node) in self.goal.home(index).into_iter().chain(self.hosts(index, rng)).enumerate() {
            if examined > MAX_CANDIDATES && best.is_some() || equals > MAX_EQUALS {
                break;
            }
            if !self.admits(index, node) {
                continue;
            }
            let is_late =
                !waits && !self.goal.entering_demand(unit, node).fits(self.first_pool_free[node.index()]);
            let price = self.goal.cost(unit, node) + if is_late { waiting } else { 0 };
            if price == least {
                return Some(node);
            }
            let found = (price, self.remaining_capacity(unit, node, is_late || waits));
            match best {
                Some((known, _)) if found >= known => equals += usize::from(known.0 == price),
                _ => {
                    equals *= usize::from(best.is_some_and(|(known, _)| known.0 == price));
                    best = Some((found, node));
                }
            }
        }
        best.map(|(_, node)| node)
    }

    /// Returns the remaining capacity of a node with the unit, now and at the end, as a sum of
    /// squared fractions in thousandths.
    fn remaining_capacity(&self, unit: &Unit, node: NodeId, is_late: bool) -> i64 {
        let all = self.goal.cluster.capacity(node);
        let square = |room: Amount| {
            let left = (room - unit.demand).positive();
            let part = |left: i64, all: i64| left.saturating_mul(1_000) / all.max(1);
            let (cpu, memory) = (part(left.cpu, all.cpu), part(left.memory, all.memory));
            cpu.saturating_mul(cpu).saturating_add(memory.saturating_mul(memory))
        };
        let at_once = if is_late { 0 } else { square(self.first_pool_free[node.index()]) };
        at_once.saturating_add(square(self.assignment.free(node)))
    }

    /// Returns the nodes that may host a unit, regardless of others, starting from a random one.
    pub(super) fn hosts(&self, unit: usize, rng: &mut Rng) -> impl Iterator<Item = NodeId> + use<'a> {
        let (goal, all) = (self.goal, self.goal.cluster.nodes().len());
        let first = rng.random_range(0..all.max(1));
        let around = (0..all).map(move |step| NodeId(((first + step) % all) as u32));
        let constraints = goal.cluster.constraints();
        around.filter(move |node| goal.units[unit].vms.iter().all(|&vm| constraints.allows(vm, *node)))
    }
}
