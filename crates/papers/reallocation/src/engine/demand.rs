//! Requests of jobs to a cluster.

use dfrsim_model::SimSpan;

/// Request of a job to a cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// Job number; not used by a cluster that describes jobs by width and walltime.
    pub(crate) job: usize,
    pub(crate) width: u32,
    /// Time limit on this cluster, after which the job is killed.
    pub(crate) walltime: SimSpan,
}

impl Demand {
    /// Returns the requested work, in core microseconds.
    pub(crate) fn work(self) -> u128 {
        u128::from(self.width) * u128::from(self.walltime.micros())
    }
}
