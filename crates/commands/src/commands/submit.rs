//! `dfrsim submit`: runs a sweep as jobs of a cluster's batch system.
//!
//! A [`Sweep`] is a scenario cut into shards. It is written as two scripts, an array of shards and a
//! merge that runs when they have ended, which are submitted to the batch system of the cluster:
//! [`slurm`].
//!
//! Shards write to one folder that all machines see. Finished runs are in their journals, so a sweep
//! that is submitted again only runs the missing shards.

mod slurm;
mod sweep;

use super::results::status::missing_shards;
use super::run::notify_if_always_audited;
use crate::consent::Consent;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Answer;
use clap::{Args, ValueEnum};
use dfrsim_lab::{AnyScenario, RunError, RunStatus};
use schemars::JsonSchema;
use serde::Serialize;
use slurm::Submitted;
use std::path::{Path, PathBuf};
use sweep::Sweep;

/// Submit a scenario to a cluster's batch system, as an array of shards and a subsequent merge
///
/// All machines must see the scenario, its logs, the result folder and this program at the same
/// paths. Finished shards are not run again: after jobs were killed, run the same command again.
/// `dfrsim results status DIR` shows the progress. The scripts and the jobs' output are in jobs/ of
/// the result folder.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim submit scenarios/appendix_b.toml --array 64 --time 1:00:00
  dfrsim submit scenarios/appendix_b.toml --array 64 --dry-run      only print the scripts")]
pub(crate) struct Submit {
    /// Scenario to submit
    #[arg(value_name = "SCENARIO.toml", value_hint = clap::ValueHint::FilePath)]
    scenario: PathBuf,
    /// Batch system of the cluster
    #[arg(long, value_enum, default_value_t = EngineName::Slurm)]
    engine: EngineName,
    /// Number of shards
    #[arg(long, value_name = "n", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    array: u32,
    /// Number of cores per shard
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    cpus: u32,
    /// Partition; by default that of the batch system
    #[arg(long, value_name = "P")]
    partition: Option<String>,
    /// Time limit of a shard; by default that of the batch system
    #[arg(long, value_name = "T")]
    time: Option<String>,
    /// Result folder; by default results/ followed by the scenario's name
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Change a field of the scenario, as in `dfrsim run`
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Audit every run, as in `dfrsim run`
    #[arg(long)]
    audit: bool,
    #[command(flatten)]
    consent: Consent,
    /// Print the scripts without submitting them
    #[arg(long)]
    dry_run: bool,
}

/// Jobs that were submitted, or would be with `--dry-run`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Submission {
    /// The batch system.
    engine: &'static str,
    /// The folder of the results.
    results: String,
    /// The number of shards of the sweep.
    shards: u32,
    /// The numbers of the shards that have not finished.
    missing: Vec<u32>,
    /// The job number of the array of missing shards.
    array_job: Option<String>,
    /// The job number of the merge.
    merge_job: Option<String>,
    /// The scripts, with `--dry-run`.
    scripts: Option<Scripts>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Scripts {
    array: String,
    merge: String,
}

impl Answer for Submission {
    fn text(&self) -> String {
        let Submission { engine, results, shards, missing, array_job, merge_job, scripts } = self;
        if let Some(Scripts { array, merge }) = scripts {
            return format!("{array}\n{merge}");
        }
        let Some(merge) = merge_job else {
            return format!("nothing to submit: {results} is complete\n");
        };
        let array = match array_job {
            Some(id) => format!("{} of {shards} shards as job {id}, ", missing.len()),
            None => "all shards have finished; ".to_owned(),
        };
        format!("{engine}: {array}the merge as job {merge}; dfrsim results status {results}\n")
    }
}

/// Supported batch systems.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineName {
    Slurm,
}

impl Submit {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let scenario = context.registry.load(&self.scenario, &self.set).map_err(Failure::input)?;
        notify_if_always_audited(context.registry, scenario.study.name, self.audit);
        let name = self.scenario.file_stem().unwrap_or_default();
        let out = self.out.clone().unwrap_or_else(|| Path::new("results").join(name));
        let commands = &scenario.uses.commands;
        if !self.consent.covers(&scenario, &self.set, &out) {
            return Err(Failure::input(RunError::Commands { commands: commands.clone() }));
        }
        let absolute = |path: &Path| std::path::absolute(path).map_err(Failure::input);
        let mut submission = Submission {
            engine: match self.engine {
                EngineName::Slurm => "slurm",
            },
            results: out.display().to_string(),
            shards: self.array,
            ..Submission::default()
        };
        let Some(missing) = self.missing(&scenario, &out)? else {
            return context.print(&submission);
        };
        submission.missing.clone_from(&missing);
        let sweep = Sweep {
            program: std::env::current_exe().map_err(Failure::input)?,
            scenario: absolute(&self.scenario)?,
            overrides: self.set,
            out: absolute(&out)?,
            shards: self.array,
            missing,
            cpus: self.cpus,
            partition: self.partition,
            time: self.time,
            audit: self.audit,
            allow_commands: !commands.is_empty(),
        };
        sweep.check().map_err(Failure::input)?;
        sweep.time.as_deref().map_or(Ok(()), slurm::check_time_limit).map_err(Failure::input)?;
        if self.dry_run {
            let (array, merge) = (slurm::array_script(&sweep), slurm::merge_script(&sweep));
            submission.scripts = Some(Scripts { array, merge });
        } else {
            let Submitted { array, merge } = slurm::submit(&sweep)?;
            (submission.array_job, submission.merge_job) = (array, Some(merge));
        }
        context.print(&submission)
    }

    /// Returns the numbers of the shards that have not finished; `None` if the results of the
    /// scenario are complete.
    fn missing(&self, scenario: &AnyScenario, out: &Path) -> Result<Option<Vec<u32>>, Failure> {
        if !out.exists() {
            return Ok(Some((1..=self.array).collect()));
        }
        let status = RunStatus::read(out).map_err(Failure::input)?;
        let finished = std::fs::read_to_string(out.join("scenario.toml")).unwrap_or_default();
        if status.parts.is_empty() && status.has_results {
            return Ok((finished != scenario.text).then(|| (1..=self.array).collect()));
        }
        Ok(Some(missing_shards(&status, self.array)))
    }
}
