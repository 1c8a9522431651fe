//! `dfrsim results status`

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Answer;
use clap::Args;
use dfrsim_lab::{PartStatus, RunStatus};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Show the progress of the runs in a folder
///
/// Reads only the folder, so it works on any machine that sees it, during a run or after it was killed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results status results/scaled
  dfrsim results status results/scaled --missing 8          the shards that have not finished: 3,7")]
pub(crate) struct Status {
    /// Result folder
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    folder: PathBuf,
    /// Print only the numbers of those of n shards that have not finished, separated by commas, as
    /// `sbatch --array` accepts them
    #[arg(long, value_name = "n", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    missing: Option<u32>,
}

/// The progress of the runs in a folder.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FolderProgress {
    state: State,
    /// Runs that have begun and are not finished: one run, or its shards.
    parts: Vec<PartStatus>,
    /// The numbers of the shards that have not finished, with `--missing n`.
    missing: Option<Vec<u32>>,
}

#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum State {
    /// The results are complete.
    Finished,
    /// No run has begun.
    None,
    /// A run is unfinished, and the folder has the results of an earlier one.
    UnfinishedAgain,
    /// A run is unfinished.
    Unfinished,
}

impl Status {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let status = RunStatus::read(&self.folder).map_err(Failure::input)?;
        context.print(&FolderProgress::new(status, self.missing))
    }
}

impl FolderProgress {
    fn new(status: RunStatus, shards: Option<u32>) -> FolderProgress {
        FolderProgress {
            state: match (status.parts.is_empty(), status.has_results) {
                (true, true) => State::Finished,
                (true, false) => State::None,
                (false, true) => State::UnfinishedAgain,
                (false, false) => State::Unfinished,
            },
            missing: shards.map(|of| missing_shards(&status, of)),
            parts: status.parts,
        }
    }
}

impl Answer for FolderProgress {
    fn text(&self) -> String {
        if let Some(missing) = &self.missing {
            let numbers: Vec<String> = missing.iter().map(u32::to_string).collect();
            return format!("{}\n", numbers.join(","));
        }
        let mut text = String::new();
        let mut line = |part: String| text += &format!("{part}\n");
        for PartStatus { shard, done, total, unit, damaged_lines, .. } in &self.parts {
            let part = shard.as_ref().map_or("whole run".to_owned(), |shard| format!("shard {shard}"));
            let percent = if *total == 0 { 100.0 } else { 100.0 * *done as f64 / *total as f64 };
            let damage =
                if *damaged_lines > 0 { format!(", {damaged_lines} damaged lines") } else { String::new() };
            line(format!("{part:<16} {done:>9} of {total} {unit} ({percent:.1} %){damage}"));
        }
        if self.parts.len() > 1 {
            let sum = |of: fn(&PartStatus) -> usize| self.parts.iter().map(of).sum::<usize>();
            line(format!("{:<16} {:>9} of {}", "together", sum(|part| part.done), sum(|part| part.total)));
        }
        line(
            match self.state {
                State::Finished => "finished; the results are complete",
                State::None => "no run has begun in this folder",
                State::UnfinishedAgain => "unfinished; the results are those of an earlier run",
                State::Unfinished => "unfinished",
            }
            .to_owned(),
        );
        text
    }
}

/// Returns the numbers of the shards, out of `of`, that have not finished; none if a run is finished
/// and no later one has begun.
pub(crate) fn missing_shards(status: &RunStatus, of: u32) -> Vec<u32> {
    if status.has_results && status.parts.is_empty() {
        return Vec::new();
    }
    let has_finished = |number: u32| {
        let shard = Some(format!("{number}/{of}"));
        status.parts.iter().any(|part| part.shard == shard && part.is_complete())
    };
    (1..=of).filter(|&number| !has_finished(number)).collect()
}
