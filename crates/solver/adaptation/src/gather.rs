//! Placement of all tasks on few nodes, regardless of where they are.

use crate::adapter::{Adapter, adapted};
use crate::repair::Style;
use crate::tasks::{Tasks, UNPLACED, weighted_sum};
use dfrsim_model::offline::Adaptation;
use dfrsim_packing::relabelled;

/// Number of repairs tried on each choice of nodes; those with even numbers are best fit.
const REPAIRS: usize = 6;

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
        let mapping = relabelled(problem, &tasks.mapping(problem.instance.jobs.len(), &nodes));
        let mut nodes = tasks.nodes_of(&mapping);
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
