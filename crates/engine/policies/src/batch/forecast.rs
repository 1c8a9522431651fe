//! What a scheduler above several clusters asks of a local one: which jobs it starts, and when the others would.

use super::job::BatchJob;
use super::node_use::NodeUse;
use super::place::Place;
use super::policy::{BatchPolicy, Compression, Discipline};
use super::profile::Profile;
use super::queue::Waiting;
use super::queue_order::QueueOrder;
use super::running::Running;
use super::scheduler::BatchScheduler;
use dfrsim_cluster::{Decision, EmptyCluster, JobHandle};
use dfrsim_model::{SimSpan, SimTime};

/// A batch policy on equal nodes, whose plan can be queried and from whose queue jobs can be taken back.
///
/// It is the scheduler of simulated clusters, but for the choice of nodes: of equal ones, with a task on each, that changes no start. Calls
/// come in the order of simulated time; at one moment: ends, then submissions and cancellations, then one pass, then queries.
///
/// With CONS a query finds what is promised. The other policies have no plan: it is made beside, in the order of the queue, and is what
/// happens with FCFS if all estimates are right. With EASY each job has the earliest hole that delays none before it: the head of
/// the queue has just the reservation that EASY makes for it, and each further job the one that it would have if those before it
/// had theirs; EASY itself may start it earlier, and may delay all but the head.
///
/// ```
/// use dfrsim_cluster::JobHandle;
/// use dfrsim_model::{SimSpan, SimTime};
/// use dfrsim_policies::batch::{BatchJob, Discipline, LocalQueue};
/// let (start, hour) = (SimTime::ZERO, SimSpan::from_secs(3_600));
/// let mut queue = LocalQueue::new(Discipline::Easy.into(), 4);
/// let job = JobHandle::new(0);
/// queue.submit(BatchJob { job, sequence: 0, submit: start, width: 3, estimate: hour });
/// let mut starts = Vec::new();
/// queue.pass(start, &mut starts);
/// assert_eq!(starts, [job]);
/// assert_eq!(queue.start_if_submitted(start, start, 2, hour), start + hour);
/// ```
#[derive(Debug)]
pub struct LocalQueue {
    scheduler: BatchScheduler,
    cluster: EmptyCluster,
    /// What is planned beside a policy that has no plan.
    forecast: Option<Forecast>,
}

/// A waiting job and when it is expected to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedJob {
    /// The job.
    pub job: JobHandle,
    /// When it starts if all jobs take as long as is estimated of them and none is submitted or cancelled.
    pub start: SimTime,
}

/// The effect of one more submission on the answers of [`LocalQueue::start_if_submitted`] that were given before it.
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
    profile: Profile,
    /// Whether no job starts before its predecessor.
    in_turn: bool,
    is_stale: bool,
}

impl BatchPolicy {
    /// Whether no job of a [`LocalQueue`] ever starts later than was said when it was submitted, if none is longer than its estimate.
    #[must_use]
    pub fn keeps_promises(self) -> bool {
        match self.discipline {
            Discipline::Fcfs => self.order == QueueOrder::Arrival,
            Discipline::Conservative(compression) => {
                compression == Compression::OneByOne && self.order != QueueOrder::Wfp3
            }
            Discipline::Easy | Discipline::Spare => false,
        }
    }
}

impl LocalQueue {
    /// Makes the queue of a policy for a cluster of this many nodes.
    #[must_use]
    pub fn new(policy: BatchPolicy, nodes: u32) -> LocalQueue {
        let policy = BatchPolicy { place: Place::First, nodes: NodeUse::Whole, ..policy };
        let cluster = EmptyCluster::new(nodes);
        let forecast = Forecast {
            profile: Profile::new(nodes),
            in_turn: policy.discipline == Discipline::Fcfs,
            is_stale: false,
        };
        let forecast = Some(forecast).filter(|_| !matches!(policy.discipline, Discipline::Conservative(_)));
        let scheduler = BatchScheduler::on_numbers(policy, cluster.view(SimTime::ZERO));
        let mut queue = LocalQueue { scheduler, cluster, forecast };
        queue.pass(SimTime::ZERO, &mut Vec::new());
        queue
    }

    /// A job that was started has ended, early or not.
    pub fn ended(&mut self, now: SimTime, job: JobHandle) {
        let Some(run) = self.scheduler.ended(now, job) else { return };
        let is_idle = self.waiting().next().is_none();
        let Some(forecast) = &mut self.forecast else { return };
        if run.end > now && is_idle && !forecast.is_stale {
            forecast.profile.release(now, run.end, run.width);
        } else {
            forecast.is_stale |= run.end != now;
        }
    }

    /// A job joins the queue, which is no wider than the cluster.
    pub fn submit(&mut self, job: BatchJob) {
        let need = self.scheduler.pools.need_of(self.cluster.view(job.submit), job.job);
        self.scheduler.join(job, need);
    }

    /// A waiting job leaves the queue. The others move up in the next pass, as after an early end.
    pub fn cancel(&mut self, now: SimTime, job: JobHandle) {
        let BatchScheduler { pools, queue, reserved, plan, .. } = &mut self.scheduler;
        if reserved.take_if(|reserved| reserved.job.job.job == job).is_some() {
            return;
        }
        let Some(at) = queue.jobs.iter().position(|waiting| waiting.job.job == job) else { return };
        let job = queue.take(at);
        if let Some(plan) = plan {
            plan.cancelled(pools, now, job);
        } else if let Some(forecast) = self.forecast.as_mut().filter(|_| job.start < SimTime::MAX) {
            if at < queue.jobs.len() || forecast.in_turn {
                forecast.is_stale = true;
            } else if !forecast.is_stale {
                forecast.profile.release(job.start.max(now), job.end, job.job.width);
            }
        }
    }

    /// All waiting jobs leave the queue.
    pub fn cancel_all(&mut self) {
        (self.scheduler.reserved, self.scheduler.plan) = (None, None);
        self.scheduler.queue.jobs.clear();
        self.forecast.iter_mut().for_each(|forecast| forecast.is_stale = true);
    }

    /// One scheduling pass: appends the jobs that start now, in the order in which they were chosen.
    pub fn pass(&mut self, now: SimTime, starts: &mut Vec<JobHandle>) {
        let is_kept = self.keeps_forecast();
        if let Some(forecast) = self.forecast.as_mut().filter(|it| is_kept && !it.is_stale) {
            let jobs = &mut self.scheduler.queue.jobs;
            let arrived = jobs.iter().rev().take_while(|job| job.start == SimTime::MAX).count();
            let first = jobs.len() - arrived;
            jobs.range_mut(first..).for_each(|job| forecast.plan(now, job));
        }
        let (due, before, mut decision) = (self.due(now), starts.len(), Decision::default());
        self.scheduler.pass(self.cluster.view(now), &mut decision);
        starts.extend(decision.starts());
        let as_planned = is_kept && due == starts.len() - before && self.due(now) == 0;
        self.forecast.iter_mut().for_each(|forecast| forecast.is_stale |= !as_planned);
    }

    /// When the next pass is due though no job ends or arrives, by the plan; after `now`.
    #[must_use]
    pub fn next_start(&self, now: SimTime) -> Option<SimTime> {
        self.scheduler.next_decision(now)
    }

    /// Appends the waiting jobs in the order of the queue, with their expected starts.
    pub fn plan(&mut self, now: SimTime, plan: &mut Vec<PlannedJob>) {
        self.refresh(now);
        plan.extend(self.waiting().map(|waiting| PlannedJob { job: waiting.job.job, start: waiting.start }));
    }

    /// When a job of this width and estimate would start if it were submitted now, looked for from `from` on, which must not be before now
    /// nor after the answer. The cluster must be as wide as the job.
    pub fn start_if_submitted(
        &mut self,
        now: SimTime,
        from: SimTime,
        width: u32,
        estimate: SimSpan,
    ) -> SimTime {
        let job = JobHandle::new(u32::MAX);
        let new = BatchJob { job, sequence: u64::MAX, submit: now, width, estimate };
        if let BatchScheduler { pools, plan: Some(plan), .. } = &self.scheduler {
            let earliest = plan.earliest(pools, from, &Waiting::new(new, 0), SimTime::MAX);
            return earliest.map_or(SimTime::MAX, |(start, _)| start);
        }
        let BatchScheduler { policy, queue, reserved, running, .. } = &mut self.scheduler;
        let (order, is_by_arrival) = (policy.order, policy.order == QueueOrder::Arrival);
        if is_by_arrival {
            self.refresh(now);
        } else if let Some(forecast) = &mut self.forecast {
            forecast.begin(now, running);
            reserved.iter_mut().for_each(|reserved| forecast.plan(now, &mut reserved.job));
            let before = queue.jobs.iter_mut().take_while(|job| order.compare(&job.job, &new, now).is_lt());
            before.for_each(|job| forecast.plan(now, job));
            forecast.is_stale = true;
        }
        self.forecast.as_ref().map_or(SimTime::MAX, |forecast| forecast.start(from, width, estimate))
    }

    /// What a submission does to the answers of [`LocalQueue::start_if_submitted`].
    #[must_use]
    pub fn effect_of_submission(&self) -> SubmissionEffect {
        match (self.scheduler.policy.discipline, self.scheduler.policy.order) {
            (Discipline::Conservative(_), order) if order != QueueOrder::Wfp3 => {
                SubmissionEffect::DelaysOverlapping
            }
            (Discipline::Fcfs, QueueOrder::Arrival) => SubmissionEffect::Delays,
            // EASY may start the new job at once though the plan has it later, and then the plan is another one.
            _ => SubmissionEffect::Any,
        }
    }

    fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        let reserved = self.scheduler.reserved.iter().map(|reserved| &reserved.job);
        reserved.chain(&self.scheduler.queue.jobs)
    }

    /// Whether the plan of one pass may hold in the next: new jobs are behind all others, and the queue has all that wait.
    fn keeps_forecast(&self) -> bool {
        let BatchPolicy { discipline, order, .. } = self.scheduler.policy;
        order == QueueOrder::Arrival && discipline != Discipline::Spare
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

    fn refresh(&mut self, now: SimTime) {
        // A job may not have started when the plan said so.
        let is_late = !self.keeps_forecast() && self.waiting().any(|job| job.start < now);
        let Some(forecast) = &mut self.forecast else { return };
        let BatchScheduler { queue, reserved, running, .. } = &mut self.scheduler;
        forecast.profile.advance(now);
        // A job past its estimate is expected to end a second from now, at every moment again.
        if std::mem::take(&mut forecast.is_stale) || is_late || running.overdue(now) > 0 {
            forecast.begin(now, running);
            let reserved = reserved.iter_mut().map(|reserved| &mut reserved.job);
            reserved.chain(&mut queue.jobs).for_each(|job| forecast.plan(now, job));
        }
    }
}

impl Forecast {
    /// Begins again with the jobs that run.
    fn begin(&mut self, now: SimTime, running: &Running) {
        self.profile.clear(now);
        running.releases(now).for_each(|(end, run)| self.profile.reserve(now, end, run.width));
    }

    /// Plans a job behind those that are planned.
    fn plan(&mut self, now: SimTime, job: &mut Waiting) {
        let BatchJob { width, estimate, .. } = job.job;
        job.start = self.start(now, width, estimate);
        job.end = job.start.saturating_add(estimate);
        self.profile.reserve(job.start, job.end, width);
        if self.in_turn {
            self.profile.advance(job.start);
        }
    }

    /// When a job behind those that are planned can start, looked for from `from` on.
    fn start(&self, from: SimTime, width: u32, estimate: SimSpan) -> SimTime {
        if self.in_turn {
            self.profile.earliest_where_rising(from, width)
        } else {
            self.profile.earliest(from, width, estimate)
        }
    }
}
