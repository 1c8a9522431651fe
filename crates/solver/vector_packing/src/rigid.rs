//! The amounts that tasks take at the lowest yield.

use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;

/// The rigid demands of an instance: fixed requirements and constrained needs, that is needs times least yields. This
/// is what a task takes at a scaled yield of 0, so tasks can be together on a node if and only if their sums fit.
///
/// All amounts are in units of 2^-20 amounts, so that constrained needs are exact, and signed, so that a load can be
/// compared with its capacity by their difference: at most 2^52, far from overflow in sums below a capacity.
pub(crate) struct Rigid {
    dimensions: usize,
    /// A row of `dimensions` for each job.
    demands: Vec<i64>,
    /// A row of `dimensions` for each node.
    capacities: Vec<i64>,
    are_alike: bool,
}

impl Rigid {
    pub(crate) fn of(instance: &Instance) -> Rigid {
        let sizes = instance.jobs.iter().flat_map(|job| job.sizes_at(instance.fixed, Yield::ZERO));
        let capacities = instance.nodes.iter().flatten().map(|&capacity| i64::from(capacity) << Yield::BITS);
        Rigid {
            dimensions: instance.dimensions(),
            demands: sizes.map(|size| size as i64).collect(),
            capacities: capacities.collect(),
            are_alike: instance.is_homogeneous(),
        }
    }
    /// The amount that a task of the job takes.
    pub(crate) fn demand(&self, job: usize) -> &[i64] {
        &self.demands[job * self.dimensions..][..self.dimensions]
    }
    /// The capacity of a node.
    pub(crate) fn capacity(&self, node: usize) -> &[i64] {
        &self.capacities[node * self.dimensions..][..self.dimensions]
    }
    /// A load as nodes are compared by it: of different nodes relative to the capacity, in units of 2^-40, rounded down.
    pub(crate) fn compared(&self, load: i64, capacity: i64) -> i64 {
        match (load, capacity) {
            _ if self.are_alike => load,
            (0, _) => 0,
            (_, 0) => i64::MAX,
            _ => i64::try_from((i128::from(load) << 40) / i128::from(capacity)).unwrap_or(i64::MAX),
        }
    }
}
