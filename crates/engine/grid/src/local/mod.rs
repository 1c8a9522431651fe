//! How a cluster of the grid decides, and what it says of the future.

mod conservative;
mod easy;
mod fcfs;
mod forecast;
mod in_queue_order;
mod queue;

pub(crate) use conservative::Conservative;
pub(crate) use easy::Easy;
pub(crate) use fcfs::Fcfs;
pub(crate) use forecast::{Cancel, Forecast, PlannedJob, SubmissionEffect};
pub(crate) use in_queue_order::{InQueueOrder, QueueRule};

use dfrsim_cluster::JobHandle;
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::batch::BatchJob;

/// How long a job past its estimate is expected to go on, in each pass: one second.
pub(crate) const OVERRUN: SimSpan = SimSpan::from_secs(1);

/// Decides which queued job starts when. Calls come in the order of simulated time; at one moment: ends, then
/// submissions, then one pass.
pub(crate) trait Planner {
    /// A job that was started has ended, early or not.
    fn ended(&mut self, now: SimTime, job: JobHandle);
    /// A job joins the queue.
    fn submit(&mut self, job: BatchJob);
    /// One scheduling pass: appends the jobs that start now, in the order in which they were chosen.
    fn pass(&mut self, now: SimTime, starts: &mut Vec<JobHandle>);
    /// When the next pass is due though no job ends or arrives, by the plan; after `now`.
    fn next_start(&self, now: SimTime) -> Option<SimTime>;
}
