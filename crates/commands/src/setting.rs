//! Settings and jobs that the options of `dfrsim simulate` describe, for programs with jobs of their
//! own.

use dfrsim_cluster::{Options, SummaryOptions};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{Job, JobTexts};
use dfrsim_policies::PolicyOptions;
use std::sync::Arc;

/// Settings of a cluster and a policy, from the options of `dfrsim simulate`.
#[derive(Debug)]
pub struct Setting {
    /// Number of nodes: that of the platform, if one is given.
    pub nodes: u32,
    /// Parameters of the simulation.
    pub options: Options,
    /// Parameters of the policy.
    pub policy: PolicyOptions,
    /// Site policy that orders the jobs or sets their shares; `None` without priorities and weights.
    pub priorities: Option<Arc<SiteSettings>>,
    /// Metrics to measure.
    pub figures: SummaryOptions,
}

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
