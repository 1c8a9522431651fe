//! Jobs and the size of their cluster.

use crate::table::{self, column};
use crate::value_error;
use arrow_array::{Float64Array, RecordBatch, UInt64Array};
use dfrsim::model::{JobText, JobTexts, UserId, limits};
use dfrsim::prelude::*;
use dfrsim::workload::load::scale_to_load;
use dfrsim_commands::library::{ReadLog, read_log};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PySlice};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

/// Jobs and the size of their cluster. Times are in seconds; CPU needs and memory are fractions of a
/// node.
///
/// It is an Arrow stream, which `polars.DataFrame`, `pyarrow.table` and
/// `pandas.DataFrame.from_arrow` accept.
#[pyclass(frozen, module = "dfrsim")]
pub(crate) struct Workload {
    #[pyo3(get)]
    pub(crate) nodes: u32,
    /// Report of the lines of a log that were dropped or changed, and the reasons.
    #[pyo3(get)]
    notes: String,
    pub(crate) jobs: Arc<[Job]>,
    /// Textual fields of the log, by job.
    pub(crate) texts: Option<Arc<JobTexts>>,
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
    fn has_rows(&self, rows: usize) -> bool {
        matches!(self, Column::Same(_)) || matches!(self, Column::Each(values) if values.len() == rows)
    }
}

pub(crate) fn nodes(nodes: u32) -> PyResult<NonZeroU32> {
    let nodes = limits::nodes(nodes).map_err(value_error)?;
    Ok(NonZeroU32::new(nodes).expect("the number of nodes is at least 1"))
}

/// Generates jobs from the model and scales their arrivals to an offered load.
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

/// Fields of a job as numbers without any loss: times in microseconds, then the user, and the group,
/// queue and partition.
type JobFields = (u64, u64, u32, f64, f64, u64, Option<u64>, Option<u32>, [Option<u32>; 3]);

/// Names, profiles and other textual fields of jobs, and the definitions of the profiles.
type Texts = (Vec<(u64, String, String, String)>, BTreeMap<String, String>);

/// Pickled form of a workload: the number of nodes, the notes, the jobs, and their textual fields.
type PickledWorkload = (u32, String, Vec<JobFields>, Option<Texts>);

fn row_of(job: &Job) -> JobFields {
    let Job { id, submit, tasks, cpu_need, memory, run_time, requested_time, user, origin } = job;
    let origin = [origin.group(), origin.queue(), origin.partition()];
    let (need, memory) = (cpu_need.as_f64(), memory.as_f64());
    let requested = requested_time.map(SimSpan::micros);
    (
        id.0,
        submit.micros(),
        *tasks,
        need,
        memory,
        run_time.micros(),
        requested,
        user.map(UserId::number),
        origin,
    )
}

fn job_of((id, submit, tasks, need, memory, run_time, requested, user, origin): JobFields) -> Option<Job> {
    Some(Job {
        id: JobId(id),
        submit: SimTime::from_micros(submit),
        tasks,
        cpu_need: Share::try_from_f64(need)?,
        memory: Share::try_from_f64(memory)?,
        run_time: SimSpan::from_micros(run_time),
        requested_time: requested.map(SimSpan::from_micros),
        user: user.and_then(UserId::new),
        origin: Origin::new(origin[0], origin[1], origin[2]),
    })
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
        if lengths.iter().any(|&length| length != rows) || !need.has_rows(rows) || !memory.has_rows(rows) {
            return Err(value_error(format_args!("all columns must have {rows} values, as submit has")));
        }
        let mut jobs = Vec::with_capacity(rows);
        for row in 0..rows {
            let fault = |field: &str, value: f64| {
                value_error(format_args!("job {row}: {field} is {value}, which is out of range"))
            };
            let span = |field, value| SimSpan::try_from_secs_f64(value).ok_or_else(|| fault(field, value));
            let share = |field, value| Share::try_from_f64(value).ok_or_else(|| fault(field, value));
            let requested = requested_time.as_ref().and_then(|requested| requested[row]);
            let job = Job {
                id: JobId(row as u64),
                submit: SimTime::ZERO.saturating_add(span("submit", submit[row])?),
                tasks: tasks[row],
                cpu_need: share("cpu_need", need.at(row))?,
                memory: share("memory", memory.at(row))?,
                run_time: span("run_time", run_time[row])?,
                requested_time: requested.map(|value| span("requested_time", value)).transpose()?,
                user: None,
                origin: Origin::UNKNOWN,
            };
            if job.tasks == 0 || job.run_time == SimSpan::ZERO {
                let found = format_args!(
                    "job {row}: expected at least one task and a run time above 0, found {} and {}",
                    tasks[row], run_time[row]
                );
                return Err(value_error(found));
            }
            jobs.push(job);
        }
        jobs.sort_by_key(|job| job.submit);
        self::nodes(nodes)?;
        Ok(Workload { nodes, notes: String::new(), jobs: jobs.into(), texts: None })
    }

    /// Generates jobs from the Lublin-Feitelson model, scaled to an offered load.
    #[staticmethod]
    #[pyo3(signature = (jobs, nodes, seed, load=None))]
    fn lublin(py: Python<'_>, jobs: usize, nodes: u32, seed: u64, load: Option<f64>) -> PyResult<Workload> {
        let parameters = LublinParameters { nodes: self::nodes(nodes)?, jobs, ..LublinParameters::default() };
        let jobs = py.detach(|| self::lublin(&parameters, Seed::new(seed), load)).map_err(value_error)?;
        Ok(Workload { nodes, notes: String::new(), jobs: jobs.into(), texts: None })
    }

    /// Reads the jobs of a log: SWF, GWF, listings of Slurm, accounting of PBS or Batsim's
    /// workloads, plain or gzip.
    ///
    /// Options are those of `dfrsim simulate` that are about the workload, with underscores:
    /// `nodes`, `unit`, `annotate`, `first`, `load`, `rule` and others;
    /// `help(dfrsim.commands.simulate)` describes them.
    #[staticmethod]
    #[pyo3(signature = (path, **options))]
    fn read(py: Python<'_>, path: PathBuf, options: Option<&Bound<'_, PyDict>>) -> PyResult<Workload> {
        let words = crate::arguments::to_arguments(options)?;
        let path = path.to_string_lossy();
        let ReadLog { nodes, jobs, texts, report } =
            py.detach(|| read_log(&path, &words)).map_err(value_error)?;
        Ok(Workload { nodes, notes: report, jobs: jobs.into(), texts })
    }

    /// Returns a slice of the jobs, for the same cluster.
    fn __getitem__(&self, slice: &Bound<'_, PySlice>) -> PyResult<Workload> {
        let part = slice.indices(self.jobs.len() as isize)?;
        if part.step < 1 {
            return Err(value_error(
                "the step of a slice must be at least 1, since jobs are in submission order",
            ));
        }
        let jobs =
            (part.start..part.stop).step_by(part.step as usize).map(|at| self.jobs[at as usize].clone());
        let (notes, texts) = (self.notes.clone(), self.texts.clone());
        Ok(Workload { nodes: self.nodes, notes, jobs: jobs.collect(), texts })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, PickledWorkload)> {
        let restore = py.get_type::<Workload>().getattr("_restore")?;
        let texts = self.texts.as_deref().map(|JobTexts { profiles, jobs }| {
            let of = |(id, text): (&JobId, &JobText)| {
                (id.0, text.name.clone(), text.profile.clone(), text.fields.clone())
            };
            (jobs.iter().map(of).collect(), profiles.clone())
        });
        Ok((restore, (self.nodes, self.notes.clone(), self.jobs.iter().map(row_of).collect(), texts)))
    }

    /// Restores a pickled workload.
    #[staticmethod]
    fn _restore(nodes: u32, notes: String, rows: Vec<JobFields>, texts: Option<Texts>) -> PyResult<Workload> {
        let texts = texts.map(|(jobs, profiles)| {
            let of = |(id, name, profile, fields)| (JobId(id), JobText { name, profile, fields });
            Arc::new(JobTexts { profiles, jobs: jobs.into_iter().map(of).collect() })
        });
        let jobs = rows.into_iter().map(job_of).collect::<Option<_>>();
        Ok(Workload {
            nodes,
            notes,
            jobs: jobs.ok_or_else(|| value_error("a job of the pickled workload is invalid"))?,
            texts,
        })
    }

    fn _repr_html_(&self) -> String {
        let Workload { nodes, jobs, .. } = self;
        let last = jobs.last().map_or(0.0, |job| job.submit.as_secs_f64());
        table::html([
            ("jobs", jobs.len().to_string()),
            ("nodes", nodes.to_string()),
            ("last submission", format!("{last} s")),
        ])
    }

    fn __len__(&self) -> usize {
        self.jobs.len()
    }

    fn __repr__(&self) -> String {
        format!("<{} jobs for {} nodes>", self.jobs.len(), self.nodes)
    }

    /// Returns a list for each field.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table::lists(py, &self.table()?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol allows ignoring the requested schema.
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
            (
                "user",
                column::<_, _, UInt64Array>(&self.jobs, |job| job.user.map(|user| u64::from(user.number()))),
            ),
        ])
    }
}
