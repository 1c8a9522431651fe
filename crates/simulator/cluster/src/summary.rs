//! Summary of a simulation.

use crate::{BoundedStretch, ClassSummary, Distribution, Weights};
use dfrsim_model::SimSpan;
use schemars::JsonSchema;
use serde::Serialize;

/// Summary of a simulation. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Summary {
    /// Completed jobs that count in the distributions.
    pub jobs: usize,
    /// Completed jobs that were excluded from the distributions (warm-up and cool-down).
    pub trimmed: usize,
    /// Jobs that were killed at their estimate.
    pub killed: u64,
    /// Jobs that were rejected, or killed by the policy before their work was done. No other figure
    /// counts them.
    pub rejected: u64,
    /// Time from the first submission to the last completion.
    #[serde(rename = "makespan_s")]
    pub makespan: SimSpan,
    /// Utilisation: work done / (nodes * makespan).
    pub utilisation: f64,
    /// Wait: time from submission to the first start.
    #[serde(rename = "wait_s")]
    pub wait: Distribution,
    /// Turnaround: time from submission to completion.
    #[serde(rename = "turnaround_s")]
    pub turnaround: Distribution,
    /// Stretch: turnaround / run time.
    pub stretch: Distribution,
    /// Bounded stretch for each tau.
    pub bounded_stretch: Vec<BoundedStretch>,
    /// Weights of the weighted stretch.
    #[serde(skip)]
    pub weights: Weights,
    /// Classes that have jobs, by size, then by run time.
    pub classes: Vec<ClassSummary>,
    /// Number of preemptions (pauses).
    pub preemptions: u64,
    /// Number of migrations of jobs.
    pub migrations: u64,
    /// Tasks that changed node in migrations.
    pub migrated_tasks: u64,
    /// Memory written by preemptions, in whole nodes' worth.
    #[serde(rename = "paused_memory_nodes")]
    pub paused_memory: f64,
    /// Memory moved by migrations, in whole nodes' worth.
    #[serde(rename = "migrated_memory_nodes")]
    pub migrated_memory: f64,
    /// Mean number of contiguous ranges of nodes on which a job starts: 1 if every placement is
    /// contiguous.
    pub ranges_per_start: Option<f64>,
    /// Effects of outages, if nodes go down or jobs may be requeued or lost.
    #[serde(rename = "outages", skip_serializing_if = "Option::is_none")]
    pub platform: Option<PlatformSummary>,
}

/// Effects of outages, and of policies that requeue or lose jobs, from the first submission to the
/// last completion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlatformSummary {
    /// Fraction of all node-seconds in which nodes were up.
    pub availability: f64,
    /// Goodput: work of completed jobs, without checkpoints / node-seconds in which nodes were up.
    pub goodput: f64,
    /// Number of interruptions of jobs, including lost jobs.
    pub interruptions: u64,
    /// Number of lost jobs, which left the system with their work undone; no other figure counts
    /// them.
    pub lost: u64,
    /// Work done and lost, in node-seconds: tasks * CPU need * virtual time.
    #[serde(rename = "lost_work_node_s")]
    pub lost_work: f64,
}
