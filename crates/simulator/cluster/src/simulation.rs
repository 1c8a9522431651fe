//! Main loop: the events of one time, one decision, its check and its effect.

mod apply;
mod interruptions;
mod outside;

use crate::check::Checker;
use crate::followers::DependencyEvent;
use crate::job_table::JobTable;
use crate::node_loads::NodeLoads;
use crate::platform::Platform;
use crate::replay::Replay;
use crate::speeds::Speeds;
use crate::unequal::UnequalState;
use crate::{
    Decision, Followers, InitialStateError, Interrupted, JobHandle, JobState, NeedModel, Observer,
    Occurrence, Options, Scheduler, Situation, View, Violation,
};
use apply::Effect;
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::platform::{Interruption, OutageError};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
use std::sync::Arc;

/// Reason for which a simulation ended before its jobs did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    /// The policy violated a rule.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// Jobs are left, but no event is scheduled and the policy starts none of them.
    #[error(
        "simulation stalled at {time} s: {jobs} jobs remain, the first of them job {first}, and the policy started none"
    )]
    Stuck {
        /// Time of the last event.
        time: SimTime,
        /// Number of jobs left in the system.
        jobs: usize,
        /// First of them in order of submission.
        first: JobId,
    },
    /// The policy wakes itself again and again without changing anything.
    #[error(
        "the policy woke itself {count} times from {since} to {time} s without a decision or another event; it must ask for later wake-ups"
    )]
    WakesItself {
        /// Number of wake-ups.
        count: u32,
        /// Time of the first of them.
        since: SimTime,
        /// Time of the last of them.
        time: SimTime,
    },
    /// A job without tasks or without run time, or one that arrives before its predecessor in the
    /// list.
    #[error(
        "job {0} is invalid: expected at least one task, a run time above 0, and jobs in order of submission"
    )]
    InvalidJob(JobId),
    /// A job depends on another one that was never submitted.
    #[error("job {job} depends on job {after}, which is never submitted")]
    NeverFollows {
        /// The dependent job.
        job: JobId,
        /// The job that it depends on.
        after: JobId,
    },
    /// The run times and estimates of the jobs add up to more than simulated time can represent.
    #[error(
        "with job {0} the jobs in the system may run past {seconds} s, the end of simulated time",
        seconds = LAST_SECOND
    )]
    BeyondRange(JobId),
    /// The outages do not fit this cluster.
    #[error(transparent)]
    Outages(#[from] OutageError),
    /// The node classes do not add up to the cluster, or cannot be combined with other options.
    #[error("{0}")]
    Unequal(&'static str),
    /// The state from which the simulation begins is impossible.
    #[error(transparent)]
    Beginning(#[from] InitialStateError),
    /// The policy could not make a decision.
    #[error("the policy failed at {time} s: {reason}")]
    Policy {
        /// Time of the failed decision.
        time: SimTime,
        /// Reason given by the policy.
        reason: String,
    },
}

/// Last second that is simulated (570,000 years); even the longest penalty after it does not
/// overflow.
const LAST_SECOND: u64 = 18_000_000_000_000;

const NEXT_SUBMISSION: Slot = Slot(0);
const WAKE_UP: Slot = Slot(1);
const PLATFORM: Slot = Slot(2);
const FIRST_JOB: u32 = 3;

/// Number of wake-ups in a row without a change, with no job running or to come, after which a
/// policy is considered stuck.
const MAX_IDLE_TICKS: u32 = 100_000;

/// Number of wake-ups in a row without a change or another event that a policy may have within a
/// second. One that asks for the next microsecond each time would need hours for a day.
const MAX_WAKE_UPS: u32 = 10_000;
const WAKE_UP_SPAN: SimSpan = SimSpan::from_secs(1);

/// Simulates one policy on one cluster of `nodes` nodes until all jobs have left.
///
/// Jobs must be in order of submission time. They are read one ahead, so memory grows with the jobs
/// in the system, not with the log.
///
/// # Errors
/// If the policy violates a rule or leaves jobs waiting forever, or if a job is invalid.
pub fn simulate(
    nodes: u32,
    options: &Options,
    jobs: impl IntoIterator<Item = Job>,
    scheduler: &mut dyn Scheduler,
    observer: &mut impl Observer,
) -> Result<(), SimulationError> {
    simulate_with(nodes, options, jobs, Followers::default(), scheduler, observer)
}

/// Simulates one policy as [`simulate`] does, with additional jobs that are submitted when others
/// have left or started.
///
/// # Errors
/// The errors of [`simulate`], and a dependency on a job that is never submitted.
pub fn simulate_with(
    nodes: u32,
    options: &Options,
    jobs: impl IntoIterator<Item = Job>,
    followers: Followers,
    scheduler: &mut dyn Scheduler,
    observer: &mut impl Observer,
) -> Result<(), SimulationError> {
    begin(nodes, options, &mut jobs.into_iter(), followers, scheduler, observer)
}

/// Begins a simulation with an idle cluster or with the replay of its past.
fn begin(
    nodes: u32,
    options: &Options,
    jobs: &mut dyn Iterator<Item = Job>,
    followers: Followers,
    scheduler: &mut dyn Scheduler,
    observer: &mut dyn Observer,
) -> Result<(), SimulationError> {
    let Some(beginning) = &options.beginning else {
        return run(nodes, options.clone(), jobs, followers, scheduler, observer);
    };
    let options = Options { beginning: None, ..options.clone() };
    let mut replay = Replay::new(beginning, scheduler);
    let result = run(nodes, options, jobs, followers, &mut replay, observer);
    replay.error().map_or(result, |error| Err(error.into()))
}

/// Runs the simulation behind trait objects, so that it is compiled and optimised once, here, and
/// not in each caller.
fn run(
    nodes: u32,
    options: Options,
    jobs: &mut dyn Iterator<Item = Job>,
    followers: Followers,
    scheduler: &mut dyn Scheduler,
    observer: &mut dyn Observer,
) -> Result<(), SimulationError> {
    let mut simulation = Simulation::new(nodes, options, jobs, observer)?.with_followers(followers);
    let mut decision = Decision::default();
    while let Some(situation) = simulation.advance()? {
        scheduler.decide(&situation, &mut decision);
        simulation.decide(&mut decision)?;
    }
    Ok(())
}

/// Simulation that advances from one event time to the next, for programs with a main loop of their
/// own; [`simulate`] is such a loop.
///
/// ```
/// use dfrsim_cluster::{Decision, Metrics, Options, Simulation, SummaryOptions};
/// # use dfrsim_model::{Job, JobId, NodeId, NodeTasks, Share, SimSpan, SimTime, Yield};
/// # let job = Job { id: JobId(1), submit: SimTime::ZERO, tasks: 2, cpu_need: Share::from_ratio(1, 4),
/// #     memory: Share::ZERO, run_time: SimSpan::from_secs(60), requested_time: None, user: None, origin: dfrsim_model::Origin::UNKNOWN };
/// let metrics = Metrics::new(SummaryOptions::new(1));
/// let mut simulation = Simulation::new(1, Options::default(), [job], metrics)?;
/// let mut decision = Decision::default();
/// while let Some(situation) = simulation.advance()? {
///     for &job in situation.submitted {
///         let tasks = situation.view.job(job).tasks();
///         decision.start(job, [NodeTasks { node: NodeId(0), tasks }], Yield::ONE);
///     }
///     simulation.decide(&mut decision)?;
/// }
/// assert_eq!(simulation.observer().summary().unwrap().jobs, 1);
/// # Ok::<(), dfrsim_cluster::SimulationError>(())
/// ```
#[derive(Debug)]
pub struct Simulation<I, O> {
    options: Options,
    events: EventQueue,
    jobs: JobTable,
    nodes: NodeLoads,
    /// Node failures and maintenance windows; `None` if every node is always up.
    platform: Option<Box<Platform>>,
    /// Node classes and resources in use; `None` if all nodes are equal.
    unequal: Option<Box<UnequalState>>,
    arrivals: I,
    /// Next job to arrive.
    next: Option<Job>,
    /// Later arrivals that were already read, or submitted by the policy; in reverse order of
    /// arrival.
    later_arrivals: Vec<Job>,
    /// Jobs that are submitted when others have left or started.
    followers: Followers,
    now: SimTime,
    /// Jobs that completed at the current time.
    completed: Vec<JobHandle>,
    submitted: Vec<JobHandle>,
    interrupted: Vec<Interrupted>,
    discovered: Vec<(JobHandle, Share)>,
    tick: bool,
    /// True if the events of the current time have been decided on.
    is_decided: bool,
    /// Consecutive wake-ups that the policy did not use while no other event was scheduled.
    idle_ticks: u32,
    /// Consecutive wake-ups without a change or another event, and the time of the first of them, which
    /// is less than [`WAKE_UP_SPAN`] ago.
    wake_ups: (u32, SimTime),
    checker: Checker,
    speeds: Speeds,
    /// Effect of each change of the decision that is being applied.
    effects: Vec<Effect>,
    /// Time until the nodes of each change of it are awake; empty if all nodes stay awake.
    woken: Vec<SimSpan>,
    /// Total duration of the jobs in the system if they ran one after the other, in microseconds. It
    /// bounds the length of any plan that gives each job its estimate, and of any schedule without
    /// preemption.
    total_duration: u128,
    observer: O,
}

impl<I: Iterator<Item = Job>, O: Observer> Simulation<I, O> {
    /// Creates a simulation of `nodes` nodes at time zero. Jobs must be as for [`simulate`].
    ///
    /// # Errors
    /// If the first job is invalid, the outages or node classes do not fit the cluster, or the options
    /// have a beginning, which a [`Replay`] has to replay instead.
    pub fn new(
        nodes: u32,
        options: Options,
        jobs: impl IntoIterator<IntoIter = I>,
        observer: O,
    ) -> Result<Self, SimulationError> {
        if options.beginning.is_some() {
            return Err(InitialStateError::NotReplayed.into());
        }
        if let Some(unequal) = &options.unequal {
            let reason = if unequal.classes.nodes() != nodes {
                Some("the node classes do not add up to the nodes of the cluster")
            } else if options.needs != NeedModel::Exact || options.clock.is_some() {
                Some("nodes of different classes require exact CPU needs and no clock")
            } else {
                None
            };
            reason.map_or(Ok(()), |reason| Err(SimulationError::Unequal(reason)))?;
        }
        let platform = options.outages.as_ref().map(|outages| Platform::new(Arc::clone(outages), nodes));
        let mut simulation = Simulation {
            platform: platform.transpose()?.map(Box::new),
            unequal: options.unequal.as_ref().map(|unequal| Box::new(UnequalState::new(Arc::clone(unequal)))),
            options,
            events: EventQueue::new(),
            jobs: JobTable::default(),
            nodes: NodeLoads::new(nodes),
            arrivals: jobs.into_iter(),
            next: None,
            later_arrivals: Vec::new(),
            followers: Followers::default(),
            now: SimTime::ZERO,
            completed: Vec::new(),
            submitted: Vec::new(),
            interrupted: Vec::new(),
            discovered: Vec::new(),
            tick: false,
            is_decided: false,
            idle_ticks: 0,
            wake_ups: (0, SimTime::ZERO),
            checker: Checker::default(),
            speeds: Speeds::new(nodes),
            effects: Vec::new(),
            woken: Vec::new(),
            total_duration: 0,
            observer,
        };
        simulation.schedule_platform();
        simulation.pull_submission(SimTime::ZERO)?;
        Ok(simulation)
    }

    /// Sets the jobs that are submitted when others have left or started. Must be called before the
    /// first event time.
    #[must_use]
    pub fn with_followers(mut self, followers: Followers) -> Self {
        self.followers = followers;
        self
    }

    /// Advances to the next time at which an event occurs; `None` when all jobs have left.
    ///
    /// # Errors
    /// If a job is invalid, or jobs are left but no event is scheduled.
    pub fn advance(&mut self) -> Result<Option<Situation<'_>>, SimulationError> {
        self.clear_events();
        loop {
            let next = self.events.peek().filter(|_| self.idle_ticks <= MAX_IDLE_TICKS);
            let Some((key, slot)) = next else {
                return self.check_all_left().map(|()| None);
            };
            if slot == PLATFORM && self.events.len() == 1 && self.jobs.in_system().is_empty() {
                return self.check_all_left().map(|()| None);
            }
            self.now = key.time();
            if self.now > SimTime::from_secs(LAST_SECOND) {
                return self.check_range().map(|()| None);
            }
            let before = self.situation().view.platform_changes();
            self.tick = self.apply_events(self.now)?;
            // No decision is due if the only event is another failure of nodes that are already
            // down.
            let is_seen = slot != PLATFORM || self.situation().view.platform_changes() > before;
            if is_seen || self.tick || !self.completed.is_empty() || !self.submitted.is_empty() {
                self.discover_needs(self.now);
                return Ok(Some(self.situation()));
            }
        }
    }

    /// Returns the events of the current time and the state after them, including the effect of the
    /// decision if it has been made.
    pub fn situation(&self) -> Situation<'_> {
        Situation {
            view: View {
                now: self.now,
                jobs: &self.jobs,
                nodes: &self.nodes,
                platform: self.platform.as_deref(),
                unequal: self.unequal.as_deref(),
                options: &self.options,
            },
            completed: &self.completed,
            submitted: &self.submitted,
            running: &[],
            interrupted: &self.interrupted,
            discovered: &self.discovered,
            tick: self.tick,
            all_submitted: self.next.is_none() && self.followers.is_empty(),
        }
    }

    /// Checks and applies the decision of the current time, at most one, and clears it for the next.
    ///
    /// # Errors
    /// If the decision violates a rule. The simulation must not be used after that.
    pub fn decide(&mut self, decision: &mut Decision) -> Result<(), SimulationError> {
        let now = self.now;
        if let Some(reason) = decision.failure.take() {
            return Err(SimulationError::Policy { time: now, reason });
        }
        let (platform, unequal) = (self.platform.as_deref(), self.unequal.as_deref_mut());
        self.checker.check(now, decision, &self.jobs, &mut self.nodes, platform, unequal)?;
        self.apply(now, decision);
        self.take_submissions(now, &decision.submissions)?;
        let released = std::mem::take(&mut self.followers.released);
        self.take_submissions(now, &released)?;
        // The wake-up is the only event left, and the policy does not use it.
        let idle = decision.changes.is_empty() && self.events.len() == 1 && self.next.is_none() && self.tick;
        self.idle_ticks = if idle { self.idle_ticks + 1 } else { 0 };
        self.count_wake_up(decision)?;
        decision.clear();
        self.is_decided = true;
        Ok(())
    }

    /// Counts a wake-up that was the only event and that the policy did not use.
    #[inline]
    fn count_wake_up(&mut self, decision: &Decision) -> Result<(), SimulationError> {
        if !self.tick {
            self.wake_ups.0 = 0;
            return Ok(());
        }
        let is_alone = decision.changes.is_empty()
            && decision.submissions.is_empty()
            && self.completed.is_empty()
            && self.submitted.is_empty()
            && self.interrupted.is_empty();
        let (count, since) = self.wake_ups;
        let is_next = is_alone && count > 0 && self.now.since(since) < WAKE_UP_SPAN;
        self.wake_ups = if is_next { (count + 1, since) } else { (u32::from(is_alone), self.now) };
        match self.wake_ups {
            (count, since) if count > MAX_WAKE_UPS => {
                Err(SimulationError::WakesItself { count, since, time: self.now })
            }
            _ => Ok(()),
        }
    }

    /// Returns the observer.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// Returns the observer, mutably, so that its contents can be taken.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Checks that all jobs have left.
    fn check_all_left(&self) -> Result<(), SimulationError> {
        match self.jobs.in_system() {
            [] => match self.followers.waiting().next() {
                None => Ok(()),
                Some((after, job)) => Err(SimulationError::NeverFollows { job: job.id, after }),
            },
            left @ [first, ..] => Err(SimulationError::Stuck {
                time: self.now,
                jobs: left.len(),
                first: self.jobs.get(*first).job.id,
            }),
        }
    }

    /// Clears the events of the current time once they have been decided on.
    fn clear_events(&mut self) {
        for job in self.completed.drain(..) {
            self.jobs.release(job);
        }
        self.release_lost();
        self.submitted.clear();
        (self.tick, self.is_decided) = (false, false);
    }

    /// Applies all events of this time; returns whether the wake-up is among them.
    fn apply_events(&mut self, now: SimTime) -> Result<bool, SimulationError> {
        let mut tick = false;
        while let Some((_, slot)) = self.events.peek().filter(|(key, _)| key.time() == now) {
            // Scheduling the next submission replaces this one in its slot, so it is not popped.
            if slot == NEXT_SUBMISSION {
                let job = self.next.take().expect("a submission is scheduled only with its job");
                self.submit(now, job)?;
                self.pull_submission(now)?;
                continue;
            }
            self.events.pop();
            match slot {
                WAKE_UP => tick = true,
                PLATFORM => self.change_platform(now)?,
                Slot(slot) => self.complete(now, JobHandle(slot - FIRST_JOB))?,
            }
        }
        Ok(tick)
    }

    /// Schedules the arrival of the next job, if there is one.
    fn pull_submission(&mut self, now: SimTime) -> Result<(), SimulationError> {
        let arrival = self.arrivals.next();
        self.next = if self.later_arrivals.is_empty() {
            arrival
        } else {
            self.insert_arrivals(arrival);
            self.later_arrivals.pop()
        };
        self.schedule_submission(now)
    }

    /// Inserts arrivals into those held back; jobs of the same time keep their order.
    fn insert_arrivals(&mut self, jobs: impl IntoIterator<Item = Job>) {
        for job in jobs {
            let at = self.later_arrivals.partition_point(|held| held.submit > job.submit);
            self.later_arrivals.insert(at, job);
        }
    }

    /// Adds jobs, which have been checked, to the future arrivals.
    fn take_submissions(&mut self, now: SimTime, jobs: &[Job]) -> Result<(), SimulationError> {
        if jobs.is_empty() {
            return Ok(());
        }
        self.later_arrivals.extend(self.next.take());
        self.insert_arrivals(jobs.iter().cloned());
        self.next = self.later_arrivals.pop();
        self.schedule_submission(now)
    }

    fn schedule_submission(&mut self, now: SimTime) -> Result<(), SimulationError> {
        let Some(job) = &self.next else {
            self.events.cancel(NEXT_SUBMISSION);
            return Ok(());
        };
        if job.submit < now || job.tasks == 0 || job.run_time.is_zero() {
            return Err(SimulationError::InvalidJob(job.id));
        }
        self.events.schedule(NEXT_SUBMISSION, EventKey::new(job.submit, Rank::Submission, 0));
        Ok(())
    }

    /// Returns the rule for jobs that lose a node; `None` if nodes never go down.
    fn interruption(&self) -> Option<Interruption> {
        self.platform.as_ref().map(|platform| platform.interruption())
    }

    fn submit(&mut self, now: SimTime, job: Job) -> Result<JobHandle, SimulationError> {
        let estimate = self.options.estimates.estimate(&job, self.options.seed);
        let rule = self.interruption();
        let handle = self.jobs.insert(job, estimate, &self.options, rule);
        let active = self.jobs.get(handle);
        self.total_duration += active.max_duration();
        if self.total_duration + u128::from(now.micros())
            > u128::from(SimTime::from_secs(LAST_SECOND).micros())
        {
            return Err(SimulationError::BeyondRange(active.job.id));
        }
        self.submitted.push(handle);
        let planned = estimate.map(|span| span.saturating_add(self.options.longest_wake()));
        self.observer.observe(now, active.sequence, Occurrence::Submitted(&active.job, planned));
        if let Some(unequal) = &mut self.unequal {
            unequal.submit(handle, &active.job);
            let demand = unequal.demand(handle);
            if !demand.is_empty() {
                let occurrence = Occurrence::Asked(demand, unequal.classes());
                self.observer.observe(now, active.sequence, occurrence);
            }
        }
        if self.followers.is_used()
            && let Some(link) = self.followers.link(active.job.id)
        {
            self.observer.observe(now, active.sequence, Occurrence::Linked(&link));
        }
        Ok(handle)
    }

    /// Removes a job from the system: it has completed, or was rejected, killed or lost.
    fn remove_job(&mut self, handle: JobHandle, state: JobState) {
        self.total_duration -= self.jobs.get(handle).max_duration();
        self.jobs.remove_from_order(handle, state);
    }

    fn check_range(&self) -> Result<(), SimulationError> {
        let first = self.jobs.in_system().first().map(|&first| self.jobs.get(first).job.id);
        // Without jobs in the system only a wake-up can be so late, and it affects no job.
        first.map_or(Ok(()), |job| Err(SimulationError::BeyondRange(job)))
    }

    fn complete(&mut self, now: SimTime, handle: JobHandle) -> Result<(), SimulationError> {
        self.release_nodes(handle);
        let active = self.jobs.get(handle);
        let (id, sequence) = (active.job.id, active.sequence);
        self.observer.observe(now, sequence, Occurrence::Completed(&active.record(now)));
        self.remove_job(handle, JobState::Completed);
        self.completed.push(handle);
        self.submit_dependents(id, sequence, now)
    }

    /// Submits the jobs that wait for the end of one that has left, before the submissions of the
    /// current time.
    fn submit_dependents(&mut self, id: JobId, sequence: u64, now: SimTime) -> Result<(), SimulationError> {
        if !self.followers.is_used() {
            return Ok(());
        }
        let released = self.followers.release((id, sequence), DependencyEvent::End, now, now);
        self.take_submissions(now, &released)
    }

    /// Updates the known needs of running jobs by their use since the last event.
    fn discover_needs(&mut self, now: SimTime) {
        self.discovered.clear();
        let Some(least) = self.options.discovery.filter(|_| self.options.needs != NeedModel::Exact) else {
            return;
        };
        for place in 0..self.jobs.in_system().len() {
            let handle = self.jobs.in_system()[place];
            let active = self.jobs.get_mut(handle);
            if active.state != JobState::Running || now.saturating_since(active.observable_from) < least {
                continue;
            }
            let (before, old_yield) = (active.believed_need, active.job_yield);
            if active.discover_need() {
                let memory = active.job.memory;
                self.nodes.remove(active.placement(), before, memory, old_yield);
                self.nodes.add(active.placement(), active.believed_need, memory, active.job_yield);
                self.discovered.push((handle, before));
            }
        }
    }
}
