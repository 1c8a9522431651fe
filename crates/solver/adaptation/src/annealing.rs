//! The cheapest placement at a yield, by simulated annealing.

use crate::tasks::{NOWHERE, Tasks};
use dfrsim_model::offline::Adaptation;
use dfrsim_model::{Rng, Seed};
use rand::RngExt as _;

/// No more moves than this are tried.
const MOST_MOVES: usize = 1 << 26;

/// The first and the last temperature, in costs of a mean task.
const TEMPERATURES: [f64; 2] = [0.5, 0.01];

/// The factor by which overloads become dearer or cheaper.
const CHANGE_OF_TOLL: f64 = 1.1;

/// The cheapest placement found with this many moves for each task that overloads no node, `start` included; `None` if none is
/// found. A task without a node in `start` begins on one at random.
///
/// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983): a task goes to another node, often its home, alone, in exchange for
/// a task that is there, or while that one goes on to a third node. Nodes may be overloaded at a toll, which rises while one is and
/// falls while none is, so that the search crosses the border of what is possible again and again (strategic oscillation,
/// Glover 1977).
pub(crate) fn cheapest(tasks: &Tasks, start: &[u32], moves: u32) -> Option<Vec<u32>> {
    if tasks.nodes() == 0 {
        return None;
    }
    let mut annealing = Annealing::new(tasks, start);
    let round = annealing.movable.len().max(16);
    let rounds = annealing.movable.len().saturating_mul(moves as usize).min(MOST_MOVES) / round;
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
        annealing.toll *= if annealing.overloaded > 0 { CHANGE_OF_TOLL } else { 1.0 / CHANGE_OF_TOLL };
        temperature *= cooling;
    }
    best.map(|(_, node_of)| node_of)
}

/// A placement of all tasks, which may overload nodes.
struct Annealing<'a> {
    tasks: &'a Tasks,
    node_of: Vec<u32>,
    on: Vec<Vec<u32>>,
    /// The place of each task among those on its node.
    place: Vec<u32>,
    /// The free amounts on each node, negative where it is overloaded; a row for each. Sums of tasks may have more than 64 bits.
    free: Vec<i128>,
    /// Nodes that are.
    overloaded: usize,
    movable: Vec<u32>,
    /// The tasks that it costs something to have where they are, and the place of each among them.
    away: Vec<u32>,
    place_away: Vec<u32>,
    cost: u128,
    /// The price of an overload by a task of mean weight, in costs of a mean task.
    toll: f64,
    rng: Rng,
}

impl<'a> Annealing<'a> {
    fn new(tasks: &'a Tasks, start: &[u32]) -> Annealing<'a> {
        let count = tasks.count();
        let is_pinned = |task: u32| tasks.cost[task as usize] == Adaptation::PINNED;
        let mut annealing = Annealing {
            tasks,
            node_of: vec![NOWHERE; count],
            on: vec![Vec::new(); tasks.nodes()],
            place: vec![NOWHERE; count],
            free: tasks.offers.iter().map(|&amount| i128::from(amount)).collect(),
            overloaded: 0,
            movable: (0..count as u32).filter(|&task| !is_pinned(task)).collect(),
            away: Vec::new(),
            place_away: vec![NOWHERE; count],
            cost: 0,
            toll: 1.0,
            rng: Seed::new(count as u64).fork("annealing").rng(),
        };
        for (task, &node) in (0..).zip(start) {
            let node = match node {
                _ if is_pinned(task) => tasks.home[task as usize],
                NOWHERE => annealing.rng.random_range(0..tasks.nodes() as u32),
                _ => node,
            };
            annealing.put(task, node);
        }
        annealing
    }

    /// Moves one task, or two, and takes that back if it is too much worse for the temperature.
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
        let mut change = self.shift(task, to);
        if let Some(other) = other {
            let onward = if kind == 1 { from } else { self.another_node(other) };
            change += self.shift(other, onward);
        }
        if change > 0.0 && change >= -temperature * self.rng.random::<f64>().ln() {
            if let Some(other) = other {
                self.shift(other, to);
            }
            self.shift(task, from);
        }
    }

    /// The home of a task that is away, or one at random.
    fn another_node(&mut self, task: u32) -> u32 {
        let is_away = self.place_away[task as usize] != NOWHERE;
        if is_away && self.rng.random() {
            return self.tasks.home[task as usize];
        }
        self.rng.random_range(0..self.on.len() as u32)
    }

    /// Moves a task to a node; returns by how much that is worse.
    fn shift(&mut self, task: u32, to: u32) -> f64 {
        self.take(task) + self.put(task, to)
    }

    fn put(&mut self, task: u32, node: u32) -> f64 {
        let at = task as usize;
        self.node_of[at] = node;
        enter(&mut self.on[node as usize], &mut self.place, task);
        let mut change = self.toll * self.load(task, node, 1);
        if node != self.tasks.home[at] && self.tasks.cost[at] > 0 {
            enter(&mut self.away, &mut self.place_away, task);
            self.cost += u128::from(self.tasks.cost[at]);
            change += self.tasks.price[at];
        }
        change
    }

    fn take(&mut self, task: u32) -> f64 {
        let at = task as usize;
        let node = self.node_of[at];
        leave(&mut self.on[node as usize], &mut self.place, task);
        let mut change = self.toll * self.load(task, node, -1);
        if self.place_away[at] != NOWHERE {
            leave(&mut self.away, &mut self.place_away, task);
            self.cost -= u128::from(self.tasks.cost[at]);
            change -= self.tasks.price[at];
        }
        change
    }

    /// Takes what a task takes from a node, or gives it back; returns by how much weight it is overloaded more.
    fn load(&mut self, task: u32, node: u32, sign: i128) -> f64 {
        let width = self.tasks.width;
        let free = &mut self.free[node as usize * width..][..width];
        let amounts = free.iter_mut().zip(self.tasks.takes(task)).zip(&self.tasks.scarcity);
        let (mut was, mut is, mut change) = (false, false, 0.0);
        for ((free, &takes), scarcity) in amounts {
            if *free < 0 {
                was = true;
                change += *free as f64 * scarcity;
            }
            *free -= sign * i128::from(takes);
            if *free < 0 {
                is = true;
                change -= *free as f64 * scarcity;
            }
        }
        self.overloaded = self.overloaded + usize::from(is) - usize::from(was);
        change
    }
}

/// Adds a task to a list in which it knows its place.
fn enter(list: &mut Vec<u32>, place: &mut [u32], task: u32) {
    place[task as usize] = list.len() as u32;
    list.push(task);
}

/// Takes a task from a list in which it knows its place.
fn leave(list: &mut Vec<u32>, place: &mut [u32], task: u32) {
    let at = std::mem::replace(&mut place[task as usize], NOWHERE);
    list.swap_remove(at as usize);
    if let Some(&moved) = list.get(at as usize) {
        place[moved as usize] = at;
    }
}
