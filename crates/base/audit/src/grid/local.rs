//! What the policy of a cluster promises, and the jobs in its queue.

use crate::batch::{BatchPolicy, Depth};

/// The longest queue of which the plan is made again.
pub const LONGEST_QUEUE: usize = 64;

/// The depth of a policy whose plans are known: by arrival, on whole nodes.
pub(super) fn known_depth(name: &str) -> Option<Depth> {
    let policy = BatchPolicy::parse(name)?;
    let is_plain = policy == BatchPolicy { depth: policy.depth, ..BatchPolicy::default() };
    Some(policy.depth).filter(|depth| is_plain && !matches!(depth, Depth::Spare | Depth::Slurm))
}

/// Whether no job completes later than was expected when it was submitted.
pub(super) fn keeps_promises(depth: Depth) -> bool {
    matches!(depth, Depth::Fcfs | Depth::Conservative)
}

/// A job that waits; times are those of this cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) job: u64,
    pub(super) width: u32,
    pub(super) walltime: u64,
}
