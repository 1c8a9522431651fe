//! Units without a node get the one that seems cheapest.

use super::Search;
use super::goal::Goal;
use crate::amount::Amount;
use crate::assignment::Assignment;
use crate::configuration::Place;
use crate::vjob::VmId;
use dfrsim_model::{NodeId, Rng, Seed};
use rand::RngExt;
use rand::seq::SliceRandom;

/// An assignment that is being changed, with what its first pool has left.
#[derive(Clone, Debug)]
pub(super) struct PartialAssignment<'a> {
    goal: &'a Goal<'a>,
    pub(super) assignment: Assignment<'a>,
    /// The node of each unit; unspecified for units without one.
    pub(super) nodes: Vec<NodeId>,
    /// The free resources of each node now, less what enters it at once.
    early: Vec<Amount>,
    /// Whether each unit enters its node at once, as far as room is concerned.
    enters: Vec<bool>,
    /// For each vjob, whether its resumes are meant to wait for the first pool.
    pub(super) waits: Vec<bool>,
}

/// The most nodes that are examined for a unit: all of a usual cluster.
const MOST_CANDIDATES: usize = 512;

impl<'a> PartialAssignment<'a> {
    /// One in which no unit has a node.
    pub(super) fn new(goal: &'a Goal<'a>, room: &[Amount]) -> PartialAssignment<'a> {
        PartialAssignment {
            goal,
            assignment: goal.assignment(),
            nodes: vec![NodeId(0); goal.units.len()],
            early: room.to_vec(),
            enters: vec![false; goal.units.len()],
            waits: vec![false; goal.cluster.vjobs().len()],
        }
    }

    pub(super) fn put(&mut self, unit: usize, node: NodeId) {
        let entry = self.goal.entry(&self.goal.units[unit], node);
        let enters = !self.is_to_wait(unit) && entry.fits(self.early[node.index()]);
        if enters {
            self.early[node.index()] -= entry.positive();
        }
        (self.enters[unit], self.nodes[unit]) = (enters, node);
        self.assignment.put(&self.goal.units[unit], node);
    }

    pub(super) fn take(&mut self, unit: usize) {
        let node = self.nodes[unit];
        if self.enters[unit] {
            self.early[node.index()] += self.goal.entry(&self.goal.units[unit], node).positive();
        }
        self.assignment.take(&self.goal.units[unit], node);
    }

    /// Whether a unit is resumed with a vjob that waits.
    fn is_to_wait(&self, unit: usize) -> bool {
        self.goal.units[unit].vms.iter().any(|&vm| self.sleeps(vm) && self.waits[self.vjob(vm)])
    }

    fn sleeps(&self, vm: VmId) -> bool {
        matches!(self.goal.current.place(vm), Place::Sleeping(_))
    }

    fn vjob(&self, vm: VmId) -> usize {
        self.goal.cluster.vm(vm).vjob.index()
    }

    /// How many actions wait if a unit does: all resumes of a vjob, or the unit's own.
    fn waiting(&self, unit: usize) -> u64 {
        let of = |&vm: &VmId| {
            let members = if self.sleeps(vm) {
                self.goal.cluster.vms_of(self.goal.cluster.vm(vm).vjob).len()
            } else {
                1
            };
            members as u64
        };
        self.goal.units[unit].vms.iter().map(of).max().unwrap_or(1)
    }

    /// Gives each of these units a node, in this order: where it costs least by itself and by what waits for a first pool of
    /// that price; its home among equals, else the first one from a random node on. Whether all have one.
    pub(super) fn put_all(&mut self, units: &[usize], first_pool: u64, rng: &mut Rng) -> bool {
        units.iter().all(|&unit| {
            let found = self.cheapest_node(unit, first_pool, rng);
            if let Some(node) = found {
                self.put(unit, node);
            }
            found.is_some()
        })
    }

    fn cheapest_node(&self, index: usize, first_pool: u64, rng: &mut Rng) -> Option<NodeId> {
        let unit = &self.goal.units[index];
        let (waits, waiting) = (self.is_to_wait(index), self.waiting(index) * first_pool);
        let home = self.goal.home(unit);
        let least = self.goal.least_cost(unit);
        let all = self.goal.cluster.nodes().len();
        // From a random node on, all around or as many as are examined.
        let first = rng.random_range(0..all.max(1));
        let around = (0..all.min(MOST_CANDIDATES)).map(|step| NodeId(((first + step) % all) as u32));
        let mut best = None;
        for node in home.into_iter().chain(around) {
            if !self.assignment.admits(unit, node) {
                continue;
            }
            let is_late = !waits && !self.goal.entry(unit, node).fits(self.early[node.index()]);
            let price = self.goal.cost(unit, node) + if is_late { waiting } else { 0 };
            if best.is_none_or(|(found, _)| price < found) {
                best = Some((price, node));
            }
            if price == least {
                break;
            }
        }
        // In a very large and full cluster the room may be elsewhere.
        let anywhere = || self.goal.cluster.node_ids().find(|&node| self.assignment.admits(unit, node));
        best.map(|(_, node)| node).or_else(anywhere)
    }
}

/// How often another order of the units is tried if they do not fit.
const TRIES: usize = 50;

/// Looks for a first assignment: VMs stay at home first, the largest first; in other orders if they do not fit so.
pub(super) fn construct(search: &mut Search<'_>, seed: Seed) {
    let goal = search.goal;
    let mut rng = seed.rng();
    let mut order: Vec<usize> = (0..goal.units.len()).collect();
    for attempt in 0..TRIES {
        if attempt > 0 && !search.budget.step() {
            break;
        }
        let mut partial = PartialAssignment::new(goal, search.planner.room());
        if partial.put_all(&order, goal.usual_pool(), &mut rng)
            && let Some(cost) = search.cost(&goal.configuration(&partial.nodes))
        {
            search.offer(&partial.nodes, cost);
        }
        if search.best.is_some() {
            break;
        }
        // Neighbours in the order change places, the further apart the more tries have failed.
        for window in order.chunks_mut(2 + attempt) {
            window.shuffle(&mut rng);
        }
    }
}
