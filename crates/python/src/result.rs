//! Result of a simulation.

use crate::table::{self, Columns, column};
use arrow_array::{BooleanArray, Float64Array, RecordBatch, StringArray, UInt64Array};
use dfrsim::cluster::{JobRecord, NodeRange, Placement, records};
use dfrsim::policies::Setup;
use dfrsim::prelude::*;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use pythonize::pythonize;
use std::collections::BTreeMap;

/// Result of a simulation.
///
/// It is an Arrow stream of the jobs that started, which `polars.DataFrame`, `pyarrow.table` and
/// `pandas.DataFrame.from_arrow` accept without a copy.
#[pyclass(frozen, module = "dfrsim", name = "Result")]
pub(crate) struct Simulated {
    /// Metrics, as a dictionary.
    figures: Py<PyDict>,
    /// Jobs that started, in submission order.
    table: RecordBatch,
    /// Intervals in which jobs ran on the same nodes.
    stays: RecordBatch,
    /// Number of nodes of the cluster.
    #[pyo3(get)]
    nodes: u32,
    /// Text of the events file, if it was requested.
    #[pyo3(get)]
    events_text: Option<String>,
}

/// Pickled form of a result: metrics, the two tables, the number of nodes, and the events.
type PickledResult = (Py<PyDict>, Columns, Columns, u32, Option<String>);

/// Interval in which a job runs on the same nodes at the same yield.
struct Stay {
    job: u64,
    from: SimTime,
    until: SimTime,
    nodes: String,
    job_yield: f64,
}

/// Records of the jobs in the order of their ends, and the intervals in which they ran.
#[derive(Default)]
struct JobRecorder {
    jobs: Vec<(u64, JobRecord)>,
    stays: Vec<Stay>,
    /// Running jobs: the start of the current interval, the nodes, and the yield.
    running: BTreeMap<u64, (SimTime, String, f64)>,
}

impl JobRecorder {
    fn end_stay(&mut self, now: SimTime, job: u64) -> Option<String> {
        let (from, nodes, job_yield) = self.running.remove(&job)?;
        self.stays.push(Stay { job, from, until: now, nodes: nodes.clone(), job_yield });
        Some(nodes)
    }
    fn begin_stay(&mut self, now: SimTime, job: u64, nodes: String, job_yield: Yield) {
        self.running.insert(job, (now, nodes, job_yield.as_f64()));
    }
}

impl Observer for JobRecorder {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Started(on, pace)
            | Occurrence::Resumed(on, pace)
            | Occurrence::Migrated(on, pace, ..) => {
                self.end_stay(now, job);
                self.begin_stay(now, job, ranges(on), pace.job_yield);
            }
            Occurrence::YieldChanged(pace) => {
                if let Some(nodes) = self.end_stay(now, job) {
                    self.begin_stay(now, job, nodes, pace.job_yield);
                }
            }
            Occurrence::Paused(_) | Occurrence::Interrupted(..) => _ = self.end_stay(now, job),
            Occurrence::Completed(record) | Occurrence::Killed(record) | Occurrence::Lost(record, _) => {
                self.end_stay(now, job);
                self.jobs.push((job, record.clone()));
            }
            _ => {}
        }
    }
}

/// Formats nodes as `0-3 5`; a node with several tasks appears once.
fn ranges(on: Placement<'_>) -> String {
    let range = |range: &NodeRange| match (range.first.0, range.nodes) {
        (first, 1) => first.to_string(),
        (first, nodes) => format!("{first}-{}", first + nodes - 1),
    };
    on.ranges().iter().map(range).collect::<Vec<_>>().join(" ")
}

impl Simulated {
    pub(crate) fn run(
        name: &str,
        setup: &Setup,
        jobs: &[Job],
        scheduler: &mut dyn Scheduler,
        events: bool,
    ) -> Result<Simulated, String> {
        let Setup { nodes, options, site, figures, .. } = setup;
        let metrics = Metrics::new(figures.clone());
        let log = events.then(|| {
            let rules = (options.penalty, options.overrun);
            let run = records::run(name, *nodes, rules, figures.taus[0], (None, None));
            let log = EventLog::of_run(Vec::new(), &run);
            log.of_cluster(options, site.as_deref())
        });
        let mut watchers = ((metrics, log), JobRecorder::default());
        simulate(*nodes, options, jobs.iter().cloned(), scheduler, &mut watchers)
            .map_err(|error| error.to_string())?;
        let ((metrics, log), records) = watchers;
        let summary = metrics.summary().ok_or("no job has completed, so there are no metrics")?;
        let text = log.map(|log| log.finish(&summary)).transpose().map_err(|error| error.to_string())?;
        let text = text.map(String::from_utf8).transpose().map_err(|error| error.to_string())?;
        let JobRecorder { jobs: mut records, stays, .. } = records;
        records.sort_by_key(|(job, _)| *job);
        let ids: BTreeMap<u64, u64> = records.iter().map(|(job, record)| (*job, record.id.0)).collect();
        let records: Vec<JobRecord> = records.into_iter().map(|(_, record)| record).collect();
        let table = table_of(&records).map_err(|error| error.to_string())?;
        let stays = stays_of(&stays, &ids).map_err(|error| error.to_string())?;
        let figures = Python::attach(|py| figures_of(py, &summary).map(Bound::unbind));
        let figures = figures.map_err(|error| error.to_string())?;
        Ok(Simulated { figures, table, stays, nodes: *nodes, events_text: text })
    }
}

fn stays_of(stays: &[Stay], ids: &BTreeMap<u64, u64>) -> PyResult<RecordBatch> {
    table::table([
        ("job_id", column::<_, _, UInt64Array>(stays, |stay| ids.get(&stay.job).copied())),
        ("from", column::<_, _, Float64Array>(stays, |stay| stay.from.as_secs_f64())),
        ("until", column::<_, _, Float64Array>(stays, |stay| stay.until.as_secs_f64())),
        ("nodes", column::<_, _, StringArray>(stays, |stay| stay.nodes.clone())),
        ("yield", column::<_, _, Float64Array>(stays, |stay| stay.job_yield)),
    ])
}

pub(crate) fn table_of(jobs: &[JobRecord]) -> PyResult<RecordBatch> {
    let seconds = |of: fn(&JobRecord) -> f64| column::<_, _, Float64Array>(jobs, of);
    let counts = |of: fn(&JobRecord) -> u64| column::<_, _, UInt64Array>(jobs, of);
    table::table([
        ("job_id", counts(|job| job.id.0)),
        ("submit", seconds(|job| job.submit.as_secs_f64())),
        ("start", seconds(|job| job.start.as_secs_f64())),
        ("end", seconds(|job| job.end.as_secs_f64())),
        ("tasks", counts(|job| job.tasks.into())),
        ("run_time", seconds(|job| job.run_time.as_secs_f64())),
        ("wait", seconds(|job| job.wait().as_secs_f64())),
        ("turnaround", seconds(|job| job.turnaround().as_secs_f64())),
        ("killed", column::<_, _, BooleanArray>(jobs, |job| job.killed)),
        ("preemptions", counts(|job| job.preemptions.into())),
        ("migrations", counts(|job| job.migrations.into())),
    ])
}

/// Converts the metrics of a simulation to a dictionary.
pub(crate) fn figures_of<'py>(py: Python<'py>, summary: &Summary) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(py);
    dictionary.set_item("jobs", summary.jobs)?;
    dictionary.set_item("killed", summary.killed)?;
    dictionary.set_item("rejected", summary.rejected)?;
    dictionary.set_item("makespan", summary.makespan.as_secs_f64())?;
    dictionary.set_item("utilisation", summary.utilisation)?;
    dictionary.set_item("preemptions", summary.preemptions)?;
    dictionary.set_item("migrations", summary.migrations)?;
    dictionary.set_item("wait", pythonize(py, &summary.wait)?)?;
    dictionary.set_item("turnaround", pythonize(py, &summary.turnaround)?)?;
    dictionary.set_item("stretch", pythonize(py, &summary.stretch)?)?;
    dictionary.set_item("bounded_stretch", pythonize(py, &summary.bounded_stretch[0].distribution)?)?;
    Ok(dictionary)
}

#[pymethods]
impl Simulated {
    /// Returns the metrics; `wait`, `turnaround`, `stretch` and `bounded_stretch` have mean, median,
    /// p95, p99 and max.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.figures.bind(py).copy()
    }

    /// Returns a list for each field of the jobs that started.
    #[getter]
    fn jobs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table::lists(py, &self.table)
    }

    /// Returns a list for each field of the stays of jobs: intervals in which a job ran on the same
    /// nodes at the same yield.
    #[getter]
    fn stays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table::lists(py, &self.stays)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol allows ignoring the requested schema.
        let _ = requested_schema;
        table::stream(py, self.table.clone())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, PickledResult)> {
        let restore = py.get_type::<Simulated>().getattr("_restore")?;
        let (table, stays) = (table::columns(py, &self.table)?, table::columns(py, &self.stays)?);
        Ok((restore, (self.figures.clone_ref(py), table, stays, self.nodes, self.events_text.clone())))
    }

    /// Restores a pickled result.
    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        figures: Py<PyDict>,
        table: Columns,
        stays: Columns,
        nodes: u32,
        events_text: Option<String>,
    ) -> PyResult<Simulated> {
        let (table, stays) = (table::from_columns(py, table)?, table::from_columns(py, stays)?);
        Ok(Simulated { figures, table, stays, nodes, events_text })
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let figure = |path: &[&str]| self.figure(py, path);
        Ok(table::html([
            ("jobs", figure(&["jobs"])?.to_string()),
            ("rejected", figure(&["rejected"])?.to_string()),
            ("utilisation", format!("{:.1} %", figure(&["utilisation"])? * 100.0)),
            ("mean wait", format!("{:.0} s", figure(&["wait", "mean"])?)),
            ("mean bounded stretch", format!("{:.2}", figure(&["bounded_stretch", "mean"])?)),
            ("largest bounded stretch", format!("{:.2}", figure(&["bounded_stretch", "max"])?)),
        ]))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (jobs, largest) = (self.figure(py, &["jobs"])?, self.figure(py, &["stretch", "max"])?);
        Ok(format!("<{jobs} jobs, largest stretch {largest:.2}>"))
    }
}

impl Simulated {
    /// Gets one of the metrics by its keys in the nested dictionaries.
    fn figure(&self, py: Python<'_>, path: &[&str]) -> PyResult<f64> {
        let figures = self.figures.bind(py).clone().into_any();
        path.iter().try_fold(figures, |it, name| it.get_item(name))?.extract()
    }
}
