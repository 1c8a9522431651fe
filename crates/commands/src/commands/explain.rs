//! `dfrsim explain`

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Answer;
use clap::Args;
use dfrsim_audit::AuditError;
use dfrsim_audit::explain::{Life, explain};
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

/// Show the events of the job with the largest stretch, and the jobs that occupied the resources it
/// requested
///
/// While the job is on no node, the jobs that hold the most memory are listed, or those that hold
/// the most nodes if the policy allocates whole nodes; while it runs below full speed, the jobs on
/// the same node with the highest demand of CPU. Licences, burst buffers and power under a cap are told
/// if less is free than the job needs. The stretch is bounded by the tau of the file. The
/// file is audited first.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim simulate --workload week.swf --nodes 128 --policy EASY --events-out week.jsonl
  dfrsim explain week.jsonl
  dfrsim explain week.jsonl --job 17")]
pub(crate) struct Explain {
    /// Events file, as written by `dfrsim simulate --events-out`
    #[arg(value_hint = clap::ValueHint::FilePath)]
    events: PathBuf,
    /// Job to show instead, by its index in the order of submission, from 0
    #[arg(long, value_name = "N")]
    job: Option<u64>,
}

impl Answer for Life {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Explain {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let name = self.events.display();
        let file = File::open(&self.events).map_err(|error| Failure::unreadable(&self.events, &error))?;
        match explain(BufReader::with_capacity(1 << 16, file), self.job) {
            Ok(Some(life)) => context.print(&life),
            Ok(None) => Err(Failure::input(match self.job {
                Some(job) => format!(
                    "{name}: job {job} does not complete or does not exist; jobs are numbered from 0 in the order of submission"
                ),
                None => format!("{name}: no job of this file completes"),
            })),
            Err(AuditError::Faults(faults)) => Err(Failure::Result(format!("{name}: {faults}"))),
            Err(error) => Err(Failure::input(format!("{name}: {error}"))),
        }
    }
}
