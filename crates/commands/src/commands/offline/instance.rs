//! `dfrsim offline instance`

use crate::arguments::parse_yield;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{self, OutputFile};
use clap::Args;
use dfrsim_model::{Seed, Yield};
use dfrsim_vector_packing::file::{instance_to_json, instance_to_vbp};
use dfrsim_vector_packing::instances::InstanceSet;
use std::path::PathBuf;

/// Write an instance of the off-line study as a file
///
/// The sets are those of the publications: dissertation, dissertation-small, rr6692-small,
/// rr6692-large, rr6692-parallel. An instance depends only on the set, the study's seed, the
/// scenario and the sample, so any instance in the `instances.csv` of a run can be written to a file
/// and shared.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  dfrsim offline instance dissertation-small --scenario 40 --sample 7 --out hard.json
  dfrsim solve pack hard.json --algorithm VP_CPSUM --optimum
  dfrsim offline instance dissertation-small --scenario 40 --vbp 0.5 --out items.vbp")]
pub(crate) struct Instance {
    /// Set of instances
    #[arg(value_name = "SET")]
    set: InstanceSet,
    /// Scenario of the set, from 0
    #[arg(long, value_name = "N")]
    scenario: u32,
    /// Sample of the scenario, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: u32,
    /// Seed of the study
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Write the format of vector bin packing (.vbp of VPSolver) instead, with the demands of tasks
    /// at this yield
    #[arg(long, value_name = "YIELD", value_parser = parse_yield)]
    vbp: Option<Yield>,
    /// File to write; by default standard output
    #[arg(long, value_name = "FILE.json", value_hint = clap::ValueHint::AnyPath)]
    out: Option<PathBuf>,
}

impl Instance {
    pub(crate) fn run(self, _: &Context<'_>) -> Result<(), Failure> {
        let instance = self.set.instance(Seed::new(self.seed), self.scenario, self.sample);
        let instance = instance.ok_or_else(|| {
            Failure::input(format!(
                "--scenario: {} has the scenarios 0 to {}, not {}",
                self.set,
                self.set.scenarios().len() - 1,
                self.scenario
            ))
        })?;
        let text = match self.vbp {
            None => instance_to_json(&instance),
            Some(part) => instance_to_vbp(&instance, part).expect("the nodes of the sets are identical"),
        };
        match &self.out {
            Some(path) => OutputFile::write_text(path, &text),
            None => output::print(&text),
        }
    }
}
