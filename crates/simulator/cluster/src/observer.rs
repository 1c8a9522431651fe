//! Observers of a simulation.

use crate::{Link, Placement};
use dfrsim_model::platform::classes::{Demand, NodeClasses};
use dfrsim_model::platform::{NodeSpan, Window};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime, UserId, VirtualTime, Yield};

/// What happened, as observers receive it. Jobs are named by their place in the order of submission.
#[derive(Clone, Copy, Debug)]
pub enum Occurrence<'a> {
    /// A job arrived, with the estimate of its run time that the policy knows. Its run time is what it will run, so a job that
    /// will be killed has its estimate here.
    Submitted(&'a Job, Option<SimSpan>),
    /// What connects the job that has just arrived with others, if anything does.
    Linked(&'a Link),
    /// What the job that has just arrived asks of nodes beside CPU and memory, if it does.
    Asked(&'a Demand, &'a NodeClasses),
    /// A waiting job started.
    Started(Placement<'a>, Yield),
    /// A running job was paused: this many bytes' worth of memory, as whole nodes, were written.
    Paused(f64),
    /// A paused job went on.
    Resumed(Placement<'a>, Yield),
    /// A running job has other nodes now: (its tasks, its yield, tasks moved, their memory in whole nodes).
    Migrated(Placement<'a>, Yield, u32, f64),
    /// A running job has another yield.
    YieldChanged(Yield),
    /// A waiting job was rejected.
    Rejected,
    /// The policy ended a running job before its work was done.
    Killed(&'a JobRecord),
    /// A running job left its nodes since one went down or the policy requeued it, and waits again: (the job, the work that it kept, the work that it lost).
    Interrupted(&'a Job, SimSpan, VirtualTime),
    /// A running job left for good since one of its nodes went down or the policy took them, with all of its work.
    Lost(&'a JobRecord, VirtualTime),
    /// A job completed.
    Completed(&'a JobRecord),
}

/// What happened to the platform.
#[derive(Clone, Copy, Debug)]
pub enum PlatformChange<'a> {
    /// An outage was announced.
    Announced(&'a Window),
    /// Nodes went down that were up.
    Down(&'a [NodeSpan]),
    /// Nodes came up again.
    Up(&'a [NodeSpan]),
}

/// The life of a job that started and has left.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRecord {
    /// Its number in the log.
    pub id: JobId,
    /// When it arrived.
    pub submit: SimTime,
    /// When it first started.
    pub start: SimTime,
    /// When it left.
    pub end: SimTime,
    /// Its tasks.
    pub tasks: u32,
    /// The CPU need of a task.
    pub cpu_need: Share,
    /// The memory of a task.
    pub memory: Share,
    /// Its run time at full speed.
    pub run_time: SimSpan,
    /// Whose it is, if known.
    pub user: Option<UserId>,
    /// Whether it was killed: at its estimate, or by the policy.
    pub killed: bool,
    /// How often it was paused.
    pub preemptions: u32,
    /// How often it was migrated.
    pub migrations: u32,
    /// How often it was interrupted since a node went down or the policy requeued it.
    pub interruptions: u32,
}

impl JobRecord {
    /// From submission to completion.
    pub fn turnaround(&self) -> SimSpan {
        self.end.since(self.submit)
    }
    /// From submission to the first start.
    pub fn wait(&self) -> SimSpan {
        self.start.since(self.submit)
    }
}

/// Receives all events in the order of simulated time.
pub trait Observer {
    /// Something happened to the job of the given place in the order of submission.
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>);
    /// Something happened to the platform; by default it is ignored.
    fn observe_platform(&mut self, _now: SimTime, _change: PlatformChange<'_>) {}
}

/// Ignores all events.
impl Observer for () {
    fn observe(&mut self, _: SimTime, _: u64, _: Occurrence<'_>) {}
}

/// Two watch.
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

/// Passes events on to all of them, in their order.
impl Observer for Vec<&mut dyn Observer> {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.iter_mut().for_each(|observer| observer.observe(now, job, occurrence));
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.iter_mut().for_each(|observer| observer.observe_platform(now, change));
    }
}

/// Passes events on to the observer, if there is one.
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
