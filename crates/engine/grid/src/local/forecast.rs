//! What a scheduler above several clusters asks of a local one.

use super::Planner;
use dfrsim_cluster::JobHandle;
use dfrsim_model::{SimSpan, SimTime};

/// A planner from whose queue jobs can be taken back. The others move up in the next pass, as after an early end.
pub(crate) trait Cancel: Planner {
    /// A waiting job leaves the queue.
    fn cancel(&mut self, now: SimTime, job: JobHandle);
    /// All waiting jobs leave the queue.
    fn cancel_all(&mut self, now: SimTime);
}

/// A waiting job and when it is expected to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlannedJob {
    /// The job.
    pub(crate) job: JobHandle,
    /// When it starts if all jobs take as long as is estimated of them and none is submitted or cancelled.
    pub(crate) start: SimTime,
}

/// A planner whose plan can be queried. Queries come after a pass, with no event in between.
pub(crate) trait Forecast: Cancel {
    /// Appends the waiting jobs in the order of the queue, with their expected starts.
    fn plan(&mut self, now: SimTime, plan: &mut Vec<PlannedJob>);
    /// When a job of this width and estimate would start if it were submitted now, looked for from `from` on, which
    /// must not be before now nor after the answer. The cluster must be as wide as the job.
    ///
    /// The query does not plan again.
    fn start_if_submitted(&mut self, now: SimTime, from: SimTime, width: u32, estimate: SimSpan) -> SimTime;
    /// What a submission does to the answers of [`Forecast::start_if_submitted`].
    fn effect_of_submission(&self) -> SubmissionEffect;
}

/// The effect of one more submission on starts that were given before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubmissionEffect {
    /// Starts can only become later, and only those of jobs that would run at the same time as the new one.
    DelaysOverlapping,
    /// Starts can only become later, and do not depend on the estimate.
    Delays,
    /// Starts can become earlier too.
    Any,
}
