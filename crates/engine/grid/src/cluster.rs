//! One cluster as the meta-scheduler sees it.

use crate::book::Book;
use crate::{ClusterSpec, GridJob, Outage, Platform};
use dfrsim_cluster::JobHandle;
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::batch::{BatchJob, BatchPolicy, LocalQueue, PlannedJob, SubmissionEffect};
use std::collections::VecDeque;

/// The request of a job to a cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    pub(crate) width: u32,
    /// After how long it is killed there.
    pub(crate) walltime: SimSpan,
}

pub(crate) struct Cluster {
    pub(crate) spec: ClusterSpec,
    local: BatchPolicy,
    queue: LocalQueue,
    pub(crate) is_up: bool,
    /// The outages that have not ended.
    outages: VecDeque<Outage>,
    /// How many jobs wait here.
    pub(crate) waiting: usize,
    /// How many were ever submitted here.
    submitted: u64,
    work: Work,
    /// The meta-scheduler's knowledge of it, if that is not its present state.
    pub(crate) book: Option<Book>,
}

/// The work that is left, in core microseconds: a sum over the running jobs of width * (expected end - now), which is
/// kept as two sums, and one over the waiting jobs of width * walltime.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    running_ends: u128,
    running_width: u128,
    waiting: u128,
}

impl Cluster {
    /// A cluster of a platform; whether the meta-scheduler only knows what it publishes.
    pub(crate) fn new(platform: &Platform, at: usize, is_published: bool) -> Cluster {
        let spec = platform.clusters()[at].clone();
        let local = platform.local_of(&spec);
        let book = is_published.then(|| Book::new(local, spec.cores));
        Cluster {
            queue: LocalQueue::new(local, spec.cores),
            spec,
            local,
            is_up: true,
            outages: platform.outages().iter().filter(|outage| outage.cluster == at).copied().collect(),
            waiting: 0,
            submitted: 0,
            work: Work::default(),
            book,
        }
    }

    /// Whether a job of this width can be submitted.
    pub(crate) fn accepts(&self, width: u32) -> bool {
        self.is_up && width <= self.spec.cores
    }
    /// How long the job runs here, until it is done or killed, the transfer of its data not counted.
    pub(crate) fn run(&self, job: &GridJob) -> SimSpan {
        self.spec.speed.time_of(job.run.min(job.walltime))
    }
    /// The request to this cluster of a job whose data need not be transferred.
    pub(crate) fn demand(&self, job: &GridJob) -> Demand {
        Demand { width: job.width, walltime: self.spec.speed.time_of(job.walltime) }
    }
    /// How many jobs wait here, as far as the meta-scheduler knows.
    pub(crate) fn known_waiting(&self, now: SimTime) -> usize {
        self.book.as_ref().map_or(self.waiting, |book| book.waiting(now))
    }
    /// The work that is left, as far as the meta-scheduler knows.
    pub(crate) fn work_left(&mut self, now: SimTime) -> u128 {
        if let Some(book) = &mut self.book {
            return book.work_left(now);
        }
        let Work { running_ends, running_width, waiting } = self.work;
        running_ends - running_width * u128::from(now.micros()) + waiting
    }

    pub(crate) fn submit(&mut self, now: SimTime, number: usize, demand: Demand) {
        let Demand { width, walltime } = demand;
        self.queue.submit(BatchJob {
            job: handle(number),
            sequence: self.submitted,
            submit: now,
            width,
            estimate: walltime,
        });
        self.submitted += 1;
        self.waiting += 1;
        self.work.waiting += demand.work();
    }
    pub(crate) fn cancel(&mut self, now: SimTime, number: usize, demand: Demand) {
        self.queue.cancel(now, handle(number));
        self.waiting -= 1;
        self.work.waiting -= demand.work();
    }
    pub(crate) fn cancel_all(&mut self) {
        self.queue.cancel_all();
        self.waiting = 0;
        self.work.waiting = 0;
    }
    /// It loses all jobs.
    pub(crate) fn fail(&mut self, now: SimTime) {
        self.queue = LocalQueue::new(self.local, self.spec.cores);
        (self.is_up, self.waiting, self.work) = (false, 0, Work::default());
        if let Some(book) = &mut self.book {
            book.clear(now, std::iter::empty());
        }
    }
    /// The failure is over.
    pub(crate) fn repair(&mut self) {
        self.is_up = true;
        self.outages.pop_front();
    }
    /// When it fails, or works again.
    pub(crate) fn next_change(&self) -> Option<SimTime> {
        let outage = self.outages.front()?;
        Some(if self.is_up { outage.from } else { outage.until })
    }
    /// A scheduling pass; the caller reports each start by [`Cluster::started`].
    pub(crate) fn pass(&mut self, now: SimTime, starts: &mut Vec<JobHandle>) {
        self.queue.pass(now, starts);
    }
    pub(crate) fn next_start(&self, now: SimTime) -> Option<SimTime> {
        self.queue.next_start(now)
    }
    pub(crate) fn started(&mut self, now: SimTime, demand: Demand) {
        self.waiting -= 1;
        self.work.waiting -= demand.work();
        self.work.running_width += u128::from(demand.width);
        self.work.running_ends += u128::from(demand.width) * u128::from((now + demand.walltime).micros());
    }
    pub(crate) fn ended(&mut self, now: SimTime, number: usize, demand: Demand, start: SimTime) {
        self.queue.ended(now, handle(number));
        let expected = start + demand.walltime;
        self.work.running_width -= u128::from(demand.width);
        self.work.running_ends -= u128::from(demand.width) * u128::from(expected.micros());
    }

    /// Appends the waiting jobs with their expected starts.
    pub(crate) fn plan(&mut self, now: SimTime, plan: &mut Vec<PlannedJob>) {
        self.queue.plan(now, plan);
    }
    /// The same, as far as the meta-scheduler knows.
    pub(crate) fn known_plan(&mut self, now: SimTime, plan: &mut Vec<PlannedJob>) {
        self.plan(now, plan);
        if let Some(book) = &self.book {
            for planned in plan {
                planned.start = book.start_of(now, planned.job.index()).unwrap_or(planned.start);
            }
        }
    }
    /// When a job would start if it were submitted now, as far as the meta-scheduler knows; `from` is a moment known to be no
    /// later.
    pub(crate) fn start_if_submitted(&mut self, now: SimTime, from: SimTime, demand: Demand) -> SimTime {
        match &mut self.book {
            None => self.queue.start_if_submitted(now, from, demand.width, demand.walltime),
            Some(book) => book.start_if_submitted(now, demand),
        }
    }
    /// When a job would complete if it were submitted now, as far as the meta-scheduler knows.
    pub(crate) fn end_if_submitted(&mut self, now: SimTime, demand: Demand) -> SimTime {
        self.start_if_submitted(now, now, demand) + demand.walltime
    }
    /// When a job completes at the latest, says the cluster, if it is submitted now.
    pub(crate) fn planned_end(&mut self, now: SimTime, demand: Demand) -> SimTime {
        self.queue.start_if_submitted(now, now, demand.width, demand.walltime) + demand.walltime
    }
    pub(crate) fn effect_of_submission(&self) -> SubmissionEffect {
        match self.book {
            None => self.queue.effect_of_submission(),
            Some(_) => SubmissionEffect::Any,
        }
    }
}

impl Demand {
    fn work(self) -> u128 {
        u128::from(self.width) * u128::from(self.walltime.micros())
    }
}

fn handle(number: usize) -> JobHandle {
    JobHandle::new(u32::try_from(number).expect("jobs are numbered by 32 bits"))
}
