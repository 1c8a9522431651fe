//! Input of logs whose records are written again.

use crate::arguments::LogArguments;
use crate::failure::Failure;
use crate::output::print_account;
use dfrsim_model::{Job, SimSpan};
use dfrsim_workload::log::{Header, ReadReport, Record, Source as _};
use dfrsim_workload::prepare::{Anomaly, JobStream, Options};
use dfrsim_workload::traces;
use std::path::{Path, PathBuf};

/// Selected part of a log.
pub(super) struct SelectedLog {
    pub(super) path: PathBuf,
    pub(super) header: Header,
    pub(super) records: Vec<Record>,
    pub(super) report: ReadReport,
}

impl SelectedLog {
    /// Reads the selected records for which `keep` returns true, without those that a given rule
    /// drops; notices about the log go to standard error. Values that a given rule clamps are
    /// replaced.
    ///
    /// # Errors
    /// Returns an error if the log cannot be found or read, or has a line that a rule forbids.
    pub(super) fn read(
        input: &Path,
        log: &LogArguments,
        mut keep: impl FnMut(&Record) -> bool,
    ) -> Result<SelectedLog, Failure> {
        let path = traces::locate(input).map_err(Failure::input)?;
        let options = Options { rules: log.rules_for_lines(), ..log.options() };
        let whole = log.read_whole(&path)?;
        let header = whole.header().clone();
        let mut stream = JobStream::new(whole, &options);
        let mut records = Vec::new();
        while let Some((job, record)) = stream.next_with_record() {
            if keep(&record) {
                records.push(clamped(log, &job, record));
            }
        }
        let report = stream.finish().map_err(|error| log.failure(&error))?;
        let mut account = report.account().summary();
        // Without a rule, anomalous lines are written as they are.
        let unchanged = Anomaly::ALL.iter().filter(|&&anomaly| !log.has_rule(anomaly));
        let unchanged: Vec<String> =
            unchanged.map(|anomaly| format!("jobs changed by the rule {anomaly}")).collect();
        account.counts.retain(|count| !unchanged.contains(&count.reason));
        print_account(&path, &account);
        Ok(SelectedLog { path, header, records, report: report.read })
    }

    /// Returns the file name of the log.
    pub(super) fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).display().to_string()
    }
}

/// Replaces the values of a record that given rules have clamped in its job.
fn clamped(log: &LogArguments, job: &Job, mut record: Record) -> Record {
    if log.has_rule(Anomaly::ZeroRun) && record.run_time.is_none_or(SimSpan::is_zero) {
        record.run_time = Some(job.run_time);
    }
    if log.has_rule(Anomaly::ZeroSize)
        && record.requested_processors.or(record.allocated_processors).is_none()
    {
        record.requested_processors = Some(job.tasks);
    }
    record
}
