//! The native part of the Python package `dfrsim`; `python/dfrsim` has the rest and the documentation of both.

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
use policy::{Stopped, Watched};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use result::Simulated;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use workload::Workload;

pyo3::create_exception!(
    _dfrsim,
    SimulationError,
    pyo3::exceptions::PyRuntimeError,
    "The simulation ended before its jobs did."
);
pyo3::create_exception!(
    _dfrsim,
    AuditFault,
    pyo3::exceptions::PyRuntimeError,
    "The events break a rule, or a metric is not what follows from them."
);

fn wrong(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn known() -> Policies {
    dfrsim::external::families()
        .into_iter()
        .chain([policy::family()])
        .fold(Policies::standard(), Policies::with_family)
}

fn span(seconds: f64, what: &str) -> PyResult<SimSpan> {
    let fault = || wrong(format_args!("{what} is {seconds}, expected a number of seconds, at least 0"));
    SimSpan::try_from_secs_f64(seconds).ok_or_else(fault)
}

/// All known policies: name and description.
#[pyfunction]
fn policies() -> Vec<(String, String)> {
    known().catalogue().into_iter().map(|info| (info.name, info.description)).collect()
}

/// Simulates one policy: its name, or an object with a method `decide`.
///
/// Options are those of `dfrsim simulate` that are not about the log or files, with underscores: `penalty`, `period`, `estimates`, `overrun`,
/// `tau`, `seed`, `platform`, `request`, `failures`, `maintenance`, `interruption`, `priority`, `weights` and others;
/// `help(dfrsim.commands.simulate)` describes them. Lists are several options. With `events=True` the result has the events file.
///
/// Raises SimulationError with the rule, the job and the moment if the policy breaks a rule, and what a Python policy raises.
#[pyfunction]
#[pyo3(name = "simulate", signature = (workload, policy, *, events=false, **options))]
fn run_policy(
    py: Python<'_>,
    workload: &Workload,
    policy: &Bound<'_, PyAny>,
    events: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Simulated> {
    let stopped = Stopped::default();
    let policy = match policy.extract::<String>() {
        Ok(name) => known().parse(&name).map_err(wrong)?,
        Err(_) => {
            let name = policy.get_type().name()?.to_string();
            // Like all custom policies it is kept until the program ends.
            Policy::Custom(Box::leak(Box::new(policy::custom(&name, "", policy, &stopped)?)))
        }
    };
    let setting = options::setting(policy, options, workload)?;
    let jobs = workload.jobs.clone();
    let simulated = py.detach(|| {
        let scheduler = policy.scheduler_at(setting.nodes, &setting.policy, setting.priorities.as_ref());
        let mut watched = Watched::new(scheduler, &stopped);
        Simulated::run(&policy.to_string(), &setting, &jobs, &mut watched, events)
    });
    // What Python raised, rather than that the policy failed because of it.
    match stopped.take() {
        Some(error) => Err(error),
        None => simulated.map_err(SimulationError::new_err),
    }
}

/// The lower bound on the largest bounded stretch, which no schedule beats.
#[pyfunction]
#[pyo3(signature = (workload, tau=10.0))]
fn bound(py: Python<'_>, workload: &Workload, tau: f64) -> PyResult<f64> {
    let tau = span(tau, "tau")?;
    let (nodes, jobs) = (workload.nodes, workload.jobs.clone());
    Ok(py.detach(|| max_stretch_bound(&jobs, nodes, tau).value))
}

/// Checks an events file with code that is independent of the simulator; also the decisions of a policy, if named.
#[pyfunction]
#[pyo3(name = "audit", signature = (events, policy=None, period=600.0))]
fn check_events(py: Python<'_>, events: &str, policy: Option<&str>, period: f64) -> PyResult<String> {
    let period = limits::period(span(period, "period")?).map_err(wrong)?;
    let checked = policy.map(|name| dfrsim::audit::CheckedPolicy::parse(name, period)).transpose();
    let checked = checked.map_err(wrong)?;
    let report = py.detach(|| match checked {
        Some(policy) => dfrsim::audit::audit_policy(events.as_bytes(), policy),
        None => dfrsim::audit::audit(events.as_bytes()),
    });
    match report {
        Ok(report) => Ok(report.to_string()),
        Err(error @ AuditError::Io { .. }) => Err(wrong(error)),
        Err(error) => Err(AuditFault::new_err(error.to_string())),
    }
}

/// Runs a scenario file; how many rows there are, and how many of them failed. `out` then has rows.csv and tables.
///
/// `policies` are names of policies in the scenario that are Python classes (or functions that make an object for each simulation); rows are
/// computed again if the text of the class changes. `sources` are functions that make the Workload of `own = { source = NAME }` of a number of
/// nodes and a seed, `metrics` functions that make the number of a name in `metrics` of the dictionary `Result.jobs`. Commands (policies `pipe:`, `batsim:` and `python:`) have to be allowed.
#[pyfunction]
#[pyo3(signature = (scenario, out, *, audit=false, threads=0, set=Vec::new(), allow_commands=false, policies=None, sources=None, metrics=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
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
    let mut known = Policies::standard().with_family(policy::family());
    for (name, maker) in policies.into_iter().flatten() {
        let name: String = name.extract()?;
        if known.parse(&name).is_ok() || name.is_empty() || name.contains(char::is_control) {
            return Err(wrong(format_args!(
                "`{name}` cannot name a policy: it is empty, or the name of another one"
            )));
        }
        let version = version(&maker)?;
        known = known.with(policy::custom(&name, &version, &maker, &Stopped::default())?);
    }
    let registry = dfrsim::registry_with(known).with(own(sources, metrics)?);
    let text = std::fs::read_to_string(&scenario)
        .map_err(|error| wrong(format_args!("{}: {error}", scenario.display())))?;
    let name = scenario.to_string_lossy();
    let read = registry.parse(&text, &name, scenario.parent(), &set).map_err(wrong)?;
    let options = RunOptions { audit, threads, allow_commands, ..RunOptions::new(&out) };
    let report = py.detach(|| read.run(&options, &AtomicBool::new(false), &())).map_err(wrong)?;
    Ok((report.counts.total as u64, report.counts.failures() as u64))
}

/// A digest of the text of a class or function.
fn version(maker: &Bound<'_, PyAny>) -> PyResult<String> {
    maker.py().import("dfrsim._policies")?.call_method1("version", (maker,))?.extract()
}

/// Functions that make workloads and metrics.
fn own(sources: Option<&Bound<'_, PyDict>>, metrics: Option<&Bound<'_, PyDict>>) -> PyResult<Own> {
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
                    .map_err(|error| policy::described(py, &error))
            })
        });
    }
    for (name, maker) in metrics.into_iter().flatten() {
        let version = version(&maker)?;
        let maker = maker.unbind();
        own = own.metric(&name.extract::<String>()?, &version, move |jobs| {
            Python::attach(|py| {
                let value = result::table_of(jobs).and_then(|jobs| table::lists(py, &jobs));
                let value = value.and_then(|jobs| maker.bind(py).call1((jobs,))?.extract());
                value.map_err(|error| policy::described(py, &error))
            })
        });
    }
    Ok(own)
}

/// Runs the program with these arguments behind its name, and returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let arguments = std::iter::once("dfrsim".into()).chain(arguments);
    let policies = Policies::standard().with_family(policy::family());
    py.detach(|| dfrsim_commands::main_from(arguments, dfrsim::registry_with(policies)).code())
}

/// All commands with their options, as JSON.
#[pyfunction]
fn declaration() -> String {
    dfrsim_commands::library::declaration().to_string()
}

/// Makes the options of a command line from keywords.
#[pyfunction]
#[pyo3(signature = (**options))]
fn words(options: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    options::words(options)
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
