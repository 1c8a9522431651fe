//! Jobs that the options of `dfrsim simulate` describe.

use dfrsim_model::{Job, JobTexts};
use std::sync::Arc;

/// Jobs read from a log, according to the options of `dfrsim simulate`.
#[derive(Debug)]
pub struct ReadLog {
    /// Number of nodes of the machine.
    pub nodes: u32,
    /// Jobs in submission order.
    pub jobs: Vec<Job>,
    /// Textual fields of the log, by job.
    pub texts: Option<Arc<JobTexts>>,
    /// Report of the lines that were dropped or changed, and the reasons.
    pub report: String,
}
