//! `dfrsim results merge`

use crate::commands::run::{Execution, execute};
use crate::context::Context;
use crate::failure::Failure;
use clap::Args;
use dfrsim_lab::{Part, RunOptions, unfinished_scenario};
use std::path::PathBuf;

/// Merge the shards of a run into the results of the whole run
///
/// Merges the output of `dfrsim run --shard i/n`, in one folder or in several, into the files that
/// one run of the whole scenario writes, byte by byte except for the manifest. Shards of different
/// scenarios, versions or logs are refused, and so are incomplete runs. The logs of the scenario
/// must be available on this machine.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results merge results/scaled               all shards wrote to one folder
  dfrsim results merge from-a from-b from-c --out results/scaled")]
pub(crate) struct Merge {
    /// Folders of the shards
    #[arg(value_name = "DIR", required = true, value_hint = clap::ValueHint::DirPath)]
    folders: Vec<PathBuf>,
    /// Result folder; by default the first of the folders of shards
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Number of threads; 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Print only tables and errors
    #[arg(long, short)]
    quiet: bool,
}

impl Merge {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let (name, text) = unfinished_scenario(&self.folders).map_err(Failure::input)?;
        let scenario = context.registry.parse(&text, &name, None, &[]).map_err(Failure::input)?;
        let out = self.out.unwrap_or_else(|| self.folders[0].clone());
        let part = Part::Merged(self.folders);
        let options = RunOptions { part, ..RunOptions::new(out) };
        let execution = Execution { threads: self.threads, audit: false, quiet: self.quiet };
        execute(context, &scenario, options, &execution)
    }
}
