//! Start-time predictions of a local scheduler, for a scheduler above several clusters.

use super::allocation::{Occupancy, Slot};
use super::job::BatchJob;
use super::pools::Pools;
use super::queue::Waiting;
use super::scheduler::BatchScheduler;
use super::state::BatchState;
use super::timeline::Timeline;
use dfrsim_cluster::{Decision, JobHandle, JobState, Scheduler, Situation, View};
use dfrsim_model::batch::{Backfilling, BatchPolicy, Compression, QueueOrder};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{SimSpan, SimTime};
use std::sync::Arc;

/// Scheduler of a batch policy with a plan that can be queried and a queue from which jobs can be
/// withdrawn.
///
/// At one simulated time, situations and withdrawals come first, each followed by a decision; then
/// come the queries.
///
/// With CONS, a query uses the reservations. The other policies have no plan of the whole queue, so
/// a separate forecast is computed in queue order. With FCFS, it is what happens if all estimates
/// are right. With EASY, each job has the earliest hole that does not delay the jobs before it: the
/// queue head has exactly the reservation that EASY computes, and each further job has the one it
/// would have if those before it had theirs. EASY itself may start a job earlier, and may delay all
/// but the head. The same forecast is used where a site has limits, preemption, or backfill
/// settings: a job that is blocked by a limit is planned after all others, and no job is preempted.
///
/// ```
/// use dfrsim_cluster::{Decision, Options, Scheduler as _, Simulation};
/// use dfrsim_policies::batch::{Backfilling, LocalScheduler, Query};
/// # use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
/// # let hour = SimSpan::from_secs(3_600);
/// # let job = |id, tasks| Job { id: JobId(id), submit: SimTime::ZERO, tasks, cpu_need: Share::ONE, memory: Share::ZERO,
/// #     run_time: hour, requested_time: None, user: None, origin: dfrsim_model::Origin::UNKNOWN };
/// let mut cluster = Simulation::new(4, Options::default(), [], ())?;
/// let (mut scheduler, mut decision) = (LocalScheduler::new(Backfilling::Easy.into(), 4, None), Decision::default());
/// cluster.submit_now(job(1, 3))?;
/// scheduler.decide(&cluster.situation(), &mut decision);
/// cluster.decide(&mut decision)?;
/// let found = scheduler.predict_submitted(cluster.situation().view, SimTime::ZERO, Query::Plain(2, hour));
/// assert_eq!(found.start, SimTime::ZERO + hour);
/// # Ok::<(), dfrsim_cluster::SimulationError>(())
/// ```
#[derive(Debug)]
pub struct LocalScheduler {
    pub(super) scheduler: BatchScheduler,
    /// Forecast for a policy that does not plan all waiting jobs itself; `None` if it does.
    forecast: Option<Forecast>,
}

/// Predicted start and end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// The predicted start, if all jobs run as long as estimated and none is submitted or cancelled;
    /// [`SimTime::MAX`] if there is no prediction because too many nodes are down.
    pub start: SimTime,
    /// The predicted end.
    pub end: SimTime,
}

/// The job that a query is about.
#[derive(Clone, Copy, Debug)]
pub enum Query {
    /// A job of this size and estimate. Only valid if the scheduler is
    /// [plain](LocalScheduler::is_plain).
    Plain(u32, SimSpan),
    /// A job that waits, or that the view [considers](dfrsim_cluster::Simulation::consider).
    Seen(JobHandle),
}

/// A waiting job and its prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedJob {
    /// The waiting job.
    pub job: JobHandle,
    /// Predicted start and end.
    pub expected: Prediction,
}

/// Possible effect of a further submission on earlier answers of
/// [`LocalScheduler::predict_submitted`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmissionEffect {
    /// Starts can only become later, and only those of jobs that would overlap the new job in time.
    DelaysOverlapping,
    /// Starts can only become later, independently of the estimate of the new job.
    Delays,
    /// Starts can become later or earlier.
    Any,
}

/// Forecast of the waiting jobs in queue order. It is recomputed lazily: when a query arrives after
/// an unplanned event, such as an early termination, a cancellation with other jobs behind it, or a
/// start at another time than planned.
#[derive(Debug)]
struct Forecast {
    /// Running jobs and, if the forecast is not stale, waiting ones. If jobs start in queue order,
    /// the timeline begins when the last of them starts: the next one cannot start before, so
    /// thousands of waiting jobs need only a few dozen steps.
    timeline: Timeline,
    /// True if no job starts before its predecessor (FCFS); `last_start` is then the start of the
    /// last planned job.
    is_in_queue_order: bool,
    last_start: SimTime,
    is_stale: bool,
}

/// Returns whether no job of a [`LocalScheduler`] ever starts later than predicted at its
/// submission, provided that no job exceeds its estimate.
#[must_use]
pub fn guarantees_start_times(policy: BatchPolicy) -> bool {
    match policy.backfilling {
        Backfilling::Fcfs => policy.order == QueueOrder::Arrival,
        Backfilling::Conservative(compression) => {
            compression == Compression::OneByOne && !policy.order.depends_on_time()
        }
        Backfilling::FirstFit | Backfilling::Easy | Backfilling::TwoQueues | Backfilling::Slurm => false,
    }
}

impl Prediction {
    /// The job is not part of any plan.
    pub const UNKNOWN: Prediction = Prediction { start: SimTime::MAX, end: SimTime::MAX };

    fn of(found: Option<(SimTime, Slot)>) -> Prediction {
        found.map_or(Prediction::UNKNOWN, |(start, (_, end))| Prediction { start, end })
    }
}

impl Query {
    /// Converts the query to a waiting job.
    pub(super) fn waiting(self, pools: &mut Pools, view: View<'_>) -> Waiting {
        match self {
            Query::Plain(width, estimate) => {
                let (job, submit) = (JobHandle::new(u32::MAX), view.now());
                Waiting::new(BatchJob { job, sequence: u64::MAX, submit, size: width, estimate }, 0)
            }
            Query::Seen(job) => Waiting::new(BatchJob::new(view, job), pools.request_of(view, job)),
        }
    }
}

impl LocalScheduler {
    /// Creates the scheduler of a policy for a cluster of `nodes` nodes. The settings of the site
    /// must have been [checked](SiteSettings::check). A decision must come before the first query.
    pub fn new(policy: BatchPolicy, nodes: u32, site: Option<&Arc<SiteSettings>>) -> LocalScheduler {
        let mut scheduler = BatchScheduler::new(policy, nodes, site);
        scheduler.is_queried = true;
        let keeps_plan = matches!(policy.backfilling, Backfilling::Conservative(_))
            && scheduler.state.site.as_ref().is_none_or(|site| site.has_stable_plans());
        let forecast = Forecast {
            timeline: Timeline::new(&scheduler.state.pools, SimTime::ZERO),
            is_in_queue_order: policy.backfilling == Backfilling::Fcfs,
            last_start: SimTime::ZERO,
            is_stale: true,
        };
        LocalScheduler { scheduler, forecast: (!keeps_plan).then_some(forecast) }
    }

    /// Returns whether a job is fully described by its size and estimate: all nodes are equal, each
    /// task has a node of its own, no maintenance window is announced, and the site has no settings.
    pub fn is_plain(&self) -> bool {
        self.scheduler.state.site.is_none() && self.scheduler.state.pools.single().is_some()
    }

    /// Removes a job that has not ended. The next decision compresses the schedule as it does after
    /// an early termination.
    pub fn withdraw(&mut self, view: View<'_>, job: JobHandle) {
        self.scheduler.backfiller.note_withdrawal();
        if view.job(job).state() == JobState::Running {
            self.forecast.iter_mut().for_each(|forecast| forecast.is_stale = true);
            return self.scheduler.release(view, job, view.job(job).placement().ranges());
        }
        let (now, keeps_forecast) = (view.now(), self.keeps_forecast());
        let BatchScheduler { state, backfiller, .. } = &mut self.scheduler;
        let BatchState { pools, queue, preempted, .. } = state;
        preempted.retain(|waiting| *waiting != job);
        let Some(at) = queue.jobs.iter().position(|waiting| waiting.job.job == job) else { return };
        let job = queue.remove(at);
        match (&mut self.forecast, backfiller.plan_mut()) {
            (None, Some(plan)) => plan.note_cancelled(pools, now, job),
            (Some(forecast), _) if job.start < SimTime::MAX => {
                if !keeps_forecast || at < queue.jobs.len() || forecast.is_in_queue_order {
                    forecast.is_stale = true;
                } else if !forecast.is_stale {
                    forecast.timeline.release(pools, job.occupancy(now));
                }
            }
            _ => {}
        }
    }

    /// Removes all waiting jobs.
    pub fn withdraw_all_waiting(&mut self) {
        self.scheduler.backfiller.forget_plan();
        self.scheduler.backfiller.note_withdrawal();
        self.scheduler.state.preempted.clear();
        self.scheduler.state.queue.jobs.clear();
        self.forecast.iter_mut().for_each(|forecast| forecast.is_stale = true);
    }

    /// Appends the waiting jobs in queue order, with their predictions.
    pub fn plan(&mut self, now: SimTime, plan: &mut Vec<PlannedJob>) {
        self.refresh(now);
        let planned = |waiting: &Waiting| {
            let Waiting { job: BatchJob { job, .. }, start, end, .. } = *waiting;
            PlannedJob { job, expected: Prediction { start, end } }
        };
        plan.extend(self.waiting().map(planned));
    }

    /// Computes the prediction for a job if it were submitted now. The search begins at `from`,
    /// which must be neither before the current time nor after the predicted start.
    pub fn predict_submitted(&mut self, view: View<'_>, from: SimTime, asked: Query) -> Prediction {
        let new = self.as_submitted(view, asked);
        self.predict(view.now(), from, &new)
    }

    /// Builds the waiting job as if it were submitted now.
    fn as_submitted(&mut self, view: View<'_>, asked: Query) -> Waiting {
        let mut new = asked.waiting(&mut self.scheduler.state.pools, view);
        new.job.submit = view.now();
        if let (Query::Seen(job), Some(site)) = (asked, &self.scheduler.state.site) {
            new.priority = site.priority_on_arrival(view, job).0;
            new = self.scheduler.state.as_planned(view.now(), &new);
        }
        new
    }

    /// Predicts, for FCFS, the time at which one task of the job would have resources behind all
    /// waiting jobs. For other disciplines, predicts the start of the whole job.
    pub fn predict_first_core(&mut self, view: View<'_>, asked: Query) -> SimTime {
        let (now, mut new) = (view.now(), self.as_submitted(view, asked));
        if self.scheduler.state.policy.backfilling == Backfilling::Fcfs {
            new.job.size = 1;
        }
        self.predict(now, now, &new).start
    }

    /// Returns whether a job that the view considers could ever run on this cluster.
    pub fn could_run(&mut self, view: View<'_>, job: JobHandle) -> bool {
        let need = self.scheduler.state.pools.request_of(view, job);
        let site = self.scheduler.state.site.as_ref();
        let margin = site.map_or(0, |site| site.settings().backfill.resolution_s);
        self.scheduler.state.pools.max_tasks(need) >= view.job(job).tasks().into()
            && self.scheduler.state.pools.has_round_for(view, job, SimSpan::from_secs(margin))
            && site.is_none_or(|site| site.priority_on_arrival(view, job).1)
    }

    fn predict(&mut self, now: SimTime, from: SimTime, new: &Waiting) -> Prediction {
        let is_behind =
            self.scheduler.state.policy.order == QueueOrder::Arrival && self.scheduler.state.site.is_none();
        if is_behind && self.forecast.is_some() {
            self.refresh(now);
        }
        let LocalScheduler { scheduler: BatchScheduler { state, backfiller, .. }, forecast } = self;
        match (forecast, backfiller.plan()) {
            (None, None) => Prediction::UNKNOWN,
            (None, Some(plan)) => {
                Prediction::of(plan.timeline.earliest(&state.pools, from, new, SimTime::MAX))
            }
            (Some(forecast), _) => {
                if !is_behind {
                    forecast.begin(state, now);
                    let order = state.policy.order;
                    forecast.plan_all(state, now, |job| job.precedes(new, order, now));
                    forecast.is_stale = true;
                }
                Prediction::of(forecast.find(&state.pools, from, new))
            }
        }
    }

    /// Returns the possible effect of a submission on earlier answers of
    /// [`LocalScheduler::predict_submitted`].
    pub fn effect_of_submission(&self) -> SubmissionEffect {
        match (self.scheduler.state.policy.backfilling, self.scheduler.state.policy.order) {
            _ if !self.is_plain() => SubmissionEffect::Any,
            (Backfilling::Conservative(Compression::Plan(_)), _) => SubmissionEffect::Any,
            (Backfilling::Conservative(_), order) if !order.depends_on_time() => {
                SubmissionEffect::DelaysOverlapping
            }
            (Backfilling::Fcfs, QueueOrder::Arrival) => SubmissionEffect::Delays,
            // EASY may start the new job at once, although it starts later in the forecast; the
            // forecast then changes.
            _ => SubmissionEffect::Any,
        }
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        self.scheduler.state.queue.jobs.iter()
    }

    /// Returns whether the forecast of one decision can remain valid in the next one: new jobs are
    /// behind all others, and jobs start on the planned nodes.
    fn keeps_forecast(&self) -> bool {
        let BatchPolicy { backfilling: discipline, order, .. } = self.scheduler.state.policy;
        self.is_plain() && order == QueueOrder::Arrival && discipline != Backfilling::Slurm
    }

    /// Counts the waiting jobs that start now according to the forecast, or should have started.
    fn count_due(&self, now: SimTime) -> usize {
        match &self.forecast {
            Some(forecast) if !forecast.is_stale && forecast.is_in_queue_order => {
                self.waiting().take_while(|job| job.start <= now).count()
            }
            Some(forecast) if !forecast.is_stale => self.waiting().filter(|job| job.start <= now).count(),
            _ => 0,
        }
    }

    pub(super) fn refresh(&mut self, now: SimTime) {
        // A job may not have started when the forecast had it start.
        let is_late = !self.keeps_forecast() && self.waiting().any(|job| job.start < now);
        let LocalScheduler { scheduler: BatchScheduler { state, .. }, forecast } = self;
        let Some(forecast) = forecast else { return };
        forecast.timeline.advance(now);
        // The assumed end of a job that has exceeded its estimate, one second from now, moves with
        // the current time.
        if std::mem::take(&mut forecast.is_stale) || is_late || state.running.count_overruns(now) > 0 {
            forecast.begin(state, now);
            forecast.plan_all(state, now, |_| true);
        }
    }

    /// Removes ended jobs from the forecast, or marks it stale if they did not end as planned.
    fn note_ends(&mut self, now: SimTime, jobs: &[JobHandle]) {
        let is_idle = self.waiting().next().is_none();
        let Some(forecast) = &mut self.forecast else { return };
        for &job in jobs {
            let run = self.scheduler.state.running.get(job);
            if run.end > now && is_idle && !forecast.is_stale {
                let stay = Occupancy { end: run.end, ..run.occupancy(now) };
                forecast.timeline.release(&self.scheduler.state.pools, stay);
            } else {
                forecast.is_stale |= run.end != now;
            }
        }
    }

    /// Adds the jobs that arrived now to the forecast.
    fn plan_arrivals(&mut self, now: SimTime) {
        let LocalScheduler { scheduler, forecast } = self;
        if let Some(forecast) = forecast.as_mut().filter(|it| !it.is_stale) {
            let BatchState { pools, queue, .. } = &mut scheduler.state;
            let arrived = queue.jobs.iter().rev().take_while(|job| job.start == SimTime::MAX).count();
            let first = queue.jobs.len() - arrived;
            queue.jobs.range_mut(first..).for_each(|job| forecast.plan(pools, now, job));
        }
    }
}

impl Scheduler for LocalScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let (view, now) = (situation.view, situation.view.now());
        if self.forecast.is_none() {
            return self.scheduler.decide(situation, decision);
        }
        self.note_ends(now, situation.completed);
        let is_regrouped = self.scheduler.apply_events(situation, decision);
        let is_kept = self.keeps_forecast() && !is_regrouped && situation.interrupted.is_empty();
        if is_kept {
            self.plan_arrivals(now);
        }
        let due = self.count_due(now);
        self.scheduler.decide_now(view, decision);
        let as_planned = is_kept && due == decision.starts().count() && self.count_due(now) == 0;
        self.forecast.iter_mut().for_each(|forecast| forecast.is_stale |= !as_planned);
    }
}

impl Forecast {
    /// Resets the timeline to the running jobs.
    fn begin(&mut self, state: &BatchState, now: SimTime) {
        (self.timeline, self.last_start) = (Timeline::new(&state.pools, now), now);
        for (end, run) in state.releases(now) {
            self.timeline.allocate(&state.pools, Occupancy { end, ..run.occupancy(now) });
        }
    }

    /// Plans the queue up to the first job for which `before` is false. Jobs that are blocked by a
    /// limit are planned last.
    fn plan_all(&mut self, state: &mut BatchState, now: SimTime, before: impl Fn(&Waiting) -> bool) {
        if state.site.is_none() {
            let BatchState { pools, queue, .. } = state;
            let jobs = queue.jobs.iter_mut().take_while(|job| before(job));
            return jobs.for_each(|job| self.plan(pools, now, job));
        }
        let first = (0..state.queue.jobs.len()).take_while(|&at| before(&state.queue.jobs[at]));
        let (held, free): (Vec<usize>, Vec<usize>) =
            first.partition(|&at| state.is_blocked(state.queue.jobs[at].job.job));
        for at in free.into_iter().chain(held) {
            let mut planned = state.planned(now, at);
            self.plan(&state.pools, now, &mut planned);
            planned.job.estimate = state.queue.jobs[at].job.estimate;
            state.queue.jobs[at] = planned;
        }
    }

    /// Plans a job after those that are already planned.
    fn plan(&mut self, pools: &Pools, now: SimTime, job: &mut Waiting) {
        match self.find(pools, now, job) {
            None => job.cancel_reservation(),
            Some(found) => {
                job.set_reservation(found);
                self.timeline.allocate(pools, job.occupancy(job.start));
                if self.is_in_queue_order {
                    self.timeline.advance(job.start);
                    self.last_start = job.start;
                }
            }
        }
    }

    /// Finds the earliest slot, from `from` on, for a job after those that are already planned.
    fn find(&self, pools: &Pools, from: SimTime, job: &Waiting) -> Option<(SimTime, Slot)> {
        if self.is_in_queue_order {
            self.timeline.earliest_in_queue_order(pools, from.max(self.last_start), job)
        } else {
            self.timeline.earliest(pools, from, job, SimTime::MAX)
        }
    }
}
