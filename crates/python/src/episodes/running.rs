//! Running jobs of an episode, with their ends according to the estimates.

use dfrsim::cluster::JobHandle;
use dfrsim::prelude::*;

/// Job that occupies nodes, as an environment observes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunningJob {
    pub(super) handle: JobHandle,
    pub(super) tasks: u32,
    pub(super) start: SimTime,
    /// End according to the estimate.
    pub(super) end: SimTime,
}

/// Running jobs, sorted by their ends.
#[derive(Debug, Default)]
pub(super) struct Running(Vec<RunningJob>);

/// Remaining time that is assumed for a job that exceeded its estimate.
const OVERRUN_EXTENSION: SimSpan = SimSpan::from_secs(1);

impl Running {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn insert(&mut self, run: RunningJob) {
        let at = self.0.partition_point(|other| other.end <= run.end);
        self.0.insert(at, run);
    }

    pub(super) fn remove(&mut self, handle: JobHandle) -> Option<RunningJob> {
        let at = self.0.iter().position(|run| run.handle == handle)?;
        Some(self.0.remove(at))
    }

    /// Iterates over the running jobs in the order of their ends.
    pub(super) fn by_end(&self) -> impl Iterator<Item = &RunningJob> {
        self.0.iter()
    }

    /// Computes the shadow time at which `wanted` nodes are free, given the number of currently free
    /// nodes, and the extra nodes at that time.
    pub(super) fn reservation(&self, now: SimTime, mut free: usize, wanted: usize) -> (SimTime, usize) {
        let mut time = now;
        for run in &self.0 {
            let end = if run.end <= now { now.saturating_add(OVERRUN_EXTENSION) } else { run.end };
            if free >= wanted && end > time {
                break;
            }
            (time, free) = (time.max(end), free + run.tasks as usize);
        }
        (time, free.saturating_sub(wanted))
    }
}
