//! Large neighbourhood search: removes a few units from their nodes and reinserts them at low cost.

use super::construct::keep_in_place;
use super::goal::{Goal, NOWHERE};
use super::repair::{Change, PartialAssignment};
use super::{Best, Search};
use crate::action::Kind;
use crate::cluster::Aim;
use crate::configuration::{Configuration, Place};
use crate::vjob::VjobId;
use dfrsim_model::{NodeId, Rng, Seed};
use rand::RngExt;
use rand::seq::IndexedRandom;
use std::cmp::Reverse;

/// Maximum number of units removed at once, unless a vjob has more.
const MAX_REMOVED: usize = 24;
/// Divisor of the initial temperature: on average, accepted moves may raise the cost by the cost of
/// a first pool divided by this.
const TEMPERATURE_DIVISOR: f64 = 8.0;
/// Number of small moves per step.
const SMALL_MOVES: u32 = 32;
/// Maximum number of units that are swapped out of a node.
const MAX_SWAPPED: usize = 2;
/// Number of units above which plans take long to compare, so that most of the budget is spent on
/// estimates.
const MANY_UNITS: usize = 2_000;

/// Searches until the budget is spent or the incumbent is proven optimal.
pub(super) fn search(search: &mut Search<'_>, seed: Seed) {
    let goal = search.goal;
    if goal.units.is_empty() {
        return;
    }
    let mut state = State {
        partial: PartialAssignment::new(goal, &search.planner.free),
        configuration: goal.decided.clone(),
        cost: 0,
        waiting: Vec::new(),
        missing: Vec::new(),
        misplaced: Vec::new(),
        first_pool: 0,
        improvements: 0,
    };
    state.begin_with_the_best(search);
    let mut rng = seed.rng();
    // The makespan is not a sum, so the estimate does not apply to it.
    if goal.cluster.aim() != Aim::Makespan && !search.is_proven() {
        state.search_by_estimates(search, &mut rng);
        state.begin_with_the_best(search);
    }
    while !search.is_proven() && search.budget.try_step() {
        state.step(search, &mut rng);
    }
}

/// Current solution of the search.
struct State<'a> {
    partial: PartialAssignment<'a>,
    configuration: Configuration,
    cost: u64,
    /// Units with a VM that waits for the first pool.
    waiting: Vec<usize>,
    /// Units without a node.
    missing: Vec<usize>,
    /// Units that are not on their cheapest node.
    misplaced: Vec<usize>,
    /// Cost of the first pool of the current plan.
    first_pool: u64,
    improvements: u32,
}

impl<'a> State<'a> {
    fn begin_with_the_best(&mut self, search: &mut Search<'a>) {
        let Some(Best { nodes, cost, policy }) = search.best.clone() else { return };
        self.cost = cost;
        // The thresholds remain those of the last plan, from which others are found.
        search.policy.delayed = policy.delayed;
        self.partial = PartialAssignment::new(search.goal, &search.planner.free);
        for (unit, node) in nodes.into_iter().enumerate() {
            self.partial.insert(unit, node);
        }
        self.configure(search, 0..search.goal.units.len());
        self.tune(search);
        self.analyse_plan(search);
    }

    /// Updates the configuration after a change of the nodes of some units.
    fn configure(&mut self, search: &mut Search<'a>, units: impl IntoIterator<Item = usize>) {
        for unit in units {
            let (node, enters) = (self.partial.nodes[unit], self.partial.enters[unit]);
            for &vm in &search.goal.units[unit].vms {
                self.configuration.set(vm, Place::Running(node));
                search.policy.set_delayed(vm, !enters);
            }
        }
    }

    /// Searches for planner thresholds that make the current plan cheaper, and keeps them.
    fn tune(&mut self, search: &mut Search<'a>) {
        let cost = search.planner.tune(&self.configuration, &mut search.policy);
        let cost = cost.expect("decided transitions are legal on every node");
        if let Some(cost) = cost {
            self.cost = cost;
            search.offer(&self.partial.nodes, cost);
        }
    }

    /// Analyses the current plan: finds the VMs that wait, and the cost of the first pool.
    fn analyse_plan(&mut self, search: &mut Search<'a>) {
        let goal = search.goal;
        let mut late = vec![false; goal.cluster.vms().len()];
        let mut first_pool = goal.first_pool;
        self.partial.delayed.fill(false);
        // There may be no plan under these thresholds if exact search found the plan of the
        // incumbent.
        let Ok(steps) = search.planner.steps(&self.configuration, &search.policy) else { return };
        for step in steps {
            if step.pool == 0 {
                first_pool = goal.cluster.waiting_cost(step.action.cost(goal.cluster)).max(first_pool);
            } else {
                late[step.action.vm().index()] = true;
                if matches!(step.action.kind(), Kind::Resume) {
                    self.partial.delayed[goal.cluster.vm(step.action.vm()).vjob.index()] = true;
                }
            }
        }
        self.first_pool = first_pool;
        self.update_lists(goal, |unit| goal.units[unit].vms.iter().any(|vm| late[vm.index()]));
        // The units that can enter at once may have changed with the set of waiting units.
        let nodes = self.partial.nodes.clone();
        let waits = std::mem::take(&mut self.partial.delayed);
        self.partial = PartialAssignment::new(goal, &search.planner.free);
        self.partial.delayed = waits;
        for (unit, node) in nodes.into_iter().enumerate() {
            let is_late = goal.units[unit].vms.iter().any(|vm| late[vm.index()]);
            let fits = goal.entering_demand(&goal.units[unit], node).fits(self.partial.first_pool_free(node));
            self.partial.place(unit, node, !is_late && fits);
        }
        search.policy.delayed = late;
    }

    /// Updates the lists of units that wait, that have no node, and that are not on their cheapest
    /// node.
    fn update_lists(&mut self, goal: &Goal<'_>, is_late: impl Fn(usize) -> bool) {
        self.waiting = (0..goal.units.len()).filter(|&unit| is_late(unit)).collect();
        let nodes = &self.partial.nodes;
        self.missing = (0..goal.units.len()).filter(|&unit| nodes[unit] == NOWHERE).collect();
        let is_dear = |unit: &usize| goal.cost(&goal.units[*unit], nodes[*unit]) > goal.least_cost(*unit);
        self.misplaced = (0..goal.units.len()).filter(is_dear).collect();
    }

    /// Spends a part of the budget on moves that are evaluated by estimates. Simulated annealing
    /// accepts some moves that raise the cost, with decreasing probability. Units may be without a
    /// node, for a penalty that grows. The cheapest complete assignments are planned.
    fn search_by_estimates(&mut self, search: &mut Search<'a>, rng: &mut Rng) {
        let goal = search.goal;
        let units = goal.units.len();
        let eighths = if units > MANY_UNITS { 7 } else { 4 };
        let (begin, mut budget) = (search.budget.clone(), search.budget.limited_to(eighths));
        let pause = units as u64 / 50 + 1;
        let mut fresh = PartialAssignment::new(goal, &search.planner.free);
        let others = keep_in_place(goal, &mut fresh);
        fresh.insert_possible(&others, self.first_pool, rng);
        if fresh.estimate.cost() < self.partial.estimate.cost() {
            self.partial = fresh;
        }
        let mut best: Option<(u64, Vec<NodeId>, Vec<bool>)> = None;
        let mut is_planned = true;
        while !search.is_proven() && budget.try_step() {
            let spent = budget.spent_since(&begin);
            if budget.steps.is_multiple_of(pause) {
                self.partial.estimate.raise_penalty(spent);
                let enters = self.partial.enters.clone();
                self.update_lists(goal, |unit| !enters[unit]);
                if let Some((_, nodes, enters)) = best.as_ref().filter(|_| !is_planned) {
                    search.offer_planned(nodes, enters);
                    is_planned = true;
                }
            }
            let temperature = self.first_pool as f64 / TEMPERATURE_DIVISOR * (1.0 - spent);
            let is_large = rng.random_bool(0.5);
            for _ in 0..if is_large { 1 } else { SMALL_MOVES } {
                let before = self.partial.estimate.cost();
                let changed =
                    if is_large { Some(self.large_move(search, rng)) } else { self.small_move(goal, rng) };
                let Some(changed) = changed else { continue };
                let cost = self.partial.estimate.cost();
                let more = -temperature * rng.random::<f64>().max(f64::MIN_POSITIVE).ln();
                if cost as f64 > before as f64 + more {
                    self.partial.undo(&changed);
                } else if self.partial.estimate.missing == 0 && best.as_ref().is_none_or(|best| cost < best.0)
                {
                    best = Some((cost, self.partial.nodes.clone(), self.partial.enters.clone()));
                    is_planned = false;
                }
            }
        }
        search.budget.steps = budget.steps;
        if let Some((_, nodes, enters)) = best.filter(|_| !is_planned) {
            search.offer_planned(&nodes, &enters);
        }
    }

    /// Performs a small move: moves a unit to another node, swapping others out of it if it lacks
    /// free resources, or toggles the delay of a vjob's resumes.
    fn small_move(&mut self, goal: &Goal<'_>, rng: &mut Rng) -> Option<Change> {
        let list = match rng.random_range(0..8) {
            0 | 1 if !self.missing.is_empty() => &self.missing,
            2 => &self.waiting,
            3 => &self.misplaced,
            _ => &Vec::new(),
        };
        let unit = list.choose(rng).copied().unwrap_or_else(|| rng.random_range(0..goal.units.len()));
        let vms = &goal.units[unit].vms;
        if rng.random_bool(0.02) && goal.sleeps(vms[0]) {
            let vjob = goal.vjob(unit);
            let mut nodes: Vec<NodeId> = goal.units_of(vjob).map(|unit| self.partial.nodes[unit]).collect();
            nodes.sort_unstable();
            nodes.dedup();
            self.partial.toggle_delay(vjob);
            return Some(Change { toggled: Some(vjob), ..self.partial.rearrange(&[], &nodes) });
        }
        let (from, demand) = (self.partial.nodes[unit], goal.units[unit].demand);
        let home = goal.home(unit).filter(|_| rng.random_bool(0.2));
        let to = home.unwrap_or_else(|| NodeId(rng.random_range(0..goal.cluster.nodes().len()) as u32));
        if to == from || !vms.iter().all(|&vm| goal.cluster.constraints().allows(vm, to)) {
            return None;
        }
        let mut room = self.partial.assignment.free(to);
        let mut moved = vec![(unit, to)];
        let residents = self.partial.residents(to);
        let first = rng.random_range(0..residents.len().max(1));
        for &other in residents[first..].iter().chain(&residents[..first]) {
            if demand.fits(room) || moved.len() > MAX_SWAPPED {
                break;
            }
            room += goal.units[other].demand;
            moved.push((other, from));
        }
        if !demand.fits(room) {
            return None;
        }
        if from != NOWHERE {
            let comes =
                moved[1..].iter().fold(crate::Amount::NONE, |sum, (unit, _)| sum + goal.units[*unit].demand);
            if !comes.fits(self.partial.assignment.free(from) + demand) {
                return None;
            }
        }
        Some(self.partial.rearrange(&moved, &[from, to]))
    }

    /// Performs one LNS step: removes some units, reinserts them, and accepts the result unless it
    /// costs more.
    fn step(&mut self, search: &mut Search<'a>, rng: &mut Rng) {
        let Change { removed: mut taken, places, toggled: turned } = self.remove_some(search, rng);
        let placed = self.partial.insert_all(&taken, self.first_pool, rng);
        if placed == taken.len() {
            self.configure(search, taken.iter().copied());
            let cost = search.cost(&self.configuration);
            if let Some(cost) = cost.filter(|cost| *cost <= self.cost) {
                let is_better = cost < self.cost;
                self.cost = cost;
                search.offer(&self.partial.nodes, cost);
                if is_better {
                    self.improvements += 1;
                    // Thresholds are expensive to find, and those of a similar plan are good enough.
                    if self.improvements.is_power_of_two() {
                        self.tune(search);
                    }
                    self.analyse_plan(search);
                }
                return;
            }
        }
        let all = taken.clone();
        taken.truncate(placed);
        self.partial.undo(&Change { removed: taken, places, toggled: turned });
        self.configure(search, all);
    }

    /// Removes some units from their nodes and reinserts those that fit.
    fn large_move(&mut self, search: &Search<'a>, rng: &mut Rng) -> Change {
        let change = self.remove_some(search, rng);
        self.partial.insert_possible(&change.removed, self.first_pool, rng);
        change
    }

    /// Removes some units from their nodes; returns them in the order of reinsertion.
    fn remove_some(&mut self, search: &Search<'a>, rng: &mut Rng) -> Change {
        let mut taken = self.choose(search, rng);
        taken.sort_unstable();
        taken.dedup();
        let turned =
            if rng.random_bool(0.2) { self.toggle_random_delay(search, &mut taken, rng) } else { None };
        let missing: Vec<usize> =
            taken.iter().copied().filter(|&unit| self.partial.nodes[unit] == NOWHERE).collect();
        let places = self.partial.remove_all(&taken);
        // Units are numbered by decreasing size; sometimes another order is tried.
        if rng.random_bool(0.5) {
            let at = rng.random_range(0..taken.len());
            taken.swap(0, at);
        }
        if rng.random_bool(0.3) {
            taken.reverse();
        }
        if rng.random_bool(0.5) {
            // Units whose waiting delays the most actions come first.
            taken.sort_by_key(|&unit| Reverse(self.partial.waiting(unit)));
        }
        if !missing.is_empty() && rng.random_bool(0.7) {
            taken.sort_by_key(|unit| !missing.contains(unit));
        }
        Change { removed: taken, places, toggled: turned }
    }

    /// Toggles the delay of a random vjob's resumes, and adds all its units to the removed ones.
    fn toggle_random_delay(
        &mut self,
        search: &Search<'a>,
        taken: &mut Vec<usize>,
        rng: &mut Rng,
    ) -> Option<VjobId> {
        let goal = search.goal;
        let sleeps = |unit: &usize| goal.sleeps(goal.units[*unit].vms[0]);
        let sleeping: Vec<usize> = taken.iter().copied().filter(sleeps).collect();
        let vjob = goal.vjob(*sleeping.choose(rng)?);
        taken.extend(goal.units_of(vjob));
        taken.sort_unstable();
        taken.dedup();
        self.partial.toggle_delay(vjob);
        Some(vjob)
    }

    /// Selects a unit without a node, all units on a random node with enough of one resource for it,
    /// and all units on a few nodes with much free memory.
    fn around(&self, goal: &Goal<'_>, unit: usize, rng: &mut Rng) -> Vec<usize> {
        let demand = goal.units[unit].demand;
        let room = |node: NodeId| self.partial.assignment.free(node);
        let has_some = |node: &NodeId| {
            demand.cpu > 0 && demand.cpu <= room(*node).cpu || demand.memory <= room(*node).memory
        };
        let mut nodes: Vec<NodeId> = self.partial.hosts(unit, rng).filter(has_some).take(1).collect();
        let mut others: Vec<NodeId> = self.partial.hosts(unit, rng).take(12).collect();
        others.sort_by_key(|&node| Reverse(room(node).memory));
        nodes.extend(others.into_iter().take(4));
        nodes.sort_unstable();
        nodes.dedup();
        let mut taken: Vec<usize> =
            nodes.iter().flat_map(|&node| self.partial.residents(node)).copied().collect();
        if self.partial.nodes[unit] == NOWHERE {
            taken.push(unit);
        }
        taken
    }

    /// Selects the units to remove.
    fn choose(&self, search: &Search<'a>, rng: &mut Rng) -> Vec<usize> {
        let goal = search.goal;
        let units = goal.units.len();
        if let Some(&unit) = self.missing.choose(rng)
            && rng.random_bool(0.3)
        {
            return self.around(goal, unit, rng);
        }
        let mut taken = Vec::new();
        let seed = match rng.random_range(0..4) {
            0 => self.waiting.choose(rng).copied(),
            1 => self.misplaced.choose(rng).copied(),
            _ => None,
        };
        let seed = seed.unwrap_or_else(|| rng.random_range(0..units));
        taken.push(seed);
        if rng.random_bool(0.3) {
            // All units of the vjob.
            let vjob = goal.vjob(seed);
            taken.extend(goal.units_of(vjob));
        }
        // Some units that wait, some that are not on their cheapest node, and the VMs on their
        // cheapest nodes.
        taken.extend(self.waiting.sample(rng, 3));
        taken.extend(self.misplaced.sample(rng, 3));
        let mut nodes: Vec<NodeId> = taken.iter().filter_map(|&unit| goal.home(unit)).collect();
        nodes.extend((0..2).map(|_| NodeId(rng.random_range(0..goal.cluster.nodes().len()) as u32)));
        nodes.extend(Some(self.partial.nodes[seed]).filter(|node| *node != NOWHERE));
        let room = taken.len().max(MAX_REMOVED);
        nodes.sort_unstable();
        nodes.dedup();
        let residents: Vec<usize> =
            nodes.iter().flat_map(|&node| self.partial.residents(node)).copied().collect();
        let more = room.saturating_sub(taken.len());
        taken.extend(residents.sample(rng, more));
        taken
    }
}
