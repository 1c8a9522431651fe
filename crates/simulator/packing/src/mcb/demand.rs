//! Total requirements of the jobs at a searched value.

use super::layout::{CPU, MEMORY};
use super::{PackJob, Packing};
use dfrsim_model::{Share, Yield};

/// Jobs that are kept, with sums over them.
#[derive(Debug, Default)]
pub(super) struct KeptJobs {
    flags: Vec<bool>,
    /// Weights by job; empty if jobs have no weights.
    weights: Vec<u32>,
    /// Memory of all tasks, in [`Share`] units.
    memory: u128,
    need: u128,
    /// Number of tasks with more than half a node's memory; no two of them can share a node.
    large_tasks: u64,
}

impl KeptJobs {
    /// Resets to `jobs` jobs of which none is kept; `weights` may be empty.
    pub(super) fn reset(&mut self, jobs: usize, weights: &[u32]) {
        self.flags.clear();
        self.flags.resize(jobs, false);
        weights.clone_into(&mut self.weights);
        (self.memory, self.need, self.large_tasks) = (0, 0, 0);
    }
    pub(super) fn insert(&mut self, index: usize, job: &PackJob) {
        self.flags[index] = true;
        let (memory, need, large) = sums(job);
        self.memory += memory;
        self.need += need;
        self.large_tasks += large;
    }
    pub(super) fn remove(&mut self, index: usize, job: &PackJob) {
        self.flags[index] = false;
        let (memory, need, large) = sums(job);
        self.memory -= memory;
        self.need -= need;
        self.large_tasks -= large;
    }
    /// Returns whether the memory alone permits a packing; a necessary condition.
    pub(super) fn may_fit(&self, nodes: u32) -> bool {
        self.memory <= u128::from(nodes) * u128::from(Share::ONE.units())
            && self.large_tasks <= u64::from(nodes)
    }
    pub(super) fn flags(&self) -> &[bool] {
        &self.flags
    }
    /// Returns the smallest weight of the kept jobs.
    pub(super) fn min_weight(&self) -> u32 {
        let kept = self.flags.iter().zip(&self.weights).filter(|(is_kept, _)| **is_kept);
        kept.map(|(_, weight)| *weight).min().unwrap_or(1)
    }
    /// Returns the largest common yield at which the nodes together have enough CPU; `None` if jobs
    /// have weights.
    pub(super) fn yield_bound(&self, nodes: u32) -> Option<Yield> {
        self.weights.is_empty().then(|| match u64::try_from(self.need) {
            Ok(0) => Yield::ONE,
            Ok(need) => Yield::from_ratio(u64::from(nodes) * u64::from(Share::ONE.units()), need),
            // The jobs need more than ten thousand million nodes, so the bound rounds to zero.
            Err(_) => Yield::ZERO,
        })
    }
}

fn sums(job: &PackJob) -> (u128, u128, u64) {
    let sum = |share: Share| u128::from(share.units()) * u128::from(job.tasks);
    let large = if job.memory.units() > Share::ONE.units() / 2 { u64::from(job.tasks) } else { 0 };
    (sum(job.memory), sum(job.need), large)
}

/// Returns the size of a task that uses this much CPU.
pub(super) fn size(memory: Share, cpu: u64) -> [u64; 2] {
    [u64::from(memory.units()) << Yield::BITS, cpu]
}

/// Returns the sort key of items of a size under a packing: first the list, then decreasing maximum,
/// then decreasing minimum.
pub(super) fn sort_key(packing: Packing, size: [u64; 2]) -> u128 {
    let list = u128::from(packing == Packing::TwoLists && size[CPU] > size[MEMORY]);
    let [larger, smaller] = [size[MEMORY].max(size[CPU]), size[MEMORY].min(size[CPU])];
    list << 126 | u128::from(SIZE_LIMIT - larger) << 63 | u128::from(SIZE_LIMIT - smaller)
}

/// Number above every size.
const SIZE_LIMIT: u64 = u64::MAX >> 1;

/// Returns the number of lists of a packing rule.
pub(super) fn list_count(packing: Packing) -> u128 {
    1 + u128::from(packing == Packing::TwoLists)
}
