//! Job sources and metrics that are registered by the program which runs a scenario, and used in
//! scenarios by name.

use dfrsim_cluster::{JobRecord, Observer, Occurrence};
use dfrsim_model::named::UnknownName;
use dfrsim_model::{Job, Seed, SimTime};
use std::fmt;
use std::sync::Arc;

/// A named function.
pub struct Named<F: ?Sized> {
    name: String,
    version: String,
    function: Arc<F>,
}

/// Function that makes the jobs for a number of nodes and a seed.
pub type OwnSource = Named<dyn Fn(u32, Seed) -> Result<Vec<Job>, String> + Send + Sync>;

/// Function that computes a metric from the jobs that have left the system, in order of departure.
pub type OwnMetric = Named<dyn Fn(&[JobRecord]) -> Result<f64, String> + Send + Sync>;

impl<F: ?Sized> Clone for Named<F> {
    fn clone(&self) -> Self {
        Named { name: self.name.clone(), version: self.version.clone(), function: Arc::clone(&self.function) }
    }
}

impl<F: ?Sized> PartialEq for Named<F> {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.version) == (&other.name, &other.version)
    }
}

impl<F: ?Sized> fmt::Debug for Named<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

impl<F: ?Sized> fmt::Display for Named<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl OwnSource {
    /// Returns the jobs in order of submission, or an error message.
    pub(crate) fn jobs(&self, nodes: u32, seed: Seed) -> Result<Vec<Job>, String> {
        let mut jobs =
            (self.function)(nodes, seed).map_err(|fault| format!("source `{}`: {fault}", self.name))?;
        jobs.sort_by_key(|job| job.submit);
        if jobs.is_empty() { Err(format!("source `{}` has no jobs", self.name)) } else { Ok(jobs) }
    }
}

impl OwnMetric {
    /// Returns the metric's contribution to the keys of rows: its name and version.
    pub(crate) fn versioned_name(&self) -> String {
        format!("{self:?}")
    }

    /// Computes the values of several metrics, as a JSON object.
    pub(crate) fn compute_all(metrics: &[OwnMetric], left: &DepartedJobs) -> Result<String, String> {
        let of = |metric: &OwnMetric| {
            let value = (metric.function)(&left.0).map_err(|fault| format!("metric `{metric}`: {fault}"))?;
            if value.is_finite() {
                Ok((metric.name.clone(), value.into()))
            } else {
                Err(format!("metric `{metric}` is {value}"))
            }
        };
        Ok(serde_json::Value::Object(metrics.iter().map(of).collect::<Result<_, String>>()?).to_string())
    }
}

/// Jobs that have left the system.
#[derive(Debug, Default)]
pub(crate) struct DepartedJobs(Vec<JobRecord>);

impl Observer for DepartedJobs {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Completed(record) | Occurrence::Killed(record) | Occurrence::Lost(record, _) =
            occurrence
        {
            self.0.push(record.clone());
        }
    }
}

/// Job sources and metrics of a program, to be added to its registry:
/// `registry.with(Own::default().source(...))`.
#[derive(Clone, Debug, Default)]
pub struct Own {
    sources: Vec<OwnSource>,
    metrics: Vec<OwnMetric>,
}

impl Own {
    /// Adds a source of jobs, for workloads with `own = { source = NAME }`. It is called once for
    /// each trace and must be deterministic.
    #[must_use]
    pub fn source(
        mut self,
        name: &str,
        jobs: impl Fn(u32, Seed) -> Result<Vec<Job>, String> + Send + Sync + 'static,
    ) -> Own {
        let (name, version) = (name.to_owned(), String::new());
        self.sources.push(Named { name, version, function: Arc::new(jobs) });
        self
    }

    /// Adds a metric, for scenarios with `metrics = [NAME]`. Rows of another version are computed
    /// again.
    #[must_use]
    pub fn metric(
        mut self,
        name: &str,
        version: &str,
        value: impl Fn(&[JobRecord]) -> Result<f64, String> + Send + Sync + 'static,
    ) -> Own {
        let (name, version) = (name.to_owned(), version.to_owned());
        self.metrics.push(Named { name, version, function: Arc::new(value) });
        self
    }

    pub(crate) fn source_named(&self, name: &str) -> Result<OwnSource, UnknownName> {
        find(&self.sources, "source of this program", name)
    }

    pub(crate) fn metric_named(&self, name: &str) -> Result<OwnMetric, UnknownName> {
        find(&self.metrics, "metric of this program", name)
    }
}

fn find<F: ?Sized>(all: &[Named<F>], what: &'static str, name: &str) -> Result<Named<F>, UnknownName> {
    let found = all.iter().find(|it| it.name == name).cloned();
    found.ok_or_else(|| UnknownName::new(what, name, all.iter().map(|it| &it.name)))
}
