//! `dfrsim audit`

use crate::failure::Failure;
use crate::output;
use clap::Args;
use dfrsim_audit::{AuditError, audit};
use std::fs::File;
use std::io::BufReader;
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
        let name = self.events.display();
        let file = File::open(&self.events)
            .map_err(|error| Failure::input(format!("{name}: cannot be read: {error}")))?;
        match audit(BufReader::with_capacity(1 << 16, file)) {
            Ok(report) => output::print(&format!("{report}\n")),
            Err(AuditError::Faults(faults)) => Err(Failure::Result(format!("{name}: {faults}"))),
            Err(error) => Err(Failure::input(format!("{name}: {error}"))),
        }
    }
}
