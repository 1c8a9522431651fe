//! The amount that jobs ask of the nodes at a searched value.

use super::layout::{CPU, MEMORY};
use super::{PackJob, Packing};
use dfrsim_model::{Share, Yield};

/// The jobs that are kept, and what follows from their sums.
#[derive(Debug, Default)]
pub(super) struct KeptJobs {
    flags: Vec<bool>,
    /// By job; empty where weights do not count.
    weights: Vec<u32>,
    /// Sums over all tasks, in [`Share`] units.
    memory: u128,
    need: u128,
    /// Tasks with more than half a node's memory: no two of them share a node.
    large: u64,
}

impl KeptJobs {
    /// Keeps none of this many jobs, of these weights if there are some.
    pub(super) fn reset(&mut self, jobs: usize, weights: &[u32]) {
        self.flags.clear();
        self.flags.resize(jobs, false);
        weights.clone_into(&mut self.weights);
        (self.memory, self.need, self.large) = (0, 0, 0);
    }
    pub(super) fn insert(&mut self, index: usize, job: &PackJob) {
        self.flags[index] = true;
        let (memory, need, large) = sums(job);
        self.memory += memory;
        self.need += need;
        self.large += large;
    }
    pub(super) fn remove(&mut self, index: usize, job: &PackJob) {
        self.flags[index] = false;
        let (memory, need, large) = sums(job);
        self.memory -= memory;
        self.need -= need;
        self.large -= large;
    }
    /// Whether the memory alone leaves hope for a packing.
    pub(super) fn may_fit(&self, nodes: u32) -> bool {
        self.memory <= u128::from(nodes) * u128::from(Share::ONE.units()) && self.large <= u64::from(nodes)
    }
    pub(super) fn flags(&self) -> &[bool] {
        &self.flags
    }
    /// The least weight of those that are kept.
    pub(super) fn least_weight(&self) -> u32 {
        let kept = self.flags.iter().zip(&self.weights).filter(|(is_kept, _)| **is_kept);
        kept.map(|(_, weight)| *weight).min().unwrap_or(1)
    }
    /// The largest yield of all jobs at which the nodes together have enough CPU; `None` where weights count.
    pub(super) fn yield_bound(&self, nodes: u32) -> Option<Yield> {
        self.weights.is_empty().then(|| match u64::try_from(self.need) {
            Ok(0) => Yield::ONE,
            Ok(need) => Yield::from_ratio(u64::from(nodes) * u64::from(Share::ONE.units()), need),
            // Jobs with the need of ten thousand million nodes.
            Err(_) => Yield::ZERO,
        })
    }
}

fn sums(job: &PackJob) -> (u128, u128, u64) {
    let sum = |share: Share| u128::from(share.units()) * u128::from(job.tasks);
    let large = if job.memory.units() > Share::ONE.units() / 2 { u64::from(job.tasks) } else { 0 };
    (sum(job.memory), sum(job.need), large)
}

/// The size of a task that uses so much CPU.
pub(super) fn size(memory: Share, cpu: u64) -> [u64; 2] {
    [u64::from(memory.units()) << Yield::BITS, cpu]
}

/// Where items of a size are under a packing: first the list, then by decreasing maximum, then by decreasing
/// minimum.
pub(super) fn rank(packing: Packing, size: [u64; 2]) -> u128 {
    let list = u128::from(packing == Packing::TwoLists && size[CPU] > size[MEMORY]);
    let [larger, smaller] = [size[MEMORY].max(size[CPU]), size[MEMORY].min(size[CPU])];
    list << 126 | u128::from(LARGEST - larger) << 63 | u128::from(LARGEST - smaller)
}

/// More than any size.
const LARGEST: u64 = u64::MAX >> 1;

/// How many lists a packing has.
pub(super) fn lists(packing: Packing) -> u128 {
    1 + u128::from(packing == Packing::TwoLists)
}
