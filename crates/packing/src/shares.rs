//! The yields of a given mapping.

mod contested;
mod filling;

use contested::Contested;
use dfrsim_model::{NodeTasks, Share, Yield};
use filling::{Queue, YieldRise};

/// A mapped job: what its tasks need, and where they stand.
#[derive(Clone, Copy, Debug)]
pub struct SharedJob<'a> {
    /// The CPU need of a task.
    pub need: Share,
    /// The nodes of its tasks, with how many stand on each.
    pub placement: &'a [NodeTasks],
}

/// Finds the yields of mapped jobs, which are always listed in the order of submission.
///
/// It keeps its memory between calls. Nodes must be below the number given to [`Shares::new`]; all functions
/// panic otherwise.
#[derive(Clone, Debug)]
pub struct Shares {
    contested: Contested,
    yield_rise: YieldRise,
    yield_queue: Queue<u64>,
}

impl Shares {
    /// For mappings to this many nodes of CPU 1.
    #[must_use]
    pub fn new(nodes: u32) -> Shares {
        Shares {
            contested: Contested::new(nodes),
            yield_rise: YieldRise::default(),
            yield_queue: Queue::new(),
        }
    }

    /// The largest yield that all jobs can have at once: 1 / max(1, largest CPU load of a node), rounded down
    /// (dissertation, section 5.2.5).
    #[must_use]
    pub fn common(&mut self, jobs: &[SharedJob<'_>]) -> Yield {
        self.contested.weigh(jobs.iter().copied())
    }

    /// OPT=MIN: the yields of which the smallest is as large as possible, then the second smallest, and so on
    /// (dissertation, section 5.2.5; Bertsekas and Gallager, "Data Networks", chapter 6).
    pub fn max_min(&mut self, jobs: &[SharedJob<'_>], yields: &mut Vec<Yield>) {
        self.contested.gather(jobs.iter().copied());
        self.yield_rise.start(jobs.len(), self.contested.capacity());
        filling::fill(&self.contested, &mut self.yield_queue, &mut self.yield_rise);
        yields.clear();
        yields.extend(self.yield_rise.yields());
    }
}
