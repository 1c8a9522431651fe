//! `dfrsim offline instance`

use crate::failure::Failure;
use crate::output::{self, OutputFile};
use clap::Args;
use dfrsim_model::Seed;
use dfrsim_model::named::UnknownName;
use dfrsim_offline::file::instance_to_json;
use dfrsim_offline::instances::InstanceSet;
use std::path::PathBuf;

/// Write an instance of the off-line study as a file
///
/// The sets are those of the texts: dissertation, dissertation-small, rr6692-small, rr6692-large, rr6692-parallel. An
/// instance is made from the set, the study's seed, the scenario and the sample alone, so what `instances.csv` of a
/// run names can be written down and sent.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  dfrsim offline instance dissertation-small --scenario 40 --sample 7 --out hard.json
  dfrsim offline pack hard.json --algorithm VP_CPSUM --optimum")]
pub(crate) struct Instance {
    /// The set of instances
    #[arg(value_name = "SET", value_parser = set)]
    set: InstanceSet,
    /// The scenario of the set, from 0
    #[arg(long, value_name = "N")]
    scenario: u32,
    /// The sample of the scenario, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: u32,
    /// The seed of the study
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The file to write; standard output if none is given
    #[arg(long, value_name = "FILE.json")]
    out: Option<PathBuf>,
}

fn set(name: &str) -> Result<InstanceSet, UnknownName> {
    name.parse()
}

impl Instance {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let instance = self.set.instance(Seed::new(self.seed), self.scenario, self.sample);
        let instance = instance.ok_or_else(|| {
            Failure::input(format!(
                "{} has the scenarios 0 to {}; there is no {}",
                self.set,
                self.set.scenarios().len() - 1,
                self.scenario
            ))
        })?;
        let text = instance_to_json(&instance);
        match &self.out {
            Some(path) => OutputFile::write_text(path, &text),
            None => output::print(&text),
        }
    }
}
