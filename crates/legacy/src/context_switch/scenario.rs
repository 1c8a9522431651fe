//! A checked scenario of the context-switch study.

use super::file;
use crate::scenario::{ScenarioErrors, ScenarioText};
use dfrsim_context_switch::Durations;
use dfrsim_context_switch::workload::InitialState;
use dfrsim_model::SimSpan;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A scenario whose values are all in their ranges.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it is about, in one line; may be empty.
    pub title: String,
    /// The seed of all that is random.
    pub seed: u64,
    /// How many assignments the optimiser looks at.
    pub steps: u64,
    /// How long it may search instead; results are not reproducible then.
    pub time_limit: Option<Duration>,
    /// How long actions take.
    pub durations: Durations,
    /// Random configurations, if there are any.
    pub samples: Option<SamplePart>,
    /// A cluster over time, if there is one.
    pub cluster: Option<ClusterPart>,
}

/// Random configurations of a large cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplePart {
    /// The nodes, each with 2 units of CPU and 4 GB.
    pub nodes: u32,
    /// How many VMs, one size after the other.
    pub vms: Vec<u32>,
    /// In which states vjobs are, with equal chances.
    pub states: Vec<StateName>,
    /// How many samples of each size.
    pub samples: u32,
}

/// A cluster over time.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterPart {
    /// The nodes.
    pub nodes: u32,
    /// Units of CPU of each.
    pub cpu: u32,
    /// Memory of each, in MB.
    pub memory_mb: u32,
    /// How many vjobs are submitted together, each with 9 VMs and the benchmarks in turn.
    pub vjobs: u32,
    /// The memory of a VM, drawn of these, in MB.
    pub vm_memory_mb: Vec<u32>,
    /// The work of the applications, as a multiple of class A.
    pub work: f64,
    /// How often everything is repeated with other random numbers.
    pub repetitions: u32,
    /// Who decides.
    pub policies: Vec<PolicyName>,
    /// Between decisions.
    pub period: SimSpan,
    /// Between the end of a switch and the next decision.
    pub observation: SimSpan,
    /// How many of all actions fail.
    pub failures: f64,
    /// How often a failed action is tried again.
    pub retries: u32,
    /// When a simulation ends at the latest.
    pub horizon: SimSpan,
}

/// A decision module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyName {
    /// Static allocation, first come first served.
    Booking,
    /// The sample decision module with the plan of its own configuration.
    FirstFit,
    /// The sample decision module with the cheapest plan found.
    Optimised,
    /// The same, suspending to memory where that is left.
    Dozing,
}

impl PolicyName {
    const NAMED: [(PolicyName, &'static str); 4] = [
        (PolicyName::Booking, "booking"),
        (PolicyName::FirstFit, "first-fit"),
        (PolicyName::Optimised, "optimised"),
        (PolicyName::Dozing, "dozing"),
    ];
}

impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::NAMED[*self as usize].1)
    }
}

/// There is no decision module of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no policy `{0}`; there are booking, first-fit, optimised and dozing")]
pub struct UnknownPolicy(String);

impl FromStr for PolicyName {
    type Err = UnknownPolicy;
    fn from_str(name: &str) -> Result<PolicyName, UnknownPolicy> {
        let found = Self::NAMED.iter().find(|(_, known)| *known == name);
        found.map(|(policy, _)| *policy).ok_or_else(|| UnknownPolicy(name.to_owned()))
    }
}

/// What a vjob of a sample does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateName(pub InitialState);

const STATES: [(InitialState, &str); 3] = [
    (InitialState::Waiting, "waiting"),
    (InitialState::Running, "running"),
    (InitialState::Sleeping, "sleeping"),
];

impl fmt::Display for StateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(STATES[self.0 as usize].1)
    }
}

/// Vjobs of samples have no state of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no state `{0}` here; there are waiting, running and sleeping")]
pub struct UnknownState(String);

impl FromStr for StateName {
    type Err = UnknownState;
    fn from_str(name: &str) -> Result<StateName, UnknownState> {
        let found = STATES.iter().find(|(_, known)| *known == name);
        found.map(|(state, _)| StateName(*state)).ok_or_else(|| UnknownState(name.to_owned()))
    }
}

impl Scenario {
    /// Reads a scenario from a text, of which messages speak as `name`.
    ///
    /// # Errors
    /// All that is wrong with the text, its values and the overrides.
    pub fn parse(text: &str, name: &str, overrides: &[String]) -> Result<Scenario, ScenarioErrors> {
        Scenario::read(&ScenarioText { text, name, folder: None, overrides })
    }

    pub(crate) fn read(source: &ScenarioText<'_>) -> Result<Scenario, ScenarioErrors> {
        file::scenario(source)
    }

    /// The scenario as a file with every field spelt out.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(&file::File::of(self)).expect("a scenario can be written as TOML")
    }
}
