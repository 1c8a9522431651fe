//! The outcome of the jobs.

use dfrsim_model::SimTime;

/// The outcome of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobOutcome {
    /// Where it ran, as an index into the clusters.
    pub cluster: usize,
    /// When it started.
    pub start: SimTime,
    /// When it ended.
    pub end: SimTime,
    /// When it was expected to end, at the moment of its arrival, by the plan of the cluster.
    pub promised: SimTime,
    /// How often it was submitted to another cluster than the one on which it waited, or was lost, before.
    pub moves: u32,
    /// How often it left a queue without starting.
    pub cancellations: u32,
    /// How often it was lost with its cluster while it ran, and had to begin again.
    pub losses: u32,
}

/// The outcome of all jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// One for each job; `None` for those that fit on no cluster.
    pub jobs: Vec<Option<JobOutcome>>,
    /// How many reallocations there were: [`JobOutcome::moves`] added up.
    pub moves: u64,
    /// How many cancellations: [`JobOutcome::cancellations`] added up.
    pub cancellations: u64,
    /// How many jobs fit on no cluster.
    pub skipped: usize,
    /// How many submissions to a local scheduler there were.
    pub submissions: u64,
    /// How many runs were lost when clusters failed: [`JobOutcome::losses`] added up.
    pub losses: u64,
    /// What these runs had done, in core microseconds.
    pub lost_work: u128,
    /// The most jobs that waited at once at a reallocation.
    pub most_waiting: usize,
    /// How many completion times the meta-scheduler of the text asks for. Mapping by completion time asks each cluster that is wide
    /// enough for a job. A reallocation with MCT does so once for each waiting job; with another heuristic once for each job that
    /// is left, before each choice (section 2.2.2: O(n) and O(n^2)). Fewer are computed here.
    pub questions: u64,
}
