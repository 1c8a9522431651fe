//! One simulation with reallocation beside the one without: a line of `rows.csv`.

use crate::column::columns;
use dfrsim_model::SimSpan;

columns! {
    /// One simulation.
    pub(crate) struct Row {
        /// The workload.
        pub(super) workload: String,
        /// The seed, by its number.
        pub(super) sample: u32,
        /// `homogeneous` or `heterogeneous`.
        pub(super) platform: String,
        /// The local policy.
        pub(super) local: String,
        /// Whether there is cancellation: `without` or `with`; nothing for the simulation without reallocation.
        pub(super) cancellation: Option<String>,
        /// The heuristic.
        pub(super) heuristic: Option<String>,
        /// Jobs that ran.
        pub(super) jobs: usize,
        /// Jobs that fit nowhere.
        pub(super) skipped: usize,
        /// Work of the jobs at speed 1 / (cores * length of the workload).
        pub(super) load: f64,
        /// Jobs that completed at another moment than without reallocation.
        pub(super) changed: usize,
        /// Those that completed earlier.
        pub(super) earlier: usize,
        /// The mean response time of the changed jobs; of all jobs in the simulation without reallocation.
        pub(super) response_s: Option<f64>,
        /// The former without reallocation.
        pub(super) reference_response_s: Option<f64>,
        /// Reallocations.
        pub(super) moves: u64,
        /// Cancellations.
        pub(super) cancellations: u64,
        /// Submissions to local schedulers.
        pub(super) submissions: u64,
        /// The most that a job completed later than without reallocation.
        pub(super) largest_delay_s: SimSpan,
        /// The most that a job completed later than it was promised at its arrival.
        pub(super) largest_lateness_s: SimSpan,
        /// The most reallocations of a job.
        pub(super) most_moves: u32,
        /// The most cancellations of a job.
        pub(super) most_cancellations: u32,
        /// The most jobs that waited at a reallocation.
        pub(super) most_waiting: usize,
    }
}
