//! Observers of a simulation.

use crate::{Link, Placement};
use dfrsim_model::platform::classes::{Demand, NodeClasses};
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::platform::{NodeSpan, Window};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime, UserId, VirtualTime, Yield};

/// Yield of a job, and its speed level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Yield.
    pub job_yield: Yield,
    /// New speed level, of which 0 is full speed. `None` if it stays; a job that starts or resumes is then
    /// at full speed.
    pub level: Option<u8>,
}

impl From<Yield> for Pace {
    fn from(job_yield: Yield) -> Pace {
        Pace { job_yield, level: None }
    }
}

/// Event of a job, as observers receive it. Jobs are identified by their sequence number in the
/// order of submission.
#[derive(Clone, Copy, Debug)]
pub enum Occurrence<'a> {
    /// A job arrived, with the estimate of its run time that the policy knows. The run time in the
    /// job is the time that it will actually run: for a job that will be killed at its estimate, the
    /// estimate.
    Submitted(&'a Job, Option<SimSpan>),
    /// Dependencies of the job that has just arrived; reported only if it has any.
    Linked(&'a Link),
    /// Node requirements of the job that has just arrived beyond CPU and memory; reported only if it
    /// has any.
    Asked(&'a Demand, &'a NodeClasses),
    /// A waiting job started.
    Started(Placement<'a>, Pace),
    /// The tasks that were just placed hold these devices: for each node, the number of tasks on each
    /// device. Reported after each placement of a job that requests devices.
    Bound(&'a [(u32, OnDevices)]),
    /// Nodes on which tasks were just placed sleep, or have not woken up yet: the job waits for them
    /// this long.
    Woken(SimSpan),
    /// A running job was paused; its memory of this size, in whole nodes' worth, was written.
    Paused(f64),
    /// A paused job resumed.
    Resumed(Placement<'a>, Pace),
    /// A running job was migrated: (new placement, yield, number of tasks moved, their memory in
    /// whole nodes' worth).
    Migrated(Placement<'a>, Pace, u32, f64),
    /// The yield of a running job changed.
    YieldChanged(Pace),
    /// A waiting job was rejected.
    Rejected,
    /// The policy ended a running job before its work was done.
    Killed(&'a JobRecord),
    /// A running job was interrupted because a node went down or the policy requeued it, and waits
    /// again: (job, work kept, work lost).
    Interrupted(&'a Job, SimSpan, VirtualTime),
    /// A running job was lost with all of its work because a node went down or the policy removed
    /// it: (record, work lost).
    Lost(&'a JobRecord, VirtualTime),
    /// A job completed.
    Completed(&'a JobRecord),
}

/// Event of the platform.
#[derive(Clone, Copy, Debug)]
pub enum PlatformChange<'a> {
    /// An outage was announced.
    Announced(&'a Window),
    /// Nodes that were up went down.
    Down(&'a [NodeSpan]),
    /// Nodes that were down came up.
    Up(&'a [NodeSpan]),
    /// Nodes that took jobs were drained: they take no more.
    Drained(&'a [NodeSpan]),
    /// Nodes are not drained any more.
    Undrained(&'a [NodeSpan]),
}

/// Record of a job that started and has left the system.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRecord {
    /// Job number in the log.
    pub id: JobId,
    /// Submit time.
    pub submit: SimTime,
    /// Time of the first start.
    pub start: SimTime,
    /// Time at which it left.
    pub end: SimTime,
    /// Number of tasks.
    pub tasks: u32,
    /// CPU need of a task.
    pub cpu_need: Share,
    /// Memory of a task.
    pub memory: Share,
    /// Run time at full speed.
    pub run_time: SimSpan,
    /// User, if known.
    pub user: Option<UserId>,
    /// True if the job was killed, at its estimate or by the policy.
    pub killed: bool,
    /// Number of times that it was paused.
    pub preemptions: u32,
    /// Number of times that it was migrated.
    pub migrations: u32,
    /// Number of times that it was interrupted because a node went down or the policy requeued it.
    pub interruptions: u32,
}

impl JobRecord {
    /// Returns the turnaround time, from submission to the end.
    pub fn turnaround(&self) -> SimSpan {
        self.end.since(self.submit)
    }
    /// Returns the wait, from submission to the first start.
    pub fn wait(&self) -> SimSpan {
        self.start.since(self.submit)
    }
}

/// Receiver of all events, in the order of simulated time.
pub trait Observer {
    /// Called for each event of a job, which is given by its sequence number in the order of
    /// submission.
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>);
    /// Called for each event of the platform; ignores it by default.
    fn observe_platform(&mut self, _now: SimTime, _change: PlatformChange<'_>) {}
}

/// Ignores all events; for runs without an observer.
impl Observer for () {
    fn observe(&mut self, _: SimTime, _: u64, _: Occurrence<'_>) {}
}

/// Passes each event to both observers.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.0.observe(now, job, occurrence);
        self.1.observe(now, job, occurrence);
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.0.observe_platform(now, change);
        self.1.observe_platform(now, change);
    }
}

impl<T: Observer + ?Sized> Observer for &mut T {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        (**self).observe(now, job, occurrence);
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        (**self).observe_platform(now, change);
    }
}

/// Passes each event to all observers, in their order.
impl Observer for Vec<&mut dyn Observer> {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.iter_mut().for_each(|observer| observer.observe(now, job, occurrence));
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.iter_mut().for_each(|observer| observer.observe_platform(now, change));
    }
}

/// Passes each event to the observer, if there is one.
impl<T: Observer> Observer for Option<T> {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        if let Some(observer) = self {
            observer.observe(now, job, occurrence);
        }
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        if let Some(observer) = self {
            observer.observe_platform(now, change);
        }
    }
}
