//! Large neighbourhood search: a few units are taken from their nodes and put back as cheaply as that goes.

use super::repair::PartialAssignment;
use super::{Best, Search};
use crate::action::Kind;
use crate::configuration::{Configuration, Place};
use dfrsim_model::{NodeId, Rng, Seed};
use rand::RngExt;
use rand::seq::IndexedRandom;

/// The most units that are taken at once, unless a vjob has more.
const MOST_TAKEN: usize = 24;

/// Searches until the budget is spent or the best assignment is proven.
pub(super) fn search(search: &mut Search<'_>, seed: Seed) {
    let goal = search.goal;
    let Some(Best { nodes, cost, .. }) = search.best.clone() else { return };
    if goal.units.is_empty() {
        return;
    }
    let mut partial = PartialAssignment::new(goal, search.planner.room());
    for (unit, node) in nodes.into_iter().enumerate() {
        partial.put(unit, node);
    }
    let mut state = State {
        partial,
        configuration: goal.decided.clone(),
        cost,
        waiting: Vec::new(),
        dear: Vec::new(),
        first_pool: 0,
        improvements: 0,
    };
    state.configure(search, 0..goal.units.len());
    state.tune(search);
    state.learn(search);
    let mut rng = seed.rng();
    while !search.is_proven() && search.budget.step() {
        state.step(search, &mut rng);
    }
}

/// The assignment from which the search goes on.
struct State<'a> {
    partial: PartialAssignment<'a>,
    configuration: Configuration,
    cost: u64,
    /// The units of which a VM waits for the first pool.
    waiting: Vec<usize>,
    /// The units that are not where they would run for least.
    dear: Vec<usize>,
    /// What the first pool of its plan costs.
    first_pool: u64,
    improvements: u32,
}

impl<'a> State<'a> {
    /// Brings the places of units up to date with their nodes.
    fn configure(&mut self, search: &Search<'a>, units: impl IntoIterator<Item = usize>) {
        for unit in units {
            let node = self.partial.nodes[unit];
            for &vm in &search.goal.units[unit].vms {
                self.configuration.set(vm, Place::Running(node));
            }
        }
    }

    /// Searches for thresholds that make the plan cheaper, under which the search goes on.
    fn tune(&mut self, search: &mut Search<'a>) {
        let cost =
            search.planner.tune(&self.configuration).expect("decided transitions are legal on every node");
        if let Some(cost) = cost {
            self.cost = cost;
            search.offer(&self.partial.nodes, cost);
        }
    }

    /// Examines the plan: which VMs wait, and for how much.
    fn learn(&mut self, search: &mut Search<'a>) {
        let goal = search.goal;
        let mut late = vec![false; goal.cluster.vms().len()];
        let mut first_pool = goal.first_pool;
        self.partial.waits.fill(false);
        // There may be none under these thresholds, if the best plan is one that exact search found.
        let Ok(steps) = search.planner.steps(&self.configuration) else { return };
        for step in steps {
            if step.pool == 0 {
                first_pool = goal.cluster.price_of_waiting(step.action.cost(goal.cluster)).max(first_pool);
            } else {
                late[step.action.vm().index()] = true;
                if matches!(step.action.kind(), Kind::Resume { .. }) {
                    self.partial.waits[goal.cluster.vm(step.action.vm()).vjob.index()] = true;
                }
            }
        }
        self.first_pool = first_pool;
        let units = || goal.units.iter().enumerate();
        let is_late =
            |(_, unit): &(usize, &crate::assignment::Unit)| unit.vms.iter().any(|vm| late[vm.index()]);
        self.waiting = units().filter(is_late).map(|(index, _)| index).collect();
        let nodes = &self.partial.nodes;
        let dear = units().filter(|(index, unit)| goal.cost(unit, nodes[*index]) > goal.least_cost(unit));
        self.dear = dear.map(|(index, _)| index).collect();
        // What enters at once may have changed with who waits.
        let nodes = self.partial.nodes.clone();
        let waits = std::mem::take(&mut self.partial.waits);
        self.partial = PartialAssignment::new(goal, search.planner.room());
        self.partial.waits = waits;
        for (unit, node) in nodes.into_iter().enumerate() {
            self.partial.put(unit, node);
        }
    }

    /// Takes units from their nodes and puts them back; keeps that unless it is dearer.
    fn step(&mut self, search: &mut Search<'a>, rng: &mut Rng) {
        let waited = self.partial.waits.clone();
        let mut taken = self.choose(search, rng);
        taken.sort_unstable();
        taken.dedup();
        if rng.random_bool(0.2) {
            self.turn(search, &mut taken, rng);
        }
        let places = self.partial.take_all(&taken);
        // The largest first, as they are numbered, now and then another order.
        if rng.random_bool(0.5) {
            let at = rng.random_range(0..taken.len());
            taken.swap(0, at);
        }
        if rng.random_bool(0.3) {
            taken.reverse();
        }
        let placed = self.partial.put_all(&taken, self.first_pool, rng);
        if placed == taken.len() {
            self.configure(search, taken.iter().copied());
            let cost = search.cost(&self.configuration);
            if let Some(cost) = cost.filter(|cost| *cost <= self.cost) {
                let is_better = cost < self.cost;
                self.cost = cost;
                search.offer(&self.partial.nodes, cost);
                if is_better {
                    self.improvements += 1;
                    // Thresholds are dear to find, and those of a similar plan will do.
                    if self.improvements.is_power_of_two() {
                        self.tune(search);
                    }
                    self.learn(search);
                }
                return;
            }
        }
        self.partial.restore(&taken[..placed], &places);
        self.partial.waits = waited;
        self.configure(search, taken);
    }

    /// Lets the resumes of a vjob that is concerned wait if they did not, or go at once if they did; takes them all for it.
    fn turn(&mut self, search: &Search<'a>, taken: &mut Vec<usize>, rng: &mut Rng) {
        let goal = search.goal;
        let sleeps =
            |unit: &usize| matches!(goal.current.place(goal.units[*unit].vms[0]), Place::Sleeping(_));
        let sleeping: Vec<usize> = taken.iter().copied().filter(sleeps).collect();
        if let Some(&unit) = sleeping.choose(rng) {
            let vjob = goal.vjob(unit);
            taken.extend(goal.units_of(vjob));
            taken.sort_unstable();
            taken.dedup();
            self.partial.waits[vjob.index()] = !self.partial.waits[vjob.index()];
        }
    }

    /// The units that are taken.
    fn choose(&self, search: &Search<'a>, rng: &mut Rng) -> Vec<usize> {
        let goal = search.goal;
        let units = goal.units.len();
        let mut taken = Vec::new();
        let seed = match rng.random_range(0..4) {
            0 => self.waiting.choose(rng).copied(),
            1 => self.dear.choose(rng).copied(),
            _ => None,
        };
        let seed = seed.unwrap_or_else(|| rng.random_range(0..units));
        taken.push(seed);
        if rng.random_bool(0.3) {
            // The whole vjob.
            let vjob = goal.vjob(seed);
            taken.extend(goal.units_of(vjob));
        }
        // Some that wait, some that are expensive, and the VMs on their homes.
        taken.extend(self.waiting.sample(rng, 3));
        taken.extend(self.dear.sample(rng, 3));
        let mut nodes: Vec<NodeId> = taken.iter().filter_map(|&unit| goal.home(&goal.units[unit])).collect();
        nodes.extend((0..2).map(|_| NodeId(rng.random_range(0..goal.cluster.nodes().len()) as u32)));
        nodes.push(self.partial.nodes[seed]);
        let room = taken.len().max(MOST_TAKEN);
        nodes.sort_unstable();
        nodes.dedup();
        let residents: Vec<usize> =
            nodes.iter().flat_map(|&node| self.partial.residents(node)).copied().collect();
        let more = room.saturating_sub(taken.len());
        taken.extend(residents.sample(rng, more));
        taken
    }
}
