//! `dfrsim audit`

use crate::arguments::period;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, with_notices};
use clap::Args;
use dfrsim_audit::{
    AuditError, CheckedPolicy, Fault, Faults, GridAudit, GridReport, Report, audit, audit_policy,
};
use dfrsim_model::SimSpan;
use dfrsim_model::event::Record;
use dfrsim_model::grid_event::is_grid;
use dfrsim_workload::recognise::{Expected, of_start};
use indicatif::ProgressBar;
use schemars::JsonSchema;
use serde::Serialize;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;

/// Check an events file independently of the simulator
///
/// Recomputes capacities at every time, each job's work, penalties, and the metrics, without code of
/// the simulator. In events of a grid each cluster is checked on its own, and each job across all of
/// them. Exit code 1 if a violation is found.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  dfrsim simulate --workload week.swf --nodes 128 --policy EASY --events-out week.jsonl
  dfrsim audit week.jsonl
  dfrsim audit week.jsonl --no-policy
  dfrsim audit greedy.jsonl --policy GreedyPM*/per/OPT=MIN --period 300
  dfrsim run scenarios/grid_quick.toml --fresh --set events=records
  dfrsim audit results/grid_quick/records/days-homogeneous-CONS-0-with-mct.jsonl")]
pub(crate) struct Audit {
    /// Events file, as written by `dfrsim simulate --events-out`, or by `dfrsim run` with `events`
    /// in the scenario of a grid
    #[arg(value_hint = clap::ValueHint::FilePath)]
    events: PathBuf,
    /// Check the decisions against the rules of this policy; by default against those of the policy
    /// that the file names
    ///
    /// Batch policies (FCFS and EASY in every order of the queue, CONS and CONS/REPLAN): each job starts when the policy would start it. The file has what the policy knew of run
    /// times (`estimate_us`; where it is missing, the run time itself). Fractional policies and
    /// EQUIPARTITION: each job starts, migrates, is preempted and resumes when, and on the nodes on
    /// which, the policy decides it, with the yield that it gives. Decisions that are not checked
    /// are printed. Not for files of grids.
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// Time between the ticks of the policy, as in `simulate --period`; by default the period in the
    /// file, or 600
    #[arg(long, value_name = "SECONDS", value_parser = period, conflicts_with = "no_policy")]
    period: Option<SimSpan>,
    /// Check only that the schedule is feasible, not that it is the one of the policy
    #[arg(long, conflicts_with = "policy")]
    no_policy: bool,
}

/// The result of the audit.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Audited {
    file: String,
    /// The number of violations; 0 if the file is correct.
    fault_count: u64,
    /// The number of further violations of the same kind by the same job.
    repetition_count: u64,
    /// The first violations.
    faults: Vec<Fault>,
    /// The recomputed metrics of a simulation without a violation.
    simulation: Option<Report>,
    /// The recomputed metrics of a grid without a violation.
    grid: Option<GridReport>,
    /// The rules that the decisions obey, except for decisions that were not checked.
    kept: Option<String>,
    /// True if every decision was checked against the rules of the policy.
    judged: bool,
    /// The decisions that were not checked.
    not_judged: Option<String>,
    #[serde(skip)]
    words: String,
}

impl Answer for Audited {
    fn text(&self) -> String {
        let mut text = String::new();
        for line in [&self.words].into_iter().chain(&self.kept).filter(|line| !line.is_empty()) {
            text += &format!("{line}\n");
        }
        text
    }
}

impl Audited {
    fn of_simulation(report: Report) -> Audited {
        Audited {
            judged: report.not_judged.is_none(),
            not_judged: report.not_judged.clone(),
            words: report.to_string(),
            simulation: Some(report),
            ..Audited::default()
        }
    }
    fn of_grid(report: GridReport) -> Audited {
        let promises = format!("when jobs were expected to end, on {} clusters", report.unchecked);
        Audited {
            judged: report.unchecked == 0,
            not_judged: (report.unchecked > 0).then_some(promises),
            words: report.to_string(),
            grid: Some(report),
            ..Audited::default()
        }
    }
    fn of_faults(faults: &Faults) -> Audited {
        Audited {
            fault_count: faults.count(),
            repetition_count: faults.repetitions(),
            faults: faults.shown().to_vec(),
            ..Audited::default()
        }
    }
}

impl Audit {
    /// Returns the policy that was given, or that the file names; if decisions cannot be checked
    /// against it, the reason.
    fn policy(&self, beginning: &[u8]) -> Result<(Option<CheckedPolicy>, Option<String>), Failure> {
        const DEFAULT_PERIOD: SimSpan = SimSpan::from_secs(600);
        let first = beginning.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let (named, ticks) = match Record::from_json(first) {
            Ok(Record::Run { policy, period_us, .. }) => (Some(policy), period_us.map(SimSpan::from_micros)),
            // The audit itself reports errors in the first line.
            _ => (None, None),
        };
        let period = self.period.or(ticks).unwrap_or(DEFAULT_PERIOD);
        match (&self.policy, named) {
            (Some(name), _) => Ok((Some(CheckedPolicy::parse(name, period).map_err(Failure::input)?), None)),
            (None, _) if self.no_policy => Ok((None, Some("decisions: --no-policy".to_owned()))),
            (None, Some(name)) => match CheckedPolicy::parse(&name, period) {
                Ok(policy) => Ok((Some(policy), None)),
                Err(_) => Ok((None, Some(format!("decisions: no rules of the policy `{name}` are known")))),
            },
            (None, None) => Ok((None, None)),
        }
    }

    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let name = self.events.display();
        let unreadable = |error| Failure::unreadable(&self.events, &error);
        let file = File::open(&self.events).map_err(unreadable)?;
        let size = file.metadata().map_or(0, |it| it.len());
        let progress = ProgressBar::hidden();
        let mut file = BufReader::with_capacity(1 << 16, progress.wrap_read(file));
        let beginning = file.fill_buf().map_err(unreadable)?;
        if let Some(message) = of_start(beginning, false, &self.events).refusal_as(Expected::Events) {
            return Err(Failure::in_file(&self.events, message));
        }
        let grid_audit =
            is_grid(beginning).then(|| context.registry.environment().get::<GridAudit>().copied());
        let grid_audit = grid_audit.map(|audit| {
            audit.ok_or_else(|| {
                Failure::input(format!("{name}: events of a grid, which this program cannot audit"))
            })
        });
        let grid_audit = grid_audit.transpose()?;
        if self.policy.is_some() && grid_audit.is_some() {
            return Err(Failure::input(format!(
                "{name}: --policy is for events of one cluster, but this file is of a grid; omit --policy"
            )));
        }
        let (policy, unknown) = self.policy(beginning)?;
        let how_far = || {
            let [read, size] = [progress.position(), size].map(|bytes| bytes as f64 / 1e6);
            format!("{read:.1} of {size:.1} MB have been read")
        };
        let report = with_notices(how_far, || match (policy, grid_audit) {
            (None, Some(GridAudit(audit))) => audit(&mut file).map(Audited::of_grid),
            (None, None) => {
                audit(file).map(|report| Audited::of_simulation(Report { not_judged: unknown, ..report }))
            }
            (Some(policy), _) => {
                let kept = match &policy {
                    CheckedPolicy::Batch(..) => format!("each job starts when {policy} would start it"),
                    CheckedPolicy::Fractional(_) | CheckedPolicy::FullSpeed(_) => {
                        format!("each job is where {policy} has it")
                    }
                };
                audit_policy(file, policy)
                    .map(|report| Audited { kept: Some(kept), ..Audited::of_simulation(report) })
            }
        });
        let named = |audited| Audited { file: name.to_string(), ..audited };
        match report {
            Ok(audited) => context.print(&named(audited)),
            Err(AuditError::Faults(faults)) => {
                context.print(&named(Audited::of_faults(&faults)))?;
                Err(Failure::Result(format!("{name}: {faults}")))
            }
            Err(error) => Err(Failure::input(format!("{name}: {error}"))),
        }
    }
}
