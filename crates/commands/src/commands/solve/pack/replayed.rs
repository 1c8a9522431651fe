//! Instances of a run, with the settings that its algorithms had.

use crate::failure::Failure;
use clap::Args;
use dfrsim_lab::{ProblemId, Registry};
use dfrsim_vector_packing::PackingProblem;
use std::path::PathBuf;

/// Instance of a run.
#[derive(Args, Debug)]
#[group(id = "replayed")]
pub(crate) struct ReplayArguments {
    /// Instance of this scenario (also the scenario.toml of results) to pack instead of a file, in
    /// the same way as in a run: with the same seeds, interpretations and solver
    #[arg(long, value_name = "SCENARIO.toml", requires_all = ["group", "number"], value_hint = clap::ValueHint::FilePath)]
    as_run: Option<PathBuf>,
    /// Group of instances, by its name in the scenario
    #[arg(long, value_name = "NAME", requires = "as_run")]
    group: Option<String>,
    /// Scenario of the group, from 0: `scenario` in rows
    #[arg(long = "scenario", id = "number", value_name = "N", requires = "as_run")]
    number: Option<u32>,
    /// Replication, from 0
    #[arg(long, value_name = "N", default_value_t = 0, requires = "as_run")]
    replication: u32,
}

impl ReplayArguments {
    /// Reads the problem; returns `None` without `--as-run`.
    pub(super) fn read(&self, registry: &Registry) -> Result<Option<PackingProblem>, Failure> {
        let (Some(path), Some(group), Some(number)) = (&self.as_run, &self.group, self.number) else {
            return Ok(None);
        };
        let scenario = registry.load(path, &[]).map_err(Failure::input)?;
        let which = ProblemId { group, number, replication: self.replication };
        let problem = scenario.problem(which).map_err(|error| Failure::in_file(path, error))?;
        let problem = problem
            .downcast()
            .map_err(|_| Failure::in_file(path, "the instances of this scenario are not packing problems"))?;
        Ok(Some(*problem))
    }
}
