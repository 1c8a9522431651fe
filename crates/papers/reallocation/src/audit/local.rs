//! Guarantees of cluster policies, and the jobs in a queue.

use dfrsim_model::SortedMap;
use dfrsim_model::batch::{Backfilling, BatchPolicy, Compression, QueueOrder};

/// Conservative backfilling with guaranteed reservations.
pub(super) const CONS: Backfilling = Backfilling::Conservative(Compression::OneByOne);

/// Maximum length of a queue whose plan is recomputed.
pub const LONGEST_QUEUE: usize = 64;

/// Returns the backfilling scheme and the queue order of a policy whose plans can be recomputed: whole
/// nodes, no searched order, and one that does not depend on the time. Reservations that last are
/// recomputed in order of arrival only.
pub(super) fn checkable_scheme(name: &str) -> Option<(Backfilling, QueueOrder)> {
    let BatchPolicy { backfilling, order, .. } = BatchPolicy::parse(name)?;
    let plain = BatchPolicy { order, ..backfilling.into() };
    let is_known = match backfilling {
        Backfilling::Slurm | Backfilling::Conservative(Compression::Plan(_)) => false,
        Backfilling::Conservative(_) => order == QueueOrder::Arrival,
        _ => matches!(order, QueueOrder::Arrival | QueueOrder::Sjf | QueueOrder::Ljf | QueueOrder::Saf),
    };
    (is_known && BatchPolicy::parse(name) == Some(plain)).then_some((backfilling, order))
}

/// Returns whether no job completes later than predicted at its submission.
pub(super) fn guarantees_end((discipline, order): (Backfilling, QueueOrder)) -> bool {
    match discipline {
        Backfilling::Fcfs => order == QueueOrder::Arrival,
        _ => discipline == CONS,
    }
}

/// Returns the waiting jobs with their submission indices, in the order of the queue.
pub(super) fn in_order(queue: &SortedMap<u64, Waiting>, order: QueueOrder) -> Vec<(u64, Waiting)> {
    let mut jobs: Vec<(u64, Waiting)> = queue.iter().map(|(place, waiting)| (*place, *waiting)).collect();
    let key = |waiting: &Waiting| match order {
        QueueOrder::Sjf => i128::from(waiting.walltime),
        QueueOrder::Ljf => -i128::from(waiting.walltime),
        QueueOrder::Saf => i128::from(waiting.walltime) * i128::from(waiting.width),
        QueueOrder::Arrival | QueueOrder::Wfp3 | QueueOrder::Formula(_) => 0,
    };
    // Equal jobs stay in the order of submission.
    jobs.sort_by_key(|(_, waiting)| key(waiting));
    jobs
}

/// Waiting job; times are scaled to the cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) job: u64,
    pub(super) width: u32,
    pub(super) walltime: u64,
}
