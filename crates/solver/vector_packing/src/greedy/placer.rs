//! A greedy pass over the tasks.

use super::node_rule::{LoadAmounts, NodeRule};
use super::node_tree::NodeTree;
use crate::rigid::Rigid;
use crate::vector::minimum_yield_of;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Mapping, collect_mapping};

/// Places the tasks of one instance repeatedly, in different orders and by different rules.
pub(super) struct Placer<'a> {
    instance: &'a Instance,
    rigid: &'a Rigid,
    /// Fluid resource of the largest need of each job, counted among the fluid ones.
    largest_need: Vec<u32>,
    /// Resource of the largest fixed requirement or constrained need of each job.
    largest_rigid: Vec<u32>,
    /// Loads that the rule uses: a row per node, a column per resource of the rule.
    loads: Vec<i64>,
    /// Node of each task, in the order of placement.
    nodes: Vec<u32>,
}

impl<'a> Placer<'a> {
    pub(super) fn new(instance: &'a Instance, rigid: &'a Rigid) -> Placer<'a> {
        let largest_need =
            instance.jobs.iter().map(|job| first_largest(job.demand[instance.fixed..].iter().copied()));
        let largest_rigid =
            (0..instance.jobs.len()).map(|job| first_largest(rigid.demand(job).iter().copied()));
        Placer {
            instance,
            rigid,
            largest_need: largest_need.collect(),
            largest_rigid: largest_rigid.collect(),
            loads: Vec::new(),
            nodes: Vec::new(),
        }
    }

    /// Places the tasks, given as indices of their jobs, in this order. Returns the minimum yield of
    /// the mapping; `None` if a task fits on no node.
    pub(super) fn place(&mut self, tasks: &[u32], rule: NodeRule) -> Option<Yield> {
        let Instance { fixed, fluid, ref nodes, .. } = *self.instance;
        let columns = match rule.amounts() {
            LoadAmounts::Needs => fluid,
            LoadAmounts::Rigid => fixed + fluid,
            LoadAmounts::None => 0,
        };
        let total = rule.is_total();
        let capacities = (0..nodes.len()).map(|node| self.rigid.capacity(node));
        let mut tree = NodeTree::new(capacities, fixed + fluid, if total { 1 } else { columns });
        self.loads.clear();
        self.loads.resize(nodes.len() * columns, 0);
        self.nodes.clear();
        for &job in tasks {
            let job = job as usize;
            let column = match rule.amounts() {
                _ if total => Some(0),
                LoadAmounts::Needs => Some(self.largest_need[job] as usize),
                LoadAmounts::Rigid => Some(self.largest_rigid[job] as usize),
                LoadAmounts::None => None,
            };
            let demand = self.rigid.demand(job);
            let node = tree.cheapest(demand, column)?;
            self.nodes.push(node as u32);
            let loads = &mut self.loads[node * columns..][..columns];
            tree.add(node, demand, |costs| match rule.amounts() {
                LoadAmounts::Needs => {
                    let needs = self.instance.jobs[job].demand[fixed..].iter().map(|&need| i64::from(need));
                    let capacities = nodes[node][fixed..].iter().map(|&capacity| i64::from(capacity));
                    add_to_loads(rule, self.rigid, loads, needs.zip(capacities), costs);
                }
                LoadAmounts::Rigid => {
                    let capacities = self.rigid.capacity(node).iter().copied();
                    let amounts = demand.iter().copied().zip(capacities);
                    add_to_loads(rule, self.rigid, loads, amounts, costs);
                }
                LoadAmounts::None => {}
            });
        }
        let parts = tasks.iter().zip(&self.nodes).map(|(&job, &node)| (job as usize, node as usize, 1));
        minimum_yield_of(self.instance, parts)
    }

    /// Returns the node of each task in the last complete pass, in the order of its tasks.
    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }
}

/// Adds amounts, each given with its capacity, to the loads of a node, and updates their costs.
fn add_to_loads(
    rule: NodeRule,
    rigid: &Rigid,
    loads: &mut [i64],
    amounts: impl Iterator<Item = (i64, i64)>,
    costs: &mut [i64],
) {
    let mut total = 0_i64;
    for (at, (load, (amount, capacity))) in loads.iter_mut().zip(amounts).enumerate() {
        *load = rule.load_with(*load, amount);
        let load = rigid.comparable_load(*load, capacity);
        total = total.saturating_add(load);
        costs[if rule.is_total() { 0 } else { at }] = rule.cost(if rule.is_total() { total } else { load });
    }
}

/// Returns the index of the largest amount; ties are broken by the first index.
fn first_largest<T: Ord>(amounts: impl Iterator<Item = T>) -> u32 {
    let largest = amounts.enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best });
    largest.map_or(0, |(index, _)| index as u32)
}

/// Builds the mapping from tasks, given as indices of their jobs, and their nodes.
pub fn mapping(instance: &Instance, tasks: &[u32], nodes: &[u32]) -> Mapping {
    let nodes = tasks.iter().zip(nodes);
    collect_mapping(instance.jobs.len(), nodes.map(|(&job, &node)| (job as usize, node, 1)))
}
