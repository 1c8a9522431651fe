//! CPU needs and memory of synthetic jobs, which the model itself says nothing about.

use dfrsim_model::{Rng, Seed, Share};
use rand::RngExt as _;

/// The CPU need of a task: serial jobs use one core of four; the tasks of the others use all four (dissertation,
/// section 5.3.2).
#[must_use]
pub fn cpu_need(tasks: u32) -> Share {
    if tasks == 1 { Share::from_ratio(1, 4) } else { Share::ONE }
}

/// The memory of the tasks of one job after the other: a tenth of a node with probability 0.55, otherwise two to ten
/// tenths with equal probability (dissertation, section 5.3.2).
///
/// It draws from the stream `memory` of the workload's seed, so that a generated workload and its written file, read
/// with the same seed, agree.
pub struct MemoryStream(Rng);

impl MemoryStream {
    /// The memory of the workload of this seed.
    #[must_use]
    pub fn new(workload: Seed) -> MemoryStream {
        MemoryStream(workload.fork("memory").rng())
    }
    /// The memory of a task of the next job, in order of submission.
    pub fn draw(&mut self) -> Share {
        let tenths = if self.0.random_bool(0.55) { 1 } else { self.0.random_range(2..=10) };
        Share::from_ratio(tenths, 10)
    }
}
