//! `dfrsim audit`

use crate::failure::Failure;
use clap::Args;
use std::path::PathBuf;

/// Check an events file from scratch
///
/// Shares no code with the simulator: capacities at every moment, each job's work, penalties, and the metrics are
/// computed anew. Exit code 1 if anything is wrong.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  dfrsim simulate --workload week.swf --nodes 128 --policy EASY --events-out week.jsonl
  dfrsim audit week.jsonl")]
pub(crate) struct Audit {
    /// The events file, as `dfrsim simulate --events-out` writes it
    events: PathBuf,
}

impl Audit {
    pub(crate) fn run(self) -> Result<(), Failure> {
        Err(Failure::Input(self.events.display().to_string()))
    }
}
