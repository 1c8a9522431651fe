//! The running jobs of an episode, and when they leave their nodes by their estimates.

use dfrsim::cluster::JobHandle;
use dfrsim::prelude::*;

/// A job on its nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) handle: JobHandle,
    pub(super) tasks: u32,
    pub(super) start: SimTime,
    /// By its estimate.
    pub(super) end: SimTime,
}

/// The running jobs by their ends.
#[derive(Debug, Default)]
pub(super) struct Running(Vec<Run>);

/// How long a job past its estimate is expected to go on.
const OVERRUN: SimSpan = SimSpan::from_secs(1);

impl Running {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn insert(&mut self, run: Run) {
        let at = self.0.partition_point(|other| other.end <= run.end);
        self.0.insert(at, run);
    }

    pub(super) fn remove(&mut self, handle: JobHandle) -> Option<Run> {
        let at = self.0.iter().position(|run| run.handle == handle)?;
        Some(self.0.remove(at))
    }

    /// Those first that end first.
    pub(super) fn by_end(&self) -> impl Iterator<Item = &Run> {
        self.0.iter()
    }

    /// When this many nodes will be free, given those that are now, and how many more will be then.
    pub(super) fn reservation(&self, now: SimTime, mut free: usize, wanted: usize) -> (SimTime, usize) {
        let mut time = now;
        for run in &self.0 {
            let end = if run.end <= now { now.saturating_add(OVERRUN) } else { run.end };
            if free >= wanted && end > time {
                break;
            }
            (time, free) = (time.max(end), free + run.tasks as usize);
        }
        (time, free.saturating_sub(wanted))
    }
}
