//! The figures of a file without faults.

use dfrsim_model::event::PlatformFigures;
use dfrsim_model::{SimSpan, SimTime};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The figures of an events file in which no fault was found, all recomputed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Simulation")]
pub struct Report {
    /// The name of the policy.
    pub policy: String,
    /// The nodes of the cluster.
    pub nodes: u32,
    /// The rescheduling penalty.
    #[serde(rename = "penalty_s")]
    pub penalty: SimSpan,
    /// The lines of the file, its first and last included.
    pub lines: u64,
    /// The jobs that were submitted.
    pub jobs: u64,
    /// Those that completed.
    pub completed: u64,
    /// Those that were rejected or killed.
    pub rejected: u64,
    /// The largest number of jobs in the system at once.
    pub peak_jobs: usize,
    /// The largest part of a node's CPU that was in use at once, from 0 to 1.
    pub peak_cpu: f64,
    /// The largest part of a node's memory that was in use at once, from 0 to 1.
    pub peak_memory: f64,
    /// The last completion or other event.
    #[serde(rename = "end_s")]
    pub end: SimTime,
    /// From the first submission to the last completion.
    #[serde(rename = "makespan_s")]
    pub makespan: SimSpan,
    /// The largest stretch, 0 if no job completed.
    pub max_stretch: f64,
    /// The tau of the bounded stretch.
    #[serde(rename = "tau_s")]
    pub tau: SimSpan,
    /// The largest bounded stretch, 0 if no job completed.
    pub max_bounded_stretch: f64,
    /// Work done / (nodes * makespan).
    pub utilisation: f64,
    /// How often a job was paused.
    pub preemptions: u64,
    /// How often a job was migrated.
    pub migrations: u64,
    /// Tasks that changed node in migrations.
    pub migrated_tasks: u64,
    /// What outages did, if nodes go down.
    #[serde(skip)]
    pub platform: Option<PlatformFigures>,
    /// What of the decisions was not judged; `None` if each of them was.
    #[serde(skip)]
    pub not_judged: Option<String>,
}

impl fmt::Display for Report {
    /// A few lines for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} on {} nodes, penalty {} s: no fault", self.policy, self.nodes, self.penalty)?;
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
        self.not_judged.iter().try_for_each(|what| write!(f, "\nnot judged: {what}"))
    }
}
