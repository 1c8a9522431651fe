//! What a policy gets, as Python has it.

use dfrsim::external::protocol::{Arrival, Message, Progress};
use numpy::{Element, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pythonize::pythonize;

/// A number of a job in the log, if that says it.
type Number = fn(&Arrival) -> Option<u32>;

/// How jobs are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A list of dictionaries.
    Lists,
    /// A dictionary of numpy's arrays, one for each field.
    Arrays,
}

impl Form {
    /// Arrays need numpy, which is an error here if it is not there.
    pub(crate) fn new(py: Python<'_>, wants_arrays: bool) -> PyResult<Form> {
        if !wants_arrays {
            return Ok(Form::Lists);
        }
        py.import("numpy")?;
        Ok(Form::Arrays)
    }

    pub(crate) fn view<'py>(self, py: Python<'py>, message: &Message) -> PyResult<Bound<'py, PyAny>> {
        let (Form::Arrays, Message::Decide { now, tick, all_submitted, submitted, completed, progress }) =
            (self, message)
        else {
            return Ok(pythonize(py, message)?);
        };
        let view = PyDict::new(py);
        view.set_item("event", "decide")?;
        view.set_item("now", now)?;
        view.set_item("tick", tick)?;
        view.set_item("all_submitted", all_submitted)?;
        let jobs = PyDict::new(py);
        add(&jobs, "job", submitted, |job| job.job)?;
        add(&jobs, "id", submitted, |job| job.id)?;
        add(&jobs, "submit", submitted, |job| job.submit)?;
        add(&jobs, "tasks", submitted, |job| job.tasks)?;
        add(&jobs, "cpu_need", submitted, |job| job.cpu_need)?;
        add(&jobs, "memory", submitted, |job| job.memory)?;
        add(&jobs, "estimate", submitted, |job: &Arrival| job.estimate.unwrap_or(f64::NAN))?;
        // As in lists, what is known of no job is not there.
        if submitted.iter().any(|job| job.requested_time.is_some()) {
            add(&jobs, "requested_time", submitted, |job: &Arrival| job.requested_time.unwrap_or(f64::NAN))?;
        }
        let numbers: [(&str, Number); 4] = [
            ("user", |job| job.user),
            ("group", |job| job.group),
            ("queue", |job| job.queue),
            ("partition", |job| job.partition),
        ];
        for (name, of) in numbers {
            if submitted.iter().any(|job| of(job).is_some()) {
                add(&jobs, name, submitted, |job| of(job).map_or(-1, i64::from))?;
            }
        }
        view.set_item("submitted", jobs)?;
        view.set_item("completed", PyArray1::from_slice(py, completed))?;
        if let Some(progress) = progress {
            let jobs = PyDict::new(py);
            add(&jobs, "job", progress, |job: &Progress| job.job)?;
            add(&jobs, "virtual_time", progress, |job: &Progress| job.virtual_time)?;
            view.set_item("progress", jobs)?;
        }
        Ok(view.into_any())
    }
}

/// A field of all jobs, which becomes an array without a copy.
fn add<J, T: Element>(
    columns: &Bound<'_, PyDict>,
    name: &str,
    jobs: &[J],
    of: impl Fn(&J) -> T,
) -> PyResult<()> {
    let column: Vec<T> = jobs.iter().map(of).collect();
    columns.set_item(name, PyArray1::from_vec(columns.py(), column))
}
