//! `dfrsim audit`

use crate::arguments::period;
use crate::failure::Failure;
use crate::output;
use clap::Args;
use dfrsim_audit::{AuditError, CheckedPolicy, audit, audit_policy, grid};
use dfrsim_model::SimSpan;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;

/// Check an events file from scratch
///
/// Shares no code with the simulator: capacities at every moment, each job's work, penalties, and the metrics are
/// computed again. Of a grid each cluster is followed on its own, and each job through all of them. Exit code 1 if anything
/// is wrong.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  dfrsim simulate --workload week.swf --nodes 128 --policy EASY --events-out week.jsonl
  dfrsim audit week.jsonl
  dfrsim audit week.jsonl --policy EASY
  dfrsim audit greedy.jsonl --policy GreedyPM*/per/OPT=MIN --period 300
  dfrsim run scenarios/grid_quick.toml --fresh --set events=records
  dfrsim audit records/days-homogeneous-CONS-0-with-mct.jsonl")]
pub(crate) struct Audit {
    /// The events file, as `dfrsim simulate --events-out` writes it, or `dfrsim run` with `events` in a grid's scenario
    events: PathBuf,
    /// Also check that the policy is this one, and that it keeps to its rules
    ///
    /// Batch policies (FCFS and EASY in every order of the queue, EASY/SPARE, CONS and CONS/REPLAN): each job starts when the
    /// policy has it start. What that knew of run times is in the file; where a job has no `estimate_us`, it was the run time
    /// itself. Fractional policies (as `simulate` runs them, with --drop prefix) and EQUIPARTITION: changes have a reason, nobody
    /// is passed over by a job of lower priority, and the lowest priorities give way. Which nodes a job gets, and of fractional
    /// policies yields and how many jobs MCB finds room for, are left open. Not for files of grids.
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// The time between the ticks of the policy, as `simulate --period`
    #[arg(long, value_name = "SECONDS", value_parser = period, default_value = "600", requires = "policy")]
    period: SimSpan,
}

impl Audit {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let name = self.events.display();
        let file = File::open(&self.events)
            .map_err(|error| Failure::input(format!("{name}: cannot be read: {error}")))?;
        let mut file = BufReader::with_capacity(1 << 16, file);
        let beginning =
            file.fill_buf().map_err(|error| Failure::input(format!("{name}: cannot be read: {error}")))?;
        let policy = self.policy.map(|name| CheckedPolicy::parse(&name, self.period)).transpose();
        let report = match policy.map_err(Failure::input)? {
            Some(_) if grid::is_grid(beginning) => {
                return Err(Failure::input(format!(
                    "{name}: --policy is for one cluster, and this is a grid"
                )));
            }
            None if grid::is_grid(beginning) => grid::audit(file).map(|report| report.to_string()),
            None => audit(file).map(|report| report.to_string()),
            Some(policy) => {
                let kept = match &policy {
                    CheckedPolicy::Batch(policy) => format!("each job starts when {policy} has it start"),
                    CheckedPolicy::Fractional(policy) => format!("nobody is passed over under {policy}"),
                };
                audit_policy(file, policy).map(|report| format!("{report}\n{kept}"))
            }
        };
        match report {
            Ok(report) => output::print(&format!("{report}\n")),
            Err(AuditError::Faults(faults)) => Err(Failure::Result(format!("{name}: {faults}"))),
            Err(error) => Err(Failure::input(format!("{name}: {error}"))),
        }
    }
}
