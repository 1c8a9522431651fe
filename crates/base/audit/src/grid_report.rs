//! Figures of a checked record of a grid, and the audit that a program registers for such records.

use crate::AuditError;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::io::BufRead;

/// The figures of a grid's record in which no fault was found, all recomputed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Grid")]
pub struct GridReport {
    /// The local policy.
    pub local: String,
    /// How many clusters there are.
    pub clusters: usize,
    /// On how many of them it is not judged when jobs were expected to end.
    #[serde(skip)]
    pub unjudged: usize,
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

impl fmt::Display for GridReport {
    /// A few lines for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} clusters with {}: no fault", self.clusters, self.local)?;
        if self.unjudged > 0 {
            writeln!(f, "not judged: when jobs were expected to end, on {} clusters", self.unjudged)?;
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
