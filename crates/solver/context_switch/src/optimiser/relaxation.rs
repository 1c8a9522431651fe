//! A lower bound that models vjobs, nodes and pools: a Lagrangian relaxation of node capacities.
//!
//! Suppose that the first pool with a cost has the cost P. More expensive actions are then not in
//! it, the actions in it fit into the resources that are free now, and all others wait for at least
//! P. So each P gives an integer program: every VM to run stays, or acts on its current node or
//! elsewhere, in the first pool or later; the resumes of a vjob share one choice; and each node has
//! the resources for the units that enter in the first pool, and for all units at the end. The
//! relaxation gives each node a price per resource and time, and each vjob chooses independently
//! under these prices. Prices that maximise the bound are found by subgradient ascent, smoothed so
//! that VMs spread over nodes of nearly equal price. The minimum over all P is the bound; the lowest
//! ones are refined by the cost of the second pool.

use super::bound::must_leave;
use super::goal::{Goal, NOWHERE};
use crate::action::Action;
use crate::amount::Amount;
use crate::cluster::Aim;
use crate::configuration::Place;
use std::collections::BTreeMap;

/// Maximum number of pools whose costs are distinguished.
const MAX_POOLS: usize = 3;
/// Maximum numbers of distinct prices and of distinct demands.
const MAX_PRICES: usize = 8;
const MAX_DEMANDS: usize = 16;
/// Ascent steps per choice of pools, steps per round, and maximum number of rounds.
const STEPS: u32 = 300;
const STEPS_PER_ROUND: u32 = 30;
const MAX_ROUNDS: u32 = 120;
/// Factor by which smoothing and step length shrink after each step.
const COOLING: f64 = 0.985;
/// Relative error bound for all floating-point sums here.
const ROUNDING: f64 = 1e-9;

/// Computes a lower bound on the cost of every plan in which each VM acts at most once. The result
/// is at least `least`, and at most `most`, which is returned if no plan costs less. Each round
/// works on the choice of pools with the lowest bound, until refinement no longer helps or time is
/// over.
pub(super) fn lower_bound(
    goal: &Goal<'_>,
    room: &[Amount],
    least: u64,
    most: u64,
    is_late: impl Fn() -> bool,
) -> u64 {
    // Without actions of positive cost there is no first pool.
    if goal.cluster.aim() == Aim::Makespan || least == 0 {
        return least;
    }
    let (ranges, unit) = (prices(goal), goal.cost_divisor());
    let first = |range: &(u64, u64)| Ascent::new(Relaxation::new(goal, room, &[*range]), vec![*range], least);
    let mut open: Vec<Ascent> = ranges.iter().map(first).collect();
    for _ in 0..MAX_ROUNDS {
        let lowest = (0..open.len()).min_by_key(|&at| open[at].bound);
        let Some(at) = lowest.filter(|&at| open[at].bound < most && !is_late()) else { break };
        if open[at].steps < STEPS {
            open[at].climb(unit);
        } else if open[at].pools.len() < MAX_POOLS {
            let parent = open.swap_remove(at);
            open.extend(ranges.iter().map(|range| {
                let pools = [&parent.pools[..], &[*range]].concat();
                parent.refined(Relaxation::new(goal, room, &pools), pools)
            }));
        } else {
            break;
        }
    }
    open.iter().map(|ascent| ascent.bound).min().unwrap_or(least).min(most)
}

/// Returns the positive costs of actions as ranges: one range per cost, or wider ones if there are
/// many.
fn prices(goal: &Goal<'_>) -> Vec<(u64, u64)> {
    let mut prices: Vec<u64> = goal.departures.iter().map(|leaving| leaving.price).collect();
    for vm in goal.running() {
        let home = goal.current.place(vm).node().into_iter();
        prices.extend(home.chain([NOWHERE]).map(|node| goal.vm_cost(vm, node)));
    }
    prices.retain(|price| *price > 0);
    prices.sort_unstable();
    prices.dedup();
    let most = if goal.cluster.waiting_cost(1) > 0 { MAX_PRICES } else { 1 };
    let chunks = prices.chunks(prices.len().div_ceil(most).max(1));
    chunks.map(|chunk| (chunk[0], chunk[chunk.len() - 1])).collect()
}

type Pair = [f64; 2];

fn pair(amount: Amount) -> Pair {
    [amount.cpu as f64, amount.memory as f64]
}

fn dot(one: Pair, other: Pair) -> f64 {
    one[0] * other[0] + one[1] * other[1]
}

fn add(to: &mut Pair, times: f64, what: Pair) {
    to[0] += times * what[0];
    to[1] += times * what[1];
}

/// Choices of a VM: to stay or act on its current node, or to run on another one.
struct Choice {
    /// Current node, if any.
    home: Option<usize>,
    /// Cost and entering demand on the current node, if constraints allow it.
    at_home: Option<(f64, Pair)>,
    /// True if running on the current node needs an action.
    acts: bool,
    away: f64,
    demand: Pair,
    /// Resources freed on the current node once the VM is away.
    frees: Pair,
    /// Index into `Relaxation::demands`.
    kind: usize,
}

struct Relaxation {
    /// Waiting cost, by the number of priced pools before the action.
    waits: Vec<f64>,
    /// Upper bound on the cost of an action in each pool.
    limits: Vec<f64>,
    /// Groups of VMs that share the choice of the pool.
    groups: Vec<Vec<Choice>>,
    /// Distinct demands, rounded down, so that each VM needs at least its entry.
    demands: Vec<Pair>,
    /// Capacity for entering units by node and pool; the last entry of each node is its capacity at
    /// the end.
    room: Vec<Pair>,
    /// True for nodes that are on.
    is_on: Vec<bool>,
    /// Local and waiting cost of the decided actions.
    decided: f64,
}

impl Relaxation {
    /// Builds the relaxation for plans whose first pools have costs in these ranges.
    fn new(goal: &Goal<'_>, room: &[Amount], pools: &[(u64, u64)]) -> Relaxation {
        let (cluster, last) = (goal.cluster, pools.len());
        let price = |pool: &(u64, u64)| cluster.waiting_cost(pool.0) as f64;
        let waits: Vec<f64> = (0..=last).map(|before| pools[..before].iter().map(price).sum()).collect();
        let limits: Vec<f64> = pools.iter().map(|pool| pool.1 as f64).chain([f64::INFINITY]).collect();
        let mut decided = goal.decided_cost as f64;
        let mut free: Vec<Vec<Amount>> = room.iter().map(|room| vec![*room; last]).collect();
        for leaving in &goal.departures {
            let pool = limits.iter().position(|limit| leaving.price as f64 <= *limit).unwrap_or(last);
            decided += if leaving.is_decided { waits[pool] } else { 0.0 };
            // Resources that a pool without cost frees are available to the next pool.
            let from = if leaving.price == 0 { 0 } else { pool + 1 };
            free[leaving.node.index()].iter_mut().skip(from).for_each(|free| *free += leaving.freed);
        }
        let in_the_end = goal.assignment();
        let ends = cluster.node_ids().map(|node| in_the_end.free(node));
        let room = free.into_iter().zip(ends).flat_map(|(free, end)| free.into_iter().chain([end]));
        let mut groups: BTreeMap<(bool, u32), Vec<Choice>> = BTreeMap::new();
        let mut kinds = kinds(goal);
        for vm in goal.running() {
            let (place, demand) = (goal.current.place(vm), cluster.vm(vm).demand);
            let held = if place.host().is_some() { place.usage(cluster.vm(vm)) } else { Amount::NONE };
            let home = place.node().filter(|_| !must_leave(goal, vm));
            let at_home = home.map(|node| (goal.vm_cost(vm, node) as f64, pair((demand - held).positive())));
            let acts = home.is_none_or(|node| Action::to_run(vm, place, node).is_some());
            let away = goal.vm_cost(vm, NOWHERE) as f64;
            // Departures without cost are counted with the decided ones.
            let frees = if away == 0.0 { Amount::NONE } else { held };
            let choice = Choice {
                home: place.node().map(dfrsim_model::NodeId::index),
                at_home,
                acts,
                away,
                demand: pair(demand),
                frees: pair(frees),
                kind: kinds.of(demand),
            };
            let is_resumed = matches!(place, Place::Sleeping(_));
            let group = if is_resumed { (true, cluster.vm(vm).vjob.0) } else { (false, vm.0) };
            groups.entry(group).or_default().push(choice);
        }
        Relaxation {
            waits,
            limits,
            groups: groups.into_values().collect(),
            demands: kinds.demands.into_iter().map(pair).collect(),
            room: room.map(|room| pair(room.positive())).collect(),
            is_on: cluster.node_ids().map(|node| cluster.constraints().node(node).is_on).collect(),
            decided,
        }
    }

    /// Computes the bound for given prices, and its smoothed subgradient.
    fn at(&self, prices: &[Pair], heat: f64) -> (f64, Vec<Pair>) {
        let levels = self.waits.len();
        let last = levels - 1;
        // Cumulative price: a unit that enters at a level also uses resources at all later levels.
        let mut from = prices.to_vec();
        for node in from.chunks_mut(levels) {
            for level in (0..last).rev() {
                let next = node[level + 1];
                add(&mut node[level], 1.0, next);
            }
        }
        let price = |node: usize, level: usize| from[node * levels + level];
        let elsewhere = |level: usize, kind: usize| {
            let nodes = self.is_on.iter().enumerate().filter(|(_, is_on)| **is_on);
            nodes.map(move |(node, _)| (node, dot(price(node, level), self.demands[kind])))
        };
        let kinds = self.demands.len();
        let cheapest: Vec<f64> = (0..levels * kinds)
            .map(|at| {
                elsewhere(at / kinds, at % kinds).fold(f64::INFINITY, |least, (_, price)| least.min(price))
            })
            .collect();
        let mut taken = vec![[0.0; 2]; self.room.len()];
        let mut moved = vec![0.0; levels * kinds];
        let paid: f64 = prices.iter().zip(&self.room).map(|(price, room)| dot(*price, *room)).sum();
        let (mut bound, mut size) = (self.decided - paid, self.decided + paid);
        let mut costs: Vec<[f64; 2]> = Vec::new();
        for group in &self.groups {
            costs.clear();
            let mut sums = [f64::INFINITY; MAX_POOLS + 1];
            for level in 0..levels {
                sums[level] = 0.0;
                for choice in group {
                    let both = self.costs(choice, level, &from, cheapest[level * kinds + choice.kind]);
                    costs.push(both);
                    sums[level] += both[0].min(both[1]);
                }
            }
            let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
            bound += least;
            size += least.abs();
            let soft = sums.map(|sum| soft_weight(sum - least, heat));
            let all: f64 = soft.iter().sum();
            for level in 0..levels {
                let weight = soft[level] / all;
                if weight == 0.0 {
                    continue;
                }
                for (choice, both) in group.iter().zip(&costs[level * group.len()..]) {
                    let lesser = both[0].min(both[1]);
                    let [home, away] = both.map(|cost| soft_weight(cost - lesser, heat));
                    let (home, away) = (weight * home / (home + away), weight * away / (home + away));
                    if away > 0.0 {
                        moved[level * kinds + choice.kind] += away;
                    }
                    let Some(node) = choice.home.map(|node| node * levels) else { continue };
                    if level + 1 < last {
                        add(&mut taken[node + level + 1], -away, choice.frees);
                    }
                    if let Some((_, enters)) = choice.at_home.filter(|_| home > 0.0) {
                        if level < last {
                            add(&mut taken[node + level], home, enters);
                        }
                        add(&mut taken[node + last], home, choice.demand);
                    }
                }
            }
        }
        for (at, count) in moved.iter().enumerate().filter(|(_, count)| **count > 0.0) {
            let (level, kind) = (at / kinds, at % kinds);
            let weights: Vec<(usize, f64)> = elsewhere(level, kind)
                .map(|(node, price)| (node, soft_weight(price - cheapest[at], heat)))
                .filter(|(_, weight)| *weight > 0.0)
                .collect();
            let all: f64 = weights.iter().map(|(_, weight)| weight).sum();
            for (node, weight) in weights {
                let part = count * weight / all;
                if level < last {
                    add(&mut taken[node * levels + level], part, self.demands[kind]);
                }
                add(&mut taken[node * levels + last], part, self.demands[kind]);
            }
        }
        for (taken, room) in taken.chunks_mut(levels).zip(self.room.chunks(levels)) {
            for level in 1..last {
                let before = taken[level - 1];
                add(&mut taken[level], 1.0, before);
            }
            taken.iter_mut().zip(room).for_each(|(taken, room)| add(taken, -1.0, *room));
        }
        (bound - ROUNDING * size, taken)
    }

    /// Computes the costs of a VM on its current node and on another one, if it acts after `level`
    /// pools.
    fn costs(&self, choice: &Choice, level: usize, from: &[Pair], cheapest: f64) -> [f64; 2] {
        let (levels, last) = (self.waits.len(), self.waits.len() - 1);
        let (wait, limit) = (self.waits[level], self.limits[level]);
        let at = |level: usize| choice.home.map_or([0.0; 2], |home| from[home * levels + level]);
        let end = at(last);
        let until_the_end = |level: usize, what: Pair| dot(at(level), what) - dot(end, what);
        let home = match choice.at_home {
            Some((cost, _)) if !choice.acts => cost + dot(end, choice.demand),
            Some((cost, enters)) if cost <= limit => {
                cost + wait + until_the_end(level, enters) + dot(end, choice.demand)
            }
            _ => f64::INFINITY,
        };
        let freed = if level < last { until_the_end(level + 1, choice.frees) } else { 0.0 };
        let away = if choice.away <= limit { choice.away + wait + cheapest - freed } else { f64::INFINITY };
        [home, away]
    }
}

/// Subgradient ascent on prices, for one choice of the costs of the first pools.
struct Ascent {
    relaxation: Relaxation,
    pools: Vec<(u64, u64)>,
    /// Best lower bound so far on the cost of plans with these pools.
    bound: u64,
    steps: u32,
    /// Smoothing and step length, initially 1.
    heat: f64,
    /// Price of each resource by node and level; below, the running means of the slope and of its
    /// square.
    prices: Vec<Pair>,
    moments: Vec<[Pair; 2]>,
    /// Scale of the price of one unit of each resource.
    scale: Pair,
}

impl Ascent {
    fn new(relaxation: Relaxation, pools: Vec<(u64, u64)>, bound: u64) -> Ascent {
        let size = pools.iter().map(|pool| pool.1).max().unwrap_or(0) as f64;
        let mean = |resource: usize| {
            let demands = relaxation.groups.iter().flatten().map(|choice| choice.demand[resource]);
            let (sum, count) =
                demands.filter(|it| *it > 0.0).fold((0.0, 0.0), |sum, it| (sum.0 + it, sum.1 + 1.0));
            if count > 0.0 { sum / count } else { 1.0 }
        };
        let scale = [size / mean(0), size / mean(1)];
        let (prices, moments) =
            (vec![[0.0; 2]; relaxation.room.len()], vec![[[0.0; 2]; 2]; relaxation.room.len()]);
        Ascent { relaxation, pools, bound, steps: 0, heat: 1.0, prices, moments, scale }
    }

    /// Creates the ascent for plans with one more known pool, starting from the current prices.
    fn refined(&self, relaxation: Relaxation, pools: Vec<(u64, u64)>) -> Ascent {
        let mut ascent = Ascent::new(relaxation, pools, self.bound);
        let last = self.pools.len();
        for (node, known) in ascent.prices.chunks_mut(last + 2).zip(self.prices.chunks(last + 1)) {
            node[..last].copy_from_slice(&known[..last]);
            node[last + 1] = known[last];
        }
        (ascent.steps, ascent.heat) = (STEPS / 2, 0.1);
        ascent
    }

    /// Performs a round of ascent steps.
    fn climb(&mut self, unit: u64) {
        let size = self.pools.iter().map(|pool| pool.1).max().unwrap_or(0) as f64;
        for _ in 0..STEPS_PER_ROUND {
            let heat = self.heat;
            let (bound, slope) = self.relaxation.at(&self.prices, heat * size / 2.0);
            self.bound = ((bound.max(0.0).ceil() as u64).div_ceil(unit) * unit).max(self.bound);
            // Step sizes follow D. Kingma and J. Ba, Adam, ICLR 2015: large where the slope is
            // steady.
            for ((price, moments), slope) in self.prices.iter_mut().zip(&mut self.moments).zip(&slope) {
                for resource in 0..2 {
                    let [mean, square] = moments;
                    mean[resource] = 0.9 * mean[resource] + 0.1 * slope[resource];
                    square[resource] = 0.99 * square[resource] + 0.01 * slope[resource] * slope[resource];
                    let step = mean[resource] / (square[resource].sqrt() + 1e-12);
                    price[resource] = (price[resource] + 0.1 * heat * self.scale[resource] * step).max(0.0);
                }
            }
            self.steps += 1;
            self.heat *= COOLING;
        }
    }
}

/// Returns the relative weight of a choice that costs `more` than the cheapest one.
fn soft_weight(more: f64, heat: f64) -> f64 {
    let near = (1.0 - more / heat).max(0.0);
    near * near
}

/// Demands, rounded down to keep their number small.
struct Kinds {
    demands: Vec<Amount>,
    /// Number of low bits that are dropped.
    bits: u32,
}

impl Kinds {
    fn of(&mut self, demand: Amount) -> usize {
        let rounded =
            Amount::new(demand.cpu >> self.bits << self.bits, demand.memory >> self.bits << self.bits);
        self.demands.iter().position(|known| *known == rounded).unwrap_or_else(|| {
            self.demands.push(rounded);
            self.demands.len() - 1
        })
    }
}

fn kinds(goal: &Goal<'_>) -> Kinds {
    let mut kinds = Kinds { demands: Vec::new(), bits: 0 };
    while goal.running().any(|vm| kinds.of(goal.cluster.vm(vm).demand) >= MAX_DEMANDS) {
        kinds = Kinds { demands: Vec::new(), bits: kinds.bits + 1 };
    }
    kinds
}
