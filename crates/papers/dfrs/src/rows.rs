//! Rows: what one simulation amounts to, with one tau.

use dfrsim_cluster::{BoundedStretch, Summary};
use dfrsim_lab::columns;
use dfrsim_model::SimSpan;

/// The figures of a simulation, of which the bounded stretch and its bound depend on its tau.
type Figures<'a> = (&'a Summary, &'a BoundedStretch, f64);

columns! {
    /// A simulation, measured with one tau. Distributions are over the jobs that count.
    pub struct SimulationRow of |(summary, bounded, bound): Figures<'_>| {
        /// The workload.
        label pub workload: String,
        /// The part of the workload: a week, a trace, a trace at a load.
        instance pub instance: String,
        /// The offered load that the trace was scaled to, if it was.
        label pub load: Option<f64>,
        /// The policy.
        variant pub policy: String,
        /// The rescheduling penalty.
        variant("s") pub penalty_s: SimSpan,
        /// The period, where the policy is periodic.
        variant("s") pub period_s: Option<SimSpan>,
        /// The packing rule of MCB, where the policy uses it.
        variant pub packing: Option<String>,
        /// The drop rule of MCB, where the policy uses it.
        variant pub drop: Option<String>,
        /// The run times that the policy knows.
        variant pub estimates: String,
        /// What happened to jobs that outlasted their estimate.
        variant pub overrun: String,
        /// The CPU needs that the policy knows.
        variant pub cpu_needs: String,
        /// After how long running jobs reveal their CPU need, where it is not known and they do.
        variant("s") pub discovery_s: Option<SimSpan>,
        /// The tau of the bounded stretch and of the bound.
        variant("s") pub tau_s: SimSpan,
        /// The nodes.
        fact pub nodes: u32,
        /// The jobs submitted.
        fact pub jobs: usize,
        /// The lower bound on the maximum bounded stretch, of all jobs on nodes that are always up.
        fact pub bound: f64 = bound,
        /// Completed jobs that count in the distributions.
        fact pub counted: usize = summary.jobs,
        /// Completed jobs that do not, because of warm-up and cool-down.
        fact pub trimmed: usize = summary.trimmed,
        /// Jobs killed at their estimate.
        metric(less) pub killed: u64 = summary.killed,
        /// Jobs rejected.
        metric(less) pub rejected: u64 = summary.rejected,
        /// The largest bounded stretch / the bound.
        primary(less) pub degradation: f64 = bounded.distribution.max / bound,
        /// Bounded stretch: mean.
        metric(less) pub mean_bounded_stretch: f64 = bounded.distribution.mean,
        /// Bounded stretch: half of the jobs have no more.
        metric(less) pub median_bounded_stretch: f64 = bounded.distribution.median,
        /// Bounded stretch: 95 % of the jobs have no more.
        metric(less) pub p95_bounded_stretch: f64 = bounded.distribution.p95,
        /// Bounded stretch: 99 % of the jobs have no more.
        metric(less) pub p99_bounded_stretch: f64 = bounded.distribution.p99,
        /// Bounded stretch: largest.
        metric(less) pub max_bounded_stretch: f64 = bounded.distribution.max,
        /// Stretch: mean.
        metric(less) pub mean_stretch: f64 = summary.stretch.mean,
        /// Stretch: median.
        metric(less) pub median_stretch: f64 = summary.stretch.median,
        /// Stretch: 95 %.
        metric(less) pub p95_stretch: f64 = summary.stretch.p95,
        /// Stretch: 99 %.
        metric(less) pub p99_stretch: f64 = summary.stretch.p99,
        /// Stretch: largest.
        metric(less) pub max_stretch: f64 = summary.stretch.max,
        /// Wait: mean.
        metric(less, "s") pub mean_wait_s: f64 = summary.wait.mean,
        /// Wait: median.
        metric(less, "s") pub median_wait_s: f64 = summary.wait.median,
        /// Wait: 95 %.
        metric(less, "s") pub p95_wait_s: f64 = summary.wait.p95,
        /// Wait: 99 %.
        metric(less, "s") pub p99_wait_s: f64 = summary.wait.p99,
        /// Wait: longest.
        metric(less, "s") pub max_wait_s: f64 = summary.wait.max,
        /// Turnaround: mean.
        metric(less, "s") pub mean_turnaround_s: f64 = summary.turnaround.mean,
        /// Turnaround: median.
        metric(less, "s") pub median_turnaround_s: f64 = summary.turnaround.median,
        /// Turnaround: 95 %.
        metric(less, "s") pub p95_turnaround_s: f64 = summary.turnaround.p95,
        /// Turnaround: 99 %.
        metric(less, "s") pub p99_turnaround_s: f64 = summary.turnaround.p99,
        /// Turnaround: longest.
        metric(less, "s") pub max_turnaround_s: f64 = summary.turnaround.max,
        /// Work done / (nodes * makespan).
        metric(more) pub utilisation: f64 = summary.utilisation,
        /// From the first submission to the last completion.
        metric(less, "s") pub makespan_s: SimSpan = summary.makespan,
        /// How often a job was paused.
        metric(less) pub preemptions: u64 = summary.preemptions,
        /// How often a job was migrated.
        metric(less) pub migrations: u64 = summary.migrations,
        /// Tasks that changed node in migrations.
        metric(less) pub migrated_tasks: u64 = summary.migrated_tasks,
        /// Memory written by pauses.
        metric(less, "memories of a node") pub paused_memory_nodes: f64 = summary.paused_memory,
        /// Memory moved by migrations.
        metric(less, "memories of a node") pub migrated_memory_nodes: f64 = summary.migrated_memory,
        /// Bounded stretch: mean in which jobs count by their weights, nodes * run time unless the scenario says otherwise.
        metric(less) pub weighted_bounded_stretch: f64 = bounded.weighted_mean,
        /// Jain's index of the users' mean bounded stretches: 1 if all are equal, 1 / users at worst; empty if no user is known.
        metric(more) pub fairness: Option<f64> = bounded.fairness.map(|fairness| fairness.jain),
        /// The largest mean bounded stretch of a user; empty if no user is known.
        metric(less) pub max_user_bounded_stretch: Option<f64> = bounded.fairness.map(|fairness| fairness.max_mean),
        /// What happened to jobs on nodes that went down.
        variant pub interruption: Option<String>,
        /// The part of the node-seconds from the first submission to the last completion in which nodes were up.
        fact pub availability: Option<f64> = summary.platform.map(|it| it.availability),
        /// Run times of completed jobs as work / the node-seconds in which nodes were up.
        metric(more) pub goodput: Option<f64> = summary.platform.map(|it| it.goodput),
        /// Work that was done and not kept: tasks * CPU need * virtual time.
        metric(less, "node-seconds") pub lost_work: Option<f64> = summary.platform.map(|it| it.lost_work),
        /// How often a job was interrupted since a node went down, lost jobs included.
        metric(less) pub interruptions: Option<u64> = summary.platform.map(|it| it.interruptions),
        /// Jobs that left for good since a node went down; no other figure counts them.
        metric(less) pub lost: Option<u64> = summary.platform.map(|it| it.lost),
        /// A lower bound on the largest bounded stretch that counts memory and penalties, where the scenario asks for it.
        fact pub penalty_bound: Option<f64>,
        /// The largest bounded stretch of the best schedule found that knows all run times, where the scenario asks for it.
        fact pub reached: Option<f64>,
        /// Of parts of the jobs, where the scenario asks for them: a list of kind, name, number of completed jobs and mean wait in seconds, as JSON.
        fact pub waits: Option<String>,
        /// Metrics of the program that ran the scenario, where that asks for them: values by names, as JSON. Comparisons, exports and baselines have a column of each; less is better.
        fact pub own: Option<String>,
    }
}
