//! Instances of a run, with what its algorithms were given.

use crate::failure::Failure;
use clap::Args;
use dfrsim::lab::fields::{Environment, Scenario, ScenarioSource};
use dfrsim::offline_study::{Packings, replay};
use dfrsim_input::read_text;
use dfrsim_model::offline::Instance;
use dfrsim_offline::Settings;
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
    pub(super) fn read(&self) -> Result<Option<(Instance, Settings)>, Failure> {
        let (Some(path), Some(group), Some(number)) = (&self.as_run, &self.group, self.number) else {
            return Ok(None);
        };
        let name = path.display().to_string();
        let text = read_text(path).map_err(Failure::input)?;
        let environment = Environment::new();
        let source = ScenarioSource {
            text: &text,
            name: &name,
            folder: path.parent(),
            overrides: &[],
            environment: &environment,
        };
        let scenario = Scenario::<Packings>::read(&source, "offline").map_err(Failure::input)?;
        let found = replay(&scenario, group, number, self.replication).map_err(Failure::input)?;
        let wrong = || {
            let group_is_there = scenario.instances.iter().find(|each| each.name == *group);
            Failure::input(match group_is_there {
                None => format!("{name}: there is no group of instances `{group}`"),
                Some(each) => format!(
                    "{name}: `{group}` has {} scenarios with {} replications each, counted from 0",
                    each.scenario_count(),
                    each.replications()
                ),
            })
        };
        found.map(Some).ok_or_else(wrong)
    }
}
