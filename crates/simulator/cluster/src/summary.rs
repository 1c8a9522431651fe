//! The figures of a simulation.

use crate::{BoundedStretch, ClassSummary, Distribution, Weights};
use dfrsim_model::SimSpan;
use schemars::JsonSchema;
use serde::Serialize;

/// The figures of a simulation. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Summary {
    /// Completed jobs that count in the distributions.
    pub jobs: usize,
    /// Completed jobs that were trimmed away.
    pub trimmed: usize,
    /// Jobs that were killed at their estimate.
    pub killed: u64,
    /// Jobs that were rejected, or ended by the policy before their work was done. No other figure counts them.
    pub rejected: u64,
    /// From the first submission to the last completion.
    #[serde(rename = "makespan_s")]
    pub makespan: SimSpan,
    /// Work done / (nodes * makespan).
    pub utilisation: f64,
    /// From submission to the first start.
    #[serde(rename = "wait_s")]
    pub wait: Distribution,
    /// From submission to completion.
    #[serde(rename = "turnaround_s")]
    pub turnaround: Distribution,
    /// Turnaround / run time.
    pub stretch: Distribution,
    /// The bounded stretch for each tau.
    pub bounded_stretch: Vec<BoundedStretch>,
    /// The weights of the weighted stretch.
    #[serde(skip)]
    pub weights: Weights,
    /// The classes that have jobs, by size, then length.
    pub classes: Vec<ClassSummary>,
    /// How often a job was preempted (paused).
    pub preemptions: u64,
    /// How often a job was migrated.
    pub migrations: u64,
    /// Tasks that changed node in migrations.
    pub migrated_tasks: u64,
    /// Memory written by preemptions, in memories of one node.
    #[serde(rename = "paused_memory_nodes")]
    pub paused_memory: f64,
    /// Memory moved by migrations, in memories of one node.
    #[serde(rename = "migrated_memory_nodes")]
    pub migrated_memory: f64,
    /// The mean number of ranges of nodes, each with numbers that follow each other, on which a job starts: 1 if all are contiguous.
    pub ranges_per_start: Option<f64>,
    /// What outages did, if nodes go down in the simulation.
    #[serde(rename = "outages", skip_serializing_if = "Option::is_none")]
    pub platform: Option<PlatformSummary>,
}

/// What outages and policies that requeue or lose jobs did, from the first submission to the last completion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlatformSummary {
    /// The part of all node-seconds in which nodes were up.
    pub availability: f64,
    /// The work of completed jobs, without checkpoints / the node-seconds in which nodes were up.
    pub goodput: f64,
    /// How often a job was interrupted, lost jobs included.
    pub interruptions: u64,
    /// Jobs that left for good; no other figure counts them.
    pub lost: u64,
    /// Work that was done and not kept, in node-seconds: tasks * CPU need * virtual time.
    #[serde(rename = "lost_work_node_s")]
    pub lost_work: f64,
}
