//! Options of a run.

use super::shard::Shard;
use std::path::PathBuf;

/// Options of a run. None of them changes the results.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Folder of the results; it is created if it does not exist.
    pub out: PathBuf,
    /// Number of threads; 0 for the number of cores.
    pub threads: usize,
    /// Memory limit in bytes. A run that foreseeably needs more is refused before anything is
    /// computed.
    pub max_memory: u64,
    /// True to recompute rows that exist from earlier runs.
    pub fresh: bool,
    /// True to verify every run with the independent checker, in studies where that is
    /// [optional](crate::Audit::Optional).
    pub audit: bool,
    /// True if the commands in the scenario may run. A scenario may come from another user, and a
    /// command has all permissions of the current one.
    pub allow_commands: bool,
    /// Part of the scenario to run.
    pub part: Part,
    /// Number of rows that must be those of the scenario, when received results are checked: a
    /// scenario with more runs is refused before its workloads are made, and the first run without a
    /// row ends the check.
    pub received_rows: Option<usize>,
}

/// Part of a scenario to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// All runs.
    #[default]
    Whole,
    /// Some of the runs. A shard leaves a journal; rows and tables are written when all shards are
    /// merged.
    Shard(Shard),
    /// No runs: all rows exist, in journals and results of these folders and of the results folder.
    Merged(Vec<PathBuf>),
}

impl RunOptions {
    /// Creates options for a whole scenario on all cores, which resume an earlier run, without the
    /// optional checker.
    pub fn new(out: impl Into<PathBuf>) -> RunOptions {
        RunOptions {
            out: out.into(),
            threads: 0,
            max_memory: u64::MAX,
            fresh: false,
            audit: false,
            allow_commands: false,
            part: Part::Whole,
            received_rows: None,
        }
    }
}

impl Part {
    /// Selects the pieces of work that belong to this part, given their weights; the selection is
    /// the same on every machine.
    pub(crate) fn select(&self, weights: &[u64]) -> Vec<bool> {
        match self {
            Part::Whole | Part::Merged(_) => vec![true; weights.len()],
            Part::Shard(shard) => shard.select(weights),
        }
    }
    /// Returns the shard, if this is one.
    pub(crate) fn shard(&self) -> Option<Shard> {
        match self {
            Part::Shard(shard) => Some(*shard),
            Part::Whole | Part::Merged(_) => None,
        }
    }
    /// Returns whether missing rows are computed.
    pub(crate) fn computes(&self) -> bool {
        !matches!(self, Part::Merged(_))
    }
    /// Returns whether rows, tables and manifest are written at the end.
    pub(crate) fn completes(&self) -> bool {
        !matches!(self, Part::Shard(_))
    }
}
