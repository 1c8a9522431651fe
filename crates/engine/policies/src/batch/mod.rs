//! Batch policies: every task gets a node of its own, at full speed, until the job ends. With [`NodeUse`] FCFS and EASY have several
//! tasks on a node: see `packed` in this folder.
//!
//! A [`Planner`] decides which queued job starts when, from widths and estimates alone; [`BatchScheduler`] makes
//! a [`dfrsim_cluster::Scheduler`] of it, which picks the nodes by a rule
//! ([`Place`]; the lowest free ones, if none is named). At one moment a planner
//! gets all ends, then all arrivals, then makes one scheduling pass.
//!
//! A [`Forecast`] also says when a job would start, queued or not, and gives waiting jobs back: what a scheduler
//! above several clusters needs of each. CONS has its plan anyway; [`InQueueOrder`] plans for FCFS and EASY.
//!
//! Sites order jobs by priority and limit what users and partitions may: see `priority` in this folder.
//!
//! With one processor as a node of its own, the same planners schedule plain SWF logs by processor counts.

mod conservative;
mod easy;
mod easy_spare;
mod fcfs;
mod forecast;
mod free_nodes;
mod in_queue_order;
mod node_use;
mod outages;
mod packed;
mod place;
mod policy;
mod priority;
mod profile;
mod queue;
mod scheduler;

pub use conservative::{Compression, Conservative};
pub use easy::Easy;
pub use easy_spare::EasySpare;
pub use fcfs::Fcfs;
pub use forecast::{Cancel, Forecast, PlannedJob, SubmissionEffect};
pub use in_queue_order::{InQueueOrder, QueueRule};
pub use node_use::NodeUse;
pub(crate) use outages::WithOutages;
pub(crate) use packed::PackedScheduler;
pub use place::Place;
pub use policy::{BatchPolicy, Discipline};
pub(crate) use priority::{PriorityScheduler, Rule};
pub use profile::Profile;
pub use queue::QueueOrder;
pub use scheduler::BatchScheduler;

use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::{SimSpan, SimTime, VirtualTime, Yield};

/// A job as batch policies see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchJob {
    /// The job.
    pub job: JobHandle,
    /// Its place in the order of submission; breaks all ties.
    pub sequence: u64,
    /// When it arrived.
    pub submit: SimTime,
    /// The number of nodes that it takes.
    pub width: u32,
    /// The estimate of its run time; [`SimSpan::MAX`] if there is none.
    pub estimate: SimSpan,
}

impl BatchJob {
    /// A job of a view; without an estimate it is taken to run for ever.
    fn new(view: View<'_>, job: JobHandle, estimate: Option<SimSpan>) -> BatchJob {
        let seen = view.job(job);
        BatchJob {
            job,
            sequence: seen.sequence(),
            submit: seen.submit(),
            width: seen.tasks(),
            estimate: estimate.unwrap_or(SimSpan::MAX),
        }
    }

    /// When it ends by its estimate if it starts on nodes of which the slowest has this speed.
    fn end(&self, start: SimTime, speed: Yield) -> SimTime {
        if speed == Yield::ONE || self.estimate == SimSpan::MAX {
            return start.saturating_add(self.estimate);
        }
        start.saturating_add(VirtualTime::of(self.estimate).time_at(speed).unwrap_or(SimSpan::MAX))
    }
}

/// How long a job past its estimate is expected to go on, in each pass: one second.
pub(crate) const OVERRUN: SimSpan = SimSpan::from_secs(1);

/// Decides which queued job starts when. Calls come in the order of simulated time; at one moment: ends, then
/// submissions, then one pass.
pub trait Planner {
    /// A job that was started has ended, early or not.
    fn ended(&mut self, now: SimTime, job: JobHandle);
    /// A job joins the queue.
    fn submit(&mut self, job: BatchJob);
    /// One scheduling pass: appends the jobs that start now, in the order in which they were chosen.
    fn pass(&mut self, now: SimTime, starts: &mut Vec<JobHandle>);
    /// When the next pass is due though no job ends or arrives, by the plan; after `now`.
    fn next_start(&self, now: SimTime) -> Option<SimTime>;
}
