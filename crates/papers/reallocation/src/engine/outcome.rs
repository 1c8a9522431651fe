//! Outcomes of jobs.

use dfrsim_model::SimTime;

/// Outcome of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobOutcome {
    /// Index of the cluster on which it ran.
    pub cluster: usize,
    /// Start time.
    pub start: SimTime,
    /// End time.
    pub end: SimTime,
    /// Expected end at the time of its arrival, by the plan of the cluster.
    pub promised: SimTime,
    /// Number of submissions to another cluster than the one on which it waited, or was lost,
    /// before.
    pub moves: u32,
    /// Number of times that it left a queue without starting.
    pub cancellations: u32,
    /// Number of times that it was lost with its cluster while running, and had to restart from the
    /// beginning.
    pub losses: u32,
}

/// Outcome of all jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Outcome of each job; `None` for those that fit on no cluster.
    pub jobs: Vec<Option<JobOutcome>>,
    /// Number of moves: the sum of [`JobOutcome::moves`].
    pub moves: u64,
    /// Number of cancellations: the sum of [`JobOutcome::cancellations`].
    pub cancellations: u64,
    /// Number of jobs that fit on no cluster.
    pub skipped: usize,
    /// Number of submissions to local schedulers.
    pub submissions: u64,
    /// Number of runs lost when clusters failed: the sum of [`JobOutcome::losses`].
    pub losses: u64,
    /// Work of these lost runs, in core microseconds.
    pub lost_work: u128,
    /// Largest number of jobs waiting at a reallocation.
    pub most_waiting: usize,
    /// Number of completion times that the meta-scheduler of the text requests. Mapping by
    /// completion time requests one from each cluster that is large enough for a job. A reallocation
    /// with MCT does so once for each waiting job; another heuristic does so once for each job that
    /// is left, before each choice (section 2.2.2: O(n) and O(n^2)). This implementation computes
    /// fewer.
    pub questions: u64,
}
