//! Nodes that are filled task by task.

use crate::amounts::{mapping_yield, node_offers};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved, mapping_of};

/// The free amounts on each node while tasks are placed at one yield.
#[derive(Clone, Debug)]
pub(crate) struct Loads<'a> {
    instance: &'a Instance,
    /// The amount that a task of each job takes.
    takes: Vec<u64>,
    free: Vec<u64>,
    /// The job and the node of each task.
    places: Vec<(usize, usize)>,
}

impl<'a> Loads<'a> {
    /// Empty nodes.
    pub(crate) fn new(instance: &'a Instance, scaled: Yield) -> Loads<'a> {
        let takes = instance.jobs.iter().flat_map(|job| job.sizes_at(instance.fixed, scaled)).collect();
        Loads {
            instance,
            takes,
            free: instance.nodes.iter().flatten().map(|&amount| node_offers(amount)).collect(),
            places: Vec::new(),
        }
    }

    /// The amount that a task of the job takes.
    pub(crate) fn takes(&self, job: usize) -> &[u64] {
        let width = self.instance.dimensions();
        &self.takes[job * width..][..width]
    }

    /// Whether a task of the job fits on a node.
    pub(crate) fn fits(&self, job: usize, node: usize) -> bool {
        let width = self.instance.dimensions();
        self.takes(job).iter().zip(&self.free[node * width..]).all(|(takes, free)| takes <= free)
    }

    /// Places a task where it fits; says whether it does.
    pub(crate) fn place(&mut self, job: usize, node: usize) -> bool {
        let fits = self.fits(job, node);
        if fits {
            let width = self.instance.dimensions();
            let takes = &self.takes[job * width..][..width];
            self.free[node * width..].iter_mut().zip(takes).for_each(|(free, takes)| *free -= takes);
            self.places.push((job, node));
        }
        fits
    }

    /// The mapping, once all tasks are placed.
    pub(crate) fn placed(&self) -> Option<Solved> {
        let mapping = mapping_of(
            self.instance.jobs.len(),
            self.places.iter().map(|&(job, node)| (job, node as u32, 1)),
        );
        mapping_yield(self.instance, &mapping).map(|minimum_yield| Solved { mapping, minimum_yield })
    }
}
