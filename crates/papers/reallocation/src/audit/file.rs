//! Audit of a whole file.

use super::{Auditor, GridReport};
use dfrsim_audit::AuditError;
use dfrsim_audit::records::follow;
use dfrsim_model::grid_event::Record;
use std::io::BufRead;

/// Checks a file of records (see the [module's page](super)).
///
/// # Errors
///
/// Returns [`AuditError::Faults`] with every violated rule, or [`AuditError::Io`] if the file cannot
/// be read to its end.
pub fn audit(reader: impl BufRead) -> Result<GridReport, AuditError> {
    let begin = |first| Auditor::begin(&first);
    Ok(follow(reader, Record::from_json, begin, |auditor, line| auditor.read(&line))?.finish()?)
}
