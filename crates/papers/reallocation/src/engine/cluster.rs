//! One cluster as the meta-scheduler sees it.

use crate::engine::demand::Demand;
use crate::engine::news::{News, Recorder};
use crate::engine::{ClusterSpec, GridJob, Outage, Platform};
use dfrsim_cluster::{Decision, EstimateModel, JobHandle, Options, Simulation, SimulationError, View};
use dfrsim_model::{Job, JobId, SimSpan, SimTime};
use dfrsim_policies::batch::{Asked, Expected, LocalScheduler, PlannedJob, PublishedPlan, SubmissionEffect};
use std::collections::{BTreeSet, VecDeque};
use std::iter::{self, Empty};

pub(crate) struct Cluster<'a> {
    pub(crate) spec: ClusterSpec,
    jobs: &'a [GridJob],
    /// Whether a job is to it no more than a width and a walltime, at least while its scheduler says so too.
    is_plain: bool,
    now: SimTime,
    simulation: Simulation<Empty<Job>, Recorder>,
    scheduler: LocalScheduler,
    /// Kept to reuse its memory.
    decision: Decision,
    pub(crate) is_up: bool,
    /// When it decided last, if no job has come or left since.
    decided_at: Option<SimTime>,
    /// The outages that have not ended.
    outages: VecDeque<Outage>,
    /// How many jobs wait here.
    pub(crate) waiting: usize,
    /// Those of them that have begun here, and stay.
    begun: BTreeSet<usize>,
    /// The jobs by their place in the order of submission here, and their handles by their numbers.
    numbers: Vec<u32>,
    handles: Vec<JobHandle>,
    work: Work,
    /// The meta-scheduler's knowledge of it, if that is not its present state.
    published: Option<PublishedPlan>,
}

/// The work that is left, in core microseconds: a sum over the running jobs of width * (expected end - now), which is
/// kept as two sums, and one over the waiting jobs of width * walltime.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    running_ends: u128,
    running_width: u128,
    waiting: u128,
}

impl<'a> Cluster<'a> {
    /// A cluster of a platform; whether the meta-scheduler only knows what it publishes, and whether its records are of use.
    pub(crate) fn new(
        platform: &Platform,
        at: usize,
        jobs: &'a [GridJob],
        is_published: bool,
        records: bool,
    ) -> Result<Cluster<'a>, SimulationError> {
        let spec = platform.clusters()[at].clone();
        let (local, conditions) = (platform.local_of(&spec), &spec.conditions);
        let options = Options {
            estimates: EstimateModel::Requested,
            outages: conditions.outages.clone(),
            unequal: conditions.unequal.clone(),
            epilog: SimSpan::from_secs(conditions.priorities.as_ref().map_or(0, |it| it.epilog_s)),
            ..Options::default()
        };
        let mut cluster = Cluster {
            simulation: Simulation::new(spec.cores, options, iter::empty(), Recorder::new(records))?,
            scheduler: LocalScheduler::new(local, spec.cores, conditions.priorities.as_ref()),
            decision: Decision::default(),
            is_up: true,
            decided_at: None,
            outages: platform.outages().iter().filter(|outage| outage.cluster == at).copied().collect(),
            waiting: 0,
            begun: BTreeSet::new(),
            numbers: Vec::new(),
            handles: Vec::new(),
            work: Work::default(),
            published: None,
            jobs,
            is_plain: spec.is_plain(),
            now: SimTime::ZERO,
            spec,
        };
        cluster.go_to(SimTime::ZERO)?;
        cluster.pass()?;
        if is_published {
            cluster.publish(SimTime::ZERO)?;
        }
        Ok(cluster)
    }

    /// Whether the cluster is large enough for a job that it knows by its width and walltime.
    pub(crate) fn accepts(&self, width: u32) -> bool {
        self.is_up && width <= self.spec.cores
    }
    /// Whether a job might ever run here.
    pub(crate) fn could_run(&mut self, job: usize) -> bool {
        if self.is_plain {
            return self.jobs[job].width <= self.spec.cores;
        }
        let demand = self.demand(job);
        self.consider(demand, |scheduler, simulation, handle| {
            scheduler.could_run(simulation.situation().view, handle)
        })
    }
    /// How long the job runs here, until it is done or killed, the transfer of its data not counted.
    fn run(&self, job: usize) -> SimSpan {
        self.spec.speed.time_of(self.jobs[job].run.min(self.jobs[job].walltime))
    }
    /// The request to this cluster of a job whose data need not be transferred.
    pub(crate) fn demand(&self, job: usize) -> Demand {
        let GridJob { width, walltime, .. } = self.jobs[job];
        Demand { job, width, walltime: self.spec.speed.time_of(walltime) }
    }
    /// How many jobs wait here, as far as the meta-scheduler knows.
    pub(crate) fn known_waiting(&self, now: SimTime) -> usize {
        self.published.as_ref().map_or(self.waiting, |plan| plan.waiting(now))
    }
    /// The work that is left, as far as the meta-scheduler knows.
    pub(crate) fn work_left(&self, now: SimTime) -> u128 {
        if let Some(plan) = &self.published {
            return plan.work_left(now);
        }
        let Work { running_ends, running_width, waiting } = self.work;
        (running_ends + waiting).saturating_sub(running_width * u128::from(now.micros()))
    }
    /// Whether running jobs may be lost, or wait again.
    pub(crate) fn may_interrupt(&self) -> bool {
        let preempts = self.spec.conditions.priorities.as_ref().is_some_and(|it| it.preempting().is_some());
        preempts || self.spec.conditions.outages.is_some()
    }

    /// The cluster as it simulates the job.
    fn as_simulated(&self, now: SimTime, Demand { job: number, width, walltime }: Demand) -> Job {
        let job = &self.jobs[number];
        let transfer = SimSpan::from_micros(
            walltime.micros().saturating_sub(self.spec.speed.time_of(job.walltime).micros()),
        );
        Job {
            id: JobId(number as u64),
            submit: now,
            tasks: width,
            cpu_need: job.traits.cpu_need,
            memory: job.traits.memory,
            run_time: self.run(number) + transfer,
            requested_time: Some(walltime),
            user: job.traits.user,
            origin: job.traits.origin,
        }
    }
    fn number(&self, handle: JobHandle) -> usize {
        self.simulation.situation().view.job(handle).id().0 as usize
    }
    /// The job of a place in the order of submission.
    pub(crate) fn job_of(&self, sequence: u64) -> usize {
        self.numbers[sequence as usize] as usize
    }

    /// When something happens by itself.
    pub(crate) fn next_moment(&self) -> Option<SimTime> {
        self.simulation.next_moment()
    }
    /// Lets happen what happens at a moment.
    pub(crate) fn go_to(&mut self, now: SimTime) -> Result<(), SimulationError> {
        self.now = now;
        self.simulation.go_to(now)
    }
    /// What happened since it was asked.
    pub(crate) fn news(&mut self) -> Vec<News> {
        self.simulation.observer_mut().take()
    }
    /// Gives memory back.
    pub(crate) fn give_back(&mut self, news: Vec<News>) {
        self.simulation.observer_mut().give_back(news);
    }
    /// A scheduling pass.
    pub(crate) fn pass(&mut self) -> Result<(), SimulationError> {
        use dfrsim_cluster::Scheduler as _;
        self.decided_at = Some(self.now);
        self.scheduler.decide(&self.simulation.situation(), &mut self.decision);
        self.simulation.decide(&mut self.decision)
    }
    /// Whether it has decided in this moment on what came before that which comes next.
    pub(crate) fn has_decided(&mut self, now: SimTime) -> bool {
        self.decided_at.take() == Some(now)
    }
    fn reach(&mut self, now: SimTime) -> Result<(), SimulationError> {
        if self.now < now { self.go_to(now) } else { Ok(()) }
    }

    pub(crate) fn submit(&mut self, now: SimTime, demand: Demand) -> Result<(), SimulationError> {
        self.reach(now)?;
        let handle = self.simulation.submit_now(self.as_simulated(now, demand))?;
        self.numbers.push(u32::try_from(demand.job).expect("jobs are numbered by 32 bits"));
        if self.handles.len() <= demand.job {
            self.handles.resize(demand.job + 1, JobHandle::new(0));
        }
        self.handles[demand.job] = handle;
        self.waiting += 1;
        self.work.waiting += demand.work();
        Ok(())
    }
    pub(crate) fn cancel(&mut self, now: SimTime, demand: Demand) -> Result<(), SimulationError> {
        self.reach(now)?;
        let handle = self.handles[demand.job];
        self.scheduler.withdraw(self.simulation.situation().view, handle);
        self.drop(handle);
        self.forget(demand);
        Ok(())
    }
    fn drop(&mut self, handle: JobHandle) {
        self.simulation.withdraw(handle);
        self.simulation.observer_mut().forget_last();
    }
    /// A job that waited does no more.
    pub(crate) fn forget(&mut self, demand: Demand) {
        self.waiting -= 1;
        self.work.waiting -= demand.work();
    }
    /// All these jobs leave, which are all that wait here.
    pub(crate) fn cancel_all(
        &mut self,
        now: SimTime,
        jobs: impl Iterator<Item = usize>,
    ) -> Result<(), SimulationError> {
        self.reach(now)?;
        self.scheduler.withdraw_all_waiting();
        jobs.for_each(|job| self.drop(self.handles[job]));
        (self.waiting, self.work.waiting) = (0, 0);
        Ok(())
    }
    /// It loses all jobs.
    pub(crate) fn fail(&mut self, now: SimTime) -> Result<(), SimulationError> {
        self.reach(now)?;
        for handle in self.simulation.situation().view.jobs().to_vec() {
            self.scheduler.withdraw(self.simulation.situation().view, handle);
            self.drop(handle);
        }
        (self.is_up, self.waiting, self.work) = (false, 0, Work::default());
        self.begun.clear();
        if let Some(plan) = &mut self.published {
            plan.clear(now);
        }
        Ok(())
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

    /// A job has nodes from now on.
    pub(crate) fn started(&mut self, now: SimTime, demand: Demand) {
        self.begun.remove(&demand.job);
        self.waiting -= 1;
        self.work.waiting -= demand.work();
        self.work.running_width += u128::from(demand.width);
        self.work.running_ends += u128::from(demand.width) * u128::from((now + demand.walltime).micros());
    }
    /// A job has left the nodes that it had since a moment.
    pub(crate) fn ended(&mut self, demand: Demand, start: SimTime) {
        let expected = start + demand.walltime;
        self.work.running_width -= u128::from(demand.width);
        self.work.running_ends -= u128::from(demand.width) * u128::from(expected.micros());
    }
    /// A job that had nodes waits again.
    pub(crate) fn set_back(&mut self, demand: Demand, start: SimTime) {
        self.ended(demand, start);
        self.begun.insert(demand.job);
        self.waiting += 1;
        self.work.waiting += demand.work();
    }

    /// Appends the waiting jobs that have not begun by their numbers, with what is expected of them.
    pub(crate) fn plan(&mut self, now: SimTime, plan: &mut Vec<(usize, Expected)>) {
        let mut planned: Vec<PlannedJob> = Vec::with_capacity(self.waiting);
        self.scheduler.plan(now, &mut planned);
        let numbered = planned.into_iter().map(|it| (self.number(it.job), it.expected));
        plan.extend(numbered.filter(|(job, _)| !self.begun.contains(job)));
    }
    /// The same, as far as the meta-scheduler knows.
    pub(crate) fn known_plan(&mut self, now: SimTime, plan: &mut Vec<(usize, Expected)>) {
        self.plan(now, plan);
        if let Some(published) = &self.published {
            let known = |job: usize| published.of(now, JobId(job as u64));
            plan.iter_mut().for_each(|(job, expected)| *expected = known(*job).unwrap_or(*expected));
        }
    }
    /// When a job would run if it were submitted now, as far as the meta-scheduler knows; `from` is a moment known to be no
    /// later than its start.
    pub(crate) fn expect(&mut self, now: SimTime, from: SimTime, demand: Demand) -> Expected {
        let Some(mut plan) = self.published.take() else { return self.planned(now, from, demand) };
        let expected =
            self.ask(now, demand, |scheduler, view, asked| scheduler.expect_by(&mut plan, view, asked));
        self.published = Some(plan);
        expected.unwrap_or(Expected::UNKNOWN)
    }
    /// When a job would end if it were submitted now and started when the first of its cores is free, as far as the meta-scheduler
    /// knows.
    pub(crate) fn expect_from_first_core(&mut self, now: SimTime, demand: Demand) -> SimTime {
        let mut published = self.published.take();
        let start = self.ask(now, demand, |scheduler, view, asked| match &mut published {
            None => scheduler.first_core(view, asked),
            Some(plan) => scheduler.first_core_by(plan, view, asked),
        });
        self.published = published;
        start.map_or(SimTime::MAX, |start| start.saturating_add(demand.walltime))
    }
    /// Whether the meta-scheduler knows only what is published.
    pub(crate) fn is_published(&self) -> bool {
        self.published.is_some()
    }
    /// Publishes its state.
    pub(crate) fn publish(&mut self, now: SimTime) -> Result<(), SimulationError> {
        self.reach(now)?;
        self.published = Some(self.scheduler.publish(self.simulation.situation().view));
        Ok(())
    }
    /// The meta-scheduler notes that it has submitted a job.
    pub(crate) fn note_submitted(&mut self, job: usize) {
        if let Some(plan) = &mut self.published {
            let view = self.simulation.situation().view;
            self.scheduler.enter_in(plan, view, self.handles[job]);
        }
    }
    /// The meta-scheduler notes that a job is not here any more.
    pub(crate) fn note_gone(&mut self, now: SimTime, job: usize) {
        if let Some(plan) = &mut self.published {
            plan.strike(now, JobId(job as u64));
        }
    }
    /// When a job runs, says the cluster, if it is submitted now.
    pub(crate) fn planned(&mut self, now: SimTime, from: SimTime, demand: Demand) -> Expected {
        let planned =
            self.ask(now, demand, |scheduler, view, asked| scheduler.expect_submitted(view, from, asked));
        planned.unwrap_or(Expected::UNKNOWN)
    }
    /// Asks the scheduler about a job; `None` of a cluster that cannot go on, which says so in its next pass.
    fn ask<T>(
        &mut self,
        now: SimTime,
        demand: Demand,
        question: impl FnOnce(&mut LocalScheduler, View<'_>, Asked) -> T,
    ) -> Option<T> {
        self.reach(now).ok()?;
        if self.is_plain() {
            let asked = Asked::Plain(demand.width, demand.walltime);
            return Some(question(&mut self.scheduler, self.simulation.situation().view, asked));
        }
        Some(self.consider(demand, |scheduler, simulation, handle| {
            question(scheduler, simulation.situation().view, Asked::Seen(handle))
        }))
    }
    fn consider<T>(
        &mut self,
        demand: Demand,
        ask: impl FnOnce(&mut LocalScheduler, &Simulation<Empty<Job>, Recorder>, JobHandle) -> T,
    ) -> T {
        let handle = self.simulation.consider(self.as_simulated(self.now, demand));
        let answer = ask(&mut self.scheduler, &self.simulation, handle);
        self.simulation.drop_considered(handle);
        answer
    }
    /// Whether a job is to it no more than a width and a walltime, now.
    fn is_plain(&self) -> bool {
        self.is_plain && self.scheduler.is_plain()
    }
    pub(crate) fn effect_of_submission(&self) -> SubmissionEffect {
        match self.published {
            None if self.is_plain() => self.scheduler.effect_of_submission(),
            _ => SubmissionEffect::Any,
        }
    }
}
