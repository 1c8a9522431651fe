//! Simulations side by side, in each of which an agent chooses jobs: what the environments of `dfrsim.gym` consist of.

mod episode;
mod lane;
mod running;

use crate::result::figures_of;
use crate::workload::{self, Workload};
use crate::wrong;
use dfrsim::prelude::*;
use dfrsim_commands::library;
use episode::Rules;
use lane::{Lane, Row, Source};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, MutexGuard};

/// The most jobs of the queue that are seen, and of those that run.
const MOST_SLOTS: usize = 128;

/// Simulations side by side, in each of which an agent chooses jobs; `dfrsim.gym` consists of them.
///
/// They share arrays, with a row for each, that each call overwrites. 0 threads are one for each core.
#[pyclass(module = "dfrsim", frozen)]
pub(crate) struct Episodes {
    rules: Rules,
    lanes: Mutex<Vec<Lane>>,
    /// Threads of their own, unless one is enough.
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
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
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
        let reward = reward.parse().map_err(wrong)?;
        if !(1..=MOST_SLOTS).contains(&slots) || running > MOST_SLOTS {
            return Err(wrong(format_args!(
                "there are {slots} slots and {running} running jobs, expected 1 to {MOST_SLOTS} and 0 to {MOST_SLOTS}"
            )));
        }
        let words = [format!("--estimates={estimates}"), format!("--overrun={overrun}")];
        let options = library::setting(Policy::Equipartition, &words, nodes, &[]).map_err(wrong)?.options;
        let (nodes, source) = match (workload, window) {
            (Some(given), Some(length)) => {
                (given.nodes, Source::window(Arc::clone(&given.jobs), part, length).map_err(wrong)?)
            }
            (None, Some(_)) => return Err(wrong("window is of a workload, which there is none")),
            (_, None) if part != (0.0, 1.0) => {
                return Err(wrong("part is of windows: window says how many jobs they have"));
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
        // An environment that cannot begin is refused when it is made.
        if Lane::new(source.clone()).next_episode(rules)?.is_over() {
            return Err(wrong(format_args!("expected jobs that fit {nodes} nodes: there is none to choose")));
        }
        let pool = match threads {
            1 => None,
            _ => Some(ThreadPoolBuilder::new().num_threads(threads).build().map_err(wrong)?),
        };
        Ok(Episodes {
            rules,
            lanes: Mutex::new((0..count).map(|_| Lane::new(source.clone())).collect()),
            pool,
            observations: PyArray2::zeros(py, [count, rules.numbers()], false).unbind(),
            masks: PyArray2::zeros(py, [count, rules.actions()], false).unbind(),
            rewards: PyArray1::zeros(py, count, false).unbind(),
            terminations: PyArray1::zeros(py, count, false).unbind(),
        })
    }

    /// Begins an episode in each; with a seed the first one of that seed, else the next one.
    fn reset(&self, py: Python<'_>, seeds: Vec<Option<u64>>) -> PyResult<()> {
        let mut lanes = self.lanes()?;
        if seeds.len() != lanes.len() {
            return Err(wrong(format_args!("there are {} seeds, expected {}", seeds.len(), lanes.len())));
        }
        for (lane, seed) in lanes.iter_mut().zip(seeds) {
            lane.restart(seed);
        }
        let actions = vec![0; lanes.len()];
        self.go_on(py, &mut lanes, &actions)
    }

    /// An action in each, as 64-bit integers. Where the last one ended an episode, the next episode begins instead.
    fn step(&self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let mut lanes = self.lanes()?;
        let actions = actions.as_slice().map_err(wrong)?;
        let (found, most) = (actions.len(), self.rules.slots);
        if found != lanes.len() {
            return Err(wrong(format_args!("there are {found} actions, expected {}", lanes.len())));
        }
        if let Some(action) = actions.iter().find(|&&action| action < 0 || action > most as i64) {
            return Err(wrong(format_args!("an action is {action}, expected 0 to {most}")));
        }
        self.go_on(py, &mut lanes, actions)
    }

    /// What was measured in an episode so far; None if no job has completed.
    fn summary<'py>(&self, py: Python<'py>, lane: usize) -> PyResult<Option<Bound<'py, PyDict>>> {
        let lanes = self.lanes()?;
        let lane =
            lanes.get(lane).ok_or_else(|| PyIndexError::new_err(format!("there is no lane {lane}")))?;
        lane.summary().map(|summary| figures_of(py, &summary)).transpose()
    }
}

impl Episodes {
    fn lanes(&self) -> PyResult<MutexGuard<'_, Vec<Lane>>> {
        self.lanes.try_lock().map_err(|_| wrong("another thread steps these simulations at the moment"))
    }

    /// Writes into the arrays what comes of the actions.
    fn go_on(&self, py: Python<'_>, lanes: &mut [Lane], actions: &[i64]) -> PyResult<()> {
        let mut observations = self.observations.bind(py).try_readwrite().map_err(wrong)?;
        let mut masks = self.masks.bind(py).try_readwrite().map_err(wrong)?;
        let mut rewards = self.rewards.bind(py).try_readwrite().map_err(wrong)?;
        let mut terminations = self.terminations.bind(py).try_readwrite().map_err(wrong)?;
        let numbers = observations.as_slice_mut().map_err(wrong)?.chunks_exact_mut(self.rules.numbers());
        let masks = masks.as_slice_mut().map_err(wrong)?.chunks_exact_mut(self.rules.actions());
        let rewards = rewards.as_slice_mut().map_err(wrong)?;
        let terminations = terminations.as_slice_mut().map_err(wrong)?;
        let outcomes = numbers.zip(masks).zip(rewards).zip(terminations);
        let rows = lanes.iter_mut().zip(actions).zip(outcomes);
        let rows = rows.map(|((lane, &action), (((numbers, mask), reward), is_over))| Row {
            lane,
            action: action as usize,
            numbers,
            mask,
            reward,
            is_over,
        });
        let mut rows: Vec<Row<'_>> = rows.collect();
        let rules = self.rules;
        py.detach(|| match &self.pool {
            None => rows.iter_mut().try_for_each(|row| row.step(rules)),
            Some(pool) => pool.install(|| rows.par_iter_mut().try_for_each(|row| row.step(rules))),
        })
    }
}
