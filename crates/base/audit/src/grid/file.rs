//! The check of a whole file.

use super::{Auditor, Report};
use crate::AuditError;
use crate::lines::follow;
use dfrsim_model::grid_event::Record;
use std::io::BufRead;

/// Checks a file of records (see the [module's page](super)).
///
/// # Errors
/// [`AuditError::Faults`] with every rule that is broken, [`AuditError::Io`] if the file cannot be read to its end.
pub fn audit(reader: impl BufRead) -> Result<Report, AuditError> {
    let begin = |first| Auditor::begin(&first);
    Ok(follow(reader, Record::from_json, begin, |auditor, line| auditor.read(&line))?.finish()?)
}

/// Whether a file that begins like this has the records of a grid.
pub fn is_grid(beginning: &[u8]) -> bool {
    let first = beginning.split(|&byte| byte == b'\n').next().unwrap_or_default();
    matches!(Record::from_json(first), Ok(Record::Run { .. }))
}
