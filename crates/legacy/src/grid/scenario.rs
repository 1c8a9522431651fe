//! Scenarios of the grid study, checked and with all defaults filled in.

use super::file::File;
use super::resolve;
use crate::key::Digest;
use crate::scenario::{ScenarioErrors, ScenarioText};
use dfrsim_cluster::EstimateModel;
use dfrsim_grid::month::Month;
use dfrsim_grid::{Algorithm, ClusterSpec, GridJob, Heuristic, LocalPolicy, Mapping};
use dfrsim_model::SimSpan;
use std::path::PathBuf;

/// A scenario file of the grid study.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    /// What it is about, in one line; may be empty.
    pub(crate) title: String,
    /// The seed of all that is random in it.
    pub(crate) seed: u64,
    /// How many times everything that is random is drawn anew; at least one.
    pub(crate) seeds: u32,
    /// The clusters, of which each workload uses some.
    pub(crate) clusters: Vec<ClusterSpec>,
    /// Whether clusters have the same speed, or their own; one or both.
    pub(crate) heterogeneous: Vec<bool>,
    /// The local policies.
    pub(crate) local: Vec<LocalPolicy>,
    /// The reallocation algorithms.
    pub(crate) algorithms: Vec<Algorithm>,
    /// The heuristics.
    pub(crate) heuristics: Vec<Heuristic>,
    /// Where arriving jobs go.
    pub(crate) mapping: Mapping,
    /// To how many clusters each goes; with more than one there is no reallocation.
    pub(crate) copies: usize,
    /// How often jobs are reallocated.
    pub(crate) period: SimSpan,
    /// What they must gain more than, without cancellation.
    pub(crate) threshold: SimSpan,
    /// The walltimes of generated jobs, and of those in logs that have none.
    pub(crate) walltimes: EstimateModel,
    /// Whether jobs that fit on no cluster are left out and counted.
    pub(crate) skip_too_wide: bool,
    /// Whether the independent checker follows every simulation.
    pub(crate) audit: bool,
    /// The folder into which every simulation writes its records, if they are wanted.
    pub(crate) events: Option<PathBuf>,
    /// What is simulated; at least one.
    pub(crate) workloads: Vec<Workload>,
}

/// The jobs of several sites, each with a cluster.
#[derive(Clone, Debug)]
pub(crate) struct Workload {
    /// Its name in rows and tables.
    pub(crate) name: String,
    /// The lengths of its months, in days.
    pub(crate) days: Vec<u32>,
    /// Its sites.
    pub(crate) sites: Vec<Site>,
}

/// A site and its jobs.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// Its cluster, by its place in the scenario.
    pub(crate) cluster: usize,
    /// Its jobs.
    pub(crate) jobs: Jobs,
}

/// Where the jobs of a site come from.
#[derive(Clone, Debug)]
pub(crate) enum Jobs {
    /// Made by the rules of [`Month`], one for each month.
    Months(Vec<Month>),
    /// The first months of a log.
    Log {
        /// Its name as the scenario gives it.
        file: String,
        /// The digest of its bytes.
        digest: Digest,
        /// Its jobs, the first one at the begin; walltimes that are not in the log are zero.
        jobs: Vec<GridJob>,
    },
}

impl Scenario {
    pub(crate) fn read(source: &ScenarioText<'_>) -> Result<Scenario, ScenarioErrors> {
        resolve::scenario(source)
    }
    /// The scenario as a file with every field spelt out.
    #[must_use]
    pub(crate) fn to_toml(&self) -> String {
        toml::to_string(&File::of(self)).expect("a scenario can be written as TOML")
    }
}
