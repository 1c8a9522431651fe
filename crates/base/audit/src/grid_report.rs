//! Figures of a checked record of a grid, and the audit that a program registers for such records.

use crate::AuditError;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::io::BufRead;

/// Figures of the records of a grid without violations, all recomputed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Grid")]
pub struct GridReport {
    /// Local policy.
    pub local: String,
    /// Number of clusters.
    pub clusters: usize,
    /// Number of clusters whose expected completion times are not checked.
    #[serde(skip)]
    pub unchecked: usize,
    /// Number of jobs that ended.
    pub completed: u64,
    /// Number of jobs that fit on no cluster.
    pub skipped: u64,
    /// Number of submissions to a different cluster than the one on which the job waited before; 0
    /// if jobs wait on several clusters.
    pub moves: u64,
    /// Number of cancellations of waiting jobs.
    pub cancellations: u64,
}

impl fmt::Display for GridReport {
    /// Writes a summary of a few lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} clusters with {}: no violations", self.clusters, self.local)?;
        if self.unchecked > 0 {
            writeln!(f, "not checked: expected completion times on {} clusters", self.unchecked)?;
        }
        write!(
            f,
            "{} jobs completed, {} fit nowhere; {} moves, {} cancellations",
            self.completed, self.skipped, self.moves, self.cancellations
        )
    }
}

/// Function that audits the records of a grid, which the paper on reallocation registers for the command `audit`.
#[derive(Clone, Copy, Debug)]
pub struct GridAudit(pub fn(&mut dyn BufRead) -> Result<GridReport, AuditError>);
