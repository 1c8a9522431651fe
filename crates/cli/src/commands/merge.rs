//! `dfrsim merge`

use super::run::execute;
use crate::failure::Failure;
use clap::Args;
use dfrsim_legacy::{Part, RunOptions, Study, unfinished_scenario};
use std::path::PathBuf;

/// Join the shards of a run to the results of the whole
///
/// What `dfrsim run --shard i/n` left in one folder or in several becomes the files that one run of the whole scenario
/// writes, byte by byte but for the manifest. Shards of different scenarios, versions or logs are refused, and so is a run of
/// which something is missing. Logs of the scenario must be found from here.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim merge results/scaled                       all shards wrote to one folder
  dfrsim merge from-a from-b from-c --out results/scaled")]
pub(crate) struct Merge {
    /// The folders of the shards
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// The result folder; the first of the others if none is given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print nothing but the tables and errors
    #[arg(long, short)]
    quiet: bool,
}

impl Merge {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (name, scenario) = unfinished_scenario(&self.folders).map_err(Failure::input)?;
        let study = Study::parse(&scenario, &name).map_err(Failure::input)?;
        let out = self.out.unwrap_or_else(|| self.folders[0].clone());
        let options = RunOptions { part: Part::Merged(self.folders), ..RunOptions::new(out) };
        execute(study, &options, self.quiet)
    }
}
