//! One greedy pass over the tasks.

use super::node_rule::{Amounts, NodeRule};
use super::node_tree::NodeTree;
use crate::rigid::Rigid;
use crate::vector::minimum_yield_of;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Mapping, mapping_of};

/// Places the tasks of one instance, again and again by different orders and rules.
pub(super) struct Placer<'a> {
    instance: &'a Instance,
    rigid: &'a Rigid,
    /// For each job, the fluid resource of its largest need, counted among the fluid ones.
    largest_need: Vec<u32>,
    /// For each job, the resource of its largest fixed requirement or constrained need.
    largest_rigid: Vec<u32>,
    /// The loads that the rule uses: a row for each node, a column for each of the rule's resources.
    loads: Vec<i64>,
    /// The node of each task, in the order in which they were placed.
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

    /// Places the tasks, given as indices of their jobs, in this order; the minimum yield of the mapping, or `None`
    /// if some task has no place.
    pub(super) fn place(&mut self, tasks: &[u32], rule: NodeRule) -> Option<Yield> {
        let Instance { fixed, fluid, ref nodes, .. } = *self.instance;
        let columns = match rule.amounts() {
            Amounts::Needs => fluid,
            Amounts::Rigid => fixed + fluid,
            Amounts::None => 0,
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
                Amounts::Needs => Some(self.largest_need[job] as usize),
                Amounts::Rigid => Some(self.largest_rigid[job] as usize),
                Amounts::None => None,
            };
            let demand = self.rigid.demand(job);
            let node = tree.cheapest(demand, column)?;
            self.nodes.push(node as u32);
            let loads = &mut self.loads[node * columns..][..columns];
            tree.add(node, demand, |costs| match rule.amounts() {
                Amounts::Needs => {
                    let needs = self.instance.jobs[job].demand[fixed..].iter().map(|&need| i64::from(need));
                    let capacities = nodes[node][fixed..].iter().map(|&capacity| i64::from(capacity));
                    load(rule, self.rigid, loads, needs.zip(capacities), costs);
                }
                Amounts::Rigid => {
                    let capacities = self.rigid.capacity(node).iter().copied();
                    let amounts = demand.iter().copied().zip(capacities);
                    load(rule, self.rigid, loads, amounts, costs);
                }
                Amounts::None => {}
            });
        }
        let parts = tasks.iter().zip(&self.nodes).map(|(&job, &node)| (job as usize, node as usize, 1));
        minimum_yield_of(self.instance, parts)
    }

    /// The node of each task of the last complete pass, in the order of its tasks.
    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }
}

/// Adds amounts, each with the capacity for it, to the loads of a node, and says what they then cost.
fn load(
    rule: NodeRule,
    rigid: &Rigid,
    loads: &mut [i64],
    amounts: impl Iterator<Item = (i64, i64)>,
    costs: &mut [i64],
) {
    let mut total = 0_i64;
    for (at, (load, (amount, capacity))) in loads.iter_mut().zip(amounts).enumerate() {
        *load = rule.loaded(*load, amount);
        let load = rigid.compared(*load, capacity);
        total = total.saturating_add(load);
        costs[if rule.is_total() { 0 } else { at }] = rule.cost(if rule.is_total() { total } else { load });
    }
}

/// The index of the largest amount, the first of equal ones.
fn first_largest<T: Ord>(amounts: impl Iterator<Item = T>) -> u32 {
    let largest = amounts.enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best });
    largest.map_or(0, |(index, _)| index as u32)
}

/// The mapping that puts each task, given as the index of its job, on its node.
pub(crate) fn mapping(instance: &Instance, tasks: &[u32], nodes: &[u32]) -> Mapping {
    let nodes = tasks.iter().zip(nodes);
    mapping_of(instance.jobs.len(), nodes.map(|(&job, &node)| (job as usize, node, 1)))
}
