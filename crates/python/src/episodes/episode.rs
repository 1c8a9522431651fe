//! One simulation in which an agent chooses the job that starts next.

use super::running::{Run, Running};
use dfrsim::cluster::{EstimateModel, JobHandle, Overrun, Simulation, SimulationError};
use dfrsim::model::{named, stretch};
use dfrsim::prelude::*;
use std::collections::{BTreeSet, VecDeque};

/// What all episodes of an environment have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) nodes: u32,
    /// How many jobs of the queue are seen.
    pub(super) slots: usize,
    /// How many of the running jobs are seen.
    pub(super) running: usize,
    pub(super) reward: Reward,
    /// If the chosen job may be one that does not fit yet, whether others start before it as in EASY.
    pub(super) backfills: Option<bool>,
    pub(super) estimates: EstimateModel,
    pub(super) overrun: Overrun,
}

impl Rules {
    /// The length of an observation: the free part of the nodes, four numbers a slot, and two a running job.
    pub(super) fn numbers(self) -> usize {
        1 + SHOWN * self.slots + SHOWN_RUNNING * self.running
    }
    /// A slot, or waiting.
    pub(super) fn actions(self) -> usize {
        self.slots + 1
    }
}

/// What is shown of a job.
const SHOWN: usize = 4;

/// What is shown of a running job.
const SHOWN_RUNNING: usize = 2;

/// The seconds below which run times do not count in the bounded slowdown.
const TAU: SimSpan = SimSpan::from_secs(10);

named! {
    /// What rewards add up to.
    pub(super) enum Reward as "reward" {
        /// Minus the mean wait in hours, as it passes.
        Wait = "wait",
        /// Minus the mean bounded slowdown, at the end.
        BoundedSlowdown = "bounded_slowdown",
        /// The same, of each job when it completes.
        EachBoundedSlowdown = "each_bounded_slowdown",
        /// The utilisation, at the end.
        Utilisation = "utilisation",
    }
}

/// A simulation that waits for the next choice.
pub(super) struct Episode {
    rules: Rules,
    simulation: Simulation<std::vec::IntoIter<Job>, Metrics>,
    decision: Decision,
    /// The number of jobs in the workload.
    jobs: usize,
    free: Vec<NodeId>,
    queue: VecDeque<Waiting>,
    running: Running,
    /// Jobs of which no time was requested: that they take is not shown where estimates are those of users.
    unrequested: BTreeSet<JobId>,
    now: SimTime,
    all_submitted: bool,
    is_over: bool,
    /// The time that jobs have waited since the last choice, in seconds.
    waited: f64,
    /// The bounded slowdowns of the jobs that have completed since then.
    slowed: f64,
}

/// A job in the queue.
struct Waiting {
    handle: JobHandle,
    tasks: u32,
    submit: SimTime,
    /// How long it takes, as far as it is known; [`SimSpan::MAX`] if it is not.
    span: SimSpan,
    /// Its part of the nodes and its estimate, as they are shown.
    size: f32,
    estimate: f32,
}

/// Longer times are not distinguished.
const WEEK: f64 = 7.0 * 86_400.0;

/// Seconds on a logarithmic scale up to a week.
fn scaled(seconds: f64) -> f32 {
    (seconds.ln_1p() / WEEK.ln_1p()).min(1.0) as f32
}

impl Episode {
    /// Goes on to the first choice.
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
            slowed: 0.0,
        };
        episode.take_events()?;
        episode.pass_moments()?;
        Ok(episode)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Carries out an action and goes on to the next choice; the reward.
    pub(super) fn step(&mut self, action: usize) -> Result<f64, SimulationError> {
        (self.waited, self.slowed) = (0.0, 0.0);
        match (self.possible(action), self.rules.backfills) {
            (Some(slot), Some(backfills)) => self.start_when_it_fits(slot, backfills)?,
            (Some(slot), None) => self.start(slot),
            (None, _) => self.go_on()?,
        }
        self.pass_moments()?;
        Ok(match self.rules.reward {
            Reward::Wait => -self.waited / 3600.0 / self.jobs as f64,
            Reward::EachBoundedSlowdown => -self.slowed / self.jobs as f64,
            _ if !self.is_over => 0.0,
            Reward::BoundedSlowdown => {
                self.summary().map_or(0.0, |summary| -summary.bounded_stretch[0].distribution.mean)
            }
            Reward::Utilisation => self.summary().map_or(0.0, |summary| summary.utilisation),
        })
    }

    /// What was measured so far, if any job has completed.
    pub(super) fn summary(&self) -> Option<Summary> {
        self.simulation.observer().summary()
    }

    /// Writes what is seen, and which actions are possible.
    pub(super) fn observe(&self, numbers: &mut [f32], mask: &mut [bool]) {
        let (free, slots) = numbers.split_first_mut().expect("an observation begins with the free nodes");
        *free = self.free.len() as f32 / self.rules.nodes as f32;
        let (slots, running) = slots.split_at_mut(SHOWN * self.rules.slots);
        running.fill(0.0);
        for (shown, run) in running.chunks_exact_mut(SHOWN_RUNNING).zip(self.running.by_end()) {
            let left = run.end.saturating_since(self.now).as_secs_f64();
            shown.copy_from_slice(&[run.tasks as f32 / self.rules.nodes as f32, scaled(left)]);
        }
        slots.fill(0.0);
        for (slot, job) in slots.chunks_exact_mut(SHOWN).zip(&self.queue) {
            let wait = self.now.since(job.submit).as_secs_f64();
            slot.copy_from_slice(&[1.0, job.size, job.estimate, scaled(wait)]);
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

    /// Whether the agent may choose a job: one that fits now, or that can be waited for.
    fn may_choose(&self, job: &Waiting) -> bool {
        self.rules.backfills.is_some() || self.fits(job)
    }

    /// The first slot with a job that may be chosen.
    fn first_choice(&self) -> Option<usize> {
        self.queue.iter().take(self.rules.slots).position(|job| self.may_choose(job))
    }

    /// Whether waiting is an action: something happens by itself, and the agent cannot choose a job to wait for.
    fn may_wait(&self) -> bool {
        self.rules.backfills.is_none() && !self.is_over && (!self.running.is_empty() || !self.all_submitted)
    }

    /// The slot of which the job starts, or `None` to wait; an action that is not possible counts as another one.
    fn possible(&self, action: usize) -> Option<usize> {
        let is_seen = action < self.rules.slots;
        let chosen = self.queue.get(action).filter(|job| is_seen && self.may_choose(job)).map(|_| action);
        if chosen.is_none() && !self.may_wait() { self.first_choice() } else { chosen }
    }

    fn start(&mut self, slot: usize) {
        let job = self.queue.remove(slot).expect("only jobs that are there start");
        let rest = self.free.len() - job.tasks as usize;
        self.free[rest..].sort_unstable();
        let nodes = self.free.drain(rest..).map(|node| NodeTasks { node, tasks: 1 });
        self.decision.start(job.handle, nodes, Yield::ONE);
        let end = self.now.saturating_add(job.span);
        self.running.insert(Run { handle: job.handle, tasks: job.tasks, start: self.now, end });
    }

    /// Starts the job of a slot as soon as it fits; until then others may start as in EASY.
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
            self.go_on()?;
        }
    }

    /// Starts jobs by arrival that do not delay the one of a slot.
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

    fn pass_moments(&mut self) -> Result<(), SimulationError> {
        while !self.is_over && self.first_choice().is_none() {
            self.go_on()?;
        }
        Ok(())
    }

    fn go_on(&mut self) -> Result<(), SimulationError> {
        if !self.is_over {
            self.simulation.decide(&mut self.decision)?;
            self.take_events()?;
        }
        Ok(())
    }

    fn take_events(&mut self) -> Result<(), SimulationError> {
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
                self.slowed += stretch::bounded(stay, run_time, TAU);
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
            let estimate = known.map_or(1.0, |span| scaled(span.as_secs_f64()));
            let span = known.unwrap_or(SimSpan::MAX);
            self.queue.push_back(Waiting { handle, tasks, submit, span, size, estimate });
        }
        Ok(())
    }
}
