//! Rigid demands of tasks, those at the lowest yield.

use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;

/// Rigid demands of an instance: fixed requirements and constrained needs, that is needs times least
/// yields. A task demands these at a scaled yield of 0, so tasks can share a node if and only if
/// their sums fit.
///
/// All amounts are in units of 2^-20, so that constrained needs are exact. They are signed, so that
/// loads and capacities can be subtracted; they are at most 2^52, so that sums below a capacity do
/// not overflow.
pub struct Rigid {
    dimensions: usize,
    /// Demands of jobs, a row of `dimensions` each.
    demands: Vec<i64>,
    /// Capacities of nodes, a row of `dimensions` each.
    capacities: Vec<i64>,
    is_homogeneous: bool,
}

impl Rigid {
    /// Reads the demands of an instance.
    pub fn of(instance: &Instance) -> Rigid {
        let sizes = instance.jobs.iter().flat_map(|job| job.sizes_at(instance.fixed, Yield::ZERO));
        let capacities = instance.nodes.iter().flatten().map(|&capacity| i64::from(capacity) << Yield::BITS);
        Rigid {
            dimensions: instance.dimensions(),
            demands: sizes.map(|size| size as i64).collect(),
            capacities: capacities.collect(),
            is_homogeneous: instance.is_homogeneous(),
        }
    }
    /// Returns the demand of a task of the job.
    pub fn demand(&self, job: usize) -> &[i64] {
        &self.demands[job * self.dimensions..][..self.dimensions]
    }
    /// Returns the capacity of a node.
    pub fn capacity(&self, node: usize) -> &[i64] {
        &self.capacities[node * self.dimensions..][..self.dimensions]
    }
    /// Converts a load to a comparable value: on heterogeneous nodes relative to the capacity, in
    /// units of 2^-40, rounded down.
    pub fn comparable_load(&self, load: i64, capacity: i64) -> i64 {
        match (load, capacity) {
            _ if self.is_homogeneous => load,
            (0, _) => 0,
            (_, 0) => i64::MAX,
            _ => i64::try_from((i128::from(load) << 40) / i128::from(capacity)).unwrap_or(i64::MAX),
        }
    }
}
