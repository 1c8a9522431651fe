//! `dfrsim explain`

use crate::failure::Failure;
use crate::output;
use clap::Args;
use dfrsim_audit::AuditError;
use dfrsim_audit::explain::explain;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

/// Tell the life of the job with the largest stretch, event by event, and who held what it needed
///
/// While the job is on no node, the jobs that hold the most memory are listed; while it runs below full speed, those beside
/// it on the node of which the most CPU is needed. The stretch is bounded by the tau of the file. The file is audited first.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim simulate --workload week.swf --nodes 128 --annotate lublin --policy GreedyPM*/per/OPT=MIN/MVT=600 \\
                  --events-out week.jsonl
  dfrsim explain week.jsonl
  dfrsim explain week.jsonl --job 17")]
pub(crate) struct Explain {
    /// The events file, as `dfrsim simulate --events-out` writes it
    events: PathBuf,
    /// Another job, by its place in the order of submission, from 0
    #[arg(long, value_name = "N")]
    job: Option<u64>,
}

impl Explain {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let name = self.events.display();
        let file = File::open(&self.events)
            .map_err(|error| Failure::input(format!("{name}: cannot be read: {error}")))?;
        match explain(BufReader::with_capacity(1 << 16, file), self.job) {
            Ok(Some(life)) => output::print(&life.to_string()),
            Ok(None) => Err(Failure::input(match self.job {
                Some(job) => format!("{name}: job {job} does not complete"),
                None => format!("{name}: no job completes"),
            })),
            Err(AuditError::Faults(faults)) => Err(Failure::Result(format!("{name}: {faults}"))),
            Err(error) => Err(Failure::input(format!("{name}: {error}"))),
        }
    }
}
