//! Figures of a file without violations.

use dfrsim_model::event::PlatformFigures;
use dfrsim_model::{SimSpan, SimTime};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Figures of an events file without violations, all recomputed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Simulation")]
pub struct Report {
    /// Name of the policy.
    pub policy: String,
    /// Number of nodes of the cluster.
    pub nodes: u32,
    /// Rescheduling penalty.
    #[serde(rename = "penalty_s")]
    pub penalty: SimSpan,
    /// Number of lines of the file, including the first and the last one.
    pub lines: u64,
    /// Number of submitted jobs.
    pub jobs: u64,
    /// Number of completed jobs.
    pub completed: u64,
    /// Number of rejected or killed jobs.
    pub rejected: u64,
    /// Maximum number of jobs in the system at the same time.
    pub peak_jobs: usize,
    /// Maximum fraction of a node's CPU in use, from 0 to 1.
    pub peak_cpu: f64,
    /// Maximum fraction of a node's memory in use, from 0 to 1.
    pub peak_memory: f64,
    /// Time of the last event.
    #[serde(rename = "end_s")]
    pub end: SimTime,
    /// Time from the first submission to the last completion.
    #[serde(rename = "makespan_s")]
    pub makespan: SimSpan,
    /// Maximum stretch; 0 if no job completed.
    pub max_stretch: f64,
    /// Threshold tau of the bounded stretch.
    #[serde(rename = "tau_s")]
    pub tau: SimSpan,
    /// Maximum bounded stretch; 0 if no job completed.
    pub max_bounded_stretch: f64,
    /// Utilisation: work done / (nodes * makespan).
    pub utilisation: f64,
    /// Number of preemptions of jobs.
    pub preemptions: u64,
    /// Number of migrations of jobs.
    pub migrations: u64,
    /// Number of tasks that changed nodes in migrations.
    pub migrated_tasks: u64,
    /// Figures of node failures, if nodes can fail or jobs can be preempted.
    #[serde(skip)]
    pub platform: Option<PlatformFigures>,
    /// Description of the decisions that were not checked; `None` if all were.
    #[serde(skip)]
    pub not_judged: Option<String>,
}

impl fmt::Display for Report {
    /// Writes a summary of a few lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} on {} nodes, penalty {} s: no violations", self.policy, self.nodes, self.penalty)?;
        writeln!(
            f,
            "{} lines, {} jobs: {} completed, {} rejected, at most {} at once",
            self.lines, self.jobs, self.completed, self.rejected, self.peak_jobs
        )?;
        writeln!(
            f,
            "peak use of a node: CPU {:.6}, memory {:.6}; utilisation {:.6}",
            self.peak_cpu, self.peak_memory, self.utilisation
        )?;
        writeln!(
            f,
            "maximum stretch {:.6}, bounded by {} s {:.6}; makespan {} s",
            self.max_stretch, self.tau, self.max_bounded_stretch, self.makespan
        )?;
        write!(
            f,
            "{} preemptions, {} migrations of {} tasks",
            self.preemptions, self.migrations, self.migrated_tasks
        )?;
        if let Some(platform) = self.platform {
            let PlatformFigures { interruptions, lost, lost_work_s, availability, goodput } = platform;
            write!(
                f,
                "\n{interruptions} interruptions, {lost} jobs lost, {lost_work_s:.1} node-seconds of work lost; availability \
                 {availability:.6}, goodput {goodput:.6}"
            )?;
        }
        self.not_judged.iter().try_for_each(|what| write!(f, "\nnot checked: {what}"))
    }
}
