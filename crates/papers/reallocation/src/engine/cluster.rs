//! State of one cluster, and the meta-scheduler's access to it.

use crate::engine::demand::Demand;
use crate::engine::news::{LocalEvent, Recorder};
use crate::engine::{ClusterSpec, GridJob, Outage, Platform};
use dfrsim_cluster::{Decision, EstimateModel, JobHandle, Options, Simulation, SimulationError, View};
use dfrsim_model::{Job, JobId, SimSpan, SimTime};
use dfrsim_policies::batch::{
    LocalScheduler, PlannedJob, Prediction, PublishedPlan, Query, SubmissionEffect,
};
use std::collections::{BTreeSet, VecDeque};
use std::iter::{self, Empty};

pub(crate) struct Cluster<'a> {
    pub(crate) spec: ClusterSpec,
    jobs: &'a [GridJob],
    /// True if width and walltime describe a job completely, as far as the cluster is concerned; the
    /// scheduler may require more.
    is_plain: bool,
    now: SimTime,
    simulation: Simulation<Empty<Job>, Recorder>,
    scheduler: LocalScheduler,
    /// Decision under construction; kept to reuse its memory.
    decision: Decision,
    pub(crate) is_up: bool,
    /// Time of the last decision, if no job has arrived or left since.
    decided_at: Option<SimTime>,
    /// Outages that have not ended.
    outages: VecDeque<Outage>,
    /// Number of waiting jobs.
    pub(crate) waiting: usize,
    /// Waiting jobs that have already started here; they are not moved to another cluster.
    started_here: BTreeSet<usize>,
    /// Job numbers in the order of submission to this cluster; `handles` are indexed by job number.
    numbers: Vec<u32>,
    handles: Vec<JobHandle>,
    work: WorkLeft,
    /// State known to the meta-scheduler, if that is not the present one.
    published: Option<PublishedPlan>,
}

/// Work left, in core microseconds: the sum of width * (expected end - now) over the running jobs,
/// kept as two sums, plus the sum of width * walltime over the waiting jobs.
#[derive(Clone, Copy, Debug, Default)]
struct WorkLeft {
    running_ends: u128,
    running_width: u128,
    waiting: u128,
}

impl<'a> Cluster<'a> {
    /// Creates a cluster of a platform. `is_published`: the meta-scheduler only knows published
    /// states; `records`: the observer keeps event records.
    pub(crate) fn new(
        platform: &Platform,
        at: usize,
        jobs: &'a [GridJob],
        is_published: bool,
        records: bool,
    ) -> Result<Cluster<'a>, SimulationError> {
        let spec = platform.clusters()[at].clone();
        let (local, conditions) = (platform.local_of(&spec), &spec.conditions);
        let options =
            conditions.options(Options { estimates: EstimateModel::Requested, ..Options::default() });
        let mut cluster = Cluster {
            simulation: Simulation::new(spec.cores, options, iter::empty(), Recorder::new(records))?,
            scheduler: LocalScheduler::new(local, spec.cores, conditions.site.as_ref()),
            decision: Decision::default(),
            is_up: true,
            decided_at: None,
            outages: platform.outages().iter().filter(|outage| outage.cluster == at).copied().collect(),
            waiting: 0,
            started_here: BTreeSet::new(),
            numbers: Vec::new(),
            handles: Vec::new(),
            work: WorkLeft::default(),
            published: None,
            jobs,
            is_plain: spec.is_plain(),
            now: SimTime::ZERO,
            spec,
        };
        cluster.advance_to(SimTime::ZERO)?;
        cluster.run_cycle()?;
        if is_published {
            cluster.publish(SimTime::ZERO)?;
        }
        Ok(cluster)
    }

    /// Returns whether the cluster is up and large enough for a job of this width.
    pub(crate) fn accepts(&self, width: u32) -> bool {
        self.is_up && width <= self.spec.cores
    }
    /// Returns whether a job could ever run here.
    pub(crate) fn could_run(&mut self, job: usize) -> bool {
        if self.is_plain {
            return self.jobs[job].width <= self.spec.cores;
        }
        let demand = self.demand(job);
        self.with_hypothetical(demand, |scheduler, simulation, handle| {
            scheduler.could_run(simulation.situation().view, handle)
        })
    }
    /// Returns the time that the job runs here, until it completes or is killed, without the
    /// transfer of its data.
    fn run(&self, job: usize) -> SimSpan {
        self.spec.speed.time_of(self.jobs[job].run.min(self.jobs[job].walltime))
    }
    /// Returns the request of a job to this cluster, if no data need to be transferred.
    pub(crate) fn demand(&self, job: usize) -> Demand {
        let GridJob { width, walltime, .. } = self.jobs[job];
        Demand { job, width, walltime: self.spec.speed.time_of(walltime) }
    }
    /// Returns the number of waiting jobs, as far as the meta-scheduler knows.
    pub(crate) fn known_waiting(&self, now: SimTime) -> usize {
        self.published.as_ref().map_or(self.waiting, |plan| plan.waiting(now))
    }
    /// Returns the work left in core microseconds, as far as the meta-scheduler knows.
    pub(crate) fn work_left(&self, now: SimTime) -> u128 {
        if let Some(plan) = &self.published {
            return plan.remaining_work(now);
        }
        let WorkLeft { running_ends, running_width, waiting } = self.work;
        (running_ends + waiting).saturating_sub(running_width * u128::from(now.micros()))
    }
    /// Returns whether running jobs may be lost or requeued.
    pub(crate) fn may_interrupt(&self) -> bool {
        self.spec.conditions.has_interruptions()
    }

    /// Converts a request into a job of the cluster simulation.
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
    /// Returns the number of the job with this sequence number on the cluster.
    pub(crate) fn job_of(&self, sequence: u64) -> usize {
        self.numbers[sequence as usize] as usize
    }

    /// Returns the time of the next event of the cluster itself.
    pub(crate) fn next_event_time(&self) -> Option<SimTime> {
        self.simulation.next_event_time()
    }
    /// Advances to a time and applies its events.
    pub(crate) fn advance_to(&mut self, now: SimTime) -> Result<(), SimulationError> {
        self.now = now;
        self.simulation.advance_to(now)
    }
    /// Takes the events since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<LocalEvent> {
        self.simulation.observer_mut().take()
    }
    /// Returns a list of events so that its memory is reused.
    pub(crate) fn recycle(&mut self, news: Vec<LocalEvent>) {
        self.simulation.observer_mut().recycle(news);
    }
    /// Runs a scheduling cycle.
    pub(crate) fn run_cycle(&mut self) -> Result<(), SimulationError> {
        use dfrsim_cluster::Scheduler as _;
        self.decided_at = Some(self.now);
        self.scheduler.decide(&self.simulation.situation(), &mut self.decision);
        self.simulation.decide(&mut self.decision)
    }
    /// Returns whether the cluster has already decided at this time, on earlier events; resets the
    /// mark.
    pub(crate) fn has_decided(&mut self, now: SimTime) -> bool {
        self.decided_at.take() == Some(now)
    }
    fn advance_if_behind(&mut self, now: SimTime) -> Result<(), SimulationError> {
        if self.now < now { self.advance_to(now) } else { Ok(()) }
    }

    pub(crate) fn submit(&mut self, now: SimTime, demand: Demand) -> Result<(), SimulationError> {
        self.advance_if_behind(now)?;
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
        self.advance_if_behind(now)?;
        let handle = self.handles[demand.job];
        self.scheduler.withdraw(self.simulation.situation().view, handle);
        self.drop(handle);
        self.remove_waiting(demand);
        Ok(())
    }
    fn drop(&mut self, handle: JobHandle) {
        self.simulation.withdraw(handle);
        self.simulation.observer_mut().drop_last();
    }
    /// Removes a job from the totals of the waiting jobs.
    pub(crate) fn remove_waiting(&mut self, demand: Demand) {
        self.waiting -= 1;
        self.work.waiting -= demand.work();
    }
    /// Cancels these jobs, which must be all that wait here.
    pub(crate) fn cancel_all(
        &mut self,
        now: SimTime,
        jobs: impl Iterator<Item = usize>,
    ) -> Result<(), SimulationError> {
        self.advance_if_behind(now)?;
        self.scheduler.withdraw_all_waiting();
        jobs.for_each(|job| self.drop(self.handles[job]));
        (self.waiting, self.work.waiting) = (0, 0);
        Ok(())
    }
    /// Starts a failure: the cluster loses all jobs.
    pub(crate) fn fail(&mut self, now: SimTime) -> Result<(), SimulationError> {
        self.advance_if_behind(now)?;
        for handle in self.simulation.situation().view.jobs().to_vec() {
            self.scheduler.withdraw(self.simulation.situation().view, handle);
            self.drop(handle);
        }
        (self.is_up, self.waiting, self.work) = (false, 0, WorkLeft::default());
        self.started_here.clear();
        if let Some(plan) = &mut self.published {
            plan.clear(now);
        }
        Ok(())
    }
    /// Ends the current failure.
    pub(crate) fn repair(&mut self) {
        self.is_up = true;
        self.outages.pop_front();
    }
    /// Returns the time of the next failure or repair.
    pub(crate) fn next_change(&self) -> Option<SimTime> {
        let outage = self.outages.front()?;
        Some(if self.is_up { outage.from } else { outage.until })
    }

    /// Records that a job has started.
    pub(crate) fn started(&mut self, now: SimTime, demand: Demand) {
        self.started_here.remove(&demand.job);
        self.waiting -= 1;
        self.work.waiting -= demand.work();
        self.work.running_width += u128::from(demand.width);
        self.work.running_ends += u128::from(demand.width) * u128::from((now + demand.walltime).micros());
    }
    /// Records that a job which started at `start` has left its nodes.
    pub(crate) fn ended(&mut self, demand: Demand, start: SimTime) {
        let expected = start + demand.walltime;
        self.work.running_width -= u128::from(demand.width);
        self.work.running_ends -= u128::from(demand.width) * u128::from(expected.micros());
    }
    /// Records that a running job waits again.
    pub(crate) fn requeued(&mut self, demand: Demand, start: SimTime) {
        self.ended(demand, start);
        self.started_here.insert(demand.job);
        self.waiting += 1;
        self.work.waiting += demand.work();
    }

    /// Appends the waiting jobs that have never started here, each with the scheduler's prediction.
    pub(crate) fn plan(&mut self, now: SimTime, plan: &mut Vec<(usize, Prediction)>) {
        let mut planned: Vec<PlannedJob> = Vec::with_capacity(self.waiting);
        self.scheduler.plan(now, &mut planned);
        let numbered = planned.into_iter().map(|it| (self.number(it.job), it.expected));
        plan.extend(numbered.filter(|(job, _)| !self.started_here.contains(job)));
    }
    /// Appends these jobs with the predictions that the meta-scheduler knows.
    pub(crate) fn known_plan(&mut self, now: SimTime, plan: &mut Vec<(usize, Prediction)>) {
        self.plan(now, plan);
        if let Some(published) = &self.published {
            let known = |job: usize| published.prediction(now, JobId(job as u64));
            plan.iter_mut().for_each(|(job, expected)| *expected = known(*job).unwrap_or(*expected));
        }
    }
    /// Predicts the run of a job that is submitted now, as far as the meta-scheduler knows; `from`
    /// must not be later than its start.
    pub(crate) fn expect(&mut self, now: SimTime, from: SimTime, demand: Demand) -> Prediction {
        let Some(mut plan) = self.published.take() else { return self.planned(now, from, demand) };
        let expected =
            self.ask(now, demand, |scheduler, view, asked| scheduler.predict_by(&mut plan, view, asked));
        self.published = Some(plan);
        expected.unwrap_or(Prediction::UNKNOWN)
    }
    /// Predicts the end of a job that is submitted now and starts when the first core becomes free,
    /// as far as the meta-scheduler knows.
    pub(crate) fn expect_from_first_core(&mut self, now: SimTime, demand: Demand) -> SimTime {
        let mut published = self.published.take();
        let start = self.ask(now, demand, |scheduler, view, asked| match &mut published {
            None => scheduler.predict_first_core(view, asked),
            Some(plan) => scheduler.predict_first_core_by(plan, view, asked),
        });
        self.published = published;
        start.map_or(SimTime::MAX, |start| start.saturating_add(demand.walltime))
    }
    /// Returns whether the meta-scheduler knows only published states.
    pub(crate) fn is_published(&self) -> bool {
        self.published.is_some()
    }
    /// Publishes the current state to the meta-scheduler.
    pub(crate) fn publish(&mut self, now: SimTime) -> Result<(), SimulationError> {
        self.advance_if_behind(now)?;
        self.published = Some(self.scheduler.publish(self.simulation.situation().view));
        Ok(())
    }
    /// Records a job that the meta-scheduler has submitted in its copy of the published state.
    pub(crate) fn note_submitted(&mut self, job: usize) {
        if let Some(plan) = &mut self.published {
            let view = self.simulation.situation().view;
            self.scheduler.add_submitted(plan, view, self.handles[job]);
        }
    }
    /// Removes a job that has left from the meta-scheduler's copy of the published state.
    pub(crate) fn note_gone(&mut self, now: SimTime, job: usize) {
        if let Some(plan) = &mut self.published {
            plan.remove(now, JobId(job as u64));
        }
    }
    /// Predicts the run of a job that is submitted now, by the cluster's own scheduler and its
    /// present state.
    pub(crate) fn planned(&mut self, now: SimTime, from: SimTime, demand: Demand) -> Prediction {
        let planned =
            self.ask(now, demand, |scheduler, view, asked| scheduler.predict_submitted(view, from, asked));
        planned.unwrap_or(Prediction::UNKNOWN)
    }
    /// Asks the scheduler about a job; `None` if the cluster simulation has failed, an error that
    /// its next cycle reports.
    fn ask<T>(
        &mut self,
        now: SimTime,
        demand: Demand,
        question: impl FnOnce(&mut LocalScheduler, View<'_>, Query) -> T,
    ) -> Option<T> {
        self.advance_if_behind(now).ok()?;
        if self.is_plain() {
            let asked = Query::Plain(demand.width, demand.walltime);
            return Some(question(&mut self.scheduler, self.simulation.situation().view, asked));
        }
        Some(self.with_hypothetical(demand, |scheduler, simulation, handle| {
            question(scheduler, simulation.situation().view, Query::Seen(handle))
        }))
    }
    fn with_hypothetical<T>(
        &mut self,
        demand: Demand,
        ask: impl FnOnce(&mut LocalScheduler, &Simulation<Empty<Job>, Recorder>, JobHandle) -> T,
    ) -> T {
        let handle = self.simulation.consider(self.as_simulated(self.now, demand));
        let answer = ask(&mut self.scheduler, &self.simulation, handle);
        self.simulation.drop_considered(handle);
        answer
    }
    /// Returns whether width and walltime describe a job completely at present.
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
