//! One simulation in which an agent chooses the job that starts next.

use dfrsim::cluster::{JobHandle, Simulation, SimulationError};
use dfrsim::prelude::*;
use std::collections::VecDeque;

/// What all episodes of an environment have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) nodes: u32,
    /// How many jobs of the queue are seen.
    pub(super) slots: usize,
    pub(super) reward: Reward,
}

impl Rules {
    /// The length of an observation: the free part of the nodes, and four numbers a slot.
    pub(super) fn numbers(self) -> usize {
        1 + SHOWN * self.slots
    }
    /// A slot, or waiting.
    pub(super) fn actions(self) -> usize {
        self.slots + 1
    }
}

/// What is shown of a job.
const SHOWN: usize = 4;

/// What rewards add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reward {
    /// Minus the mean wait in hours, as it passes.
    Wait,
    /// Minus the mean bounded slowdown, at the end.
    BoundedSlowdown,
    /// The utilisation, at the end.
    Utilisation,
}

impl std::str::FromStr for Reward {
    type Err = String;
    fn from_str(text: &str) -> Result<Reward, String> {
        match text {
            "wait" => Ok(Reward::Wait),
            "bounded_slowdown" => Ok(Reward::BoundedSlowdown),
            "utilisation" => Ok(Reward::Utilisation),
            other => {
                Err(format!("reward is '{other}', expected 'wait', 'bounded_slowdown' or 'utilisation'"))
            }
        }
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
    running: usize,
    now: SimTime,
    all_submitted: bool,
    is_over: bool,
    /// The time that jobs have waited since the last choice, in seconds.
    waited: f64,
}

/// A job in the queue.
struct Waiting {
    handle: JobHandle,
    tasks: u32,
    submit: SimTime,
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
        let mut episode = Episode {
            rules,
            simulation: Simulation::new(rules.nodes, Options::default(), jobs, metrics)?,
            decision: Decision::default(),
            jobs: count,
            free: (0..rules.nodes).map(NodeId).collect(),
            queue: VecDeque::new(),
            running: 0,
            now: SimTime::ZERO,
            all_submitted: false,
            is_over: false,
            waited: 0.0,
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
        self.waited = 0.0;
        match self.possible(action) {
            Some(slot) => self.start(slot),
            None => self.go_on()?,
        }
        self.pass_moments()?;
        Ok(match self.rules.reward {
            Reward::Wait => -self.waited / 3600.0 / self.jobs as f64,
            _ if !self.is_over => 0.0,
            Reward::BoundedSlowdown => {
                self.summary().map_or(0.0, |summary| -summary.bounded_stretch[0].1.mean)
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
        slots.fill(0.0);
        for (slot, job) in slots.chunks_exact_mut(SHOWN).zip(&self.queue) {
            let wait = self.now.since(job.submit).as_secs_f64();
            slot.copy_from_slice(&[1.0, job.size, job.estimate, scaled(wait)]);
        }
        let (waits, fits) = mask.split_last_mut().expect("waiting is an action");
        fits.fill(false);
        for (fits, job) in fits.iter_mut().zip(&self.queue) {
            *fits = self.fits(job);
        }
        *waits = self.may_wait() || !fits.contains(&true);
    }

    fn fits(&self, job: &Waiting) -> bool {
        job.tasks as usize <= self.free.len()
    }

    /// The first slot with a job that fits.
    fn first_fit(&self) -> Option<usize> {
        self.queue.iter().take(self.rules.slots).position(|job| self.fits(job))
    }

    /// Whether something happens by itself.
    fn may_wait(&self) -> bool {
        !self.is_over && (self.running > 0 || !self.all_submitted)
    }

    /// The slot of which the job starts, or `None` to wait; an action that is not possible counts as another one.
    fn possible(&self, action: usize) -> Option<usize> {
        let is_seen = action < self.rules.slots;
        let chosen = self.queue.get(action).filter(|job| is_seen && self.fits(job)).map(|_| action);
        if chosen.is_none() && !self.may_wait() { self.first_fit() } else { chosen }
    }

    fn start(&mut self, slot: usize) {
        let job = self.queue.remove(slot).expect("only jobs that are there start");
        let rest = self.free.len() - job.tasks as usize;
        self.free[rest..].sort_unstable();
        let nodes = self.free.drain(rest..).map(|node| NodeTasks { node, tasks: 1 });
        self.decision.start(job.handle, nodes, Yield::ONE);
        self.running += 1;
    }

    fn pass_moments(&mut self) -> Result<(), SimulationError> {
        while !self.is_over && self.first_fit().is_none() {
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
        self.running -= situation.completed.len();
        for &handle in situation.completed {
            self.free.extend(view.job(handle).placement().iter().map(|part| part.node));
        }
        for &handle in situation.submitted {
            let job = view.job(handle);
            let (tasks, submit) = (job.tasks(), job.submit());
            if tasks > self.rules.nodes {
                self.decision.reject(handle);
                continue;
            }
            let size = tasks as f32 / self.rules.nodes as f32;
            let estimate = job.estimate().map_or(1.0, |span| scaled(span.as_secs_f64()));
            self.queue.push_back(Waiting { handle, tasks, submit, size, estimate });
        }
        Ok(())
    }
}
