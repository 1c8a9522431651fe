//! Tasks of a problem.

use crate::rules::Rules;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Adaptation, Mapping, collect_mapping};
use std::collections::BTreeMap;

/// Node number of an unplaced task.
pub const UNPLACED: u32 = u32::MAX;

/// Tasks of a problem, with their demands at the current yield.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    /// Job of each task, in the order of the jobs.
    pub(crate) job_of: Vec<u32>,
    /// Current node (home) of each task.
    pub(crate) home: Vec<u32>,
    /// Cost of moving each task; 0 for a task without a home.
    pub(crate) cost: Vec<u64>,
    /// Cost relative to the mean of the tasks that have a home and may be moved; infinite for pinned
    /// tasks.
    pub(crate) price: Vec<f64>,
    /// Number of resources.
    pub(crate) dimensions: usize,
    /// Capacities of the nodes, one row of `dimensions` amounts per node.
    pub(crate) capacity: Vec<i64>,
    /// Demands of the tasks at the current yield, one row of `dimensions` amounts per task.
    pub(crate) demands: Vec<i64>,
    /// Amounts above 0 of the demands, each with the number of its resource: with many rules, most
    /// tasks use few of the resources.
    used: Vec<(u32, i64)>,
    /// End of the amounts of each task in `used`.
    used_until: Vec<u32>,
    /// Weight of each task: its demand relative to the total capacity, summed over the resources,
    /// weighted by scarcity.
    pub(crate) weight: Vec<f64>,
    /// Weight of one unit of each resource.
    pub(crate) scarcity: Vec<f64>,
    /// Rules that are not resources, without any task placed.
    pub(crate) rules: Option<Box<dyn Rules>>,
    /// Further nodes on which a task costs less, with the part of its cost that is saved there.
    pub(crate) further_homes: BTreeMap<(u32, u32), u64>,
}

impl Tasks {
    pub(crate) fn of(problem: &Adaptation, rules: Option<Box<dyn Rules>>) -> Tasks {
        let instance = &problem.instance;
        let mut tasks = Tasks { dimensions: instance.dimensions(), rules, ..Tasks::default() };
        for (job, described) in instance.jobs.iter().enumerate() {
            let standing = problem.current[job].iter();
            let homes = standing.flat_map(|part| std::iter::repeat_n(part.node.0, part.tasks as usize));
            let homes = homes.chain(std::iter::repeat(UNPLACED)).take(described.tasks as usize);
            for home in homes {
                tasks.job_of.push(job as u32);
                tasks.home.push(home);
                tasks.cost.push(if home == UNPLACED { 0 } else { problem.cost[job] });
            }
        }
        let movable = tasks.home.iter().zip(&tasks.cost);
        let movable = movable.filter(|(home, cost)| **home != UNPLACED && **cost != Adaptation::PINNED);
        let (homes, sum) = movable.fold((0, 0.0), |(homes, sum), (_, &cost)| (homes + 1, sum + cost as f64));
        let price = |&cost: &u64| match cost {
            0 => 0.0,
            Adaptation::PINNED => f64::INFINITY,
            _ => cost as f64 * f64::from(homes) / sum,
        };
        tasks.price = tasks.cost.iter().map(price).collect();
        tasks.capacity =
            instance.nodes.iter().flatten().map(|&amount| i64::from(amount) << Yield::BITS).collect();
        tasks
    }

    pub(crate) fn count(&self) -> usize {
        self.job_of.len()
    }

    pub(crate) fn nodes(&self) -> usize {
        self.capacity.len() / self.dimensions.max(1)
    }

    /// Computes the demands of all tasks at a scaled yield, and their weights.
    pub(crate) fn size_at(&mut self, problem: &Adaptation, scaled: Yield) {
        let instance = &problem.instance;
        self.demands.clear();
        for job in &instance.jobs {
            for _ in 0..job.tasks {
                self.demands.extend(job.sizes_at(instance.fixed, scaled).map(|size| size as i64));
            }
        }
        self.used.clear();
        self.used_until.clear();
        for demand in self.demands.chunks_exact(self.dimensions) {
            self.used.extend(
                (0..).zip(demand).filter(|(_, amount)| **amount > 0).map(|(at, &amount)| (at, amount)),
            );
            self.used_until.push(self.used.len() as u32);
        }
        self.scarcity.clear();
        // Scaled so that the mean weight of a task is about 1.
        let scale = self.count() as f64 / self.dimensions as f64;
        for at in 0..self.dimensions {
            let (taken, offered) = (self.sum(&self.demands, at), self.sum(&self.capacity, at));
            self.scarcity.push(if offered > 0.0 { scale * taken / (offered * offered) } else { 0.0 });
        }
        self.weight.clear();
        let weights =
            self.demands.chunks_exact(self.dimensions).map(|takes| weighted_sum(&self.scarcity, takes));
        self.weight.extend(weights);
    }

    /// Computes the moving cost of a placement.
    pub(crate) fn moving(&self, node_of: &[u32]) -> u128 {
        (0..).zip(node_of).map(|(task, &node)| u128::from(self.cost_on(task, node))).sum()
    }

    /// Returns the part of a task's moving cost that is saved on a node: all of it at home.
    pub(crate) fn saved_on(&self, task: u32, node: u32) -> u64 {
        if self.home[task as usize] == node {
            return self.cost[task as usize];
        }
        if self.further_homes.is_empty() {
            return 0;
        }
        let saved = self.further_homes.get(&(task, node)).copied().unwrap_or(0);
        // Searches for a placement alone set costs to 0.
        saved.min(self.cost[task as usize])
    }

    /// Returns the cost of having a task on a node.
    pub(crate) fn cost_on(&self, task: u32, node: u32) -> u64 {
        self.cost[task as usize] - self.saved_on(task, node)
    }

    /// Sums one resource over tasks or nodes.
    fn sum(&self, amounts: &[i64], at: usize) -> f64 {
        amounts.iter().skip(at).step_by(self.dimensions).map(|&amount| amount as f64).sum()
    }

    /// Computes the peak load: the largest fraction of a counted resource that is used on any node.
    pub(crate) fn peak(&self, node_of: &[u32], counts: &[bool]) -> f64 {
        let mut taken = vec![0.0; self.capacity.len()];
        for (task, &node) in (0..).zip(node_of) {
            let row = &mut taken[node as usize * self.dimensions..][..self.dimensions];
            row.iter_mut().zip(self.demand(task)).for_each(|(taken, &takes)| *taken += takes as f64);
        }
        let parts = taken.iter().zip(&self.capacity).zip(counts.iter().cycle());
        let parts = parts.filter(|((taken, _), counts)| **counts && **taken > 0.0);
        parts.map(|((taken, &offer), _)| taken / offer as f64).fold(0.0, f64::max)
    }

    /// Computes a lower bound on the peak load: the largest fraction of a counted resource that is
    /// used over all nodes together.
    pub(crate) fn least_peak(&self, counts: &[bool]) -> f64 {
        let counted =
            (0..self.dimensions).filter(|&at| counts[at]).map(|at| (self.sum(&self.demands, at), at));
        let counted = counted.filter(|(taken, _)| *taken > 0.0);
        counted.map(|(taken, at)| taken / self.sum(&self.capacity, at)).fold(0.0, f64::max)
    }

    /// Sets the capacity of a node to zero; returns its former capacity.
    pub(crate) fn close_node(&mut self, node: u32) -> Vec<i64> {
        let row = &mut self.capacity[node as usize * self.dimensions..][..self.dimensions];
        row.iter_mut().map(std::mem::take).collect()
    }

    /// Restores the capacity of a node.
    pub(crate) fn reopen_node(&mut self, node: u32, offers: &[i64]) {
        self.capacity[node as usize * self.dimensions..][..self.dimensions].copy_from_slice(offers);
    }

    pub(crate) fn demand(&self, task: u32) -> &[i64] {
        &self.demands[task as usize * self.dimensions..][..self.dimensions]
    }

    /// Returns the amounts above 0 that a task demands, each with the number of its resource.
    pub(crate) fn used(&self, task: u32) -> &[(u32, i64)] {
        let at = task as usize;
        let from = if at == 0 { 0 } else { self.used_until[at - 1] };
        &self.used[from as usize..self.used_until[at] as usize]
    }

    /// Returns the node of each task in a complete mapping; tasks are at home where possible.
    pub(crate) fn nodes_of(&self, mapping: &Mapping) -> Vec<u32> {
        let mut nodes = vec![UNPLACED; self.count()];
        let mut first = 0;
        for placement in mapping {
            let count = placement.iter().map(|part| part.tasks as usize).sum::<usize>();
            let own = first..first + count;
            let mut left: Vec<u32> = placement
                .iter()
                .flat_map(|part| std::iter::repeat_n(part.node.0, part.tasks as usize))
                .collect();
            for task in own.clone() {
                if let Some(at) = left.iter().position(|&node| node == self.home[task]) {
                    nodes[task] = left.swap_remove(at);
                }
            }
            for task in own.filter(|&task| nodes[task] == UNPLACED).collect::<Vec<usize>>() {
                nodes[task] = left.pop().expect("a placement must have one node per task");
            }
            first += count;
        }
        nodes
    }

    /// Converts the node of each task to a mapping.
    pub(crate) fn mapping(&self, jobs: usize, node_of: &[u32]) -> Mapping {
        let nodes = self.job_of.iter().zip(node_of);
        collect_mapping(jobs, nodes.map(|(&job, &node)| (job as usize, node, 1)))
    }
}

/// Computes the sum of amounts weighted by scarcity.
pub(crate) fn weighted_sum(scarcity: &[f64], amounts: &[i64]) -> f64 {
    amounts.iter().zip(scarcity).map(|(&amount, scarcity)| amount as f64 * scarcity).sum()
}
