//! A job as batch policies see it.

use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::{SimSpan, SimTime, VirtualTime, Yield};

/// A job as batch policies see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BatchJob {
    /// The job.
    pub(super) job: JobHandle,
    /// Its place in the order of submission; breaks all ties.
    pub(super) sequence: u64,
    /// When it arrived.
    pub(super) submit: SimTime,
    /// The number of its tasks.
    pub(super) width: u32,
    /// The estimate of the time from its next start to its end; [`SimSpan::MAX`] if there is none.
    pub(super) estimate: SimSpan,
}

impl BatchJob {
    /// A job of a view.
    pub(super) fn new(view: View<'_>, job: JobHandle) -> BatchJob {
        let seen = view.job(job);
        BatchJob {
            job,
            sequence: seen.sequence(),
            submit: seen.submit(),
            width: seen.tasks(),
            estimate: seen.remaining_estimate().unwrap_or(SimSpan::MAX),
        }
    }

    /// When it ends by its estimate if it starts on nodes of which the slowest has this speed.
    #[inline]
    pub(super) fn end(&self, start: SimTime, speed: Yield) -> SimTime {
        start.saturating_add(self.span(speed))
    }

    /// For how long it is on such nodes by its estimate.
    #[inline]
    pub(super) fn span(&self, speed: Yield) -> SimSpan {
        let is_fast = speed == Yield::ONE || self.estimate == SimSpan::MAX;
        if is_fast { self.estimate } else { self.estimate_at(speed) }
    }

    #[inline(never)]
    fn estimate_at(&self, speed: Yield) -> SimSpan {
        VirtualTime::of(self.estimate).time_at(speed).unwrap_or(SimSpan::MAX)
    }
}
