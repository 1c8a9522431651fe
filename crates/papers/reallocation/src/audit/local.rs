//! What the policy of a cluster promises, and the jobs in its queue.

use dfrsim_model::batch::{BatchPolicy, Compression, Discipline};

/// Conservative backfilling that keeps promises.
pub(super) const CONS: Discipline = Discipline::Conservative(Compression::OneByOne);

/// The longest queue of which the plan is made again.
pub const LONGEST_QUEUE: usize = 64;

/// The discipline of a policy whose plans are known: by arrival, on whole nodes.
pub(super) fn known_discipline(name: &str) -> Option<Discipline> {
    let policy = BatchPolicy::parse(name)?;
    let is_plain = policy == policy.discipline.into();
    Some(policy.discipline).filter(|it| is_plain && !matches!(it, Discipline::Spare | Discipline::Slurm))
}

/// Whether no job completes later than was expected when it was submitted.
pub(super) fn keeps_promises(discipline: Discipline) -> bool {
    matches!(discipline, Discipline::Fcfs | Discipline::Conservative(Compression::OneByOne))
}

/// A job that waits; times are those of this cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) job: u64,
    pub(super) width: u32,
    pub(super) walltime: u64,
}
