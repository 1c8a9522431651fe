//! Secondary objectives for a given yield: cheap nodes, a low peak load, or spare capacity for the
//! tasks of a failed node.

use crate::adapter::{Adapted, Adapter, adapted};
use crate::annealing;
use crate::repair::Style;
use crate::tasks::{Tasks, UNPLACED, weighted_sum};
use dfrsim_model::Yield;
use dfrsim_model::offline::Adaptation;
use std::collections::BTreeSet;

/// Number of repairs tried to empty a node.
const REPAIRS: usize = 6;

/// Number of bisection steps between a feasible peak and an infeasible one.
const BISECTIONS: usize = 8;

/// Orders in which nodes are emptied: the exponents of their price and of their size, relative to
/// the moving cost.
const EMPTYING_ORDERS: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [4.0, 4.0]];

/// Secondary objective for a given yield. Tasks without any demand are not moved from a node that is
/// emptied or fails.
#[derive(Clone, Debug)]
pub enum Aim {
    /// Minimises the moving cost.
    Moves,
    /// Minimises the total price of the nodes in use, given the price of each node.
    Nodes(Vec<u64>),
    /// Minimises the peak load of a node.
    Peak,
    /// Tolerates the failure of any single node: its tasks fit on the other nodes, on which no task
    /// is moved.
    Failure,
}

/// Spare capacity of a placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headroom {
    /// Peak load: the largest fraction of a resource that is used on any node.
    pub peak: f64,
    /// Number of nodes whose single failure is known to be tolerated: their tasks fit on the other
    /// nodes, on which no task is moved.
    pub tolerated_failures: usize,
}

/// Computes the peak load of a mapping at a yield: the largest fraction of a resource that is used on
/// any node. `counts` selects the resources that count.
#[must_use]
pub fn peak(problem: &Adaptation, found: &Adapted, scaled: Yield, counts: &[bool]) -> f64 {
    let mut tasks = Tasks::of(problem, None);
    tasks.size_at(problem, scaled);
    tasks.peak(&tasks.nodes_of(&found.mapping), counts)
}

impl Adapter {
    /// Finds the mapping with at least this minimum yield that is best for an objective within a
    /// budget; among equal ones, one that moves little. `counts` selects the resources that count
    /// for peaks. Returns `None` if none is found.
    #[must_use]
    pub fn aim_at(
        &mut self,
        problem: &Adaptation,
        wanted: Yield,
        budget: u64,
        aim: &Aim,
        counts: &[bool],
    ) -> Option<Adapted> {
        let (mut tasks, budget) = (self.tasks(problem), u128::from(budget));
        let start = self.placed_for(problem, &mut tasks, wanted, None)?;
        if tasks.moving(&start) > budget {
            return None;
        }
        if !matches!(aim, Aim::Failure) {
            self.report(|| adapted(problem, &tasks, &start));
        }
        let ones = vec![1; tasks.nodes()];
        let found = match aim {
            Aim::Moves => start,
            Aim::Failure if self.tolerates_any_failure(&tasks, &start) => start,
            Aim::Nodes(prices) => {
                let price = |of: &[u32]| -> u128 {
                    let used: BTreeSet<u32> = of.iter().copied().collect();
                    used.into_iter().map(|node| u128::from(prices[node as usize])).sum()
                };
                let gathered = self.gather(problem, &tasks, budget, prices);
                let starts = gathered.iter().map(|gathered| (gathered, EMPTYING_ORDERS[0]));
                let starts = EMPTYING_ORDERS.map(|order| (&start, order)).into_iter().chain(starts);
                let all: Vec<Vec<u32>> = starts
                    .map(|(start, order)| {
                        self.empty_nodes(problem, &tasks, start, budget, (prices, order), false)
                    })
                    .collect();
                let best = all.into_iter().min_by_key(|found| (price(found), tasks.moving(found)))?;
                self.exchange_nodes(problem, &tasks, best, budget, prices)
            }
            Aim::Peak => self.limit_peak(problem, &mut tasks, start, (wanted, budget), true, counts)?,
            Aim::Failure => {
                // Spare capacity is created evenly on all nodes, or by emptying nodes.
                let emptied =
                    self.empty_nodes(problem, &tasks, &start, budget, (&ones, EMPTYING_ORDERS[0]), true);
                let levelled = self.limit_peak(problem, &mut tasks, start, (wanted, budget), false, counts);
                let all = levelled.into_iter().chain([emptied]);
                let safe: Vec<Vec<u32>> =
                    all.filter(|found| self.tolerates_any_failure(&tasks, found)).collect();
                safe.into_iter().min_by_key(|found| tasks.moving(found))?
            }
        };
        adapted(problem, &tasks, &found)
    }

    /// Computes the spare capacity of a mapping at a yield.
    #[must_use]
    pub fn headroom(
        &mut self,
        problem: &Adaptation,
        found: &Adapted,
        scaled: Yield,
        counts: &[bool],
    ) -> Headroom {
        let mut tasks = self.tasks(problem);
        tasks.size_at(problem, scaled);
        let node_of = tasks.nodes_of(&found.mapping);
        Headroom {
            peak: tasks.peak(&node_of, counts),
            tolerated_failures: self.count_tolerated_failures(&tasks, &node_of, false),
        }
    }

    /// Empties one node after the other while their tasks fit elsewhere within the budget: expensive
    /// nodes, small nodes, and nodes that are cheap to empty come first. If `until_safe` is true,
    /// stops as soon as any single node may fail.
    fn empty_nodes(
        &mut self,
        problem: &Adaptation,
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
        // Adding the mean cost keeps nodes without tasks from being emptied before all others.
        let mean = (costs.iter().sum::<f64>() / costs.len() as f64).max(1.0);
        let key = |node: u32| {
            let offers = &tasks.capacity[node as usize * tasks.dimensions..][..tasks.dimensions];
            let size = weighted_sum(&tasks.scarcity, offers).max(f64::MIN_POSITIVE);
            let price = (prices[node as usize] as f64).max(0.5);
            let cost = costs[node as usize] + if by_price > 0.0 { mean } else { 0.0 };
            cost * size.powf(by_size) / price.powf(by_price)
        };
        let mut nodes: Vec<(u32, f64)> = (0..tasks.nodes() as u32).map(|node| (node, key(node))).collect();
        nodes.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
        for (node, _) in nodes {
            let offers = left.close_node(node);
            let found = (0..REPAIRS).map(Style::numbered).find_map(|style| {
                let fits = self.repair.run(&left, &best, style) && self.repair.placement.cost <= budget;
                fits.then(|| self.repair.placement.node_of.clone())
            });
            match found {
                Some(found) => {
                    if !until_safe {
                        self.report(|| adapted(problem, tasks, &found));
                    }
                    best = found;
                }
                None => left.reopen_node(node, &offers),
            }
            if until_safe && self.tolerates_any_failure(tasks, &best) {
                return best;
            }
        }
        annealing::cheapest(&left, &best, self.annealing).unwrap_or(best)
    }

    /// Finds the placement with the lowest peak, or the one with the highest peak that tolerates any
    /// single failure: the capacity of nodes is reduced to a fraction, for which the cheapest
    /// placement is searched.
    fn limit_peak(
        &mut self,
        problem: &Adaptation,
        tasks: &mut Tasks,
        start: Vec<u32>,
        (wanted, budget): (Yield, u128),
        is_peak: bool,
        counts: &[bool],
    ) -> Option<Vec<u32>> {
        let offers = tasks.capacity.clone();
        let (mut low, mut high) = (tasks.least_peak(counts), tasks.peak(&start, counts));
        let (mut last, mut best) = (start.clone(), is_peak.then_some(start));
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(low, high);
            for (offer, &counts) in tasks.capacity.iter_mut().zip(counts.iter().cycle()) {
                *offer = if counts { (*offer as f64 * middle) as i64 } else { *offer };
            }
            let found = self.placed_for(problem, tasks, wanted, Some(&last));
            tasks.capacity.clone_from(&offers);
            let Some(found) = found.filter(|found| tasks.moving(found) <= budget) else {
                low = middle;
                continue;
            };
            last.clone_from(&found);
            if is_peak {
                high = tasks.peak(&found, counts);
                self.report(|| adapted(problem, tasks, &found));
                best = Some(found);
            } else if self.tolerates_any_failure(tasks, &found) {
                low = middle;
                best = Some(found);
            } else {
                high = middle;
            }
        }
        best
    }

    /// Returns whether the failure of any single node is tolerated.
    fn tolerates_any_failure(&mut self, tasks: &Tasks, node_of: &[u32]) -> bool {
        self.count_tolerated_failures(tasks, node_of, true) == tasks.nodes()
    }

    /// Counts the nodes whose single failure is tolerated; if `stops` is true, only up to the first
    /// node whose failure is not.
    fn count_tolerated_failures(&mut self, tasks: &Tasks, node_of: &[u32], stops: bool) -> usize {
        let (count, mut after) = (tasks.count(), tasks.clone());
        after.cost = vec![Adaptation::PINNED; count];
        after.price = vec![f64::INFINITY; count];
        let mut outlives = |node: u32| {
            after.home = node_of.to_vec();
            let failed: Vec<usize> = (0..count).filter(|&task| node_of[task] == node).collect();
            failed.iter().for_each(|&task| {
                (after.home[task], after.cost[task], after.price[task]) = (UNPLACED, 0, 0.0);
            });
            let offers = after.close_node(node);
            let start = after.home.clone();
            let has_room = (0..REPAIRS).any(|style| self.repair.run(&after, &start, Style::numbered(style)));
            after.reopen_node(node, &offers);
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
