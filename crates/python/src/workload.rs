//! Jobs and the cluster that they are for.

use crate::table::{self, column};
use crate::wrong;
use arrow_array::{Float64Array, RecordBatch, UInt64Array};
use dfrsim::model::limits;
use dfrsim::prelude::*;
use dfrsim::workload::load::scale_to_load;
use dfrsim::workload::prepare::{self, read_jobs};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

#[pyclass(frozen, module = "dfrsim")]
pub(crate) struct Workload {
    #[pyo3(get)]
    pub(crate) nodes: u32,
    #[pyo3(get)]
    notes: String,
    pub(crate) jobs: Arc<[Job]>,
}

/// A column of numbers, or one number for all jobs.
#[derive(FromPyObject)]
enum Column {
    Same(f64),
    Each(Vec<f64>),
}

impl Column {
    fn at(&self, row: usize) -> f64 {
        match self {
            Column::Same(value) => *value,
            Column::Each(values) => values[row],
        }
    }
    fn has(&self, rows: usize) -> bool {
        matches!(self, Column::Same(_)) || matches!(self, Column::Each(values) if values.len() == rows)
    }
}

pub(crate) fn nodes(nodes: u32) -> PyResult<NonZeroU32> {
    let nodes = limits::nodes(nodes).map_err(wrong)?;
    Ok(NonZeroU32::new(nodes).expect("there is at least one"))
}

/// Jobs of the model, scaled to an offered load.
pub(crate) fn lublin(
    parameters: &LublinParameters,
    seed: Seed,
    load: Option<f64>,
) -> Result<Vec<Job>, String> {
    limits::jobs(parameters.jobs).map_err(|error| error.to_string())?;
    let mut jobs = generate(parameters, seed);
    if let Some(load) = load {
        scale_to_load(&mut jobs, parameters.nodes.get(), load).map_err(|error| error.to_string())?;
    }
    Ok(jobs)
}

#[pymethods]
impl Workload {
    #[new]
    #[pyo3(signature = (nodes, submit, tasks, run_time, *, requested_time=None, cpu_need=None, memory=None))]
    fn new(
        nodes: u32,
        submit: Vec<f64>,
        tasks: Vec<u32>,
        run_time: Vec<f64>,
        requested_time: Option<Vec<Option<f64>>>,
        cpu_need: Option<Column>,
        memory: Option<Column>,
    ) -> PyResult<Workload> {
        let (need, memory) = (cpu_need.unwrap_or(Column::Same(1.0)), memory.unwrap_or(Column::Same(0.0)));
        let rows = submit.len();
        let lengths = [tasks.len(), run_time.len(), requested_time.as_ref().map_or(rows, Vec::len)];
        if lengths.iter().any(|&length| length != rows) || !need.has(rows) || !memory.has(rows) {
            return Err(wrong(format_args!("all columns must have the {rows} values of submit")));
        }
        let mut jobs = Vec::with_capacity(rows);
        for row in 0..rows {
            let fault = |field: &str, value: f64| wrong(format_args!("job {row}: {field} is {value}"));
            let span = |field, value| SimSpan::try_from_secs_f64(value).ok_or_else(|| fault(field, value));
            let share = |field, value| Share::try_from_f64(value).ok_or_else(|| fault(field, value));
            let requested = requested_time.as_ref().and_then(|requested| requested[row]);
            jobs.push(Job {
                id: JobId(row as u64),
                submit: SimTime::ZERO.saturating_add(span("submit", submit[row])?),
                tasks: tasks[row],
                cpu_need: share("cpu_need", need.at(row))?,
                memory: share("memory", memory.at(row))?,
                run_time: span("run_time", run_time[row])?,
                requested_time: requested.map(|value| span("requested_time", value)).transpose()?,
                user: None,
                origin: Origin::UNKNOWN,
            });
        }
        jobs.sort_by_key(|job| job.submit);
        self::nodes(nodes)?;
        Ok(Workload { nodes, notes: String::new(), jobs: jobs.into() })
    }

    /// Jobs of the Lublin-Feitelson model.
    #[staticmethod]
    #[pyo3(signature = (jobs, nodes, seed, load=None))]
    fn lublin(py: Python<'_>, jobs: usize, nodes: u32, seed: u64, load: Option<f64>) -> PyResult<Workload> {
        let parameters = LublinParameters { nodes: self::nodes(nodes)?, jobs, ..LublinParameters::default() };
        let jobs = py.detach(|| self::lublin(&parameters, Seed::new(seed), load)).map_err(wrong)?;
        Ok(Workload { nodes, notes: String::new(), jobs: jobs.into() })
    }

    /// Jobs of a log in the Standard Workload Format, plain or gzip.
    #[staticmethod]
    #[pyo3(signature = (path, nodes, first=None))]
    fn read_swf(py: Python<'_>, path: PathBuf, nodes: u32, first: Option<usize>) -> PyResult<Workload> {
        self::nodes(nodes)?;
        let options = prepare::Options { units: Some(nodes), ..prepare::Options::default() };
        let (mut jobs, report) = py.detach(|| read_jobs(&path, &options)).map_err(wrong)?;
        jobs.truncate(first.unwrap_or(usize::MAX));
        Ok(Workload { nodes, notes: report.to_string(), jobs: jobs.into() })
    }

    fn __len__(&self) -> usize {
        self.jobs.len()
    }

    fn __repr__(&self) -> String {
        format!("<{} jobs for {} nodes>", self.jobs.len(), self.nodes)
    }

    /// The jobs as columns.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table::lists(py, &self.table()?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Other types than those that it has may be refused.
        let _ = requested_schema;
        table::stream(py, self.table()?)
    }
}

impl Workload {
    fn table(&self) -> PyResult<RecordBatch> {
        let seconds = |of: fn(&Job) -> f64| column::<_, _, Float64Array>(&self.jobs, of);
        let counts = |of: fn(&Job) -> u64| column::<_, _, UInt64Array>(&self.jobs, of);
        let requested = |job: &Job| job.requested_time.map(SimSpan::as_secs_f64);
        table::table([
            ("job_id", counts(|job| job.id.0)),
            ("submit", seconds(|job| job.submit.as_secs_f64())),
            ("tasks", counts(|job| job.tasks.into())),
            ("run_time", seconds(|job| job.run_time.as_secs_f64())),
            ("requested_time", column::<_, _, Float64Array>(&self.jobs, requested)),
            ("cpu_need", seconds(|job| job.cpu_need.as_f64())),
            ("memory", seconds(|job| job.memory.as_f64())),
        ])
    }
}
