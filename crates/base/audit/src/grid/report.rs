//! What a check finds, and the check of a whole file.

use super::Auditor;
use crate::AuditError;
use crate::lines::{first_record, follow, record};
use dfrsim_model::grid_event::Record;
use std::fmt;
use std::io::BufRead;

/// The figures of a grid's record in which no fault was found, all recomputed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The local policy.
    pub local: String,
    /// How many clusters there are.
    pub clusters: usize,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs that fit nowhere.
    pub skipped: u64,
    /// How often a job was submitted to another cluster than the one on which it waited before; 0 if jobs wait on
    /// several.
    pub moves: u64,
    /// How often a job left a queue without starting.
    pub cancellations: u64,
}

impl fmt::Display for Report {
    /// A few lines for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} clusters with {}: no fault", self.clusters, self.local)?;
        write!(
            f,
            "{} jobs completed, {} fit nowhere; {} moves, {} cancellations",
            self.completed, self.skipped, self.moves, self.cancellations
        )
    }
}

/// Checks a file of records (see the [module's page](super)).
///
/// # Errors
/// [`AuditError::Faults`] with every rule that is broken, [`AuditError::Io`] if the file cannot be read to its end.
pub fn audit(reader: impl BufRead) -> Result<Report, AuditError> {
    let begin = |text: &[u8]| Ok(Auditor::begin(&first_record(text)?)?);
    let auditor = follow(reader, begin, |auditor, text| match record(text) {
        Ok(record) => auditor.record(&record),
        Err(rule) => auditor.malformed(rule),
    })?;
    Ok(auditor.finish()?)
}

/// Whether a file that begins like this has the records of a grid.
#[must_use]
pub fn is_grid(beginning: &[u8]) -> bool {
    let first = beginning.split(|&byte| byte == b'\n').next().unwrap_or_default();
    matches!(record(first), Ok(Record::Run { .. }))
}
