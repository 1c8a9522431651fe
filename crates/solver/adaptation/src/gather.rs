//! Placement of all tasks on few nodes, regardless of where they are.

use crate::adapter::{Adapter, adapted};
use crate::annealing;
use crate::repair::Style;
use crate::tasks::{Tasks, UNPLACED, weighted_sum};
use dfrsim_model::offline::Adaptation;
use dfrsim_packing::relabelled;

/// Number of repairs tried on each choice of nodes; those with even numbers are best fit.
const REPAIRS: usize = 6;

/// Maximum numbers of nodes and tasks for which other choices of nodes are tried.
const EXCHANGE_UP_TO: [usize; 2] = [64, 1024];

/// Maximum number of other choices of nodes that are tried before an improvement.
const MOST_EXCHANGES: usize = 128;

/// Number of other choices of nodes that are tried by annealing where no repair succeeds.
const ANNEALED_EXCHANGES: usize = 3;

/// Number of repairs tried on each other choice of nodes.
const EXCHANGE_REPAIRS: usize = 2;

impl Adapter {
    /// Finds a placement of all tasks on few nodes within a budget: nodes that are large for their
    /// price are opened one by one until all tasks fit, best fit decreasing, with ejections. Tasks
    /// without a price of moving go anywhere; identical nodes are then renamed so that little is
    /// moved. Returns `None` if the placement exceeds the budget or none is found.
    ///
    /// Emptying one node after the other keeps tasks where they are, so that the rest of each node
    /// remains unused. This placement begins with empty nodes instead.
    pub(crate) fn gather(
        &mut self,
        problem: &Adaptation,
        tasks: &Tasks,
        budget: u128,
        prices: &[u64],
    ) -> Option<Vec<u32>> {
        let mut free = tasks.clone();
        for task in 0..tasks.count() {
            if tasks.cost[task] != Adaptation::PINNED {
                (free.home[task], free.cost[task], free.price[task]) = (UNPLACED, 0, 0.0);
            }
        }
        let pinned = free.home.clone();
        let nodes = self.fewest_open(&mut free, &pinned, prices)?;
        // Nodes with equal capacities may differ in the rules on them.
        let mut nodes = if tasks.rules.is_some() {
            nodes
        } else {
            let mapping = relabelled(problem, &tasks.mapping(problem.instance.jobs.len(), &nodes));
            tasks.nodes_of(&mapping)
        };
        // The tasks return to the open nodes on which they were, as far as these have room.
        let mut open = tasks.clone();
        for node in (0..tasks.nodes() as u32).filter(|node| !nodes.contains(node)) {
            open.close_node(node);
        }
        if self.repair.run(&open, &nodes, Style::numbered(0)) {
            nodes.clone_from(&self.repair.placement.node_of);
        }
        if tasks.moving(&nodes) > budget {
            return None;
        }
        self.report(|| adapted(problem, tasks, &nodes));
        Some(nodes)
    }

    /// Makes the nodes in use cheaper by other choices of nodes: an open node is closed, or one or two
    /// open nodes are exchanged for one, as long as a repair places all tasks within the budget.
    /// Choices with the most capacity come first. Large problems are left as they are.
    pub(crate) fn exchange_nodes(
        &mut self,
        problem: &Adaptation,
        tasks: &Tasks,
        start: Vec<u32>,
        budget: u128,
        prices: &[u64],
    ) -> Vec<u32> {
        let [most_nodes, most_tasks] = EXCHANGE_UP_TO;
        let mut best = start;
        if tasks.nodes() > most_nodes || tasks.count() > most_tasks {
            return best;
        }
        while let Some(found) = self.cheaper_choice(tasks, &best, budget, prices) {
            self.report(|| adapted(problem, tasks, &found));
            best = found;
        }
        best
    }

    /// Finds a placement on nodes that are cheaper than those in use.
    fn cheaper_choice(
        &mut self,
        tasks: &Tasks,
        best: &[u32],
        budget: u128,
        prices: &[u64],
    ) -> Option<Vec<u32>> {
        let price = |nodes: &[u32]| nodes.iter().map(|&node| u128::from(prices[node as usize])).sum::<u128>();
        let mut open = best.to_vec();
        open.sort_unstable();
        open.dedup();
        let closed: Vec<u32> = (0..tasks.nodes() as u32).filter(|node| !open.contains(node)).collect();
        let mut choices: Vec<Vec<u32>> = Vec::new();
        for (at, &one) in open.iter().enumerate() {
            for other in open[at..].iter().copied() {
                let left: Vec<u32> =
                    open.iter().copied().filter(|&node| node != one && node != other).collect();
                let with = |node: &u32| left.iter().copied().chain([*node]).collect::<Vec<u32>>();
                choices.extend(closed.iter().map(with));
                if one == other {
                    choices.push(left);
                }
            }
        }
        let now = price(&open);
        choices.retain(|nodes| price(nodes) < now && self.has_room(tasks, nodes));
        let width = tasks.dimensions;
        let size = |nodes: &[u32]| -> f64 {
            let rows = nodes.iter().map(|&node| &tasks.capacity[node as usize * width..][..width]);
            rows.map(|row| weighted_sum(&tasks.scarcity, row)).sum()
        };
        choices.sort_by(|one, other| {
            price(one).cmp(&price(other)).reverse().then(size(other).total_cmp(&size(one)))
        });
        let on_only = |nodes: &[u32]| {
            let mut rest = tasks.clone();
            for node in (0..tasks.nodes() as u32).filter(|node| !nodes.contains(node)) {
                rest.close_node(node);
            }
            rest
        };
        choices.truncate(MOST_EXCHANGES);
        let annealing = self.annealing;
        let repaired = choices.iter().find_map(|nodes| {
            let rest = on_only(nodes);
            (0..EXCHANGE_REPAIRS).find_map(|style| {
                let fits = self.repair.run(&rest, best, Style::numbered(2 * style))
                    && self.repair.placement.cost <= budget;
                let found = fits.then(|| self.repair.placement.node_of.clone())?;
                Some(annealing::cheapest(&rest, &found, annealing).unwrap_or(found))
            })
        });
        let most = if annealing > 0 { ANNEALED_EXCHANGES } else { 0 };
        repaired.or_else(|| {
            choices.iter().take(most).find_map(|nodes| {
                // Tasks on closed nodes overload these, so that annealing moves them away.
                let found = annealing::cheapest(&on_only(nodes), best, annealing);
                found.filter(|found| tasks.moving(found) <= budget)
            })
        })
    }

    /// Returns whether the capacities of nodes suffice for all tasks in sum.
    fn has_room(&self, tasks: &Tasks, nodes: &[u32]) -> bool {
        let width = tasks.dimensions;
        let offered =
            |at: usize| nodes.iter().map(move |&node| i128::from(tasks.capacity[node as usize * width + at]));
        (0..width).all(|at| {
            let taken: i128 = tasks.demands.iter().skip(at).step_by(width).map(|&it| i128::from(it)).sum();
            taken <= offered(at).sum()
        })
    }

    /// Opens nodes one by one until all tasks can be placed on them; returns the node of each task.
    /// The first number of nodes is the least at which their capacities suffice in sum.
    fn fewest_open(&mut self, tasks: &mut Tasks, start: &[u32], prices: &[u64]) -> Option<Vec<u32>> {
        let width = tasks.dimensions;
        let value = |node: u32| {
            let size = weighted_sum(&tasks.scarcity, &tasks.capacity[node as usize * width..][..width]);
            size / (prices[node as usize] as f64).max(0.5)
        };
        let mut order: Vec<(bool, f64, u32)> =
            (0..tasks.nodes() as u32).map(|node| (start.contains(&node), value(node), node)).collect();
        order.sort_by(|one, other| {
            other.0.cmp(&one.0).then(other.1.total_cmp(&one.1)).then(one.2.cmp(&other.2))
        });
        let closed: Vec<Vec<i64>> = (0..tasks.nodes() as u32).map(|node| tasks.close_node(node)).collect();
        let mut missing = vec![0_i128; width];
        for task in 0..tasks.count() as u32 {
            tasks.used(task).iter().for_each(|&(at, takes)| missing[at as usize] += i128::from(takes));
        }
        order.into_iter().find_map(|(_, _, node)| {
            let offers = &closed[node as usize];
            tasks.reopen_node(node, offers);
            missing.iter_mut().zip(offers).for_each(|(missing, &offer)| *missing -= i128::from(offer));
            let is_enough = missing.iter().all(|&missing| missing <= 0);
            let fits = is_enough
                && (0..REPAIRS).any(|style| self.repair.run(tasks, start, Style::numbered(2 * style)));
            fits.then(|| self.repair.placement.node_of.clone())
        })
    }
}
