//! Simulated annealing for the cheapest placement at a yield.

use crate::rules::Rules;
use crate::tasks::{Tasks, UNPLACED};
use dfrsim_model::offline::Adaptation;
use dfrsim_model::{Rng, Seed};
use rand::RngExt as _;

/// Maximum number of moves.
const MAX_MOVES: usize = 1 << 26;

/// First and last temperature, in units of the mean moving cost of a task.
const TEMPERATURES: [f64; 2] = [0.5, 0.01];

/// Factor by which the overload penalty is raised or lowered.
const PENALTY_FACTOR: f64 = 1.1;

/// Finds the cheapest placement that overloads no node, `start` included, with `moves` moves per
/// task; `None` if none is found. A task without a node in `start` begins on a random one. With rules
/// that are not resources, `start` must keep them, and all moves do.
///
/// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983): a task moves to another node, often
/// its home, either alone, or in exchange for a task on that node, or while that task moves to a
/// third node. Overloaded nodes are penalised. The penalty increases while a node is overloaded and
/// decreases while none is, so that the search crosses the boundary of feasibility repeatedly
/// (strategic oscillation, Glover 1977).
pub(crate) fn cheapest(tasks: &Tasks, start: &[u32], moves: u32) -> Option<Vec<u32>> {
    if tasks.nodes() == 0 {
        return None;
    }
    let mut annealing = Annealing::new(tasks, start)?;
    let round = annealing.movable.len().max(16);
    let rounds = annealing.movable.len().saturating_mul(moves as usize).min(MAX_MOVES) / round;
    let [first, last] = TEMPERATURES;
    let cooling = (last / first).powf(1.0 / rounds.max(1) as f64);
    let mut temperature = first;
    let mut best: Option<(u128, Vec<u32>)> = None;
    'all: for _ in 0..=rounds {
        for _ in 0..round {
            if annealing.overloaded == 0 && best.as_ref().is_none_or(|best| annealing.cost < best.0) {
                best = Some((annealing.cost, annealing.node_of.clone()));
            }
            if best.as_ref().is_some_and(|best| best.0 == 0) {
                break 'all;
            }
            annealing.try_moves(temperature);
        }
        annealing.overload_penalty *=
            if annealing.overloaded > 0 { PENALTY_FACTOR } else { 1.0 / PENALTY_FACTOR };
        temperature *= cooling;
    }
    best.map(|(_, node_of)| node_of)
}

/// A placement of all tasks, which may overload nodes.
struct Annealing<'a> {
    tasks: &'a Tasks,
    node_of: Vec<u32>,
    on: Vec<Vec<u32>>,
    /// Index of each task among those on its node.
    index: Vec<u32>,
    /// Free amounts, one row per node; negative where the node is overloaded. Sums over tasks may
    /// exceed 64 bits.
    free: Vec<i128>,
    /// Number of resources of which each node is overloaded.
    overloads: Vec<u32>,
    /// Number of overloaded nodes.
    overloaded: usize,
    movable: Vec<u32>,
    /// Tasks placed at a cost, and the index of each of them in this list.
    away: Vec<u32>,
    index_away: Vec<u32>,
    cost: u128,
    /// Penalty for an overload by a task of mean weight, in units of the mean moving cost of a task.
    overload_penalty: f64,
    /// Rules that are not resources, with the placed tasks.
    rules: Option<Box<dyn Rules>>,
    rng: Rng,
}

impl<'a> Annealing<'a> {
    /// Begins with a placement; `None` if it breaks a rule.
    fn new(tasks: &'a Tasks, start: &[u32]) -> Option<Annealing<'a>> {
        let count = tasks.count();
        let is_pinned = |task: u32| tasks.cost[task as usize] == Adaptation::PINNED;
        let mut annealing = Annealing {
            tasks,
            node_of: vec![UNPLACED; count],
            on: vec![Vec::new(); tasks.nodes()],
            index: vec![UNPLACED; count],
            free: tasks.capacity.iter().map(|&amount| i128::from(amount)).collect(),
            overloads: vec![0; tasks.nodes()],
            overloaded: 0,
            movable: (0..count as u32).filter(|&task| !is_pinned(task)).collect(),
            away: Vec::new(),
            index_away: vec![UNPLACED; count],
            cost: 0,
            overload_penalty: 1.0,
            rules: tasks.rules.clone(),
            rng: Seed::new(count as u64).fork("annealing").rng(),
        };
        for (task, &node) in (0..).zip(start) {
            let node = match node {
                _ if is_pinned(task) => tasks.home[task as usize],
                UNPLACED => annealing.rng.random_range(0..tasks.nodes() as u32),
                _ => node,
            };
            if let Some(rules) = &mut annealing.rules {
                if !rules.admits(task, node, &[]) {
                    return None;
                }
                rules.add(task, node);
            }
            annealing.add(task, node);
        }
        Some(annealing)
    }

    /// Moves tasks as far as the rules are concerned, given the node of each before and after; returns
    /// whether the rules allow all of that, and changes nothing if not.
    fn move_within_rules(&mut self, moves: &[(u32, u32, u32)]) -> bool {
        let Some(rules) = &mut self.rules else { return true };
        moves.iter().for_each(|&(task, from, _)| rules.remove(task, from));
        let is_refused = |rules: &mut Box<dyn Rules>, &(task, _, to): &(u32, u32, u32)| {
            let admits = rules.admits(task, to, &[]);
            if admits {
                rules.add(task, to);
            }
            !admits
        };
        let Some(refused) = moves.iter().position(|one| is_refused(rules, one)) else { return true };
        moves[..refused].iter().for_each(|&(task, _, to)| rules.remove(task, to));
        moves.iter().for_each(|&(task, from, _)| rules.add(task, from));
        false
    }

    /// Moves one task or two, and undoes that if the result is too much worse for the temperature.
    fn try_moves(&mut self, temperature: f64) {
        let from_away = !self.away.is_empty() && self.rng.random();
        let list = if from_away { &self.away } else { &self.movable };
        if list.is_empty() {
            return;
        }
        let task = list[self.rng.random_range(0..list.len())];
        let (from, to) = (self.node_of[task as usize], self.another_node(task));
        if from == to {
            return;
        }
        let others = &self.on[to as usize];
        let kind = self.rng.random_range(0..3);
        let other = (kind > 0 && !others.is_empty()).then(|| others[self.rng.random_range(0..others.len())]);
        let other = other.filter(|&other| self.tasks.cost[other as usize] != Adaptation::PINNED);
        let onward = other.map(|other| if kind == 1 { from } else { self.another_node(other) });
        let moves = [Some((task, from, to)), other.zip(onward).map(|(other, onward)| (other, to, onward))];
        if self.rules.is_some() {
            let moves: Vec<(u32, u32, u32)> = moves.iter().copied().flatten().collect();
            if !self.move_within_rules(&moves) {
                return;
            }
        }
        let mut change = self.shift(task, to);
        if let Some((other, _, onward)) = moves[1] {
            change += self.shift(other, onward);
        }
        if change > 0.0 && change >= -temperature * self.rng.random::<f64>().ln() {
            if let Some(other) = other {
                self.shift(other, to);
            }
            self.shift(task, from);
            if let Some(rules) = &mut self.rules {
                let moves = || moves.iter().copied().flatten();
                moves().for_each(|(task, _, to)| rules.remove(task, to));
                moves().for_each(|(task, from, _)| rules.add(task, from));
            }
        }
    }

    /// Returns the home of a task that is elsewhere, or a random node.
    fn another_node(&mut self, task: u32) -> u32 {
        let is_away = self.index_away[task as usize] != UNPLACED;
        if is_away && self.tasks.home[task as usize] != UNPLACED && self.rng.random() {
            return self.tasks.home[task as usize];
        }
        self.rng.random_range(0..self.on.len() as u32)
    }

    /// Moves a task to a node; returns the increase of the objective.
    fn shift(&mut self, task: u32, to: u32) -> f64 {
        self.remove(task) + self.add(task, to)
    }

    fn add(&mut self, task: u32, node: u32) -> f64 {
        let at = task as usize;
        self.node_of[at] = node;
        append_indexed(&mut self.on[node as usize], &mut self.index, task);
        let mut change = self.overload_penalty * self.load(task, node, 1);
        let cost = self.tasks.cost_on(task, node);
        if cost > 0 {
            append_indexed(&mut self.away, &mut self.index_away, task);
            self.cost += u128::from(cost);
            change += self.price_on(task, cost);
        }
        change
    }

    fn remove(&mut self, task: u32) -> f64 {
        let at = task as usize;
        let node = self.node_of[at];
        remove_indexed(&mut self.on[node as usize], &mut self.index, task);
        let mut change = self.overload_penalty * self.load(task, node, -1);
        if self.index_away[at] != UNPLACED {
            let cost = self.tasks.cost_on(task, node);
            remove_indexed(&mut self.away, &mut self.index_away, task);
            self.cost -= u128::from(cost);
            change -= self.price_on(task, cost);
        }
        change
    }

    /// Converts a cost of a task to the unit of temperatures.
    fn price_on(&self, task: u32, cost: u64) -> f64 {
        let at = task as usize;
        match self.tasks.cost[at] {
            whole if whole == cost => self.tasks.price[at],
            whole => self.tasks.price[at] * (cost as f64 / whole as f64),
        }
    }

    /// Changes the free amounts of a node by a task's demand; returns the increase of its weighted
    /// overload.
    fn load(&mut self, task: u32, node: u32, sign: i128) -> f64 {
        let Tasks { dimensions, scarcity, .. } = self.tasks;
        let free = &mut self.free[node as usize * dimensions..][..*dimensions];
        let overloads = &mut self.overloads[node as usize];
        let (was, mut change) = (*overloads > 0, 0.0);
        for &(at, takes) in self.tasks.used(task) {
            let (free, scarcity) = (&mut free[at as usize], scarcity[at as usize]);
            if *free < 0 {
                *overloads -= 1;
                change += *free as f64 * scarcity;
            }
            *free -= sign * i128::from(takes);
            if *free < 0 {
                *overloads += 1;
                change -= *free as f64 * scarcity;
            }
        }
        self.overloaded = self.overloaded + usize::from(*overloads > 0) - usize::from(was);
        change
    }
}

/// Appends a task to a list and records its index.
fn append_indexed(list: &mut Vec<u32>, place: &mut [u32], task: u32) {
    place[task as usize] = list.len() as u32;
    list.push(task);
}

/// Removes a task from a list by its recorded index.
fn remove_indexed(list: &mut Vec<u32>, place: &mut [u32], task: u32) {
    let at = std::mem::replace(&mut place[task as usize], UNPLACED);
    list.swap_remove(at as usize);
    if let Some(&moved) = list.get(at as usize) {
        place[moved as usize] = at;
    }
}
