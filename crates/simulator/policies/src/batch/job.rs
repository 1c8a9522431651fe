//! Job data that batch policies use.

use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::{SimSpan, SimTime, VirtualTime, Yield};

/// Job data that batch policies use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BatchJob {
    /// Handle of the job in the simulation.
    pub(super) job: JobHandle,
    /// Index in the order of submission; breaks all ties.
    pub(super) sequence: u64,
    /// Time of submission.
    pub(super) submit: SimTime,
    /// Size: the number of tasks.
    pub(super) size: u32,
    /// Estimated time from the next start to the end; [`SimSpan::MAX`] if there is no estimate.
    pub(super) estimate: SimSpan,
}

impl BatchJob {
    /// Gathers the data of a job from a view.
    #[inline]
    pub(super) fn new(view: View<'_>, job: JobHandle) -> BatchJob {
        let seen = view.job(job);
        BatchJob {
            job,
            sequence: seen.sequence(),
            submit: seen.submit(),
            size: seen.tasks(),
            estimate: seen.remaining_estimate().unwrap_or(SimSpan::MAX),
        }
    }

    /// Returns the estimated end after a start at `start` on nodes whose slowest has speed `speed`.
    #[inline]
    pub(super) fn end(&self, start: SimTime, speed: Yield) -> SimTime {
        start.saturating_add(self.run_time_at(speed))
    }

    /// Returns the estimated run time on nodes whose slowest has speed `speed`.
    #[inline]
    pub(super) fn run_time_at(&self, speed: Yield) -> SimSpan {
        let is_fast = speed == Yield::ONE || self.estimate == SimSpan::MAX;
        if is_fast { self.estimate } else { self.scaled_estimate(speed) }
    }

    #[inline(never)]
    fn scaled_estimate(&self, speed: Yield) -> SimSpan {
        VirtualTime::of(self.estimate).time_at(speed).unwrap_or(SimSpan::MAX)
    }
}
