//! Simulation in which an agent chooses the job that starts next.

use super::running::{Running, RunningJob};
use dfrsim::cluster::{EstimateModel, JobHandle, Overrun, Simulation, SimulationError};
use dfrsim::model::{named, stretch};
use dfrsim::prelude::*;
use std::collections::{BTreeSet, VecDeque};

/// Parameters that all episodes of an environment share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) nodes: u32,
    /// Number of jobs of the queue that are observed.
    pub(super) slots: usize,
    /// Number of running jobs that are observed.
    pub(super) running: usize,
    pub(super) reward: Reward,
    /// `None` if only jobs that fit now can be chosen; otherwise any job, and true if others
    /// backfill before it as in EASY.
    pub(super) backfills: Option<bool>,
    pub(super) estimates: EstimateModel,
    pub(super) overrun: Overrun,
}

impl Rules {
    /// Returns the length of an observation: the free fraction of the nodes, four numbers per slot,
    /// and two per running job.
    pub(super) fn observation_size(self) -> usize {
        1 + SLOT_FEATURES * self.slots + RUNNING_FEATURES * self.running
    }
    /// Returns the number of actions: one per slot, and waiting.
    pub(super) fn action_count(self) -> usize {
        self.slots + 1
    }
}

/// Number of values that describe a job in the queue.
const SLOT_FEATURES: usize = 4;

/// Number of values that describe a running job.
const RUNNING_FEATURES: usize = 2;

/// Threshold of the bounded slowdown: shorter run times count as this.
const TAU: SimSpan = SimSpan::from_secs(10);

named! {
    /// Quantity to which the rewards of an episode sum up.
    pub(super) enum Reward as "reward" {
        /// The negative mean wait in hours, as time passes.
        Wait = "wait",
        /// The negative mean bounded slowdown, at the end.
        BoundedSlowdown = "bounded_slowdown",
        /// The negative mean bounded slowdown; the share of each job when it completes.
        EachBoundedSlowdown = "each_bounded_slowdown",
        /// The utilisation, at the end.
        Utilisation = "utilisation",
    }
}

/// Simulation that waits for the next choice.
pub(super) struct Episode {
    rules: Rules,
    simulation: Simulation<std::vec::IntoIter<Job>, Metrics>,
    decision: Decision,
    /// Number of jobs in the workload.
    jobs: usize,
    free: Vec<NodeId>,
    queue: VecDeque<Waiting>,
    running: Running,
    /// Jobs without a requested time. The simulator uses the run time as their estimate, which is
    /// hidden if estimates are those of users.
    unrequested: BTreeSet<JobId>,
    now: SimTime,
    all_submitted: bool,
    is_over: bool,
    /// Total time that jobs have waited since the last choice, in seconds.
    waited: f64,
    /// Sum of the bounded slowdowns of jobs that have completed since the last choice.
    slowdowns: f64,
}

/// Job in the queue.
struct Waiting {
    handle: JobHandle,
    tasks: u32,
    submit: SimTime,
    /// Estimate of the run time; [`SimSpan::MAX`] if there is none.
    span: SimSpan,
    /// Size as a fraction of the nodes, as observed; the next field is the estimate, as observed.
    size: f32,
    estimate: f32,
}

/// Upper end of the scale of times: longer times are not distinguished.
const WEEK: f64 = 7.0 * 86_400.0;

/// Scales seconds logarithmically to 0 to 1, which is a week.
fn log_scale(seconds: f64) -> f32 {
    (seconds.ln_1p() / WEEK.ln_1p()).min(1.0) as f32
}

impl Episode {
    /// Begins an episode and advances it to the first choice.
    pub(super) fn begin(rules: Rules, jobs: Vec<Job>) -> Result<Episode, SimulationError> {
        let count = jobs.len();
        let metrics = Metrics::new(SummaryOptions::new(rules.nodes));
        let options = Options { estimates: rules.estimates, overrun: rules.overrun, ..Options::default() };
        let is_requested = rules.estimates == EstimateModel::Requested;
        let unrequested =
            jobs.iter().filter(|job| is_requested && job.requested_time.is_none_or(SimSpan::is_zero));
        let unrequested = unrequested.map(|job| job.id).collect();
        let mut episode = Episode {
            rules,
            simulation: Simulation::new(rules.nodes, options, jobs, metrics)?,
            decision: Decision::default(),
            jobs: count,
            free: (0..rules.nodes).map(NodeId).collect(),
            queue: VecDeque::new(),
            running: Running::default(),
            unrequested,
            now: SimTime::ZERO,
            all_submitted: false,
            is_over: false,
            waited: 0.0,
            slowdowns: 0.0,
        };
        episode.process_events()?;
        episode.advance_to_choice()?;
        Ok(episode)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Performs an action, advances to the next choice, and returns the reward.
    pub(super) fn step(&mut self, action: usize) -> Result<f64, SimulationError> {
        (self.waited, self.slowdowns) = (0.0, 0.0);
        match (self.effective_slot(action), self.rules.backfills) {
            (Some(slot), Some(backfills)) => self.start_when_it_fits(slot, backfills)?,
            (Some(slot), None) => self.start(slot),
            (None, _) => self.advance()?,
        }
        self.advance_to_choice()?;
        Ok(match self.rules.reward {
            Reward::Wait => -self.waited / 3600.0 / self.jobs as f64,
            Reward::EachBoundedSlowdown => -self.slowdowns / self.jobs as f64,
            _ if !self.is_over => 0.0,
            Reward::BoundedSlowdown => {
                self.summary().map_or(0.0, |summary| -summary.bounded_stretch[0].distribution.mean)
            }
            Reward::Utilisation => self.summary().map_or(0.0, |summary| summary.utilisation),
        })
    }

    /// Computes the metrics so far; returns `None` if no job has completed.
    pub(super) fn summary(&self) -> Option<Summary> {
        self.simulation.observer().summary()
    }

    /// Writes the observation, and the mask of the possible actions.
    pub(super) fn observe(&self, numbers: &mut [f32], mask: &mut [bool]) {
        let (free, slots) = numbers.split_first_mut().expect("an observation begins with the free nodes");
        *free = self.free.len() as f32 / self.rules.nodes as f32;
        let (slots, running) = slots.split_at_mut(SLOT_FEATURES * self.rules.slots);
        running.fill(0.0);
        for (shown, run) in running.chunks_exact_mut(RUNNING_FEATURES).zip(self.running.by_end()) {
            let left = run.end.saturating_since(self.now).as_secs_f64();
            shown.copy_from_slice(&[run.tasks as f32 / self.rules.nodes as f32, log_scale(left)]);
        }
        slots.fill(0.0);
        for (slot, job) in slots.chunks_exact_mut(SLOT_FEATURES).zip(&self.queue) {
            let wait = self.now.since(job.submit).as_secs_f64();
            slot.copy_from_slice(&[1.0, job.size, job.estimate, log_scale(wait)]);
        }
        let (waits, fits) = mask.split_last_mut().expect("waiting is an action");
        fits.fill(false);
        for (fits, job) in fits.iter_mut().zip(&self.queue) {
            *fits = self.may_choose(job);
        }
        *waits = self.may_wait() || !fits.contains(&true);
    }

    fn fits(&self, job: &Waiting) -> bool {
        job.tasks as usize <= self.free.len()
    }

    /// Returns whether the agent may choose a job: one that fits now, or any job if it can be waited
    /// for.
    fn may_choose(&self, job: &Waiting) -> bool {
        self.rules.backfills.is_some() || self.fits(job)
    }

    /// Finds the first slot with a job that may be chosen.
    fn first_choice(&self) -> Option<usize> {
        self.queue.iter().take(self.rules.slots).position(|job| self.may_choose(job))
    }

    /// Returns whether waiting is a possible action: an event will follow without it, and the agent
    /// cannot choose a job to wait for.
    fn may_wait(&self) -> bool {
        self.rules.backfills.is_none() && !self.is_over && (!self.running.is_empty() || !self.all_submitted)
    }

    /// Returns the slot whose job starts, or `None` to wait; an impossible action is replaced by a
    /// possible one.
    fn effective_slot(&self, action: usize) -> Option<usize> {
        let is_seen = action < self.rules.slots;
        let chosen = self.queue.get(action).filter(|job| is_seen && self.may_choose(job)).map(|_| action);
        if chosen.is_none() && !self.may_wait() { self.first_choice() } else { chosen }
    }

    fn start(&mut self, slot: usize) {
        let job = self.queue.remove(slot).expect("only jobs in the queue are started");
        let rest = self.free.len() - job.tasks as usize;
        self.free[rest..].sort_unstable();
        let nodes = self.free.drain(rest..).map(|node| NodeTasks { node, tasks: 1 });
        self.decision.start(job.handle, nodes, Yield::ONE);
        let end = self.now.saturating_add(job.span);
        self.running.insert(RunningJob { handle: job.handle, tasks: job.tasks, start: self.now, end });
    }

    /// Starts the job of a slot as soon as it fits; until then others may backfill as in EASY.
    fn start_when_it_fits(&mut self, slot: usize, backfills: bool) -> Result<(), SimulationError> {
        let head = self.queue[slot].handle;
        loop {
            let slot = self.queue.iter().position(|job| job.handle == head).expect("it waits");
            if self.fits(&self.queue[slot]) {
                self.start(slot);
                return Ok(());
            }
            if backfills {
                self.backfill_behind(slot);
            }
            self.advance()?;
        }
    }

    /// Starts, in the order of arrival, jobs that do not delay the one in a slot.
    fn backfill_behind(&mut self, slot: usize) {
        let head = &self.queue[slot];
        let (head, tasks) = (head.handle, head.tasks as usize);
        let (time, mut spare) = self.running.reservation(self.now, self.free.len(), tasks);
        let mut at = 0;
        while at < self.queue.len() && !self.free.is_empty() {
            let job = &self.queue[at];
            let (width, ends_later) = (job.tasks as usize, self.now.saturating_add(job.span) > time);
            if job.handle == head || !self.fits(job) || ends_later && width > spare {
                at += 1;
                continue;
            }
            spare -= if ends_later { width } else { 0 };
            self.start(at);
        }
    }

    fn advance_to_choice(&mut self) -> Result<(), SimulationError> {
        while !self.is_over && self.first_choice().is_none() {
            self.advance()?;
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<(), SimulationError> {
        if !self.is_over {
            self.simulation.decide(&mut self.decision)?;
            self.process_events()?;
        }
        Ok(())
    }

    fn process_events(&mut self) -> Result<(), SimulationError> {
        let Some(situation) = self.simulation.advance()? else {
            self.is_over = true;
            return Ok(());
        };
        let view = situation.view;
        self.waited += self.queue.len() as f64 * view.now().since(self.now).as_secs_f64();
        self.now = view.now();
        self.all_submitted = situation.all_submitted;
        for &handle in situation.completed {
            let job = view.job(handle);
            self.free.extend(job.placement().iter().map(|part| part.node));
            if let Some(run) = self.running.remove(handle) {
                let (stay, run_time) = (self.now.since(job.submit()), self.now.since(run.start));
                self.slowdowns += stretch::bounded(stay, run_time, TAU);
            }
        }
        for &handle in situation.submitted {
            let job = view.job(handle);
            let (tasks, submit) = (job.tasks(), job.submit());
            if tasks > self.rules.nodes {
                self.decision.reject(handle);
                continue;
            }
            let size = tasks as f32 / self.rules.nodes as f32;
            let known = job.estimate().filter(|_| !self.unrequested.contains(&job.id()));
            let estimate = known.map_or(1.0, |span| log_scale(span.as_secs_f64()));
            let span = known.unwrap_or(SimSpan::MAX);
            self.queue.push_back(Waiting { handle, tasks, submit, span, size, estimate });
        }
        Ok(())
    }
}
