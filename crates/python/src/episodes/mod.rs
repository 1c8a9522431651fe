//! Concurrent simulations, in each of which an agent chooses jobs: the basis of the environments of
//! `dfrsim.gym`.

mod episode;
mod lane;
mod running;

use crate::result::figures_of;
use crate::value_error;
use crate::workload::{self, Workload};
use dfrsim::prelude::*;
use dfrsim_commands::library;
use episode::Rules;
use lane::{Lane, LaneStep, Source};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, MutexGuard};

/// Maximum number of jobs that are observed, of the queue and of the running jobs each.
const MAX_SLOTS: usize = 128;

/// Concurrent simulations, in each of which an agent chooses jobs; `dfrsim.gym` is built on them.
///
/// They share arrays with a row for each simulation, which each call overwrites. `threads=0` uses
/// one thread per core.
#[pyclass(module = "dfrsim", frozen)]
pub(crate) struct Episodes {
    rules: Rules,
    lanes: Mutex<Vec<Lane>>,
    /// Separate thread pool; `None` for a single thread.
    pool: Option<ThreadPool>,
    #[pyo3(get)]
    observations: Py<PyArray2<f32>>,
    #[pyo3(get)]
    masks: Py<PyArray2<bool>>,
    #[pyo3(get)]
    rewards: Py<PyArray1<f64>>,
    #[pyo3(get)]
    terminations: Py<PyArray1<bool>>,
}

#[pymethods]
impl Episodes {
    #[new]
    #[pyo3(signature = (count, *, nodes, jobs, load, slots, reward, workload=None, threads=1, running=0, backfill=None, estimates="requested", overrun="extend", window=None, part=(0.0, 1.0)))]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments in Python")]
    fn new(
        py: Python<'_>,
        count: usize,
        nodes: u32,
        jobs: usize,
        load: f64,
        slots: usize,
        reward: &str,
        workload: Option<&Workload>,
        threads: usize,
        running: usize,
        backfill: Option<bool>,
        estimates: &str,
        overrun: &str,
        window: Option<usize>,
        part: (f64, f64),
    ) -> PyResult<Episodes> {
        let reward = reward.parse().map_err(value_error)?;
        if !(1..=MAX_SLOTS).contains(&slots) || running > MAX_SLOTS {
            return Err(value_error(format_args!(
                "slots={slots}, running={running}: expected 1 to {MAX_SLOTS} slots and 0 to {MAX_SLOTS} running jobs"
            )));
        }
        let words = [format!("--estimates={estimates}"), format!("--overrun={overrun}")];
        let options = library::setup(Policy::Equipartition, &words, nodes, &[]).map_err(value_error)?.options;
        let (nodes, source) = match (workload, window) {
            (Some(given), Some(length)) => {
                (given.nodes, Source::window(Arc::clone(&given.jobs), part, length).map_err(value_error)?)
            }
            (None, Some(_)) => return Err(value_error("window requires a workload")),
            (_, None) if part != (0.0, 1.0) => {
                return Err(value_error("part requires window, the number of jobs of an episode"));
            }
            (Some(given), None) => (given.nodes, Source::Given(Arc::clone(&given.jobs))),
            (None, None) => {
                let parameters =
                    LublinParameters { nodes: workload::nodes(nodes)?, jobs, ..LublinParameters::default() };
                (nodes, Source::Model { parameters, load })
            }
        };
        let rules = Rules {
            nodes,
            slots,
            running,
            reward,
            backfills: backfill,
            estimates: options.estimates,
            overrun: options.overrun,
        };
        // An environment in which no choice is possible is rejected when it is created.
        if Lane::new(source.clone()).next_episode(rules)?.is_over() {
            return Err(value_error(format_args!(
                "there is no job to choose; expected jobs that fit on {nodes} nodes"
            )));
        }
        let pool = match threads {
            1 => None,
            _ => Some(ThreadPoolBuilder::new().num_threads(threads).build().map_err(value_error)?),
        };
        Ok(Episodes {
            rules,
            lanes: Mutex::new((0..count).map(|_| Lane::new(source.clone())).collect()),
            pool,
            observations: PyArray2::zeros(py, [count, rules.observation_size()], false).unbind(),
            masks: PyArray2::zeros(py, [count, rules.action_count()], false).unbind(),
            rewards: PyArray1::zeros(py, count, false).unbind(),
            terminations: PyArray1::zeros(py, count, false).unbind(),
        })
    }

    /// Begins an episode in each simulation: the first one of a seed if one is given, otherwise the
    /// next one.
    fn reset(&self, py: Python<'_>, seeds: Vec<Option<u64>>) -> PyResult<()> {
        let mut lanes = self.lanes()?;
        if seeds.len() != lanes.len() {
            return Err(value_error(format_args!("found {} seeds, expected {}", seeds.len(), lanes.len())));
        }
        for (lane, seed) in lanes.iter_mut().zip(seeds) {
            lane.restart(seed);
        }
        let actions = vec![0; lanes.len()];
        self.step_all(py, &mut lanes, &actions)
    }

    /// Performs an action in each simulation, given as 64-bit integers. If the last action ended an
    /// episode, the next episode begins instead.
    fn step(&self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let mut lanes = self.lanes()?;
        let actions = actions.as_slice().map_err(value_error)?;
        let (found, most) = (actions.len(), self.rules.slots);
        if found != lanes.len() {
            return Err(value_error(format_args!("found {found} actions, expected {}", lanes.len())));
        }
        if let Some(action) = actions.iter().find(|&&action| action < 0 || action > most as i64) {
            return Err(value_error(format_args!("found action {action}, expected 0 to {most}")));
        }
        self.step_all(py, &mut lanes, actions)
    }

    /// Returns the places of the first job of an episode's window in the workload, and of the one after
    /// the last; None if episodes are no windows.
    fn window(&self, lane: usize) -> PyResult<Option<(usize, usize)>> {
        let lanes = self.lanes()?;
        let lane =
            lanes.get(lane).ok_or_else(|| PyIndexError::new_err(format!("there is no lane {lane}")))?;
        Ok(lane.window().map(|window| (window.start, window.end)))
    }

    /// Returns the metrics of an episode so far; None if no job has completed.
    fn summary<'py>(&self, py: Python<'py>, lane: usize) -> PyResult<Option<Bound<'py, PyDict>>> {
        let lanes = self.lanes()?;
        let lane =
            lanes.get(lane).ok_or_else(|| PyIndexError::new_err(format!("there is no lane {lane}")))?;
        lane.summary().map(|summary| figures_of(py, &summary)).transpose()
    }
}

impl Episodes {
    fn lanes(&self) -> PyResult<MutexGuard<'_, Vec<Lane>>> {
        self.lanes.try_lock().map_err(|_| value_error("another thread is stepping these simulations"))
    }

    /// Performs the actions and writes their outcomes into the arrays.
    fn step_all(&self, py: Python<'_>, lanes: &mut [Lane], actions: &[i64]) -> PyResult<()> {
        let mut observations = self.observations.bind(py).try_readwrite().map_err(value_error)?;
        let mut masks = self.masks.bind(py).try_readwrite().map_err(value_error)?;
        let mut rewards = self.rewards.bind(py).try_readwrite().map_err(value_error)?;
        let mut terminations = self.terminations.bind(py).try_readwrite().map_err(value_error)?;
        let numbers =
            observations.as_slice_mut().map_err(value_error)?.chunks_exact_mut(self.rules.observation_size());
        let masks = masks.as_slice_mut().map_err(value_error)?.chunks_exact_mut(self.rules.action_count());
        let rewards = rewards.as_slice_mut().map_err(value_error)?;
        let terminations = terminations.as_slice_mut().map_err(value_error)?;
        let outcomes = numbers.zip(masks).zip(rewards).zip(terminations);
        let rows = lanes.iter_mut().zip(actions).zip(outcomes);
        let rows = rows.map(|((lane, &action), (((numbers, mask), reward), is_over))| LaneStep {
            lane,
            action: action as usize,
            numbers,
            mask,
            reward,
            is_over,
        });
        let mut rows: Vec<LaneStep<'_>> = rows.collect();
        let rules = self.rules;
        py.detach(|| match &self.pool {
            None => rows.iter_mut().try_for_each(|row| row.step(rules)),
            Some(pool) => pool.install(|| rows.par_iter_mut().try_for_each(|row| row.step(rules))),
        })
    }
}
