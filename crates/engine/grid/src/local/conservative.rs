//! CONS: conservative backfilling.

use super::{BatchJob, Cancel, Forecast, OVERRUN, PlannedJob, Planner, SubmissionEffect};
use dfrsim_cluster::JobHandle;
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::batch::{Compression, Profile};

/// Every job gets a reservation on arrival, in the earliest hole that delays no other job (Mu'alem and Feitelson 2001,
/// section 2).
///
/// A running job past its estimate counts, in each pass, as ending one second from now; since that breaks
/// promises, the queue is planned again then. Within that second no pass is made for it: the plan is examined again
/// when the job ends or another event occurs.
#[derive(Debug)]
pub(crate) struct Conservative {
    compression: Compression,
    profile: Profile,
    /// By submission.
    queue: Vec<Planned>,
    /// How many of them, at the end of the queue, have no reservation yet.
    arrived: usize,
    /// By handle; only those of running jobs mean anything.
    running: Vec<Running>,
    /// The running jobs by the end of their estimate, so that overdue ones are first.
    by_end: Vec<(SimTime, JobHandle)>,
    /// Whether nodes came free before they were expected to: a job ended early or was cancelled.
    freed: bool,
    /// Whether a job was past its estimate in the last pass.
    overdue: bool,
}

#[derive(Clone, Copy, Debug)]
struct Planned {
    job: BatchJob,
    start: SimTime,
}

#[derive(Clone, Copy, Debug, Default)]
struct Running {
    width: u32,
    /// The end of its estimate.
    estimated_end: SimTime,
    /// Until when the profile has its nodes: later than the estimate once it is overdue.
    reserved_to: SimTime,
}

impl Planned {
    fn end(&self) -> SimTime {
        self.start.saturating_add(self.job.estimate)
    }
}

impl Conservative {
    /// For a cluster of this many nodes.
    #[must_use]
    pub(crate) fn new(nodes: u32, compression: Compression) -> Conservative {
        Conservative {
            compression,
            profile: Profile::new(nodes),
            queue: Vec::new(),
            arrived: 0,
            running: Vec::new(),
            by_end: Vec::new(),
            freed: false,
            overdue: false,
        }
    }

    /// Jobs past their estimate are expected to end a second from now.
    fn extend_overdue(&mut self, now: SimTime) {
        let extended = now + OVERRUN;
        for (_, job) in &self.by_end[..self.count_overdue(now)] {
            let running = &mut self.running[job.index()];
            self.profile.reserve(running.reserved_to.max(now), extended, running.width);
            running.reserved_to = extended;
        }
    }

    fn count_overdue(&self, now: SimTime) -> usize {
        self.by_end.partition_point(|&(end, _)| end <= now)
    }

    fn planned(&self) -> usize {
        self.queue.len() - self.arrived
    }

    fn withdraw_reservations(&mut self, now: SimTime) {
        let planned = self.planned();
        for waiting in &self.queue[..planned] {
            // A start that hung on an overdue job may have passed.
            self.profile.release(waiting.start.max(now), waiting.end(), waiting.job.width);
        }
        self.arrived = self.queue.len();
    }

    /// Lets each waiting job move up, in queue order.
    ///
    /// Most jobs cannot: on the CTC log, giving up reservations and taking the same ones again was half of the whole
    /// simulation. So a reservation is given up only once an earlier hole is found.
    fn compress(&mut self, now: SimTime) {
        let planned = self.planned();
        for waiting in &mut self.queue[..planned] {
            let BatchJob { width, estimate, .. } = waiting.job;
            let start = self.profile.earliest_or_held(now, width, estimate, waiting.start);
            if start < waiting.start {
                self.profile.release(waiting.start, waiting.end(), width);
                waiting.start = start;
                self.profile.reserve(start, waiting.end(), width);
            }
        }
    }

    fn plan_arrived(&mut self, now: SimTime) {
        let planned = self.planned();
        for waiting in &mut self.queue[planned..] {
            waiting.start = self.profile.earliest(now, waiting.job.width, waiting.job.estimate);
            self.profile.reserve(waiting.start, waiting.end(), waiting.job.width);
        }
        self.arrived = 0;
    }

    fn start(&mut self, waiting: &Planned) {
        let index = waiting.job.job.index();
        if self.running.len() <= index {
            self.running.resize(index + 1, Running::default());
        }
        let end = waiting.end();
        self.running[index] = Running { width: waiting.job.width, estimated_end: end, reserved_to: end };
        let entry = (end, waiting.job.job);
        let at = self.by_end.partition_point(|other| *other < entry);
        self.by_end.insert(at, entry);
    }
}

impl Planner for Conservative {
    fn ended(&mut self, now: SimTime, job: JobHandle) {
        let Running { width, estimated_end, reserved_to } = self.running[job.index()];
        let at = self.by_end.partition_point(|other| *other < (estimated_end, job));
        self.by_end.remove(at);
        self.profile.release(now, reserved_to, width);
        self.freed |= estimated_end > now;
    }

    fn submit(&mut self, job: BatchJob) {
        self.queue.push(Planned { job, start: SimTime::MAX });
        self.arrived += 1;
    }

    fn pass(&mut self, now: SimTime, starts: &mut Vec<JobHandle>) {
        self.profile.advance(now);
        let was_overdue = self.overdue;
        self.overdue = self.count_overdue(now) > 0;
        let freed = std::mem::take(&mut self.freed);
        if self.overdue || was_overdue {
            self.withdraw_reservations(now);
            self.extend_overdue(now);
        } else if freed {
            match self.compression {
                Compression::OneByOne => self.compress(now),
                Compression::Replan => self.withdraw_reservations(now),
            }
        }
        self.plan_arrived(now);
        let mut queue = std::mem::take(&mut self.queue);
        queue.retain(|waiting| {
            let starts_now = waiting.start == now;
            if starts_now {
                self.start(waiting);
                starts.push(waiting.job.job);
            }
            !starts_now
        });
        self.queue = queue;
    }

    fn next_start(&self, now: SimTime) -> Option<SimTime> {
        let not_before = if self.overdue { now + OVERRUN } else { now };
        let starts = self.queue.iter().map(|waiting| waiting.start);
        starts.filter(|&start| start > not_before && start < SimTime::MAX).min()
    }
}

impl Cancel for Conservative {
    fn cancel(&mut self, now: SimTime, job: JobHandle) {
        let Some(at) = self.queue.iter().position(|waiting| waiting.job.job == job) else { return };
        let planned = self.planned();
        let waiting = self.queue.remove(at);
        if at < planned {
            self.profile.release(waiting.start.max(now), waiting.end(), waiting.job.width);
            self.freed = true;
        } else {
            self.arrived -= 1;
        }
    }

    fn cancel_all(&mut self, now: SimTime) {
        self.queue.clear();
        self.arrived = 0;
        self.profile.clear(now);
        for (_, job) in &self.by_end {
            let Running { width, reserved_to, .. } = self.running[job.index()];
            self.profile.reserve(now, reserved_to, width);
        }
    }
}

impl Forecast for Conservative {
    fn plan(&mut self, _: SimTime, plan: &mut Vec<PlannedJob>) {
        let planned = &self.queue[..self.planned()];
        plan.extend(planned.iter().map(|waiting| PlannedJob { job: waiting.job.job, start: waiting.start }));
    }

    fn start_if_submitted(&mut self, _: SimTime, from: SimTime, width: u32, estimate: SimSpan) -> SimTime {
        self.profile.earliest(from, width, estimate)
    }

    fn effect_of_submission(&self) -> SubmissionEffect {
        SubmissionEffect::DelaysOverlapping
    }
}
