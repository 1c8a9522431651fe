//! The jobs of a grid.

use dfrsim_model::{JobId, SimSpan, SimTime};

/// A rigid job. Its times are those of a cluster of speed 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridJob {
    /// Its number in its log.
    pub id: JobId,
    /// When it is handed to the meta-scheduler.
    pub submit: SimTime,
    /// The cores that it takes, all of one cluster.
    pub width: u32,
    /// How long it would run.
    pub run: SimSpan,
    /// After how long it is killed; what the local schedulers expect it to take.
    pub walltime: SimSpan,
    /// The cluster, as an index, to which it is submitted past the meta-scheduler: a local job, which stays there.
    pub home: Option<u32>,
}

impl GridJob {
    /// The order in which jobs are numbered: by submission, then by id.
    #[must_use]
    pub fn order(&self) -> (SimTime, JobId) {
        (self.submit, self.id)
    }
}
