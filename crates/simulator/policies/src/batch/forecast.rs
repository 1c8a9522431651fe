//! What a scheduler above several clusters asks of a local one: when a job would start there.

use super::job::BatchJob;
use super::pools::Pools;
use super::queue::Waiting;
use super::scheduler::BatchScheduler;
use super::split::{Room, Stay};
use super::timeline::Timeline;
use dfrsim_cluster::{Decision, JobHandle, JobState, Scheduler, Situation, View};
use dfrsim_model::batch::{BatchPolicy, Compression, Discipline, QueueOrder};
use dfrsim_model::priority::Priorities;
use dfrsim_model::{SimSpan, SimTime};
use std::sync::Arc;

/// The scheduler of a batch policy, whose plan can be queried and from whose queue jobs can be taken back.
///
/// At one moment come situations and withdrawals, each followed by a decision, then queries.
///
/// With CONS a query finds what is promised. The other policies have no plan: it is made beside, in the order of the queue, and is what
/// happens with FCFS if all estimates are right. With EASY each job has the earliest hole that delays none before it: the head of
/// the queue has just the reservation that EASY makes for it, and each further job the one that it would have if those before it
/// had theirs; EASY itself may start it earlier, and may delay all but the head. The same plan is made where a site has limits, jobs that
/// make room for others, or settings of backfilling: a job that a limit holds back has its place behind all others, and no job makes room.
///
/// ```
/// use dfrsim_cluster::{Decision, Options, Scheduler as _, Simulation};
/// use dfrsim_policies::batch::{Asked, Discipline, LocalScheduler};
/// # use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
/// # let hour = SimSpan::from_secs(3_600);
/// # let job = |id, tasks| Job { id: JobId(id), submit: SimTime::ZERO, tasks, cpu_need: Share::ONE, memory: Share::ZERO,
/// #     run_time: hour, requested_time: None, user: None, origin: dfrsim_model::Origin::UNKNOWN };
/// let mut cluster = Simulation::new(4, Options::default(), [], ())?;
/// let (mut scheduler, mut decision) = (LocalScheduler::new(Discipline::Easy.into(), 4, None), Decision::default());
/// cluster.submit_now(job(1, 3))?;
/// scheduler.decide(&cluster.situation(), &mut decision);
/// cluster.decide(&mut decision)?;
/// let found = scheduler.expect_submitted(cluster.situation().view, SimTime::ZERO, Asked::Plain(2, hour));
/// assert_eq!(found.start, SimTime::ZERO + hour);
/// # Ok::<(), dfrsim_cluster::SimulationError>(())
/// ```
#[derive(Debug)]
pub struct LocalScheduler {
    pub(super) scheduler: BatchScheduler,
    /// What is planned beside a policy that keeps no plan of all that wait.
    forecast: Option<Forecast>,
}

/// When a job is expected to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// When it starts if all jobs take as long as is estimated of them and none is submitted or cancelled; [`SimTime::MAX`] if that
    /// cannot be said, since too many nodes are down.
    pub start: SimTime,
    /// When it ends then.
    pub end: SimTime,
}

/// A job about which is asked.
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    /// One of this width and estimate, of a scheduler that is [plain](LocalScheduler::is_plain).
    Plain(u32, SimSpan),
    /// One that waits, or that the view [considers](dfrsim_cluster::Simulation::consider).
    Seen(JobHandle),
}

/// A waiting job and when it is expected to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedJob {
    /// The job.
    pub job: JobHandle,
    /// When it runs.
    pub expected: Expected,
}

/// The effect of one more submission on the answers of [`LocalScheduler::expect_submitted`] that were given before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmissionEffect {
    /// Starts can only become later, and only those of jobs that would run at the same time as the new one.
    DelaysOverlapping,
    /// Starts can only become later, and do not depend on the estimate.
    Delays,
    /// Starts can become earlier too.
    Any,
}

/// The plan in the order of the queue. It is made again only when it is asked for and something else than expected has happened since: a
/// job that ended early or was cancelled with others behind it, or that started when the plan did not say so.
#[derive(Debug)]
struct Forecast {
    /// Running jobs and, if the plan is not stale, waiting ones. Where jobs start in turn it begins when the last of them starts: the
    /// next one cannot start before, so thousands of waiting jobs leave a few dozen steps.
    timeline: Timeline,
    /// Whether no job starts before its predecessor, and when the last one does.
    in_turn: bool,
    last: SimTime,
    is_stale: bool,
}

/// Whether no job of a [`LocalScheduler`] ever starts later than was said when it was submitted, if none is longer than its estimate.
#[must_use]
pub fn keeps_promises(policy: BatchPolicy) -> bool {
    match policy.discipline {
        Discipline::Fcfs => policy.order == QueueOrder::Arrival,
        Discipline::Conservative(compression) => {
            compression == Compression::OneByOne && !policy.order.depends_on_time()
        }
        Discipline::Easy | Discipline::Spare | Discipline::Slurm => false,
    }
}

impl Expected {
    /// No plan has the job.
    pub const UNKNOWN: Expected = Expected { start: SimTime::MAX, end: SimTime::MAX };

    fn of(found: Option<(SimTime, Room)>) -> Expected {
        found.map_or(Expected::UNKNOWN, |(start, (_, end))| Expected { start, end })
    }
}

impl Asked {
    /// The job as one that waits.
    pub(super) fn waiting(self, pools: &mut Pools, view: View<'_>) -> Waiting {
        match self {
            Asked::Plain(width, estimate) => {
                let (job, submit) = (JobHandle::new(u32::MAX), view.now());
                Waiting::new(BatchJob { job, sequence: u64::MAX, submit, width, estimate }, 0)
            }
            Asked::Seen(job) => Waiting::new(BatchJob::new(view, job), pools.needs.of(view, job)),
        }
    }
}

impl LocalScheduler {
    /// Makes the scheduler of a policy for a cluster of this many nodes with these settings of the site, which must have been
    /// [checked](Priorities::check). A decision must come before the first query.
    pub fn new(policy: BatchPolicy, nodes: u32, site: Option<&Arc<Priorities>>) -> LocalScheduler {
        let mut scheduler = BatchScheduler::new(policy, nodes, site);
        scheduler.is_asked = true;
        let keeps_plan = matches!(policy.discipline, Discipline::Conservative(_))
            && scheduler.site.as_ref().is_none_or(|site| site.keeps_plans());
        let forecast = Forecast {
            timeline: Timeline::new(&scheduler.pools, SimTime::ZERO),
            in_turn: policy.discipline == Discipline::Fcfs,
            last: SimTime::ZERO,
            is_stale: true,
        };
        LocalScheduler { scheduler, forecast: (!keeps_plan).then_some(forecast) }
    }

    /// Whether a job is to it no more than a width and an estimate: nodes are equal, a task has one of its own, no window is announced, and
    /// the site has no settings.
    pub fn is_plain(&self) -> bool {
        self.scheduler.site.is_none() && self.scheduler.pools.single().is_some()
    }

    /// A job leaves although it is not done. The others move up in the next decision, as after an early end.
    pub fn withdraw(&mut self, view: View<'_>, job: JobHandle) {
        if view.job(job).state() == JobState::Running {
            self.forecast.iter_mut().for_each(|forecast| forecast.is_stale = true);
            return self.scheduler.leave(view, job, view.job(job).placement().ranges());
        }
        let (now, keeps_forecast) = (view.now(), self.keeps_forecast());
        let BatchScheduler { pools, queue, reserved, plan, preempted, .. } = &mut self.scheduler;
        preempted.retain(|waiting| *waiting != job);
        if reserved.take_if(|reserved| reserved.job.job.job == job).is_some() {
            return;
        }
        let Some(at) = queue.jobs.iter().position(|waiting| waiting.job.job == job) else { return };
        let job = queue.take(at);
        match (plan, &mut self.forecast) {
            (Some(plan), _) => plan.cancelled(pools, now, job),
            (None, Some(forecast)) if job.start < SimTime::MAX => {
                if !keeps_forecast || at < queue.jobs.len() || forecast.in_turn {
                    forecast.is_stale = true;
                } else if !forecast.is_stale {
                    forecast.timeline.give_back(pools, job.stay(now));
                }
            }
            _ => {}
        }
    }

    /// All waiting jobs leave.
    pub fn withdraw_all_waiting(&mut self) {
        (self.scheduler.reserved, self.scheduler.plan) = (None, None);
        self.scheduler.preempted.clear();
        self.scheduler.queue.jobs.clear();
        self.forecast.iter_mut().for_each(|forecast| forecast.is_stale = true);
    }

    /// Appends the waiting jobs in the order of the queue, with what is expected of them.
    pub fn plan(&mut self, now: SimTime, plan: &mut Vec<PlannedJob>) {
        self.refresh(now);
        let planned = |waiting: &Waiting| {
            let Waiting { job: BatchJob { job, .. }, start, end, .. } = *waiting;
            PlannedJob { job, expected: Expected { start, end } }
        };
        plan.extend(self.waiting().map(planned));
    }

    /// Returns when a job would run if it were submitted now, looked for from `from` on, which must not be before now nor after the
    /// answer.
    pub fn expect_submitted(&mut self, view: View<'_>, from: SimTime, asked: Asked) -> Expected {
        let new = self.as_submitted(view, asked);
        self.expect(view.now(), from, &new)
    }

    /// A job as if it were submitted now.
    fn as_submitted(&mut self, view: View<'_>, asked: Asked) -> Waiting {
        let mut new = asked.waiting(&mut self.scheduler.pools, view);
        new.job.submit = view.now();
        if let (Asked::Seen(job), Some(site)) = (asked, &self.scheduler.site) {
            new.priority = site.of_arrival(view, job).0;
            new = self.scheduler.as_planned(view.now(), &new);
        }
        new
    }

    /// Returns when there would be room for the first task of a job, behind all that wait, if it were submitted now to a queue that is
    /// served in turn; elsewhere, when the job would start.
    pub fn first_core(&mut self, view: View<'_>, asked: Asked) -> SimTime {
        let (now, mut new) = (view.now(), self.as_submitted(view, asked));
        if self.scheduler.policy.discipline == Discipline::Fcfs {
            new.job.width = 1;
        }
        self.expect(now, now, &new).start
    }

    /// Whether a job that the view considers is one that would ever run here.
    pub fn could_run(&mut self, view: View<'_>, job: JobHandle) -> bool {
        let need = self.scheduler.pools.needs.of(view, job);
        let site = self.scheduler.site.as_ref();
        self.scheduler.pools.most(need) >= view.job(job).tasks().into()
            && site.is_none_or(|site| site.of_arrival(view, job).1)
    }

    fn expect(&mut self, now: SimTime, from: SimTime, new: &Waiting) -> Expected {
        let is_behind = self.scheduler.policy.order == QueueOrder::Arrival && self.scheduler.site.is_none();
        if is_behind && self.forecast.is_some() {
            self.refresh(now);
        }
        let LocalScheduler { scheduler, forecast } = self;
        match (forecast, &scheduler.plan) {
            (None, None) => Expected::UNKNOWN,
            (None, Some(plan)) => {
                Expected::of(plan.timeline.earliest(&scheduler.pools, from, new, SimTime::MAX))
            }
            (Some(forecast), _) => {
                if !is_behind {
                    forecast.begin(scheduler, now);
                    let order = scheduler.policy.order;
                    forecast.plan_all(scheduler, now, |job| job.precedes(new, order, now));
                    forecast.is_stale = true;
                }
                Expected::of(forecast.find(&scheduler.pools, from, new))
            }
        }
    }

    /// What a submission does to the answers of [`LocalScheduler::expect_submitted`].
    pub fn effect_of_submission(&self) -> SubmissionEffect {
        match (self.scheduler.policy.discipline, self.scheduler.policy.order) {
            _ if !self.is_plain() => SubmissionEffect::Any,
            (Discipline::Conservative(_), order) if !order.depends_on_time() => {
                SubmissionEffect::DelaysOverlapping
            }
            (Discipline::Fcfs, QueueOrder::Arrival) => SubmissionEffect::Delays,
            // EASY may start the new job at once though the plan has it later, and then the plan is another one.
            _ => SubmissionEffect::Any,
        }
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        let reserved = self.scheduler.reserved.iter().map(|reserved| &reserved.job);
        reserved.chain(&self.scheduler.queue.jobs)
    }

    /// Whether the plan of one decision may hold in the next: new jobs are behind all others, the queue has all that wait, and jobs start on
    /// no other nodes than the plan says.
    fn keeps_forecast(&self) -> bool {
        let BatchPolicy { discipline, order, .. } = self.scheduler.policy;
        self.is_plain()
            && order == QueueOrder::Arrival
            && !matches!(discipline, Discipline::Spare | Discipline::Slurm)
    }

    /// How many waiting jobs start now by the plan, or should have started.
    fn due(&self, now: SimTime) -> usize {
        match &self.forecast {
            Some(forecast) if !forecast.is_stale && forecast.in_turn => {
                self.waiting().take_while(|job| job.start <= now).count()
            }
            Some(forecast) if !forecast.is_stale => self.waiting().filter(|job| job.start <= now).count(),
            _ => 0,
        }
    }

    pub(super) fn refresh(&mut self, now: SimTime) {
        // A job may not have started when the plan said so.
        let is_late = !self.keeps_forecast() && self.waiting().any(|job| job.start < now);
        let LocalScheduler { scheduler, forecast } = self;
        let Some(forecast) = forecast else { return };
        forecast.timeline.advance(now);
        // A job past its estimate is expected to end a second from now, at every moment again.
        if std::mem::take(&mut forecast.is_stale) || is_late || scheduler.running.overdue(now) > 0 {
            forecast.begin(scheduler, now);
            forecast.plan_all(scheduler, now, |_| true);
        }
    }

    /// Jobs have ended, of which the plan may have known.
    fn note_ends(&mut self, now: SimTime, jobs: &[JobHandle]) {
        let is_idle = self.waiting().next().is_none();
        let Some(forecast) = &mut self.forecast else { return };
        for &job in jobs {
            let run = self.scheduler.running.get(job);
            if run.end > now && is_idle && !forecast.is_stale {
                let stay = Stay { end: run.end, ..run.stay(now) };
                forecast.timeline.give_back(&self.scheduler.pools, stay);
            } else {
                forecast.is_stale |= run.end != now;
            }
        }
    }

    /// Plans the jobs that arrived now.
    fn plan_arrivals(&mut self, now: SimTime) {
        let LocalScheduler { scheduler, forecast } = self;
        if let Some(forecast) = forecast.as_mut().filter(|it| !it.is_stale) {
            let BatchScheduler { pools, queue, .. } = scheduler;
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
        let is_regrouped = self.scheduler.take_in(situation, decision);
        let is_kept = self.keeps_forecast() && !is_regrouped && situation.interrupted.is_empty();
        if is_kept {
            self.plan_arrivals(now);
        }
        let due = self.due(now);
        self.scheduler.decide_now(view, decision);
        let as_planned = is_kept && due == decision.starts().count() && self.due(now) == 0;
        self.forecast.iter_mut().for_each(|forecast| forecast.is_stale |= !as_planned);
    }
}

impl Forecast {
    /// Begins again with the jobs that run.
    fn begin(&mut self, scheduler: &BatchScheduler, now: SimTime) {
        (self.timeline, self.last) = (Timeline::new(&scheduler.pools, now), now);
        for (end, run) in scheduler.releases(now) {
            self.timeline.take(&scheduler.pools, Stay { end, ..run.stay(now) });
        }
    }

    /// Plans the job that has a reservation, then those of the queue up to the first one that is not `before`, those last that a limit holds back.
    fn plan_all(&mut self, scheduler: &mut BatchScheduler, now: SimTime, before: impl Fn(&Waiting) -> bool) {
        if let Some(reserved) = &mut scheduler.reserved {
            self.plan(&scheduler.pools, now, &mut reserved.job);
        }
        if scheduler.site.is_none() {
            let BatchScheduler { pools, queue, .. } = scheduler;
            let jobs = queue.jobs.iter_mut().take_while(|job| before(job));
            return jobs.for_each(|job| self.plan(pools, now, job));
        }
        let first = (0..scheduler.queue.jobs.len()).take_while(|&at| before(&scheduler.queue.jobs[at]));
        let (held, free): (Vec<usize>, Vec<usize>) =
            first.partition(|&at| scheduler.holds(scheduler.queue.jobs[at].job.job));
        for at in free.into_iter().chain(held) {
            let mut planned = scheduler.planned(now, at);
            self.plan(&scheduler.pools, now, &mut planned);
            planned.job.estimate = scheduler.queue.jobs[at].job.estimate;
            scheduler.queue.jobs[at] = planned;
        }
    }

    /// Plans a job behind those that are planned.
    fn plan(&mut self, pools: &Pools, now: SimTime, job: &mut Waiting) {
        match self.find(pools, now, job) {
            None => job.withdraw(),
            Some(found) => {
                job.promise(found);
                self.timeline.take(pools, job.stay(job.start));
                if self.in_turn {
                    self.timeline.advance(job.start);
                    self.last = job.start;
                }
            }
        }
    }

    /// When and where a job behind those that are planned can start, looked for from `from` on.
    fn find(&self, pools: &Pools, from: SimTime, job: &Waiting) -> Option<(SimTime, Room)> {
        if self.in_turn {
            self.timeline.earliest_in_turn(pools, from.max(self.last), job)
        } else {
            self.timeline.earliest(pools, from, job, SimTime::MAX)
        }
    }
}
