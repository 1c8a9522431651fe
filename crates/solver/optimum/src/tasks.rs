//! Enumeration of an instance's tasks.

use dfrsim_model::offline::Instance;

/// Maximum number of tasks times nodes for tables with an entry for each pair. Larger ones would
/// exceed memory and any acceptable run time.
pub const LARGEST_TABLE: u64 = 1 << 26;

/// Maximum number of tasks times nodes for linear programs. A simplex solver needs more than a
/// kilobyte per pair, and does not check its time limit during setup.
pub(crate) const LARGEST_PROGRAM: u64 = 1 << 20;

/// Returns the job of each task, in the order of jobs; `None` if the number of tasks times nodes
/// exceeds `largest`.
pub fn jobs_of_tasks(instance: &Instance, largest: u64) -> Option<Vec<usize>> {
    let tasks: u64 = instance.jobs.iter().map(|job| u64::from(job.tasks)).sum();
    (tasks.saturating_mul(instance.nodes.len().max(1) as u64) <= largest).then(|| {
        let jobs = instance.jobs.iter().enumerate();
        jobs.flat_map(|(job, described)| (0..described.tasks).map(move |_| job)).collect()
    })
}
