//! Instances of a run, with what its algorithms were given.

use crate::failure::Failure;
use clap::Args;
use dfrsim_lab::{ProblemId, Registry};
use dfrsim_model::offline::Instance;
use dfrsim_vector_packing::Settings;
use std::path::PathBuf;

/// Which instance of which run.
#[derive(Args, Debug)]
#[group(id = "replayed")]
pub(crate) struct Replayed {
    /// Instead of a file, an instance of this scenario (also the scenario.toml of results), packed as a run of it does: with
    /// the same seeds, readings and solver
    #[arg(long, value_name = "SCENARIO.toml", requires_all = ["group", "number"], value_hint = clap::ValueHint::FilePath)]
    as_run: Option<PathBuf>,
    /// The group of instances, by its name in the scenario
    #[arg(long, value_name = "NAME", requires = "as_run")]
    group: Option<String>,
    /// The scenario of the group, from 0: `scenario` in rows
    #[arg(long = "scenario", id = "number", value_name = "N", requires = "as_run")]
    number: Option<u32>,
    /// The replication, from 0
    #[arg(long, value_name = "N", default_value_t = 0, requires = "as_run")]
    replication: u32,
}

impl Replayed {
    /// The instance and the settings; `None` without `--as-run`.
    pub(super) fn read(&self, registry: &Registry) -> Result<Option<(Instance, Settings)>, Failure> {
        let (Some(path), Some(group), Some(number)) = (&self.as_run, &self.group, self.number) else {
            return Ok(None);
        };
        let scenario = registry.load(path, &[]).map_err(Failure::input)?;
        let which = ProblemId { group, number, replication: self.replication };
        let problem = scenario.problem(which).map_err(|error| Failure::of(path, error))?;
        let problem =
            problem.downcast().map_err(|_| Failure::of(path, "its instances are not those of packing"))?;
        Ok(Some(*problem))
    }
}
