//! Input of logs whose records are written again.

use crate::arguments::LogArguments;
use crate::failure::Failure;
use crate::output::notice;
use dfrsim_workload::log::{Header, Line, ReadReport, Record, Source as _};
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
    /// Reads the selected lines for which `keep` returns true; notices about the log go to standard
    /// error.
    ///
    /// # Errors
    /// Returns an error if the log cannot be found or read.
    pub(super) fn read(
        input: &Path,
        log: &LogArguments,
        mut keep: impl FnMut(&Line) -> bool,
    ) -> Result<SelectedLog, Failure> {
        let path = traces::locate(input).map_err(Failure::input)?;
        let mut whole = log.read_whole(&path)?;
        let selection = log.selection();
        let header = whole.header().clone();
        let selected =
            whole.by_ref().filter(|line| selection.contains(line.place, line.record.submit) && keep(line));
        let records = selected.map(|line| line.record).collect();
        let report = whole.finish().map_err(|error| log.failure(&error))?;
        for notice in report.notices() {
            notice!("{}: {notice}", path.display());
        }
        Ok(SelectedLog { path, header, records, report })
    }

    /// Returns the file name of the log.
    pub(super) fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).display().to_string()
    }
}
