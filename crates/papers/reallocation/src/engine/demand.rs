//! What is asked of a cluster.

use dfrsim_model::SimSpan;

/// The request of a job to a cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// Its number; of no use to a cluster that knows jobs by their widths and walltimes.
    pub(crate) job: usize,
    pub(crate) width: u32,
    /// After how long it is killed there.
    pub(crate) walltime: SimSpan,
}

impl Demand {
    /// In core microseconds.
    pub(crate) fn work(self) -> u128 {
        u128::from(self.width) * u128::from(self.walltime.micros())
    }
}
