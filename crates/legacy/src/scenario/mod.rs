//! Scenarios: what is simulated, as a TOML file says it.
//!
//! `scenarios/README.md` in the repository lists all fields.

mod fault;
pub(crate) mod fields;
mod file;
mod overrides;
mod resolve;
mod resolver;

pub use fault::{Fault, Place, ScenarioErrors};
pub(crate) use fault::{Text, nearest};
pub use file::Cut;
pub(crate) use file::{LublinFile, anywhere};
pub(crate) use resolve::lublin_file;
pub(crate) use resolver::{Resolver, ScenarioText, resolved, text_field};

use crate::Published;
use dfrsim_cluster::{EstimateModel, Overrun};
use dfrsim_model::SimSpan;
use dfrsim_policies::Policy;
use dfrsim_policies::fractional::{DropRule, McbOptions, Packing, PriorityRule};
use dfrsim_workload::lublin::LublinParameters;
use dfrsim_workload::prepare;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// A scenario, checked and with all defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it is about, in one line; may be empty.
    pub title: String,
    /// The seed of all that is random in it.
    pub seed: u64,
    /// The policies, each once; at least one.
    pub policies: Vec<Policy>,
    /// Policies with periods of their own, beside those.
    pub sweeps: Vec<PeriodSweep>,
    /// How it is simulated.
    pub simulation: Simulation,
    /// What is simulated; at least one.
    pub workloads: Vec<Workload>,
}

/// Policies with periods of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct PeriodSweep {
    /// The policies, each once; at least one.
    pub policies: Vec<Policy>,
    /// Their periods; at least one, none zero.
    pub periods: Vec<SimSpan>,
}

/// How a scenario is simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// Rescheduling penalties; at least one.
    pub penalties: Vec<SimSpan>,
    /// Periods of periodic policies; at least one, none zero.
    pub periods: Vec<SimSpan>,
    /// Packing rules of MCB; at least one.
    pub packings: Vec<Packing>,
    /// Drop rules of MCB; at least one.
    pub drops: Vec<DropRule>,
    /// The search of MCB; packing and drop rule are those above.
    pub mcb: McbOptions,
    /// How priorities are computed.
    pub priority: PriorityRule,
    /// The taus of the bounded stretch; at least one.
    pub taus: Vec<SimSpan>,
    /// What schedulers are told of run times.
    pub estimates: EstimateModel,
    /// What happens to jobs that outlast their estimate.
    pub overrun: Overrun,
    /// Jobs submitted within this span after the first submission do not count in the figures.
    pub warm_up: SimSpan,
    /// Jobs submitted within this span before the last submission do not count in the figures.
    pub cool_down: SimSpan,
}

/// A set of instances on one cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Its name in rows and tables.
    pub name: String,
    /// The nodes of the cluster (processors, where a log has no annotation).
    pub nodes: NonZeroU32,
    /// The memory of a node in GB, for bandwidths.
    pub node_memory_gb: f64,
    /// The published tables that stand beside our own, each once.
    pub published: Vec<Published>,
    /// Where its jobs come from.
    pub source: Source,
}

/// Where jobs come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A log, or a workload of Batsim.
    Log(Box<LogSource>),
    /// The Lublin-Feitelson model.
    Lublin(LublinSource),
}

/// A file of jobs: a log, or a workload of Batsim, as the format of its preparation says.
#[derive(Clone, Debug, PartialEq)]
pub struct LogSource {
    /// Its name as the scenario gives it.
    pub file: String,
    /// Where it was found.
    pub path: PathBuf,
    /// How it is cut into instances.
    pub cut: Cut,
    /// How its records become jobs.
    pub preparation: prepare::Options,
}

/// Traces of the Lublin-Feitelson model.
#[derive(Clone, Debug, PartialEq)]
pub struct LublinSource {
    /// How many traces; at least one.
    pub traces: u32,
    /// The parameters of the model.
    pub parameters: LublinParameters,
    /// The offered loads to which each trace is scaled; none leaves the traces as they are.
    pub loads: Vec<f64>,
}

/// The name of a file in messages, and its text.
pub(crate) fn read(path: &Path) -> Result<(String, String), ScenarioErrors> {
    let name = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => Ok((name, text)),
        Err(error) => {
            let message = format!("cannot be read: {error}");
            Err(ScenarioErrors::new(vec![Fault { place: Place::File(name), message }]))
        }
    }
}

impl Scenario {
    /// Reads a scenario file. Logs are looked for as [`dfrsim_workload::traces::locate`] does, seen from the
    /// current folder and then from that of the scenario.
    ///
    /// Overrides are `key=value`: keys joined by dots, with the number or the name of a workload behind
    /// `workloads` (`simulation.penalty=0`, `workloads.hpc2n.nodes=64`); values in TOML, anything else is a string.
    ///
    /// # Errors
    /// All that is wrong with the file, its values and the overrides.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Scenario, ScenarioErrors> {
        let (name, text) = read(path)?;
        Scenario::read(&ScenarioText { text: &text, name: &name, folder: path.parent(), overrides })
    }

    /// Reads a scenario from a text, of which messages speak as `name`. Everything else is as in
    /// [`Scenario::load`], but logs are only looked for from the current folder.
    ///
    /// # Errors
    /// All that is wrong with the text, its values and the overrides.
    pub fn parse(text: &str, name: &str, overrides: &[String]) -> Result<Scenario, ScenarioErrors> {
        Scenario::read(&ScenarioText { text, name, folder: None, overrides })
    }

    pub(crate) fn read(source: &ScenarioText<'_>) -> Result<Scenario, ScenarioErrors> {
        resolve::scenario(source)
    }

    /// The scenario as a file with every field spelt out, regular expressions replaced by names. It gives the
    /// same rows.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(&resolve::file_of(self)).expect("a scenario can be written as TOML")
    }
}
