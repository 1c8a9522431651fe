//! `dfrsim results status`

use crate::failure::Failure;
use crate::output;
use clap::Args;
use dfrsim_lab::{PartStatus, RunStatus};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Show how far the runs of a folder are
///
/// Reads the folder alone, so it works from any machine that sees it, while runs are going on or after they were killed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results status results/scaled
  dfrsim results status results/scaled --missing 8          the shards that have not finished: 3,7")]
pub(crate) struct Status {
    /// The result folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print only the numbers of those of n shards that have not finished, joined by commas, as `sbatch --array` takes them
    #[arg(long, value_name = "n", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    missing: Option<u32>,
}

impl Status {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let status = RunStatus::read(&self.folder).map_err(Failure::input)?;
        if let Some(of) = self.missing {
            let numbers: Vec<String> = missing(&status, of).iter().map(u32::to_string).collect();
            return output::print(&format!("{}\n", numbers.join(",")));
        }
        let mut text = String::new();
        let mut line = |part: String| writeln!(text, "{part}").expect("a string takes any text");
        for PartStatus { shard, done, total, unit, damaged, .. } in &status.parts {
            let part = shard.as_ref().map_or("whole run".to_owned(), |shard| format!("shard {shard}"));
            let percent = if *total == 0 { 100.0 } else { 100.0 * *done as f64 / *total as f64 };
            let damage = if *damaged > 0 { format!(", {damaged} damaged lines") } else { String::new() };
            line(format!("{part:<16} {done:>9} of {total} {unit} ({percent:.1} %){damage}"));
        }
        if status.parts.len() > 1 {
            let sum = |of: fn(&PartStatus) -> usize| status.parts.iter().map(of).sum::<usize>();
            line(format!("{:<16} {:>9} of {}", "together", sum(|part| part.done), sum(|part| part.total)));
        }
        line(match (status.parts.is_empty(), status.has_results) {
            (true, true) => "finished; the results are there".to_owned(),
            (true, false) => "no run has begun here".to_owned(),
            (false, true) => "unfinished; the results are those of an earlier run".to_owned(),
            (false, false) => "unfinished".to_owned(),
        });
        output::print(&text)
    }
}

/// The numbers of those of this many shards that have not finished; none if a run is finished and nothing has begun since.
pub(crate) fn missing(status: &RunStatus, of: u32) -> Vec<u32> {
    if status.has_results && status.parts.is_empty() {
        return Vec::new();
    }
    let has_finished = |number: u32| {
        let shard = Some(format!("{number}/{of}"));
        status.parts.iter().any(|part| part.shard == shard && part.is_complete())
    };
    (1..=of).filter(|&number| !has_finished(number)).collect()
}
