//! Units without a node get the one that seems cheapest.

use super::estimate::Estimate;
use super::goal::{Goal, NOWHERE};
use crate::amount::Amount;
use crate::assignment::{Assignment, Unit};
use crate::vjob::{VjobId, VmId};
use dfrsim_model::{NodeId, Rng};
use rand::RngExt;
use std::cmp::Reverse;

/// An assignment that is being changed, with what its first pool has left.
#[derive(Clone, Debug)]
pub(super) struct PartialAssignment<'a> {
    pub(super) goal: &'a Goal<'a>,
    pub(super) assignment: Assignment<'a>,
    /// The node of each unit; unspecified for units without one.
    pub(super) nodes: Vec<NodeId>,
    /// The units on each node.
    residents: Vec<Vec<usize>>,
    /// The free resources of each node now, less what enters it at once.
    early: Vec<Amount>,
    /// Whether each unit enters its node at once, as far as room is concerned.
    pub(super) enters: Vec<bool>,
    /// For each vjob, whether its resumes are meant to wait for the first pool.
    pub(super) waits: Vec<bool>,
    pub(super) estimate: Estimate,
}

/// What is needed to take a change back: the units that were taken, where they were, and the vjob whose resumes wait or no longer do.
pub(super) struct Change {
    pub(super) taken: Vec<usize>,
    pub(super) places: Vec<(usize, NodeId, bool)>,
    pub(super) turned: Option<VjobId>,
}

/// The most nodes that are examined for a unit, unless none of them admits it: all of a usual cluster.
pub(super) const MOST_CANDIDATES: usize = 512;
/// The most of them that cost the same.
const MOST_EQUALS: usize = 32;

impl<'a> PartialAssignment<'a> {
    /// One in which no unit has a node.
    pub(super) fn new(goal: &'a Goal<'a>, room: &[Amount]) -> PartialAssignment<'a> {
        PartialAssignment {
            goal,
            assignment: goal.assignment(),
            nodes: vec![NodeId(0); goal.units.len()],
            residents: vec![Vec::new(); goal.cluster.nodes().len()],
            early: room.to_vec(),
            enters: vec![false; goal.units.len()],
            waits: vec![false; goal.cluster.vjobs().len()],
            estimate: Estimate::new(goal),
        }
    }

    /// What a node has left for what enters it at once.
    pub(super) fn early(&self, node: NodeId) -> Amount {
        self.early[node.index()]
    }

    /// The units on a node.
    pub(super) fn residents(&self, node: NodeId) -> &[usize] {
        &self.residents[node.index()]
    }

    /// Whether a node can host a unit beside what it hosts.
    pub(super) fn admits(&self, unit: usize, node: NodeId) -> bool {
        self.assignment.admits(&self.goal.units[unit], node)
    }

    pub(super) fn put(&mut self, unit: usize, node: NodeId) {
        let entry = self.goal.entry(&self.goal.units[unit], node);
        self.place(unit, node, !self.is_to_wait(unit) && entry.fits(self.early[node.index()]));
    }

    /// On no node, if that is [`NOWHERE`].
    pub(super) fn place(&mut self, unit: usize, node: NodeId, enters: bool) {
        if node == NOWHERE {
            (self.enters[unit], self.nodes[unit]) = (false, node);
            self.estimate.missing += 1;
            return;
        }
        if enters {
            self.early[node.index()] -= self.goal.entry(&self.goal.units[unit], node).positive();
        }
        (self.enters[unit], self.nodes[unit]) = (enters, node);
        self.estimate.change(self.goal, unit, node, enters, true);
        self.residents[node.index()].push(unit);
        self.assignment.put(&self.goal.units[unit], node);
    }

    pub(super) fn take(&mut self, unit: usize) {
        let node = self.nodes[unit];
        if node == NOWHERE {
            self.estimate.missing -= 1;
            return;
        }
        self.estimate.change(self.goal, unit, node, self.enters[unit], false);
        if self.enters[unit] {
            self.early[node.index()] += self.goal.entry(&self.goal.units[unit], node).positive();
        }
        self.residents[node.index()].retain(|&resident| resident != unit);
        self.assignment.take(&self.goal.units[unit]);
    }

    /// Takes units from their nodes, and says where they were.
    pub(super) fn take_all(&mut self, units: &[usize]) -> Vec<(usize, NodeId, bool)> {
        let places = units.iter().map(|&unit| (unit, self.nodes[unit], self.enters[unit])).collect();
        units.iter().for_each(|&unit| self.take(unit));
        places
    }

    /// Takes a change back.
    pub(super) fn take_back(&mut self, Change { taken, places, turned }: &Change) {
        taken.iter().for_each(|&unit| self.take(unit));
        places.iter().for_each(|&(unit, node, enters)| self.place(unit, node, enters));
        turned.iter().for_each(|vjob| self.turn(*vjob));
    }

    /// Gives units other nodes and decides again who enters these nodes at once: first what makes most wait if it does not.
    pub(super) fn rearrange(&mut self, moved: &[(usize, NodeId)], nodes: &[NodeId]) -> Change {
        let hosted = nodes.iter().filter(|node| **node != NOWHERE);
        let mut taken: Vec<usize> = hosted.flat_map(|&node| self.residents(node)).copied().collect();
        taken.extend(moved.iter().map(|(unit, _)| *unit).filter(|&unit| self.nodes[unit] == NOWHERE));
        let places = self.take_all(&taken);
        taken.sort_by_key(|&unit| (self.is_to_wait(unit), Reverse(self.waiting(unit)), unit));
        for &unit in &taken {
            let node =
                moved.iter().find(|(other, _)| *other == unit).map_or(self.nodes[unit], |(_, node)| *node);
            if node != NOWHERE && self.admits(unit, node) {
                self.put(unit, node);
            } else {
                self.place(unit, NOWHERE, false);
            }
        }
        Change { taken, places, turned: None }
    }

    /// Lets the resumes of a vjob wait if they are not meant to, or no longer.
    pub(super) fn turn(&mut self, vjob: VjobId) {
        self.waits[vjob.index()] = !self.waits[vjob.index()];
    }

    /// Whether a unit is resumed with a vjob that waits.
    fn is_to_wait(&self, unit: usize) -> bool {
        self.goal.units[unit].vms.iter().any(|&vm| self.goal.sleeps(vm) && self.waits[self.vjob(vm)])
    }

    fn vjob(&self, vm: VmId) -> usize {
        self.goal.cluster.vm(vm).vjob.index()
    }

    /// How many actions wait if a unit does: all resumes of a vjob, or the unit's own.
    pub(super) fn waiting(&self, unit: usize) -> u64 {
        let cluster = self.goal.cluster;
        let sleeping = self.goal.units[unit].vms.iter().filter(|vm| self.goal.sleeps(**vm));
        sleeping.map(|vm| cluster.vms_of(cluster.vm(*vm).vjob).len() as u64).max().unwrap_or(1)
    }

    /// Gives units nodes in this order: where each costs least by itself and by what waits for a first pool of that price; its
    /// home among equals, else where least is left beside it of those from a random node on. How many have one: all before the
    /// first for which there is none.
    pub(super) fn put_all(&mut self, units: &[usize], first_pool: u64, rng: &mut Rng) -> usize {
        let has_none = |&unit: &usize| match self.cheapest_node(unit, first_pool, rng) {
            Some(node) => {
                self.put(unit, node);
                false
            }
            None => true,
        };
        units.iter().position(has_none).unwrap_or(units.len())
    }

    /// The same, but that units for which there is none have none afterwards.
    pub(super) fn put_some(&mut self, units: &[usize], first_pool: u64, rng: &mut Rng) {
        for &unit in units {
            match self.cheapest_node(unit, first_pool, rng) {
                Some(node) => self.put(unit, node),
                None => self.place(unit, NOWHERE, false),
            }
        }
    }

    fn cheapest_node(&self, index: usize, first_pool: u64, rng: &mut Rng) -> Option<NodeId> {
        let unit = &self.goal.units[index];
        let (waits, waiting) = (self.is_to_wait(index), self.waiting(index) * first_pool);
        let least = self.goal.least_cost(index);
        let (mut best, mut equals) = (None, 0);
        for (examined, node) in self.goal.home(index).into_iter().chain(self.hosts(index, rng)).enumerate() {
            if examined > MOST_CANDIDATES && best.is_some() || equals > MOST_EQUALS {
                break;
            }
            if !self.admits(index, node) {
                continue;
            }
            let is_late = !waits && !self.goal.entry(unit, node).fits(self.early[node.index()]);
            let price = self.goal.cost(unit, node) + if is_late { waiting } else { 0 };
            if price == least {
                return Some(node);
            }
            let found = (price, self.spare(unit, node, is_late || waits));
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

    /// What a node has left beside a unit, at once and in the end, as a sum of squares of parts in thousandths.
    fn spare(&self, unit: &Unit, node: NodeId, is_late: bool) -> i64 {
        let all = self.goal.cluster.capacity(node);
        let square = |room: Amount| {
            let left = (room - unit.demand).positive();
            let part = |left: i64, all: i64| left.saturating_mul(1_000) / all.max(1);
            let (cpu, memory) = (part(left.cpu, all.cpu), part(left.memory, all.memory));
            cpu.saturating_mul(cpu).saturating_add(memory.saturating_mul(memory))
        };
        let at_once = if is_late { 0 } else { square(self.early[node.index()]) };
        at_once.saturating_add(square(self.assignment.room(node)))
    }

    /// The nodes that may host a unit, regardless of others, from a random one on.
    pub(super) fn hosts(&self, unit: usize, rng: &mut Rng) -> impl Iterator<Item = NodeId> + use<'a> {
        let (goal, all) = (self.goal, self.goal.cluster.nodes().len());
        let first = rng.random_range(0..all.max(1));
        let around = (0..all).map(move |step| NodeId(((first + step) % all) as u32));
        let constraints = goal.cluster.constraints();
        around.filter(move |node| goal.units[unit].vms.iter().all(|&vm| constraints.allow(vm, *node)))
    }
}
