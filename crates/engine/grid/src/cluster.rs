//! One cluster as the meta-scheduler sees it.

use crate::{ClusterSpec, GridJob, LocalPolicy};
use dfrsim_cluster::JobHandle;
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::batch::{BatchJob, Forecast, PlannedJob, SubmissionEffect};

pub(crate) struct Cluster {
    pub(crate) spec: ClusterSpec,
    planner: Box<dyn Forecast>,
    /// How many jobs wait here.
    pub(crate) waiting: usize,
    /// How many were ever submitted here.
    submitted: u64,
    work: Work,
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
    pub(crate) fn new(spec: ClusterSpec, local: LocalPolicy) -> Cluster {
        let planner = local.planner(spec.cores);
        Cluster { spec, planner, waiting: 0, submitted: 0, work: Work::default() }
    }

    pub(crate) fn fits(&self, job: &GridJob) -> bool {
        job.width <= self.spec.cores
    }
    pub(crate) fn walltime(&self, job: &GridJob) -> SimSpan {
        self.spec.speed.time_of(job.walltime)
    }
    /// How long the job runs here, until it is done or killed.
    pub(crate) fn run(&self, job: &GridJob) -> SimSpan {
        self.spec.speed.time_of(job.run.min(job.walltime))
    }
    pub(crate) fn work_left(&self, now: SimTime) -> u128 {
        let Work { running_ends, running_width, waiting } = self.work;
        running_ends - running_width * u128::from(now.micros()) + waiting
    }

    pub(crate) fn submit(&mut self, now: SimTime, number: usize, job: &GridJob) {
        let estimate = self.walltime(job);
        self.planner.submit(BatchJob {
            job: handle(number),
            sequence: self.submitted,
            submit: now,
            width: job.width,
            estimate,
        });
        self.submitted += 1;
        self.waiting += 1;
        self.work.waiting += area(job.width, estimate);
    }
    pub(crate) fn cancel(&mut self, now: SimTime, number: usize, job: &GridJob) {
        self.planner.cancel(now, handle(number));
        self.waiting -= 1;
        self.work.waiting -= area(job.width, self.walltime(job));
    }
    pub(crate) fn cancel_all(&mut self, now: SimTime) {
        self.planner.cancel_all(now);
        self.waiting = 0;
        self.work.waiting = 0;
    }
    /// A scheduling pass; the caller tells of each start by [`Cluster::started`].
    pub(crate) fn pass(&mut self, now: SimTime, starts: &mut Vec<JobHandle>) {
        self.planner.pass(now, starts);
    }
    pub(crate) fn next_start(&self, now: SimTime) -> Option<SimTime> {
        self.planner.next_start(now)
    }
    pub(crate) fn started(&mut self, now: SimTime, job: &GridJob) {
        let walltime = self.walltime(job);
        self.waiting -= 1;
        self.work.waiting -= area(job.width, walltime);
        self.work.running_width += u128::from(job.width);
        self.work.running_ends += u128::from(job.width) * u128::from((now + walltime).micros());
    }
    pub(crate) fn ended(&mut self, now: SimTime, number: usize, job: &GridJob, start: SimTime) {
        self.planner.ended(now, handle(number));
        let expected = start + self.walltime(job);
        self.work.running_width -= u128::from(job.width);
        self.work.running_ends -= u128::from(job.width) * u128::from(expected.micros());
    }

    /// Appends the waiting jobs with their expected starts.
    pub(crate) fn plan(&mut self, now: SimTime, plan: &mut Vec<PlannedJob>) {
        self.planner.plan(now, plan);
    }
    /// When a job would start if it were submitted now; `from` is a moment known to be no later.
    pub(crate) fn start_if_submitted(
        &mut self,
        now: SimTime,
        from: SimTime,
        width: u32,
        walltime: SimSpan,
    ) -> SimTime {
        self.planner.start_if_submitted(now, from, width, walltime)
    }
    /// When a job would complete if it were submitted now.
    pub(crate) fn end_if_submitted(&mut self, now: SimTime, job: &GridJob) -> SimTime {
        let walltime = self.walltime(job);
        self.start_if_submitted(now, now, job.width, walltime) + walltime
    }
    pub(crate) fn effect_of_submission(&self) -> SubmissionEffect {
        self.planner.effect_of_submission()
    }
}

fn handle(number: usize) -> JobHandle {
    JobHandle::new(u32::try_from(number).expect("jobs are numbered by 32 bits"))
}

fn area(width: u32, span: SimSpan) -> u128 {
    u128::from(width) * u128::from(span.micros())
}
