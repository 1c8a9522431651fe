//! `dfrsim log resample`

use super::read::SelectedLog;
use super::write;
use crate::arguments::{LogArguments, LogOption};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Written, counted, notice};
use clap::Args;
use dfrsim_model::Seed;
use dfrsim_workload::log::Record;
use dfrsim_workload::resample::draw;
use std::path::PathBuf;

/// Draw another log from the users of a log
///
/// The jobs of each user are a stream; streams are drawn with replacement, as many for each week as
/// the log has, and each is shifted by a whole number of weeks. The same seed gives the same log.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  dfrsim log resample HPC2N-2002-2.1-cln.swf.gz --weeks 8 --seed 3 --out sample-3.swf")]
pub(crate) struct Resample {
    /// Log to resample: SWF, GWF, the output of sacct, accounting of PBS, a workload of Batsim, or with
    /// --columns a table; recognised by its content
    #[arg(value_hint = clap::ValueHint::FilePath)]
    input: PathBuf,
    #[command(flatten)]
    log: LogArguments,
    /// Number of weeks of the new log
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    weeks: u64,
    /// Seed of the random draws
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Log file to write
    #[arg(long, value_name = "FILE.swf[.gz]", value_hint = clap::ValueHint::AnyPath)]
    out: PathBuf,
}

impl Resample {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        self.log.refuse(&[LogOption::Size], "has no effect here: the lines keep both sizes")?;
        let log = SelectedLog::read(&self.input, &self.log, |_| true)?;
        let drawn = draw(&log.records, self.weeks, Seed::new(self.seed));
        let users = drawn.iter().map(|one| one.user).max().unwrap_or(0);
        let new: Vec<Record> = drawn.iter().map(|one| one.record(&log.records[one.place])).collect();
        let (weeks, seed) = (self.weeks, self.seed);
        let name = log.name();
        let mut header = log.header;
        header.push(
            "Note",
            &format!("{weeks} weeks drawn from the users of {name} with seed {seed}, written by dfrsim"),
        );
        write::write_log(&self.out, &header, &new)?;
        notice!(
            "{}: {} of {}",
            self.out.display(),
            counted(new.len(), "job"),
            counted(users as usize, "user")
        );
        context.print(&Written::new([&self.out]))
    }
}
