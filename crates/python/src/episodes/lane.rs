//! Sequences of episodes.

use super::episode::{Episode, Rules};
use crate::workload::lublin;
use crate::{SimulationError, value_error};
use dfrsim::prelude::*;
use pyo3::{PyErr, PyResult};
use std::ops::Range;
use std::sync::Arc;

/// Source of the jobs of an episode.
#[derive(Clone)]
pub(super) enum Source {
    /// The Lublin-Feitelson model, with other jobs for each episode.
    Model { parameters: LublinParameters, load: f64 },
    /// Given jobs, which are the same for all episodes.
    Given(Arc<[Job]>),
    /// Windows of `length` consecutive jobs in a part of a log, others for each episode; the first
    /// job arrives at 0.
    Window { jobs: Arc<[Job]>, part: Range<usize>, length: usize },
}

impl Source {
    /// Creates windows of a part of a log, which is given by two fractions of its jobs.
    pub(super) fn window(jobs: Arc<[Job]>, (from, to): (f64, f64), length: usize) -> Result<Source, String> {
        if !(0.0 <= from && from < to && to <= 1.0) {
            return Err(format!("part=({from}, {to}): expected 0 <= from < to <= 1"));
        }
        let place = |fraction: f64| (jobs.len() as f64 * fraction).round() as usize;
        let part = place(from)..place(to);
        if length == 0 || length > part.len() {
            return Err(format!(
                "window={length}: expected 1 to {}, the number of jobs in the part of the log",
                part.len()
            ));
        }
        Ok(Source::Window { jobs, part, length })
    }
}

fn simulation_error(error: dfrsim::cluster::SimulationError) -> PyErr {
    SimulationError::new_err(error.to_string())
}

/// Sequence of episodes, which depends only on its seed.
pub(super) struct Lane {
    source: Source,
    seed: Seed,
    /// Number of episodes of the seed that have begun.
    begun: u64,
    /// Place of the first job of the window in the workload.
    first: usize,
    episode: Option<Episode>,
}

impl Lane {
    pub(super) fn new(source: Source) -> Lane {
        Lane { source, seed: Seed::new(0), begun: 0, first: 0, episode: None }
    }

    /// Drops the current episode. A seed begins another sequence.
    pub(super) fn restart(&mut self, seed: Option<u64>) {
        self.episode = None;
        if let Some(seed) = seed {
            (self.seed, self.begun) = (Seed::new(seed), 0);
        }
    }

    pub(super) fn summary(&self) -> Option<Summary> {
        self.episode.as_ref().and_then(Episode::summary)
    }

    /// Returns the places of the jobs of the current window in the workload; `None` without windows.
    pub(super) fn window(&self) -> Option<Range<usize>> {
        match self.source {
            Source::Window { length, .. } => Some(self.first..self.first + length),
            Source::Given(_) | Source::Model { .. } => None,
        }
    }

    pub(super) fn next_episode(&mut self, rules: Rules) -> PyResult<Episode> {
        let jobs = match &self.source {
            Source::Given(jobs) => jobs.to_vec(),
            Source::Window { jobs, part, length } => {
                let places = (part.len() - length + 1) as u64;
                let number = self.seed.fork("window").numbered(self.begun).value() % places;
                self.first = part.start + number as usize;
                let window = &jobs[self.first..][..*length];
                let submit = |job: &Job| SimTime::ZERO.saturating_add(job.submit.since(window[0].submit));
                window.iter().map(|job| Job { submit: submit(job), ..job.clone() }).collect()
            }
            Source::Model { parameters, load } => {
                lublin(parameters, self.seed.numbered(self.begun), Some(*load)).map_err(value_error)?
            }
        };
        self.begun += 1;
        Episode::begin(rules, jobs).map_err(simulation_error)
    }
}

/// Lane with the chosen action, and the destination of its outcome.
pub(super) struct LaneStep<'a> {
    pub(super) lane: &'a mut Lane,
    pub(super) action: usize,
    pub(super) numbers: &'a mut [f32],
    pub(super) mask: &'a mut [bool],
    pub(super) reward: &'a mut f64,
    pub(super) is_over: &'a mut bool,
}

impl LaneStep<'_> {
    /// Performs the action; if there is no episode, or it is over, begins the next one instead.
    pub(super) fn step(&mut self, rules: Rules) -> PyResult<()> {
        let (episode, reward) = match self.lane.episode.take().filter(|episode| !episode.is_over()) {
            Some(mut episode) => {
                let reward = episode.step(self.action).map_err(simulation_error)?;
                (episode, reward)
            }
            None => (self.lane.next_episode(rules)?, 0.0),
        };
        episode.observe(self.numbers, self.mask);
        (*self.reward, *self.is_over) = (reward, episode.is_over());
        self.lane.episode = Some(episode);
        Ok(())
    }
}
