//! `dfrsim submit`: a sweep as jobs of a cluster: what its batch system runs, and how it is asked to.
//!
//! A [`Sweep`] is a scenario cut into shards. It is written down as two scripts, an array of shards and a merge that
//! runs when they have ended, which the batch system of the cluster is handed: [`slurm`].
//!
//! Shards write to one folder that all machines see. Finished runs are in their journals, so a sweep that is submitted
//! again only runs what is missing.

mod slurm;
mod sweep;

use super::results::status::missing;
use super::run::audit_notice;
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

/// Submit a scenario to a cluster's batch system, as an array of shards and a merge after it
///
/// All machines must see the scenario, its logs, the result folder and this program at the same paths. Finished shards
/// are not run again: after jobs were killed, run the same command again. `dfrsim results status DIR` shows the
/// progress. The scripts and the jobs' output are in jobs/ of the result folder.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim submit scenarios/appendix_b.toml --array 64 --time 1:00:00
  dfrsim submit scenarios/appendix_b.toml --array 64 --dry-run      only print the scripts")]
pub(crate) struct Submit {
    /// The scenario
    #[arg(value_name = "SCENARIO.toml", value_hint = clap::ValueHint::FilePath)]
    scenario: PathBuf,
    /// The batch system
    #[arg(long, value_enum, default_value_t = EngineName::Slurm)]
    engine: EngineName,
    /// The number of shards
    #[arg(long, value_name = "n", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    array: u32,
    /// The cores of a shard
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    cpus: u32,
    /// The partition; by default the batch system's
    #[arg(long, value_name = "P")]
    partition: Option<String>,
    /// The time limit of a shard; by default the batch system's
    #[arg(long, value_name = "T")]
    time: Option<String>,
    /// The result folder; by default results/ followed by the scenario's name
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

/// What was submitted, or would be.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Submission {
    /// The batch system.
    engine: &'static str,
    /// The folder of the results.
    results: String,
    /// Of how many shards.
    shards: u32,
    /// The numbers of those that have not finished.
    missing: Vec<u32>,
    /// The number of the job of the missing shards.
    array_job: Option<String>,
    /// The number of the job of the merge.
    merge_job: Option<String>,
    /// With `--dry-run`.
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
            return format!("no shard is missing in {results}\n");
        };
        let array = match array_job {
            Some(id) => format!("{} of {shards} shards as job {id}, ", missing.len()),
            None => "no shard is missing; ".to_owned(),
        };
        format!("{engine}: {array}the merge as job {merge}; dfrsim results status {results}\n")
    }
}

/// The batch systems that are known.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineName {
    Slurm,
}

impl Submit {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let scenario = context.registry.load(&self.scenario, &self.set).map_err(Failure::input)?;
        audit_notice(context.registry, scenario.study.name, self.audit);
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
        if self.dry_run {
            let (array, merge) = (slurm::array_script(&sweep), slurm::merge_script(&sweep));
            submission.scripts = Some(Scripts { array, merge });
        } else {
            let Submitted { array, merge } = slurm::submit(&sweep)?;
            (submission.array_job, submission.merge_job) = (array, Some(merge));
        }
        context.print(&submission)
    }

    /// The numbers of the shards that have not finished; `None` if the results of the scenario are there.
    fn missing(&self, scenario: &AnyScenario, out: &Path) -> Result<Option<Vec<u32>>, Failure> {
        if !out.exists() {
            return Ok(Some((1..=self.array).collect()));
        }
        let status = RunStatus::read(out).map_err(Failure::input)?;
        let finished = std::fs::read_to_string(out.join("scenario.toml")).unwrap_or_default();
        if status.parts.is_empty() && status.has_results {
            return Ok((finished != scenario.text).then(|| (1..=self.array).collect()));
        }
        Ok(Some(missing(&status, self.array)))
    }
}
