//! Demands of the tasks of an instance at a yield.

use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use dfrsim_packing::filling::{ItemLists, NodeRuns};

/// Demands of all jobs as vectors of one width, and their sizes at the yield tried last.
#[derive(Debug, Default)]
pub(super) struct Demands<const D: usize> {
    fixed: usize,
    dimensions: usize,
    /// Demands of each job in [`Share`](dfrsim_model::Share) units: all fixed and fluid resources,
    /// then zeros.
    amounts: Vec<[u64; D]>,
    tasks: Vec<u64>,
    least_yields: Vec<Yield>,
    sizes: Vec<[u64; D]>,
}

impl<const D: usize> Demands<D> {
    /// Reads the jobs of an instance, replacing the previous ones.
    pub(super) fn read(&mut self, instance: &Instance) {
        self.fixed = instance.fixed;
        self.dimensions = instance.dimensions();
        self.amounts.clear();
        self.amounts.extend(instance.jobs.iter().map(|job| padded(&job.demand, self.dimensions)));
        self.tasks.clear();
        self.tasks.extend(instance.jobs.iter().map(|job| u64::from(job.tasks)));
        self.least_yields.clear();
        self.least_yields.extend(instance.jobs.iter().map(|job| job.least_yield));
    }

    /// Computes the sizes at a scaled yield; equal to
    /// [`OfflineJob::sizes_at`](dfrsim_model::offline::OfflineJob::sizes_at).
    pub(super) fn size_at(&mut self, scaled: Yield) {
        let (fixed, one) = (self.fixed, u64::from(Yield::ONE.units()));
        self.sizes.clear();
        self.sizes.extend(self.amounts.iter().zip(&self.least_yields).map(|(amounts, least)| {
            let least = u64::from(least.units());
            let unscaled = least + (((one - least) * u64::from(scaled.units())) >> Yield::BITS);
            std::array::from_fn(|d| amounts[d] * if d < fixed { one } else { unscaled })
        }));
    }

    /// Writes the lists of jobs. `keys` must be sorted; the bits of a key above `bits` are the
    /// number of the list.
    pub(super) fn write_lists(&self, keys: &[(u64, u32)], bits: u32, lists: usize, items: &mut ItemLists<D>) {
        items.clear();
        let mut rest = keys;
        for list in 0..lists as u64 {
            let end = rest.partition_point(|&(key, _)| key >> bits <= list);
            for &(_, job) in &rest[..end] {
                items.push(self.sizes[job as usize], self.tasks[job as usize]);
            }
            items.close_list();
            rest = &rest[end..];
        }
    }

    /// Returns the number of resources; sizes are zero in further dimensions.
    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }
    /// Returns the number of tasks of each job.
    pub(super) fn tasks(&self) -> &[u64] {
        &self.tasks
    }
    /// Returns the sizes of a task of each job.
    pub(super) fn sizes(&self) -> &[[u64; D]] {
        &self.sizes
    }
}

/// Reads the nodes of an instance as runs of equal capacity.
pub(super) fn read_node_runs<const D: usize>(instance: &Instance, nodes: &mut NodeRuns<D>) {
    nodes.clear();
    let dimensions = instance.dimensions();
    for alike in instance.nodes.chunk_by(|a, b| a == b) {
        let free = padded(&alike[0], dimensions).map(|amount: u64| amount << Yield::BITS);
        let known = nodes.kinds().iter().position(|&kind| kind == free);
        let kind = known.unwrap_or_else(|| {
            nodes.push_kind(free);
            nodes.kinds().len() - 1
        });
        nodes.push(kind as u32, alike.len() as u32);
    }
}

fn padded<const D: usize>(amounts: &[u32], dimensions: usize) -> [u64; D] {
    assert_eq!(amounts.len(), dimensions, "a vector has an amount for each resource");
    std::array::from_fn(|d| amounts.get(d).map_or(0, |&amount| amount.into()))
}
