//! What is wanted beside a yield: cheap nodes, a low peak, room for the tasks of a node that fails.

use crate::adapter::{Adapted, Adapter, adapted};
use crate::annealing;
use crate::repair::Style;
use crate::tasks::{NOWHERE, Tasks, weighed};
use dfrsim_model::Yield;
use dfrsim_model::offline::Adaptation;
use std::collections::BTreeSet;

/// How many repairs are tried to empty a node.
const REPAIRS: usize = 6;

/// How often the distance between a peak that is reached and one that is not is halved.
const HALVINGS: usize = 8;

/// In which orders nodes are emptied: how much their prices, and how much their sizes, count beside what moving costs.
const ORDERS: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [4.0, 4.0]];

/// What is wanted beside a yield. Tasks without any size are not moved from a node that is emptied or fails.
#[derive(Clone, Debug)]
pub enum Aim {
    /// To move least.
    Moves,
    /// That the nodes in use cost least together, by these prices.
    Nodes(Vec<u64>),
    /// That no node is used much more than others: the lowest peak.
    Peak,
    /// That any single node can fail: its tasks have room on the others, where all stay.
    Failure,
}

/// How much room a placement leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headroom {
    /// The largest part of a resource that is taken on any node.
    pub peak: f64,
    /// How many nodes are known to be able to fail, each alone: their tasks have room on the others, where all stay.
    pub may_fail: usize,
}

impl Adapter {
    /// The mapping with at least this minimum yield that comes nearest to an aim, as far as is found within a budget; of equal
    /// ones one that moves little. `counts` says of each resource whether peaks are of it. `None` if none is found.
    #[must_use]
    pub fn aim_at(
        &mut self,
        problem: &Adaptation,
        wanted: Yield,
        budget: u64,
        aim: &Aim,
        counts: &[bool],
    ) -> Option<Adapted> {
        let (mut tasks, budget) = (Tasks::of(problem), u128::from(budget));
        let start = self.placed_for(problem, &mut tasks, wanted, None)?;
        if tasks.moving(&start) > budget {
            return None;
        }
        let ones = vec![1; tasks.nodes()];
        let found = match aim {
            Aim::Moves => start,
            Aim::Failure if self.is_safe(&tasks, &start) => start,
            Aim::Nodes(prices) => {
                let price = |of: &[u32]| -> u128 {
                    let used: BTreeSet<u32> = of.iter().copied().collect();
                    used.into_iter().map(|node| u128::from(prices[node as usize])).sum()
                };
                let all = ORDERS.map(|order| self.emptied(&tasks, &start, budget, (prices, order), false));
                all.into_iter().min_by_key(|found| (price(found), tasks.moving(found)))?
            }
            Aim::Peak => self.levelled(problem, &mut tasks, start, (wanted, budget), true, counts)?,
            Aim::Failure => {
                // Room is made on all nodes alike, or by nodes without tasks.
                let emptied = self.emptied(&tasks, &start, budget, (&ones, ORDERS[0]), true);
                let levelled = self.levelled(problem, &mut tasks, start, (wanted, budget), false, counts);
                let all = levelled.into_iter().chain([emptied]);
                let safe: Vec<Vec<u32>> = all.filter(|found| self.is_safe(&tasks, found)).collect();
                safe.into_iter().min_by_key(|found| tasks.moving(found))?
            }
        };
        adapted(problem, &tasks, &found)
    }

    /// How much room a mapping leaves at a yield.
    #[must_use]
    pub fn headroom(
        &mut self,
        problem: &Adaptation,
        found: &Adapted,
        scaled: Yield,
        counts: &[bool],
    ) -> Headroom {
        let mut tasks = Tasks::of(problem);
        tasks.size_at(problem, scaled);
        let node_of = tasks.nodes_of(&found.mapping);
        Headroom { peak: tasks.peak(&node_of, counts), may_fail: self.outlived(&tasks, &node_of, false) }
    }

    /// A placement with one node after the other emptied, as long as there is a place for its tasks elsewhere within the budget: dear
    /// and small ones, and those that it costs little to empty, first; or only until any node may fail.
    fn emptied(
        &mut self,
        tasks: &Tasks,
        start: &[u32],
        budget: u128,
        (prices, [by_price, by_size]): (&[u64], [f64; 2]),
        until_safe: bool,
    ) -> Vec<u32> {
        let (mut left, mut best) = (tasks.clone(), start.to_vec());
        let mut costs = vec![0.0; tasks.nodes()];
        (0..)
            .zip(start)
            .for_each(|(task, &node): (usize, _)| costs[node as usize] += tasks.cost[task] as f64);
        // A node without tasks is one too, but none to be emptied before all others.
        let mean = (costs.iter().sum::<f64>() / costs.len() as f64).max(1.0);
        let key = |node: u32| {
            let offers = &tasks.offers[node as usize * tasks.width..][..tasks.width];
            let size = weighed(&tasks.scarcity, offers).max(f64::MIN_POSITIVE);
            let price = (prices[node as usize] as f64).max(0.5);
            let cost = costs[node as usize] + if by_price > 0.0 { mean } else { 0.0 };
            cost * size.powf(by_size) / price.powf(by_price)
        };
        let mut nodes: Vec<(u32, f64)> = (0..tasks.nodes() as u32).map(|node| (node, key(node))).collect();
        nodes.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
        for (node, _) in nodes {
            let offers = left.close(node);
            let found = (0..REPAIRS).map(Style::numbered).find_map(|style| {
                let fits = self.repair.run(&left, &best, style) && self.repair.placement.cost <= budget;
                fits.then(|| self.repair.placement.node_of.clone())
            });
            match found {
                Some(found) => best = found,
                None => left.open(node, &offers),
            }
            if until_safe && self.is_safe(tasks, &best) {
                return best;
            }
        }
        annealing::cheapest(&left, &best, self.annealing).unwrap_or(best)
    }

    /// The placement with the lowest peak, or the one with the highest in which any node may fail: what nodes offer is cut to a
    /// part, for which the cheapest placement is looked for.
    fn levelled(
        &mut self,
        problem: &Adaptation,
        tasks: &mut Tasks,
        start: Vec<u32>,
        (wanted, budget): (Yield, u128),
        is_peak: bool,
        counts: &[bool],
    ) -> Option<Vec<u32>> {
        let offers = tasks.offers.clone();
        let (mut low, mut high) = (tasks.least_peak(counts), tasks.peak(&start, counts));
        let (mut last, mut best) = (start.clone(), is_peak.then_some(start));
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            for (offer, &counts) in tasks.offers.iter_mut().zip(counts.iter().cycle()) {
                *offer = if counts { (*offer as f64 * middle) as i64 } else { *offer };
            }
            let found = self.placed_for(problem, tasks, wanted, Some(&last));
            tasks.offers.clone_from(&offers);
            let Some(found) = found.filter(|found| tasks.moving(found) <= budget) else {
                low = middle;
                continue;
            };
            last.clone_from(&found);
            if is_peak {
                high = tasks.peak(&found, counts);
                best = Some(found);
            } else if self.is_safe(tasks, &found) {
                low = middle;
                best = Some(found);
            } else {
                high = middle;
            }
        }
        best
    }

    /// Whether any node can fail.
    fn is_safe(&mut self, tasks: &Tasks, node_of: &[u32]) -> bool {
        self.outlived(tasks, node_of, true) == tasks.nodes()
    }

    /// How many nodes can fail, each alone; or how many can before the first one that cannot.
    fn outlived(&mut self, tasks: &Tasks, node_of: &[u32], stops: bool) -> usize {
        let (count, mut after) = (tasks.count(), tasks.clone());
        after.cost = vec![Adaptation::PINNED; count];
        after.price = vec![f64::INFINITY; count];
        let mut outlives = |node: u32| {
            after.home = node_of.to_vec();
            let failed: Vec<usize> = (0..count).filter(|&task| node_of[task] == node).collect();
            failed.iter().for_each(|&task| {
                (after.home[task], after.cost[task], after.price[task]) = (NOWHERE, 0, 0.0);
            });
            let offers = after.close(node);
            let start = after.home.clone();
            let has_room = (0..REPAIRS).any(|style| self.repair.run(&after, &start, Style::numbered(style)));
            after.open(node, &offers);
            failed.iter().for_each(|&task| {
                (after.cost[task], after.price[task]) = (Adaptation::PINNED, f64::INFINITY);
            });
            has_room
        };
        let nodes = 0..tasks.nodes() as u32;
        if stops {
            nodes.take_while(|&node| outlives(node)).count()
        } else {
            nodes.filter(|&node| outlives(node)).count()
        }
    }
}
