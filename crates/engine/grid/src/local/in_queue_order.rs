//! A plan beside planners that have none.

use super::{BatchJob, Cancel, Forecast, OVERRUN, PlannedJob, Planner, SubmissionEffect};
use dfrsim_cluster::JobHandle;
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::batch::Profile;

/// Where the plan puts a job, behind those before it in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum QueueRule {
    /// Not before its predecessor starts. With FCFS this is what happens if all estimates are right.
    InTurn,
    /// Into the earliest hole that delays no job before it. With EASY the head of the queue gets just the reservation
    /// that EASY makes for it, and each further job the one that it would have if those before it had theirs; EASY
    /// itself may start it earlier, and may delay all but the head.
    EarliestHole,
}

/// Makes a [`Forecast`] of a planner that serves its queue by arrival: the planner decides, this predicts.
///
/// The plan is made again only when it is asked for and something else than expected has happened since: a job that
/// ended early or was cancelled with others behind it, or that started when the plan did not say so.
#[derive(Debug)]
pub(crate) struct InQueueOrder<P> {
    planner: P,
    rule: QueueRule,
    /// Running jobs and, if the plan is not stale, waiting ones. With [`QueueRule::InTurn`] it begins when the last of
    /// them starts: the next one cannot start before, so thousands of waiting jobs leave a few dozen steps.
    profile: Profile,
    stale: bool,
    /// The waiting jobs by submission, with the starts of the plan.
    queue: Vec<(BatchJob, SimTime)>,
    /// How many of them, at the end of the queue, are not planned yet.
    arrived: usize,
    /// The running jobs by the end of their estimate.
    running: Vec<Running>,
    /// The end of the estimate of each started job, by handle.
    ends: Vec<SimTime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Running {
    end: SimTime,
    job: JobHandle,
    width: u32,
}

impl<P: Planner> InQueueOrder<P> {
    /// For a cluster of this many nodes; the planner must be one of the same size with a queue by arrival.
    #[must_use]
    pub(crate) fn new(planner: P, rule: QueueRule, nodes: u32) -> InQueueOrder<P> {
        InQueueOrder {
            planner,
            rule,
            profile: Profile::new(nodes),
            stale: false,
            queue: Vec::new(),
            arrived: 0,
            running: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn refresh(&mut self, now: SimTime) {
        self.profile.advance(now);
        // A job past its estimate is expected to end a second from now, at every moment again.
        self.stale |= self.running.first().is_some_and(|job| job.end <= now);
        if !self.stale {
            return;
        }
        self.stale = false;
        self.profile.clear(now);
        for job in &self.running {
            let end = if job.end <= now { now + OVERRUN } else { job.end };
            self.profile.reserve(now, end, job.width);
        }
        self.plan_behind(0, now);
    }

    /// Plans the jobs of the queue from this place on.
    fn plan_behind(&mut self, first: usize, now: SimTime) {
        for at in first..self.queue.len() {
            let job = self.queue[at].0;
            let start = self.start_behind(now, job.width, job.estimate);
            self.profile.reserve(start, start.saturating_add(job.estimate), job.width);
            if self.rule == QueueRule::InTurn {
                self.profile.advance(start);
            }
            self.queue[at].1 = start;
        }
    }

    /// When a job behind those that are planned can start, looked for from `from` on.
    fn start_behind(&self, from: SimTime, width: u32, estimate: SimSpan) -> SimTime {
        match self.rule {
            QueueRule::InTurn => self.profile.earliest_where_rising(from, width),
            QueueRule::EarliestHole => self.profile.earliest(from, width, estimate),
        }
    }

    fn started(&mut self, now: SimTime, job: JobHandle) {
        let Some(at) = self.queue.iter().position(|(waiting, _)| waiting.job == job) else { return };
        let (job, planned) = self.queue.remove(at);
        self.stale |= planned != now;
        let end = now.saturating_add(job.estimate);
        if self.ends.len() <= job.job.index() {
            self.ends.resize(job.job.index() + 1, SimTime::ZERO);
        }
        self.ends[job.job.index()] = end;
        let running = Running { end, job: job.job, width: job.width };
        let at = self.running.partition_point(|other| *other < running);
        self.running.insert(at, running);
    }
}

impl<P: Planner> Planner for InQueueOrder<P> {
    fn ended(&mut self, now: SimTime, job: JobHandle) {
        self.planner.ended(now, job);
        let end = self.ends[job.index()];
        let at = self.running.partition_point(|other| (other.end, other.job) < (end, job));
        let Running { width, .. } = self.running.remove(at);
        if !self.queue.is_empty() {
            self.stale |= end != now;
        } else if !self.stale {
            self.profile.release(now, end, width);
        }
    }

    fn submit(&mut self, job: BatchJob) {
        self.planner.submit(job);
        // Planned in the pass, which knows the time.
        self.queue.push((job, SimTime::MAX));
        self.arrived += 1;
    }

    fn pass(&mut self, now: SimTime, starts: &mut Vec<JobHandle>) {
        let before = starts.len();
        self.planner.pass(now, starts);
        if !self.stale {
            self.plan_behind(self.queue.len() - self.arrived, now);
        }
        self.arrived = 0;
        for &job in &starts[before..] {
            self.started(now, job);
        }
    }

    fn next_start(&self, now: SimTime) -> Option<SimTime> {
        self.planner.next_start(now)
    }
}

impl<P: Cancel> Cancel for InQueueOrder<P> {
    fn cancel(&mut self, now: SimTime, job: JobHandle) {
        self.planner.cancel(now, job);
        let Some(at) = self.queue.iter().position(|(waiting, _)| waiting.job == job) else { return };
        let (job, start) = self.queue.remove(at);
        if at >= self.queue.len() + 1 - self.arrived {
            self.arrived -= 1;
        } else if at < self.queue.len() || self.rule == QueueRule::InTurn {
            self.stale = true;
        } else if !self.stale {
            self.profile.release(start.max(now), start.saturating_add(job.estimate), job.width);
        }
    }

    fn cancel_all(&mut self, now: SimTime) {
        self.planner.cancel_all(now);
        self.queue.clear();
        self.arrived = 0;
        self.stale = true;
    }
}

impl<P: Cancel> Forecast for InQueueOrder<P> {
    fn plan(&mut self, now: SimTime, plan: &mut Vec<PlannedJob>) {
        self.refresh(now);
        plan.extend(self.queue.iter().map(|&(job, start)| PlannedJob { job: job.job, start }));
    }

    fn start_if_submitted(&mut self, now: SimTime, from: SimTime, width: u32, estimate: SimSpan) -> SimTime {
        self.refresh(now);
        self.start_behind(from, width, estimate)
    }

    fn effect_of_submission(&self) -> SubmissionEffect {
        match self.rule {
            QueueRule::InTurn => SubmissionEffect::Delays,
            // EASY may start the new job at once though the plan has it later, and then the plan is another one.
            QueueRule::EarliestHole => SubmissionEffect::Any,
        }
    }
}
