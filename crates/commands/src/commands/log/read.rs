//! Reading logs whose records are written again.

use crate::arguments::LogArguments;
use crate::failure::Failure;
use crate::output::notice;
use dfrsim_workload::log::{Header, Record, Source as _};
use dfrsim_workload::{prepare, traces};
use std::path::{Path, PathBuf};

/// Where the log is, its header, and the records of the selected part; what is odd about it goes to standard error.
///
/// # Errors
/// If it cannot be found or read.
pub(super) fn selected(input: &Path, log: &LogArguments) -> Result<(PathBuf, Header, Vec<Record>), Failure> {
    let path = traces::locate(input).map_err(Failure::input)?;
    let options = log.options();
    let mut whole = prepare::read_whole(&path, &options).map_err(|error| log.failure(&error))?;
    let header = whole.header().clone();
    let selected = whole.by_ref().filter(|line| options.select.contains(line.place, line.record.submit));
    let records = selected.map(|line| line.record).collect();
    for notice in whole.finish().map_err(|error| log.failure(&error))?.notices() {
        notice!("{}: {notice}", path.display());
    }
    Ok((path, header, records))
}
