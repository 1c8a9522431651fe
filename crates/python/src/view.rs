//! Views that a policy gets, as Python objects.

use dfrsim::cluster::NodeRange;
use dfrsim::external::protocol::{Arrival, Message, Progress, State, Window, task_nodes};
use numpy::{Element, PyArray1};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList};
use pythonize::pythonize;
use std::sync::Arc;

/// Getter of a number of a job, which is `None` if the log does not have it.
type Number = fn(&Arrival) -> Option<u32>;

/// Builder of the views of a policy.
#[derive(Default)]
pub(crate) struct Views {
    /// True if submitted jobs are a dictionary of numpy arrays, one for each field, instead of a
    /// list of dictionaries.
    arrays: bool,
    /// Node numbers as Python integers, which all views share.
    nodes: Vec<Py<PyInt>>,
    /// Jobs in the system by handle, for policies that request lists: all views share the same
    /// objects.
    kept: Vec<Option<KnownJob>>,
}

/// Job and the values that its dictionary currently has.
struct KnownJob {
    job: Py<PyDict>,
    estimate: Option<f64>,
    is_paused: bool,
    nodes: Option<Arc<[NodeRange]>>,
}

impl Views {
    /// Creates the builder. Fails if arrays are requested and numpy is not installed.
    pub(crate) fn new(py: Python<'_>, arrays: bool) -> PyResult<Views> {
        if arrays {
            py.import("numpy")?;
        }
        Ok(Views { arrays, ..Views::default() })
    }

    /// Sets the number of nodes of the cluster.
    pub(crate) fn set_nodes(&mut self, py: Python<'_>, nodes: u32) {
        self.nodes = (0..nodes).map(|node| PyInt::new(py, node).unbind()).collect();
    }

    pub(crate) fn view<'py>(
        &mut self,
        py: Python<'py>,
        message: &Message<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Message::Decide {
            now,
            tick,
            all_submitted,
            submitted,
            completed,
            interrupted,
            power,
            state,
            progress,
        } = message
        else {
            if let Message::Begin { nodes, .. } = message {
                self.set_nodes(py, *nodes);
            }
            return Ok(pythonize(py, message)?);
        };
        let view = PyDict::new(py);
        view.set_item(intern!(py, "event"), intern!(py, "decide"))?;
        view.set_item(intern!(py, "now"), now)?;
        view.set_item(intern!(py, "tick"), tick)?;
        view.set_item(intern!(py, "all_submitted"), all_submitted)?;
        let jobs = if self.arrays && state.is_none() {
            Vec::new()
        } else {
            self.arrivals(py, submitted, state.is_some())?
        };
        if self.arrays {
            view.set_item(intern!(py, "submitted"), arrays(py, submitted)?)?;
            view.set_item(intern!(py, "completed"), PyArray1::from_slice(py, completed))?;
        } else {
            view.set_item(intern!(py, "submitted"), PyList::new(py, jobs)?)?;
            view.set_item(intern!(py, "completed"), PyList::new(py, completed)?)?;
        }
        if !interrupted.is_empty() {
            view.set_item(intern!(py, "interrupted"), pythonize(py, interrupted)?)?;
        }
        if let Some(power) = power {
            view.set_item(intern!(py, "power"), power)?;
        }
        if let Some(state) = state {
            self.add_lists(&view, *state)?;
        }
        match progress {
            Some(progress) if self.arrays => {
                let jobs = PyDict::new(py);
                add_column(&jobs, "job", progress, |job: &Progress| job.job)?;
                add_column(&jobs, "virtual_time", progress, |job: &Progress| job.virtual_time)?;
                view.set_item(intern!(py, "progress"), jobs)?;
            }
            Some(progress) => view.set_item(intern!(py, "progress"), pythonize(py, progress)?)?,
            None => {}
        }
        Ok(view.into_any())
    }

    /// Converts the submitted jobs to dictionaries, which are stored if there are lists.
    fn arrivals<'py>(
        &mut self,
        py: Python<'py>,
        submitted: &[Arrival],
        with_lists: bool,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let mut jobs = Vec::with_capacity(submitted.len());
        for arrival in submitted {
            let job = dictionary(py, arrival)?;
            if with_lists {
                let kept = KnownJob {
                    job: job.clone().unbind(),
                    estimate: arrival.estimate,
                    is_paused: false,
                    nodes: None,
                };
                let place = arrival.handle.index();
                if self.kept.len() <= place {
                    self.kept.resize_with(place + 1, || None);
                }
                self.kept[place] = Some(kept);
            }
            jobs.push(job);
        }
        Ok(jobs)
    }

    /// Adds the free nodes and the jobs to the view, and updates the dictionaries of jobs that have
    /// changed.
    fn add_lists(&mut self, view: &Bound<'_, PyDict>, state: State<'_>) -> PyResult<()> {
        let py = view.py();
        let free: Vec<&Py<PyInt>> = state.free().map(|node| &self.nodes[node as usize]).collect();
        view.set_item(intern!(py, "free"), PyList::new(py, free)?)?;
        let mut waiting = Vec::new();
        for job in state.waiting() {
            let Some(Some(kept)) = self.kept.get_mut(job.handle.index()) else { continue };
            let dictionary = kept.job.bind(py).clone();
            if kept.nodes.take().is_some() {
                dictionary.del_item(intern!(py, "nodes"))?;
                dictionary.del_item(intern!(py, "end"))?;
            }
            if kept.estimate != job.estimate {
                dictionary.set_item(intern!(py, "estimate"), job.estimate)?;
                kept.estimate = job.estimate;
            }
            if kept.is_paused != job.paused {
                dictionary.set_item(intern!(py, "paused"), job.paused)?;
                kept.is_paused = job.paused;
            }
            waiting.push(dictionary);
        }
        view.set_item(intern!(py, "waiting"), PyList::new(py, waiting)?)?;
        let mut running = Vec::new();
        for job in state.running() {
            let Some(Some(kept)) = self.kept.get_mut(job.handle.index()) else { continue };
            let dictionary = kept.job.bind(py).clone();
            if kept.nodes.as_ref().is_none_or(|nodes| !Arc::ptr_eq(nodes, job.nodes)) {
                let nodes = task_nodes(job.nodes).map(|node| &self.nodes[node as usize]).collect::<Vec<_>>();
                dictionary.set_item(intern!(py, "nodes"), PyList::new(py, nodes)?)?;
                dictionary.set_item(intern!(py, "end"), job.end)?;
                kept.nodes = Some(Arc::clone(job.nodes));
            }
            match job.level {
                Some(level) => dictionary.set_item(intern!(py, "level"), level)?,
                None if dictionary.contains(intern!(py, "level"))? => {
                    dictionary.del_item(intern!(py, "level"))?;
                }
                None => {}
            }
            running.push(dictionary);
        }
        view.set_item(intern!(py, "running"), PyList::new(py, running)?)?;
        let (down, windows): (Vec<u32>, Vec<Window>) = (state.down().collect(), state.windows().collect());
        if !down.is_empty() {
            view.set_item(intern!(py, "down"), PyList::new(py, down)?)?;
        }
        if !windows.is_empty() {
            view.set_item(intern!(py, "windows"), pythonize(py, &windows)?)?;
        }
        Ok(())
    }
}

/// Converts a job to a dictionary, as `pythonize` does but in a third of the time.
fn dictionary<'py>(py: Python<'py>, arrival: &Arrival) -> PyResult<Bound<'py, PyDict>> {
    let Arrival { resources, features, classes, .. } = arrival;
    if classes.is_some() || !resources.is_empty() || !features.is_empty() {
        return Ok(pythonize(py, arrival)?.cast_into::<PyDict>()?);
    }
    let job = PyDict::new(py);
    job.set_item(intern!(py, "job"), arrival.job)?;
    job.set_item(intern!(py, "id"), arrival.id)?;
    job.set_item(intern!(py, "submit"), arrival.submit)?;
    job.set_item(intern!(py, "tasks"), arrival.tasks)?;
    job.set_item(intern!(py, "cpu_need"), arrival.cpu_need)?;
    job.set_item(intern!(py, "memory"), arrival.memory)?;
    job.set_item(intern!(py, "estimate"), arrival.estimate)?;
    if let Some(time) = arrival.requested_time {
        job.set_item(intern!(py, "requested_time"), time)?;
    }
    for (name, number) in [
        (intern!(py, "user"), arrival.user),
        (intern!(py, "group"), arrival.group),
        (intern!(py, "queue"), arrival.queue),
        (intern!(py, "partition"), arrival.partition),
        (intern!(py, "weight"), arrival.weight),
    ] {
        if let Some(number) = number {
            job.set_item(name, number)?;
        }
    }
    Ok(job)
}

/// Converts jobs to a dictionary of arrays.
fn arrays<'py>(py: Python<'py>, submitted: &[Arrival]) -> PyResult<Bound<'py, PyDict>> {
    let jobs = PyDict::new(py);
    add_column(&jobs, "job", submitted, |job| job.job)?;
    add_column(&jobs, "id", submitted, |job| job.id)?;
    add_column(&jobs, "submit", submitted, |job| job.submit)?;
    add_column(&jobs, "tasks", submitted, |job| job.tasks)?;
    add_column(&jobs, "cpu_need", submitted, |job| job.cpu_need)?;
    add_column(&jobs, "memory", submitted, |job| job.memory)?;
    add_column(&jobs, "estimate", submitted, |job: &Arrival| job.estimate.unwrap_or(f64::NAN))?;
    // A field that no job has is omitted, like in lists.
    if submitted.iter().any(|job| job.requested_time.is_some()) {
        add_column(&jobs, "requested_time", submitted, |job: &Arrival| {
            job.requested_time.unwrap_or(f64::NAN)
        })?;
    }
    let numbers: [(&str, Number); 5] = [
        ("user", |job| job.user),
        ("group", |job| job.group),
        ("queue", |job| job.queue),
        ("partition", |job| job.partition),
        ("weight", |job| job.weight),
    ];
    for (name, of) in numbers {
        if submitted.iter().any(|job| of(job).is_some()) {
            add_column(&jobs, name, submitted, |job| of(job).map_or(-1, i64::from))?;
        }
    }
    Ok(jobs)
}

/// Adds a field of all jobs, which becomes an array without a copy.
fn add_column<J, T: Element>(
    columns: &Bound<'_, PyDict>,
    name: &str,
    jobs: &[J],
    of: impl Fn(&J) -> T,
) -> PyResult<()> {
    let column: Vec<T> = jobs.iter().map(of).collect();
    columns.set_item(name, PyArray1::from_vec(columns.py(), column))
}
