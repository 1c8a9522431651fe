//! Scenarios of the off-line study, checked and with all defaults filled in.

use super::{file, resolve};
use crate::scenario::{ScenarioErrors, ScenarioText};
use dfrsim_model::{Seed, Yield};
use dfrsim_offline::greedy;
use dfrsim_offline::instances::{self, DissertationScenario, InstanceSet};
use dfrsim_offline::{Algorithm, ListOrder, Probes, Settings};
use dfrsim_optimum::{Backend, Limits, Relaxation};

use std::path::Path;
use std::time::Duration;

/// A scenario of the off-line study.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it is about, in one line; may be empty.
    pub title: String,
    /// The seed of all that is random in it.
    pub seed: u64,
    /// The algorithms, each once; at least one.
    pub algorithms: Vec<Algorithm>,
    /// What the algorithms' names leave open.
    pub packing: Packing,
    /// Algorithms that are too slow for all instances.
    pub slow: Vec<Slow>,
    /// Whether these run on all instances all the same.
    pub everything: bool,
    /// The algorithms whose packings go through the second phase.
    pub second: Second,
    /// What is packed; at least one.
    pub instances: Vec<InstanceGroup>,
}

/// What the algorithms' names leave open.
#[derive(Clone, Debug, PartialEq)]
pub struct Packing {
    /// How near success and failure come to each other in the search of vector packing.
    pub precision: Yield,
    /// In which order nodes look through the lists of `VP_PP` and `VP_CP`.
    pub lists: ListOrder,
    /// Which yields the search of vector packing tries.
    pub probes: Probes,
    /// The readings of the dissertation's greedy algorithms.
    pub greedy: greedy::Readings,
    /// The most placements of `GB` and `SGB`.
    pub placements: u64,
    /// The most nodes of the search tree of `OPT`.
    pub search_nodes: u64,
    /// The longest that a linear program may take; whether it does depends on the machine.
    pub time_limit: Option<Duration>,
    /// What solves linear programs.
    pub solver: Backend,
    /// The program that is rounded.
    pub relaxation: Relaxation,
}

/// Algorithms that do not run on all instances.
#[derive(Clone, Debug, PartialEq)]
pub struct Slow {
    /// Which.
    pub algorithms: Vec<Algorithm>,
    /// They run on so many samples of each scenario.
    pub samples: u32,
    /// They run on instances of at most so many tasks.
    pub tasks: u32,
}

/// The second phase, which raises average yields.
#[derive(Clone, Debug, PartialEq)]
pub struct Second {
    /// Whose packings go through it; in the order of the scenario's algorithms.
    pub algorithms: Vec<Algorithm>,
    /// On so many samples of each scenario the linear program is solved where nothing less gives the optimum.
    pub program_samples: u32,
}

/// Instances of one source.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceGroup {
    /// Its name in rows and tables.
    pub name: String,
    /// Where they come from.
    pub source: Source,
    /// How many of each of its scenarios; at least one.
    pub samples: u32,
    /// By which readings of the texts.
    pub readings: instances::Readings,
}

/// Where instances come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A set of the texts.
    Set(InstanceSet),
    /// Parameters of one's own.
    Grid(Grid),
}

/// Scenarios like the dissertation's, for every combination of these parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// The number of nodes.
    pub nodes: u32,
    /// Numbers of jobs.
    pub jobs: Vec<u32>,
    /// Numbers of resources; even.
    pub dimensions: Vec<u32>,
    /// Standard deviations.
    pub sigma: Vec<f64>,
    /// Probabilities of a quality of service.
    pub rho: Vec<f64>,
    /// Free parts of fixed resources.
    pub slack: Vec<f64>,
}

impl Grid {
    /// Jobs change slowest, then resources, deviations, qualities of service, and slack fastest.
    fn scenarios(&self) -> Vec<instances::Scenario> {
        let mut scenarios = Vec::new();
        for &jobs in &self.jobs {
            for &dimensions in &self.dimensions {
                for &sigma in &self.sigma {
                    for &rho in &self.rho {
                        for &slack in &self.slack {
                            let nodes = self.nodes;
                            scenarios.push(instances::Scenario::Dissertation(DissertationScenario {
                                nodes,
                                jobs,
                                dimensions,
                                sigma,
                                rho,
                                slack,
                            }));
                        }
                    }
                }
            }
        }
        scenarios
    }
}

impl InstanceGroup {
    /// Its scenarios; a scenario's number counts them from 0.
    #[must_use]
    pub fn scenarios(&self) -> Vec<instances::Scenario> {
        match &self.source {
            Source::Set(set) => set.scenarios(),
            Source::Grid(grid) => grid.scenarios(),
        }
    }
    /// The seed of an instance. Instances of the sets of the texts are the same in every group.
    #[must_use]
    pub fn seed(&self, study: Seed, scenario: u32, sample: u32) -> Seed {
        match self.source {
            Source::Set(set) => set.seed(study, scenario, sample),
            Source::Grid(_) => study.fork(&self.name).numbered(scenario.into()).numbered(sample.into()),
        }
    }
    /// The set of the texts that this is, if it is one.
    #[must_use]
    pub fn set(&self) -> Option<InstanceSet> {
        match self.source {
            Source::Set(set) => Some(set),
            Source::Grid(_) => None,
        }
    }
}

impl Second {
    /// The place of an algorithm among those that go through the second phase, if it does.
    pub(super) fn place(&self, algorithm: Algorithm) -> Option<usize> {
        self.algorithms.iter().position(|&each| each == algorithm)
    }
}

impl Packing {
    /// The settings for an instance of this seed.
    pub(super) fn settings(&self, instance: Seed) -> Settings {
        let limits = Limits { time: self.time_limit, nodes: Some(self.search_nodes), gap: 0.0 };
        Settings {
            placements: self.placements,
            greedy: self.greedy,
            precision: self.precision,
            lists: self.lists,
            probes: self.probes,
            solver: self.solver,
            relaxation: self.relaxation,
            limits,
            ..Settings::new(instance.fork("algorithms"))
        }
    }
}

impl Scenario {
    /// Whether an algorithm runs on an instance of so many tasks that is this sample of its scenario.
    pub(super) fn allows(&self, algorithm: Algorithm, tasks: u32, sample: u32) -> bool {
        let mut limits = self.slow.iter().filter(|slow| slow.algorithms.contains(&algorithm));
        self.everything || limits.all(|slow| sample < slow.samples && tasks <= slow.tasks)
    }

    /// Reads a scenario file, with overrides as [`crate::Scenario::load`] has them.
    ///
    /// # Errors
    /// All that is wrong with the file, its values and the overrides.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Scenario, ScenarioErrors> {
        let (name, text) = crate::scenario::read(path)?;
        Scenario::read(&ScenarioText { text: &text, name: &name, folder: path.parent(), overrides })
    }

    /// Reads a scenario from a text, of which messages speak as `name`.
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
    /// same results.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(&file::File::of(self)).expect("a scenario can be written as TOML")
    }
}
