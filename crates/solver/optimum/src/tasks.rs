//! The tasks of an instance, one by one.

use dfrsim_model::offline::Instance;

/// Tasks times nodes beyond which no table with an entry for each is made: it would not fit into memory, nor end in a
/// lifetime.
pub(crate) const LARGEST_TABLE: u64 = 1 << 26;

/// The same for linear programs: a simplex takes more than a kilobyte for each entry, and does not look at its limit of time
/// while it prepares.
pub(crate) const LARGEST_PROGRAM: u64 = 1 << 20;

/// The job of each task, in the order of the jobs; `None` if tasks times nodes are more than `largest`.
pub(crate) fn jobs_of_tasks(instance: &Instance, largest: u64) -> Option<Vec<usize>> {
    let tasks: u64 = instance.jobs.iter().map(|job| u64::from(job.tasks)).sum();
    (tasks.saturating_mul(instance.nodes.len().max(1) as u64) <= largest).then(|| {
        let jobs = instance.jobs.iter().enumerate();
        jobs.flat_map(|(job, described)| (0..described.tasks).map(move |_| job)).collect()
    })
}
