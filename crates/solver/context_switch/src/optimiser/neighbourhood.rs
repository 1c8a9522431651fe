//! Large neighbourhood search: a few units are taken from their nodes and put back as cheaply as that goes.

use super::construct::staying;
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

/// The most units that are taken at once, unless a vjob has more.
const MOST_TAKEN: usize = 24;
/// In the beginning what is kept may be dearer by this part of a first pool on average.
const COOL: f64 = 8.0;
/// How many small changes are a step.
const SMALL: u32 = 32;
/// The most units that leave a node for another one.
const MOST_SWAPPED: usize = 2;
/// With more units plans take long to compare, and most of the time is for estimates.
const MANY_UNITS: usize = 2_000;

/// Searches until the budget is spent or the best assignment is proven.
pub(super) fn search(search: &mut Search<'_>, seed: Seed) {
    let goal = search.goal;
    if goal.units.is_empty() {
        return;
    }
    let mut state = State {
        partial: PartialAssignment::new(goal, &search.planner.room),
        configuration: goal.decided.clone(),
        cost: 0,
        waiting: Vec::new(),
        missing: Vec::new(),
        dear: Vec::new(),
        first_pool: 0,
        improvements: 0,
    };
    state.begin_with_the_best(search);
    let mut rng = seed.rng();
    // The end of the last action is no sum.
    if goal.cluster.aim() != Aim::Makespan && !search.is_proven() {
        state.search_by_estimates(search, &mut rng);
        state.begin_with_the_best(search);
    }
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
    /// The units without a node.
    missing: Vec<usize>,
    /// The units that are not where they would run for least.
    dear: Vec<usize>,
    /// What the first pool of its plan costs.
    first_pool: u64,
    improvements: u32,
}

impl<'a> State<'a> {
    fn begin_with_the_best(&mut self, search: &mut Search<'a>) {
        let Some(Best { nodes, cost, held, .. }) = search.best.clone() else { return };
        self.cost = cost;
        search.planner.held = held;
        self.partial = PartialAssignment::new(search.goal, &search.planner.room);
        for (unit, node) in nodes.into_iter().enumerate() {
            self.partial.put(unit, node);
        }
        self.configure(search, 0..search.goal.units.len());
        self.tune(search);
        self.learn(search);
    }

    /// Brings the places of units up to date with their nodes.
    fn configure(&mut self, search: &mut Search<'a>, units: impl IntoIterator<Item = usize>) {
        for unit in units {
            let (node, enters) = (self.partial.nodes[unit], self.partial.enters[unit]);
            for &vm in &search.goal.units[unit].vms {
                self.configuration.set(vm, Place::Running(node));
                search.planner.held[vm.index()] = !enters;
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
                if matches!(step.action.kind(), Kind::Resume) {
                    self.partial.waits[goal.cluster.vm(step.action.vm()).vjob.index()] = true;
                }
            }
        }
        self.first_pool = first_pool;
        self.look(goal, |unit| goal.units[unit].vms.iter().any(|vm| late[vm.index()]));
        // What enters at once may have changed with who waits.
        let nodes = self.partial.nodes.clone();
        let waits = std::mem::take(&mut self.partial.waits);
        self.partial = PartialAssignment::new(goal, &search.planner.room);
        self.partial.waits = waits;
        for (unit, node) in nodes.into_iter().enumerate() {
            let is_late = goal.units[unit].vms.iter().any(|vm| late[vm.index()]);
            let fits = goal.entry(&goal.units[unit], node).fits(self.partial.early(node));
            self.partial.place(unit, node, !is_late && fits);
        }
        search.planner.held = late;
    }

    /// Notes which units wait, and which are not where they would run for least.
    fn look(&mut self, goal: &Goal<'_>, is_late: impl Fn(usize) -> bool) {
        self.waiting = (0..goal.units.len()).filter(|&unit| is_late(unit)).collect();
        let nodes = &self.partial.nodes;
        self.missing = (0..goal.units.len()).filter(|&unit| nodes[unit] == NOWHERE).collect();
        let is_dear = |unit: &usize| goal.cost(&goal.units[*unit], nodes[*unit]) > goal.least_cost(*unit);
        self.dear = (0..goal.units.len()).filter(is_dear).collect();
    }

    /// Spends a part of the budget on changes that are judged by estimates, also on some that seem dearer, fewer and fewer of them.
    /// Units may be without a node, at a price that grows; of the assignments in which all have one the cheapest are planned.
    fn search_by_estimates(&mut self, search: &mut Search<'a>, rng: &mut Rng) {
        let goal = search.goal;
        let units = goal.units.len();
        let eighths = if units > MANY_UNITS { 7 } else { 4 };
        let (begin, mut budget) = (search.budget.clone(), search.budget.part(eighths));
        let pause = units as u64 / 50 + 1;
        let mut fresh = PartialAssignment::new(goal, &search.planner.room);
        let others = staying(goal, &mut fresh);
        fresh.put_some(&others, self.first_pool, rng);
        if fresh.estimate.cost() < self.partial.estimate.cost() {
            self.partial = fresh;
        }
        let mut best: Option<(u64, Vec<NodeId>, Vec<bool>)> = None;
        let mut is_planned = true;
        while !search.is_proven() && budget.step() {
            let spent = budget.spent_since(&begin);
            if budget.steps.is_multiple_of(pause) {
                self.partial.estimate.raise(spent);
                let enters = self.partial.enters.clone();
                self.look(goal, |unit| !enters[unit]);
                if let Some((_, nodes, enters)) = best.as_ref().filter(|_| !is_planned) {
                    search.offer_planned(nodes, enters);
                    is_planned = true;
                }
            }
            let heat = self.first_pool as f64 / COOL * (1.0 - spent);
            let is_large = rng.random_bool(0.5);
            for _ in 0..if is_large { 1 } else { SMALL } {
                let before = self.partial.estimate.cost();
                let changed =
                    if is_large { Some(self.change(search, rng)) } else { self.change_little(goal, rng) };
                let Some(changed) = changed else { continue };
                let cost = self.partial.estimate.cost();
                let more = -heat * rng.random::<f64>().max(f64::MIN_POSITIVE).ln();
                if cost as f64 > before as f64 + more {
                    self.partial.take_back(&changed);
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

    /// Moves a unit to another node, from which others come to its node if there is no room; or lets the resumes of a vjob wait if they
    /// did not, or go at once if they did.
    fn change_little(&mut self, goal: &Goal<'_>, rng: &mut Rng) -> Option<Change> {
        let list = match rng.random_range(0..8) {
            0 | 1 if !self.missing.is_empty() => &self.missing,
            2 => &self.waiting,
            3 => &self.dear,
            _ => &Vec::new(),
        };
        let unit = list.choose(rng).copied().unwrap_or_else(|| rng.random_range(0..goal.units.len()));
        let vms = &goal.units[unit].vms;
        if rng.random_bool(0.02) && goal.sleeps(vms[0]) {
            let vjob = goal.vjob(unit);
            let mut nodes: Vec<NodeId> = goal.units_of(vjob).map(|unit| self.partial.nodes[unit]).collect();
            nodes.sort_unstable();
            nodes.dedup();
            self.partial.turn(vjob);
            return Some(Change { turned: Some(vjob), ..self.partial.rearrange(&[], &nodes) });
        }
        let (from, demand) = (self.partial.nodes[unit], goal.units[unit].demand);
        let home = goal.home(unit).filter(|_| rng.random_bool(0.2));
        let to = home.unwrap_or_else(|| NodeId(rng.random_range(0..goal.cluster.nodes().len()) as u32));
        if to == from || !vms.iter().all(|&vm| goal.cluster.constraints().allow(vm, to)) {
            return None;
        }
        let mut room = self.partial.assignment.room(to);
        let mut moved = vec![(unit, to)];
        let residents = self.partial.residents(to);
        let first = rng.random_range(0..residents.len().max(1));
        for &other in residents[first..].iter().chain(&residents[..first]) {
            if demand.fits(room) || moved.len() > MOST_SWAPPED {
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
            if !comes.fits(self.partial.assignment.room(from) + demand) {
                return None;
            }
        }
        Some(self.partial.rearrange(&moved, &[from, to]))
    }

    /// Takes units from their nodes and puts them back; keeps that unless it is dearer.
    fn step(&mut self, search: &mut Search<'a>, rng: &mut Rng) {
        let Change { mut taken, places, turned } = self.take_some(search, rng);
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
        let all = taken.clone();
        taken.truncate(placed);
        self.partial.take_back(&Change { taken, places, turned });
        self.configure(search, all);
    }

    /// Takes units from their nodes and puts them back as far as there is room.
    fn change(&mut self, search: &Search<'a>, rng: &mut Rng) -> Change {
        let change = self.take_some(search, rng);
        self.partial.put_some(&change.taken, self.first_pool, rng);
        change
    }

    /// Takes some units from their nodes, in the order in which they are put back.
    fn take_some(&mut self, search: &Search<'a>, rng: &mut Rng) -> Change {
        let mut taken = self.choose(search, rng);
        taken.sort_unstable();
        taken.dedup();
        let turned = if rng.random_bool(0.2) { self.turn(search, &mut taken, rng) } else { None };
        let missing: Vec<usize> =
            taken.iter().copied().filter(|&unit| self.partial.nodes[unit] == NOWHERE).collect();
        let places = self.partial.take_all(&taken);
        // The largest first, as they are numbered, now and then another order.
        if rng.random_bool(0.5) {
            let at = rng.random_range(0..taken.len());
            taken.swap(0, at);
        }
        if rng.random_bool(0.3) {
            taken.reverse();
        }
        if rng.random_bool(0.5) {
            // What makes most wait if it does.
            taken.sort_by_key(|&unit| Reverse(self.partial.waiting(unit)));
        }
        if !missing.is_empty() && rng.random_bool(0.7) {
            taken.sort_by_key(|unit| !missing.contains(unit));
        }
        Change { taken, places, turned }
    }

    /// Lets the resumes of a vjob that is concerned wait if they did not, or go at once if they did; takes them all for it.
    fn turn(&mut self, search: &Search<'a>, taken: &mut Vec<usize>, rng: &mut Rng) -> Option<VjobId> {
        let goal = search.goal;
        let sleeps = |unit: &usize| goal.sleeps(goal.units[*unit].vms[0]);
        let sleeping: Vec<usize> = taken.iter().copied().filter(sleeps).collect();
        let vjob = goal.vjob(*sleeping.choose(rng)?);
        taken.extend(goal.units_of(vjob));
        taken.sort_unstable();
        taken.dedup();
        self.partial.turn(vjob);
        Some(vjob)
    }

    /// A unit without a node, and all that is on a node that has enough of one resource for it and on some that have much memory.
    fn around(&self, goal: &Goal<'_>, unit: usize, rng: &mut Rng) -> Vec<usize> {
        let demand = goal.units[unit].demand;
        let room = |node: NodeId| self.partial.assignment.room(node);
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

    /// The units that are taken.
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
        let mut nodes: Vec<NodeId> = taken.iter().filter_map(|&unit| goal.home(unit)).collect();
        nodes.extend((0..2).map(|_| NodeId(rng.random_range(0..goal.cluster.nodes().len()) as u32)));
        nodes.extend(Some(self.partial.nodes[seed]).filter(|node| *node != NOWHERE));
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
