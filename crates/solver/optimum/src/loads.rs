//! Incremental placement of tasks on nodes.

use crate::amounts::{mapping_yield, node_capacity};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved, collect_mapping};

/// Free amounts of each node while tasks are placed at one yield.
#[derive(Clone, Debug)]
pub struct Loads<'a> {
    instance: &'a Instance,
    /// Demand of a task of each job.
    demands: Vec<u64>,
    free: Vec<u64>,
    /// Job and node of each placed task.
    places: Vec<(usize, usize)>,
}

impl<'a> Loads<'a> {
    /// Creates empty nodes.
    pub fn new(instance: &'a Instance, scaled: Yield) -> Loads<'a> {
        let demands = instance.jobs.iter().flat_map(|job| job.sizes_at(instance.fixed, scaled)).collect();
        Loads {
            instance,
            demands,
            free: instance.nodes.iter().flatten().map(|&amount| node_capacity(amount)).collect(),
            places: Vec::new(),
        }
    }

    /// Returns the demand of a task of the job.
    pub fn demand(&self, job: usize) -> &[u64] {
        let width = self.instance.dimensions();
        &self.demands[job * width..][..width]
    }

    /// Checks that a task of the job fits on a node.
    pub fn fits(&self, job: usize, node: usize) -> bool {
        let width = self.instance.dimensions();
        self.demand(job).iter().zip(&self.free[node * width..]).all(|(takes, free)| takes <= free)
    }

    /// Places a task on a node if it fits; returns true if it does.
    pub fn place(&mut self, job: usize, node: usize) -> bool {
        let fits = self.fits(job, node);
        if fits {
            let width = self.instance.dimensions();
            let takes = &self.demands[job * width..][..width];
            self.free[node * width..].iter_mut().zip(takes).for_each(|(free, takes)| *free -= takes);
            self.places.push((job, node));
        }
        fits
    }

    /// Returns the mapping of all placed tasks with its minimum yield.
    pub fn solution(&self) -> Option<Solved> {
        let mapping = collect_mapping(
            self.instance.jobs.len(),
            self.places.iter().map(|&(job, node)| (job, node as u32, 1)),
        );
        mapping_yield(self.instance, &mapping).map(|minimum_yield| Solved { mapping, minimum_yield })
    }
}
