//! The native part of the Python package `dfrsim`; `python/dfrsim` has the rest and the documentation of both.

mod episodes;
mod policy;
mod result;
mod stepper;
mod table;
mod view;
mod workload;

use dfrsim::audit::AuditError;
use dfrsim::cluster::Overrun;
use dfrsim::model::limits;
use dfrsim::policies::Policies;
use dfrsim::prelude::*;
use policy::{Chosen, PythonPolicy, Stopped, Watched};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use result::Simulated;
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
    dfrsim::external::families().into_iter().fold(Policies::standard(), Policies::with_family)
}

fn span(seconds: f64, what: &str) -> PyResult<SimSpan> {
    let fault = || wrong(format_args!("{what} is {seconds}, expected a number of seconds, at least 0"));
    SimSpan::try_from_secs_f64(seconds).ok_or_else(fault)
}

/// Parameters of the simulation.
struct Settings {
    options: Options,
    tau: SimSpan,
}

impl Settings {
    fn read(penalty: f64, estimates: &str, overrun: &str, tau: f64, seed: u64) -> PyResult<Settings> {
        let options = Options {
            penalty: span(penalty, "penalty")?,
            estimates: estimates.parse().map_err(wrong)?,
            overrun: match overrun {
                "extend" => Overrun::Extend,
                "kill" => Overrun::Kill,
                other => return Err(wrong(format_args!("overrun is `{other}`, expected extend or kill"))),
            },
            seed: Seed::new(seed),
            ..Options::default()
        };
        Ok(Settings { options, tau: span(tau, "tau")? })
    }
}

/// All known policies: name and description.
#[pyfunction]
fn policies() -> Vec<(String, String)> {
    known().catalogue().into_iter().map(|info| (info.name, info.description)).collect()
}

/// Simulates one policy. `seed` is that of random estimates.
///
/// Raises SimulationError with the rule, the job and the moment if the policy breaks a rule, and what a Python policy raises.
#[pyfunction]
#[pyo3(name = "simulate", signature = (workload, policy, *, penalty=0.0, period=600.0, estimates="exact", overrun="extend", tau=10.0, seed=0, events=false))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
fn run_policy(
    py: Python<'_>,
    workload: &Workload,
    policy: &Bound<'_, PyAny>,
    penalty: f64,
    period: f64,
    estimates: &str,
    overrun: &str,
    tau: f64,
    seed: u64,
    events: bool,
) -> PyResult<Simulated> {
    let Settings { options, tau } = Settings::read(penalty, estimates, overrun, tau, seed)?;
    let stopped = Stopped::default();
    let chosen = match policy.extract::<String>() {
        Ok(name) => {
            let period = limits::period(span(period, "period")?).map_err(wrong)?;
            let parameters = PolicyOptions { period, ..PolicyOptions::default() };
            Chosen::Known(known().parse(&name).map_err(wrong)?, Box::new(parameters))
        }
        Err(_) => Chosen::Python(PythonPolicy::new(policy, &stopped)?),
    };
    let (nodes, jobs) = (workload.nodes, workload.jobs.clone());
    let simulated = py.detach(|| {
        let (name, scheduler) = chosen.scheduler(nodes);
        let mut watched = Watched::new(scheduler, &stopped);
        Simulated::run(&name, nodes, &options, tau, &jobs, &mut watched, events)
    });
    // What Python raised, rather than that the policy gave up because of it.
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

/// Runs a scenario file, whose commands (policies `pipe:` and `batsim:`) have to be allowed; how many rows there are, and how many of them failed. `out` then has rows.csv and tables.
#[pyfunction]
#[pyo3(signature = (scenario, out, *, audit=false, threads=0, set=Vec::new(), allow_commands=false))]
fn run(
    py: Python<'_>,
    scenario: PathBuf,
    out: PathBuf,
    audit: bool,
    threads: usize,
    set: Vec<String>,
    allow_commands: bool,
) -> PyResult<(u64, u64)> {
    let registry = dfrsim::registry();
    let text = std::fs::read_to_string(&scenario)
        .map_err(|error| wrong(format_args!("{}: {error}", scenario.display())))?;
    let name = scenario.to_string_lossy();
    let read = registry.parse(&text, &name, scenario.parent(), &set).map_err(wrong)?;
    let options = RunOptions { audit, threads, allow_commands, ..RunOptions::new(&out) };
    let report = py.detach(|| read.run(&options, &AtomicBool::new(false), &())).map_err(wrong)?;
    Ok((report.counts.total as u64, report.counts.failures() as u64))
}

#[pymodule]
fn _dfrsim(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("SimulationError", py.get_type::<SimulationError>())?;
    module.add("AuditFault", py.get_type::<AuditFault>())?;
    module.add_class::<Workload>()?;
    module.add_class::<Simulated>()?;
    module.add_class::<stepper::Stepper>()?;
    module.add_class::<episodes::Episodes>()?;
    module.add_function(wrap_pyfunction!(policies, module)?)?;
    module.add_function(wrap_pyfunction!(run_policy, module)?)?;
    module.add_function(wrap_pyfunction!(bound, module)?)?;
    module.add_function(wrap_pyfunction!(check_events, module)?)?;
    module.add_function(wrap_pyfunction!(run, module)?)
}
