//! The loop: events of a moment, one decision, its check, its effect.

mod apply;
mod interruptions;
mod outside;

use crate::check::Checker;
use crate::followers::Until;
use crate::job_table::JobTable;
use crate::node_loads::NodeLoads;
use crate::platform::Platform;
use crate::speeds::Speeds;
use crate::unequal::Unequal;
use crate::{
    Decision, Followers, Interrupted, JobHandle, JobState, NeedModel, Observer, Occurrence, Options,
    Scheduler, Situation, View, Violation,
};
use apply::Effect;
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::platform::{Interruption, OutageError};
use dfrsim_model::{Job, JobId, Share, SimTime};
use std::sync::Arc;

/// Why a simulation ended before its jobs did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    /// The policy broke a rule.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// Jobs are left, but no event is scheduled and the policy waits.
    #[error(
        "simulation stalled at {time} s: {jobs} jobs remain, the first of them job {first}, and the policy started none"
    )]
    Stuck {
        /// The moment of the last event.
        time: SimTime,
        /// How many jobs are left.
        jobs: usize,
        /// The earliest of them.
        first: JobId,
    },
    /// A job without tasks or without run time, or one that arrives before its predecessor.
    #[error(
        "job {0} is not valid: expected at least one task, a run time above 0, and jobs in order of submission"
    )]
    InvalidJob(JobId),
    /// A job follows another one that was never submitted.
    #[error("job {job} is to be submitted after job {after}, which never comes")]
    NeverFollows {
        /// The job.
        job: JobId,
        /// The one that it follows.
        after: JobId,
    },
    /// Jobs whose run times and estimates add up to more than simulated time can express.
    #[error(
        "with job {0} the jobs in the system may run past second {seconds}, the last one that can be simulated",
        seconds = LAST_SECOND
    )]
    BeyondRange(JobId),
    /// Outages that cannot be those of this cluster.
    #[error(transparent)]
    Outages(#[from] OutageError),
    /// Classes of nodes that do not make up the cluster, or cannot be simulated with other options.
    #[error("{0}")]
    Unequal(&'static str),
    /// The policy could not decide.
    #[error("the policy failed at {time} s: {reason}")]
    Policy {
        /// The moment.
        time: SimTime,
        /// What it says of the reason.
        reason: String,
    },
}

/// The last second that is simulated (570,000 years). Even the longest penalty may follow it without overflow.
const LAST_SECOND: u64 = 18_000_000_000_000;

const NEXT_SUBMISSION: Slot = Slot(0);
const WAKE_UP: Slot = Slot(1);
const PLATFORM: Slot = Slot(2);
const FIRST_JOB: u32 = 3;

/// After this many wake-ups in a row without a change, while no job runs and none is to come, a policy is stuck.
const MOST_IDLE_TICKS: u32 = 100_000;

/// Simulates one policy on one cluster of `nodes` nodes until all jobs have left.
///
/// Jobs come by rising submission time and are pulled one ahead, so memory grows with the jobs in the system.
///
/// # Errors
/// If the policy breaks a rule or leaves jobs waiting for ever, or if a job is not valid.
pub fn simulate(
    nodes: u32,
    options: &Options,
    jobs: impl IntoIterator<Item = Job>,
    scheduler: &mut dyn Scheduler,
    observer: &mut impl Observer,
) -> Result<(), SimulationError> {
    simulate_with(nodes, options, jobs, Followers::default(), scheduler, observer)
}

/// The same with jobs that are submitted when others have left.
///
/// # Errors
/// As those of [`simulate`]; and if a job follows one that never comes.
pub fn simulate_with(
    nodes: u32,
    options: &Options,
    jobs: impl IntoIterator<Item = Job>,
    followers: Followers,
    scheduler: &mut dyn Scheduler,
    observer: &mut impl Observer,
) -> Result<(), SimulationError> {
    run(nodes, options, &mut jobs.into_iter(), followers, scheduler, observer)
}

/// The same for any types, so that it is compiled and optimised here, once, and not where it is used.
fn run(
    nodes: u32,
    options: &Options,
    jobs: &mut dyn Iterator<Item = Job>,
    followers: Followers,
    scheduler: &mut dyn Scheduler,
    observer: &mut dyn Observer,
) -> Result<(), SimulationError> {
    let mut simulation = Simulation::new(nodes, options.clone(), jobs, observer)?.with_followers(followers);
    let mut decision = Decision::default();
    while let Some(situation) = simulation.advance()? {
        scheduler.decide(&situation, &mut decision);
        simulation.decide(&mut decision)?;
    }
    Ok(())
}

/// A simulation that goes on from moment to moment, for programs that keep the loop to themselves; [`simulate`] is this loop.
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
    /// What becomes of the nodes, if some go down.
    platform: Option<Box<Platform>>,
    /// What differs from node to node, if nodes differ.
    unequal: Option<Box<Unequal>>,
    arrivals: I,
    /// The job that arrives next.
    next: Option<Job>,
    /// Jobs that arrive later and were pulled or submitted by the policy already: the last one arrives first.
    held: Vec<Job>,
    /// Jobs that are submitted when others have left.
    followers: Followers,
    now: SimTime,
    /// What happened at this moment.
    completed: Vec<JobHandle>,
    submitted: Vec<JobHandle>,
    interrupted: Vec<Interrupted>,
    discovered: Vec<(JobHandle, Share)>,
    tick: bool,
    /// Whether there was a decision on what happened.
    is_decided: bool,
    /// Wake-ups in a row that the policy did not use, with no other event scheduled.
    idle_ticks: u32,
    checker: Checker,
    speeds: Speeds,
    /// What each change of the decision that is being applied did.
    effects: Vec<Effect>,
    /// How long the jobs in the system take one after the other, in microseconds: no plan that gives each its estimate, and
    /// no schedule without preemption, is longer.
    to_come: u128,
    observer: O,
}

impl<I: Iterator<Item = Job>, O: Observer> Simulation<I, O> {
    /// A cluster of `nodes` nodes on which no time has passed. Jobs come as for [`simulate`].
    ///
    /// # Errors
    /// If the first job is not valid.
    pub fn new(
        nodes: u32,
        options: Options,
        jobs: impl IntoIterator<IntoIter = I>,
        observer: O,
    ) -> Result<Self, SimulationError> {
        if let Some(unequal) = &options.unequal {
            let reason = if unequal.classes.nodes() != nodes {
                Some("the classes of nodes do not make up the cluster")
            } else if options.needs != NeedModel::Exact || options.clock.is_some() {
                Some("unequal nodes need exact CPU needs and exact time")
            } else {
                None
            };
            reason.map_or(Ok(()), |reason| Err(SimulationError::Unequal(reason)))?;
        }
        let platform = options.outages.as_ref().map(|outages| Platform::new(Arc::clone(outages), nodes));
        let mut simulation = Simulation {
            platform: platform.transpose()?.map(Box::new),
            unequal: options.unequal.as_ref().map(|unequal| Box::new(Unequal::new(Arc::clone(unequal)))),
            options,
            events: EventQueue::new(),
            jobs: JobTable::default(),
            nodes: NodeLoads::new(nodes),
            arrivals: jobs.into_iter(),
            next: None,
            held: Vec::new(),
            followers: Followers::default(),
            now: SimTime::ZERO,
            completed: Vec::new(),
            submitted: Vec::new(),
            interrupted: Vec::new(),
            discovered: Vec::new(),
            tick: false,
            is_decided: false,
            idle_ticks: 0,
            checker: Checker::default(),
            speeds: Speeds::new(nodes),
            effects: Vec::new(),
            to_come: 0,
            observer,
        };
        simulation.schedule_platform();
        simulation.pull_submission(SimTime::ZERO)?;
        Ok(simulation)
    }

    /// With jobs that are submitted when others have left; to be called before the first moment.
    #[must_use]
    pub fn with_followers(mut self, followers: Followers) -> Self {
        self.followers = followers;
        self
    }

    /// Goes on to the next moment at which something happens; `None` when all jobs have left.
    ///
    /// # Errors
    /// If a job is not valid, or jobs are left but no event is scheduled.
    pub fn advance(&mut self) -> Result<Option<Situation<'_>>, SimulationError> {
        self.forget();
        loop {
            let next = self.events.peek().filter(|_| self.idle_ticks <= MOST_IDLE_TICKS);
            let Some((key, slot)) = next else {
                return self.all_have_left().map(|()| None);
            };
            if slot == PLATFORM && self.events.len() == 1 && self.jobs.in_system().is_empty() {
                return self.all_have_left().map(|()| None);
            }
            self.now = key.time();
            if self.now > SimTime::from_secs(LAST_SECOND) {
                return self.in_system_beyond_range().map(|()| None);
            }
            let before = self.situation().view.platform_changes();
            self.tick = self.apply_events(self.now)?;
            // No decision is due when all that happened is that nodes which are down have failed once more.
            let is_seen = slot != PLATFORM || self.situation().view.platform_changes() > before;
            if is_seen || self.tick || !self.completed.is_empty() || !self.submitted.is_empty() {
                self.discover_needs(self.now);
                return Ok(Some(self.situation()));
            }
        }
    }

    /// What happened at this moment, and the state that came of it and of the decision, if there was one already.
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
            interrupted: &self.interrupted,
            discovered: &self.discovered,
            tick: self.tick,
            all_submitted: self.next.is_none() && self.followers.is_empty(),
        }
    }

    /// Checks and carries out the decision of this moment, of which there may be one, and empties it for the next.
    ///
    /// # Errors
    /// If it breaks a rule. The simulation is of no use then.
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
        decision.clear();
        self.is_decided = true;
        Ok(())
    }

    /// The observer of the simulation.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// The observer of the simulation, to take what it has.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// All jobs have left.
    fn all_have_left(&self) -> Result<(), SimulationError> {
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

    /// Forgets what happened, of which there was a decision.
    fn forget(&mut self) {
        for job in self.completed.drain(..) {
            self.jobs.release(job);
        }
        self.release_lost();
        self.submitted.clear();
        (self.tick, self.is_decided) = (false, false);
    }

    /// Applies all events of this moment; whether the wake-up is among them.
    fn apply_events(&mut self, now: SimTime) -> Result<bool, SimulationError> {
        let mut tick = false;
        while let Some((_, slot)) = self.events.peek().filter(|(key, _)| key.time() == now) {
            // The next submission takes the place of this one.
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
        self.next = if self.held.is_empty() {
            arrival
        } else {
            self.hold(arrival);
            self.held.pop()
        };
        self.schedule_submission(now)
    }

    /// Keeps jobs until their turn comes; of jobs of the same moment those that came first go first.
    fn hold(&mut self, jobs: impl IntoIterator<Item = Job>) {
        for job in jobs {
            let at = self.held.partition_point(|held| held.submit > job.submit);
            self.held.insert(at, job);
        }
    }

    /// Lets jobs of the policy, which were checked, arrive when they say.
    fn take_submissions(&mut self, now: SimTime, jobs: &[Job]) -> Result<(), SimulationError> {
        if jobs.is_empty() {
            return Ok(());
        }
        self.held.extend(self.next.take());
        self.hold(jobs.iter().cloned());
        self.next = self.held.pop();
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

    /// What becomes of jobs that lose a node, if nodes go down.
    fn interruption(&self) -> Option<Interruption> {
        self.platform.as_ref().map(|platform| platform.interruption())
    }

    fn submit(&mut self, now: SimTime, job: Job) -> Result<JobHandle, SimulationError> {
        let estimate = self.options.estimates.estimate(&job, self.options.seed);
        let rule = self.interruption();
        let handle = self.jobs.insert(job, estimate, &self.options, rule);
        let active = self.jobs.get(handle);
        self.to_come += active.longest();
        if self.to_come + u128::from(now.micros()) > u128::from(SimTime::from_secs(LAST_SECOND).micros()) {
            return Err(SimulationError::BeyondRange(active.job.id));
        }
        self.submitted.push(handle);
        self.observer.observe(now, active.sequence, Occurrence::Submitted(&active.job, estimate));
        if let Some(unequal) = &mut self.unequal {
            unequal.submit(handle, &active.job);
            let demand = unequal.demand(handle);
            if !demand.is_empty() {
                let occurrence = Occurrence::Asked(demand, unequal.classes());
                self.observer.observe(now, active.sequence, occurrence);
            }
        }
        if self.followers.are_used()
            && let Some(link) = self.followers.link(active.job.id)
        {
            self.observer.observe(now, active.sequence, Occurrence::Linked(&link));
        }
        Ok(handle)
    }

    /// A job leaves the system: it has completed, or was rejected or killed.
    fn leave(&mut self, handle: JobHandle, state: JobState) {
        self.to_come -= self.jobs.get(handle).longest();
        self.jobs.leave(handle, state);
    }

    fn in_system_beyond_range(&self) -> Result<(), SimulationError> {
        let first = self.jobs.in_system().first().map(|&first| self.jobs.get(first).job.id);
        // Without jobs in the system only a wake-up can be so late, and it matters to none.
        first.map_or(Ok(()), |job| Err(SimulationError::BeyondRange(job)))
    }

    fn complete(&mut self, now: SimTime, handle: JobHandle) -> Result<(), SimulationError> {
        self.vacate(handle);
        let active = self.jobs.get(handle);
        let (id, sequence) = (active.job.id, active.sequence);
        self.observer.observe(now, sequence, Occurrence::Completed(&active.record(now)));
        self.leave(handle, JobState::Completed);
        self.completed.push(handle);
        self.release_followers(id, sequence, now)
    }

    /// The jobs that follow one that has left before the submissions of this moment.
    fn release_followers(&mut self, id: JobId, sequence: u64, now: SimTime) -> Result<(), SimulationError> {
        if !self.followers.are_used() {
            return Ok(());
        }
        let released = self.followers.release((id, sequence), Until::End, now, now);
        self.take_submissions(now, &released)
    }

    /// Lets what running jobs used since the last moment change what is believed of their needs.
    fn discover_needs(&mut self, now: SimTime) {
        self.discovered.clear();
        let Some(least) = self.options.discovery.filter(|_| self.options.needs != NeedModel::Exact) else {
            return;
        };
        for place in 0..self.jobs.in_system().len() {
            let handle = self.jobs.in_system()[place];
            let active = self.jobs.get_mut(handle);
            if active.state != JobState::Running || now.saturating_since(active.runs_since) < least {
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
