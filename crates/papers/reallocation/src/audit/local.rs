//! Guarantees of cluster policies, and the jobs in a queue.

use dfrsim_model::batch::{Backfilling, BatchPolicy, Compression};

/// Conservative backfilling with guaranteed reservations.
pub(super) const CONS: Backfilling = Backfilling::Conservative(Compression::OneByOne);

/// Maximum length of a queue whose plan is recomputed.
pub const LONGEST_QUEUE: usize = 64;

/// Returns the backfilling scheme of a policy whose plans can be recomputed: queue in order of
/// arrival, whole nodes, no searched order.
pub(super) fn checkable_scheme(name: &str) -> Option<Backfilling> {
    let policy = BatchPolicy::parse(name)?;
    let is_plain = policy == policy.backfilling.into();
    let is_searched = matches!(policy.backfilling, Backfilling::Conservative(Compression::Plan(_)));
    Some(policy.backfilling).filter(|it| is_plain && !is_searched && *it != Backfilling::Slurm)
}

/// Returns whether no job completes later than predicted at its submission.
pub(super) fn guarantees_end(discipline: Backfilling) -> bool {
    matches!(discipline, Backfilling::Fcfs | Backfilling::Conservative(Compression::OneByOne))
}

/// Waiting job; times are scaled to the cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) job: u64,
    pub(super) width: u32,
    pub(super) walltime: u64,
}
