//! What a simulation measured.

use crate::table::{self, column};
use arrow_array::{BooleanArray, Float64Array, RecordBatch, UInt64Array};
use dfrsim::cluster::{Distribution, JobRecord};
use dfrsim::prelude::*;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

/// What a simulation measured.
///
/// The jobs that started are a table for `polars.DataFrame`, `pyarrow.table` and `pandas.DataFrame.from_arrow`, which take it
/// without a copy, as a stream of Arrow.
#[pyclass(frozen, module = "dfrsim", name = "Result")]
pub(crate) struct Simulated {
    summary: Summary,
    /// The jobs that started, by submission.
    table: RecordBatch,
    /// The events file, if it was asked for.
    #[pyo3(get)]
    events_text: Option<String>,
}

/// The lives of jobs, in the order in which they end.
#[derive(Default)]
struct Records(Vec<JobRecord>);

impl Observer for Records {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Completed(record) | Occurrence::Killed(record) = occurrence {
            self.0.push(record.clone());
        }
    }
}

impl Simulated {
    pub(crate) fn run(
        name: &str,
        nodes: u32,
        options: &Options,
        tau: SimSpan,
        jobs: &[Job],
        scheduler: &mut dyn Scheduler,
        events: bool,
    ) -> Result<Simulated, String> {
        let metrics = Metrics::new(SummaryOptions { taus: vec![tau], ..SummaryOptions::new(nodes) });
        let log = events.then(|| EventLog::new(Vec::new(), name, nodes, options.penalty, tau));
        let mut watchers = ((metrics, log), Records::default());
        simulate(nodes, options, jobs.iter().cloned(), scheduler, &mut watchers)
            .map_err(|error| error.to_string())?;
        let ((metrics, log), Records(mut records)) = watchers;
        let summary = metrics.summary().ok_or("no job has completed")?;
        let text = log.map(|log| log.finish(&summary)).transpose().map_err(|error| error.to_string())?;
        let text = text.map(String::from_utf8).transpose().map_err(|error| error.to_string())?;
        records.sort_by_key(|record| (record.submit, record.id));
        let table = table_of(&records).map_err(|error| error.to_string())?;
        Ok(Simulated { summary, table, events_text: text })
    }
}

fn table_of(jobs: &[JobRecord]) -> PyResult<RecordBatch> {
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

/// The figures of a simulation.
pub(crate) fn figures_of<'py>(py: Python<'py>, summary: &Summary) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(py);
    dictionary.set_item("jobs", summary.jobs)?;
    dictionary.set_item("killed", summary.killed)?;
    dictionary.set_item("rejected", summary.rejected)?;
    dictionary.set_item("makespan", summary.makespan.as_secs_f64())?;
    dictionary.set_item("utilisation", summary.utilisation)?;
    dictionary.set_item("preemptions", summary.preemptions)?;
    dictionary.set_item("migrations", summary.migrations)?;
    dictionary.set_item("wait", distribution(py, &summary.wait)?)?;
    dictionary.set_item("turnaround", distribution(py, &summary.turnaround)?)?;
    dictionary.set_item("stretch", distribution(py, &summary.stretch)?)?;
    dictionary.set_item("bounded_stretch", distribution(py, &summary.bounded_stretch[0].1)?)?;
    Ok(dictionary)
}

fn distribution<'py>(py: Python<'py>, values: &Distribution) -> PyResult<Bound<'py, PyDict>> {
    let Distribution { mean, median, p95, p99, max } = *values;
    let dictionary = PyDict::new(py);
    for (name, value) in [("mean", mean), ("median", median), ("p95", p95), ("p99", p99), ("max", max)] {
        dictionary.set_item(name, value)?;
    }
    Ok(dictionary)
}

#[pymethods]
impl Simulated {
    /// Figures; `wait`, `turnaround`, `stretch` and `bounded_stretch` have mean, median, p95, p99 and max.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        figures_of(py, &self.summary)
    }

    /// A list for each field of the jobs that started.
    #[getter]
    fn jobs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table::lists(py, &self.table)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Other types than those that it has may be refused.
        let _ = requested_schema;
        table::stream(py, self.table.clone())
    }

    fn _repr_html_(&self) -> String {
        let Summary { jobs, rejected, utilisation, wait, bounded_stretch, .. } = &self.summary;
        table::html([
            ("jobs", jobs.to_string()),
            ("rejected", rejected.to_string()),
            ("utilisation", format!("{:.1} %", utilisation * 100.0)),
            ("mean wait", format!("{:.0} s", wait.mean)),
            ("mean bounded stretch", format!("{:.2}", bounded_stretch[0].1.mean)),
            ("largest bounded stretch", format!("{:.2}", bounded_stretch[0].1.max)),
        ])
    }

    fn __repr__(&self) -> String {
        format!("<{} jobs, largest stretch {:.2}>", self.summary.jobs, self.summary.stretch.max)
    }
}
