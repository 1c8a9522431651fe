//! What options make of a cluster, a policy and a log, for programs with jobs of their own.

use dfrsim_cluster::{Options, SummaryOptions};
use dfrsim_model::priority::Priorities;
use dfrsim_model::{Job, JobTexts};
use dfrsim_policies::PolicyOptions;
use std::sync::Arc;

/// What the options of `dfrsim simulate` make of a cluster and a policy.
#[derive(Debug)]
pub struct Setting {
    /// How many nodes there are: those of a platform, if one is given.
    pub nodes: u32,
    /// The parameters of the simulation.
    pub options: Options,
    /// The parameters of policies.
    pub policy: PolicyOptions,
    /// By what jobs are ordered or share, if they have priorities or weights.
    pub priorities: Option<Arc<Priorities>>,
    /// What is measured.
    pub figures: SummaryOptions,
}

/// The jobs that the options of a log give.
#[derive(Debug)]
pub struct ReadLog {
    /// The nodes of the machine.
    pub nodes: u32,
    /// The jobs, in order of submission.
    pub jobs: Vec<Job>,
    /// What the log says of them in texts.
    pub texts: Option<Arc<JobTexts>>,
    /// What was left out, and why.
    pub report: String,
}
