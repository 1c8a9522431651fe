//! How a scenario is run.

use super::shard::Shard;
use std::path::PathBuf;

/// How a scenario is run. None of this changes results.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The folder of the results; it is made if it does not exist.
    pub out: PathBuf,
    /// How many threads; 0 for as many as there are cores.
    pub threads: usize,
    /// How many bytes of memory may be used; more is refused before anything is computed, as far as it can be foreseen.
    pub max_memory: u64,
    /// Whether to compute rows again that are there from earlier runs.
    pub fresh: bool,
    /// Whether every run is followed by an independent checker, in studies where that is [optional](crate::Audit::Optional).
    pub audit: bool,
    /// Whether the commands that the scenario names may run. A scenario may come from another user, and a command may do all
    /// that the user may.
    pub allow_commands: bool,
    /// How much of the scenario is run here.
    pub part: Part,
}

/// How much of a scenario is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// A part of the runs. It leaves a journal; rows and tables are written when all parts are merged.
    Shard(Shard),
    /// None: all rows exist, in journals and results of these folders and of the result folder.
    Merged(Vec<PathBuf>),
}

impl RunOptions {
    /// All of a scenario, on all cores, going on where an earlier run stopped, without the optional checker.
    pub fn new(out: impl Into<PathBuf>) -> RunOptions {
        RunOptions {
            out: out.into(),
            threads: 0,
            max_memory: u64::MAX,
            fresh: false,
            audit: false,
            allow_commands: false,
            part: Part::Whole,
        }
    }
}

impl Part {
    /// Which of several pieces of work of these weights are run here; the same on every machine.
    pub(crate) fn own(&self, weights: &[u64]) -> Vec<bool> {
        match self {
            Part::Whole | Part::Merged(_) => vec![true; weights.len()],
            Part::Shard(shard) => shard.own(weights),
        }
    }
    /// The shard, if it is one.
    pub(crate) fn shard(&self) -> Option<Shard> {
        match self {
            Part::Shard(shard) => Some(*shard),
            Part::Whole | Part::Merged(_) => None,
        }
    }
    /// Whether rows that are not there yet are computed.
    pub(crate) fn computes(&self) -> bool {
        !matches!(self, Part::Merged(_))
    }
    /// Whether rows, tables and manifest are written at the end.
    pub(crate) fn completes(&self) -> bool {
        !matches!(self, Part::Shard(_))
    }
}
