//! Native part of the Python package `dfrsim`; `python/dfrsim` has the rest and the documentation of
//! both.

mod arguments;
mod episodes;
mod options;
mod policy;
mod result;
mod stepper;
mod table;
mod view;
mod workload;

use dfrsim::audit::AuditError;
use dfrsim::model::limits;
use dfrsim::online_study::Own;
use dfrsim::policies::Policies;
use dfrsim::prelude::*;
use policy::{Interruptible, RaisedException};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use result::Simulated;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use workload::Workload;

pyo3::create_exception!(
    _dfrsim,
    SimulationError,
    pyo3::exceptions::PyRuntimeError,
    "The simulation ended before its jobs, because of an error or a violated rule."
);
pyo3::create_exception!(
    _dfrsim,
    AuditFault,
    pyo3::exceptions::PyRuntimeError,
    "The events violate a rule, or a metric does not follow from them."
);

fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the policies of the program, and the family of those written in Python.
fn known_policies() -> &'static Policies {
    static KNOWN: LazyLock<Policies> = LazyLock::new(|| {
        let registry = dfrsim::registry_with(Policies::standard().with_family(policy::family()));
        registry.environment().get().cloned().unwrap_or_default()
    });
    &KNOWN
}

fn span(seconds: f64, what: &str) -> PyResult<SimSpan> {
    let fault = || value_error(format_args!("{what} is {seconds}, expected a number of seconds, at least 0"));
    SimSpan::try_from_secs_f64(seconds).ok_or_else(fault)
}

/// Returns the name and the description of all known policies.
#[pyfunction]
fn policies() -> Vec<(String, String)> {
    known_policies().catalogue().into_iter().map(|info| (info.name, info.description)).collect()
}

/// Simulates one policy: its name, or an object with a method `decide`.
///
/// Options are those of `dfrsim simulate` that are not about the log or files, with underscores:
/// `penalty`, `period`, `estimates`, `overrun`, `tau`, `seed`, `platform`, `request`, `failures`,
/// `maintenance`, `interruption`, `priority`, `weights` and others; `help(dfrsim.commands.simulate)`
/// describes them. A list gives an option several times. With `events=True` the result has the
/// events file.
///
/// Raises SimulationError with the rule, the job and the time if the policy violates a rule, and any
/// exception that a Python policy raises.
#[pyfunction]
#[pyo3(name = "simulate", signature = (workload, policy, *, events=false, **options))]
fn run_policy(
    py: Python<'_>,
    workload: &Workload,
    policy: &Bound<'_, PyAny>,
    events: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Simulated> {
    let stopped = RaisedException::default();
    let policy = match policy.extract::<String>() {
        Ok(name) => known_policies().parse(&name).map_err(value_error)?,
        Err(_) => {
            let name = policy.get_type().name()?.to_string();
            // Like all custom policies it is leaked, so that it lives until the program ends.
            Policy::Custom(Box::leak(Box::new(policy::custom(&name, "", policy, &stopped)?)))
        }
    };
    let setup = options::setup(policy, options, workload)?;
    let jobs = workload.jobs.clone();
    let simulated = py.detach(|| {
        let mut watched = Interruptible::new(setup.scheduler(), &stopped);
        Simulated::run(&policy.to_string(), &setup, &jobs, &mut watched, events)
    });
    // The exception that Python raised takes precedence over the failure of the policy that it
    // caused.
    match stopped.take() {
        Some(error) => Err(error),
        None => simulated.map_err(SimulationError::new_err),
    }
}

/// Computes the lower bound on the maximum bounded stretch of any schedule.
#[pyfunction]
#[pyo3(signature = (workload, tau=10.0))]
fn bound(py: Python<'_>, workload: &Workload, tau: f64) -> PyResult<f64> {
    let tau = span(tau, "tau")?;
    let (nodes, jobs) = (workload.nodes, workload.jobs.clone());
    Ok(py.detach(|| max_stretch_bound(&jobs, nodes, tau).value))
}

/// Checks an events file with code that is independent of the simulator, and the decisions of a
/// policy if one is named.
#[pyfunction]
#[pyo3(name = "audit", signature = (events, policy=None, period=600.0))]
fn check_events(py: Python<'_>, events: &str, policy: Option<&str>, period: f64) -> PyResult<String> {
    let period = limits::period(span(period, "period")?).map_err(value_error)?;
    let checked = policy.map(|name| dfrsim::audit::CheckedPolicy::parse(name, period)).transpose();
    let checked = checked.map_err(value_error)?;
    let report = py.detach(|| match checked {
        Some(policy) => dfrsim::audit::audit_policy(events.as_bytes(), policy),
        None => dfrsim::audit::audit(events.as_bytes()),
    });
    match report {
        Ok(report) => Ok(report.to_string()),
        Err(error @ AuditError::Io { .. }) => Err(value_error(error)),
        Err(error) => Err(AuditFault::new_err(error.to_string())),
    }
}

/// Runs a scenario file and returns the number of rows, and the number of failed ones. `out` then
/// has rows.csv and tables.
///
/// `policies` maps names of policies in the scenario to Python classes (or functions that create an
/// object for each simulation); rows are computed again if the source of the class changes.
/// `sources` are functions that create the Workload of `own = { source = NAME }` from a number of
/// nodes and a seed; `metrics` are functions that compute the value of a name in `metrics` from the
/// dictionary `Result.jobs`. Commands (policies `pipe:`, `batsim:` and `python:`) have to be
/// allowed.
#[pyfunction]
#[pyo3(signature = (scenario, out, *, audit=false, threads=0, set=Vec::new(), allow_commands=false, policies=None, sources=None, metrics=None))]
#[expect(clippy::too_many_arguments, reason = "they are keyword arguments in Python")]
fn run(
    py: Python<'_>,
    scenario: PathBuf,
    out: PathBuf,
    audit: bool,
    threads: usize,
    set: Vec<String>,
    allow_commands: bool,
    policies: Option<&Bound<'_, PyDict>>,
    sources: Option<&Bound<'_, PyDict>>,
    metrics: Option<&Bound<'_, PyDict>>,
) -> PyResult<(u64, u64)> {
    let (program, mut known) = (known_policies(), Policies::standard().with_family(policy::family()));
    for (name, maker) in policies.into_iter().flatten() {
        let name: String = name.extract()?;
        if program.parse(&name).is_ok() || name.is_empty() || name.contains(char::is_control) {
            return Err(value_error(format_args!(
                "`{name}` cannot be the name of a policy: it is empty, has control characters, or is the name of another policy"
            )));
        }
        let version = source_digest(&maker)?;
        known = known.with(policy::custom(&name, &version, &maker, &RaisedException::default())?);
    }
    let registry = dfrsim::registry_with(known).with(own_functions(sources, metrics)?);
    let text = std::fs::read_to_string(&scenario)
        .map_err(|error| value_error(format_args!("{}: {error}", scenario.display())))?;
    let name = scenario.to_string_lossy();
    let read = registry.parse(&text, &name, scenario.parent(), &set).map_err(value_error)?;
    let options = RunOptions { audit, threads, allow_commands, ..RunOptions::new(&out) };
    let report = py.detach(|| read.run(&options, &AtomicBool::new(false), &())).map_err(value_error)?;
    Ok((report.counts.total as u64, report.counts.failures() as u64))
}

/// Computes a digest of the source text of a class or function.
fn source_digest(maker: &Bound<'_, PyAny>) -> PyResult<String> {
    maker.py().import("dfrsim._policies")?.call_method1("version", (maker,))?.extract()
}

/// Registers the Python functions that create workloads and compute metrics.
fn own_functions(sources: Option<&Bound<'_, PyDict>>, metrics: Option<&Bound<'_, PyDict>>) -> PyResult<Own> {
    let mut own = Own::default();
    for (name, maker) in sources.into_iter().flatten() {
        let maker = maker.unbind();
        own = own.source(&name.extract::<String>()?, move |nodes, seed| {
            Python::attach(|py| {
                let made = maker
                    .bind(py)
                    .call1((nodes, seed.value()))
                    .and_then(|made| Ok(made.cast_into::<Workload>()?));
                made.map(|workload| workload.get().jobs.to_vec())
                    .map_err(|error| policy::describe_error(py, &error))
            })
        });
    }
    for (name, maker) in metrics.into_iter().flatten() {
        let version = source_digest(&maker)?;
        let maker = maker.unbind();
        own = own.metric(&name.extract::<String>()?, &version, move |jobs| {
            Python::attach(|py| {
                let value = result::table_of(jobs).and_then(|jobs| table::lists(py, &jobs));
                let value = value.and_then(|jobs| maker.bind(py).call1((jobs,))?.extract());
                value.map_err(|error| policy::describe_error(py, &error))
            })
        });
    }
    Ok(own)
}

/// Runs the program with these arguments, which do not include its name, and returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let arguments = std::iter::once("dfrsim".into()).chain(arguments);
    let policies = Policies::standard().with_family(policy::family());
    py.detach(|| dfrsim_commands::main_from(arguments, dfrsim::registry_with(policies)).code())
}

/// Returns all commands with their options, as JSON.
#[pyfunction]
fn declaration() -> String {
    dfrsim_commands::library::declaration().to_string()
}

/// Converts keyword arguments to command-line options.
#[pyfunction]
#[pyo3(signature = (**options))]
fn words(options: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    arguments::to_arguments(options)
}

#[pymodule]
mod _dfrsim {
    use super::*;
    #[pymodule_export]
    use super::{AuditFault, Simulated, SimulationError, Workload, episodes::Episodes, stepper::Stepper};
    #[pymodule_export]
    use super::{bound, check_events, declaration, main, policies, run, run_policy, words};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
