//! The tasks of a problem, one by one.

use dfrsim_model::Yield;
use dfrsim_model::offline::{Adaptation, Mapping, mapping_of};

/// The node of a task that has none.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The tasks of a problem, at one yield after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    /// The job of each task, in the order of the jobs.
    pub(crate) job_of: Vec<u32>,
    /// The current node of each task.
    pub(crate) home: Vec<u32>,
    /// The cost of moving it; 0 for a task without a home.
    pub(crate) cost: Vec<u64>,
    /// The same in parts of the mean of those that have a home and may leave it; without end for those that may not.
    pub(crate) price: Vec<f64>,
    /// Resources.
    pub(crate) width: usize,
    /// The capacity of each node, a row of `width` amounts.
    pub(crate) offers: Vec<i64>,
    /// The amount that each task takes at the yield at hand, a row of `width` amounts.
    pub(crate) takes: Vec<i64>,
    /// How large each task is: what it takes by what all nodes offer, summed over the resources, scarce ones more.
    pub(crate) weight: Vec<f64>,
    /// How much an amount of each resource weighs.
    pub(crate) scarcity: Vec<f64>,
}

impl Tasks {
    pub(crate) fn of(problem: &Adaptation) -> Tasks {
        let instance = &problem.instance;
        let mut tasks = Tasks { width: instance.dimensions(), ..Tasks::default() };
        for (job, described) in instance.jobs.iter().enumerate() {
            let standing = problem.current[job].iter();
            let homes = standing.flat_map(|part| std::iter::repeat_n(part.node.0, part.tasks as usize));
            let homes = homes.chain(std::iter::repeat(NOWHERE)).take(described.tasks as usize);
            for home in homes {
                tasks.job_of.push(job as u32);
                tasks.home.push(home);
                tasks.cost.push(if home == NOWHERE { 0 } else { problem.cost[job] });
            }
        }
        let movable = tasks.home.iter().zip(&tasks.cost);
        let movable = movable.filter(|(home, cost)| **home != NOWHERE && **cost != Adaptation::PINNED);
        let (homes, sum) = movable.fold((0, 0.0), |(homes, sum), (_, &cost)| (homes + 1, sum + cost as f64));
        let price = |&cost: &u64| match cost {
            0 => 0.0,
            Adaptation::PINNED => f64::INFINITY,
            _ => cost as f64 * f64::from(homes) / sum,
        };
        tasks.price = tasks.cost.iter().map(price).collect();
        tasks.offers =
            instance.nodes.iter().flatten().map(|&amount| i64::from(amount) << Yield::BITS).collect();
        tasks
    }

    pub(crate) fn count(&self) -> usize {
        self.job_of.len()
    }

    pub(crate) fn nodes(&self) -> usize {
        self.offers.len() / self.width.max(1)
    }

    /// Takes all amounts at a scaled yield.
    pub(crate) fn size_at(&mut self, problem: &Adaptation, scaled: Yield) {
        let instance = &problem.instance;
        self.takes.clear();
        for job in &instance.jobs {
            for _ in 0..job.tasks {
                self.takes.extend(job.sizes_at(instance.fixed, scaled).map(|size| size as i64));
            }
        }
        self.scarcity.clear();
        // The mean weight of a task is about 1.
        let scale = self.count() as f64 / self.width as f64;
        for at in 0..self.width {
            let (taken, offered) = (self.sum(&self.takes, at), self.sum(&self.offers, at));
            self.scarcity.push(if offered > 0.0 { scale * taken / (offered * offered) } else { 0.0 });
        }
        self.weight.clear();
        let weights = self.takes.chunks_exact(self.width).map(|takes| weighed(&self.scarcity, takes));
        self.weight.extend(weights);
    }

    /// What it costs to have all tasks where they are.
    pub(crate) fn moving(&self, node_of: &[u32]) -> u128 {
        let away = node_of.iter().zip(&self.home).zip(&self.cost).filter(|((node, home), _)| node != home);
        away.map(|(_, &cost)| u128::from(cost)).sum()
    }

    /// The sum of a resource over tasks or nodes.
    fn sum(&self, amounts: &[i64], at: usize) -> f64 {
        amounts.iter().skip(at).step_by(self.width).map(|&amount| amount as f64).sum()
    }

    /// The largest part of a resource that counts which is taken on any node.
    pub(crate) fn peak(&self, node_of: &[u32], counts: &[bool]) -> f64 {
        let mut taken = vec![0.0; self.offers.len()];
        for (task, &node) in (0..).zip(node_of) {
            let row = &mut taken[node as usize * self.width..][..self.width];
            row.iter_mut().zip(self.takes(task)).for_each(|(taken, &takes)| *taken += takes as f64);
        }
        let parts = taken.iter().zip(&self.offers).zip(counts.iter().cycle());
        let parts = parts.filter(|((taken, _), counts)| **counts && **taken > 0.0);
        parts.map(|((taken, &offer), _)| taken / offer as f64).fold(0.0, f64::max)
    }

    /// A number that no peak is below: the same over all nodes together.
    pub(crate) fn least_peak(&self, counts: &[bool]) -> f64 {
        let counted = (0..self.width).filter(|&at| counts[at]).map(|at| (self.sum(&self.takes, at), at));
        let counted = counted.filter(|(taken, _)| *taken > 0.0);
        counted.map(|(taken, at)| taken / self.sum(&self.offers, at)).fold(0.0, f64::max)
    }

    /// Takes all that a node offers away; returns what it was.
    pub(crate) fn close(&mut self, node: u32) -> Vec<i64> {
        let row = &mut self.offers[node as usize * self.width..][..self.width];
        row.iter_mut().map(std::mem::take).collect()
    }

    /// Gives a node back what it offered.
    pub(crate) fn open(&mut self, node: u32, offers: &[i64]) {
        self.offers[node as usize * self.width..][..self.width].copy_from_slice(offers);
    }

    pub(crate) fn takes(&self, task: u32) -> &[i64] {
        &self.takes[task as usize * self.width..][..self.width]
    }

    /// The node of each task in a mapping of all, at home where that is possible.
    pub(crate) fn nodes_of(&self, mapping: &Mapping) -> Vec<u32> {
        let mut nodes = vec![NOWHERE; self.count()];
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
            for task in own.filter(|&task| nodes[task] == NOWHERE).collect::<Vec<usize>>() {
                nodes[task] = left.pop().expect("as many nodes as tasks");
            }
            first += count;
        }
        nodes
    }

    /// The mapping in which each task has this node.
    pub(crate) fn mapping(&self, jobs: usize, node_of: &[u32]) -> Mapping {
        let nodes = self.job_of.iter().zip(node_of);
        mapping_of(jobs, nodes.map(|(&job, &node)| (job as usize, node, 1)))
    }
}

/// The sum of amounts, scarce ones weighing more.
pub(crate) fn weighed(scarcity: &[f64], amounts: &[i64]) -> f64 {
    amounts.iter().zip(scarcity).map(|(&amount, scarcity)| amount as f64 * scarcity).sum()
}
