//! Rows: one for each simulation, compared with the reference run without reallocation.

use crate::engine::{Comparison, Outcome};
use dfrsim_lab::columns;
use dfrsim_model::SimSpan;

columns! {
    /// Row of one simulation with its comparison.
    pub struct Simulation of |(comparison, outcome): (&Comparison, &Outcome)| {
        /// Name of the workload.
        label pub workload: String,
        /// Number of the replication, from 0.
        instance pub replication: u32,
        /// Kind of platform: `homogeneous` or `heterogeneous`.
        label pub platform: String,
        /// Policy of the clusters.
        label pub local: String,
        /// Reallocation algorithm: `without` or `with` cancellation; `none` is the reference run.
        variant pub algorithm: String,
        /// Heuristic; empty in the reference run.
        variant pub heuristic: Option<String>,
        /// Number of jobs that ran.
        fact pub jobs: usize = comparison.jobs,
        /// Number of jobs that fit on no cluster.
        fact pub skipped: usize = outcome.skipped,
        /// Number of jobs that were submitted to their cluster directly, not through the
        /// meta-scheduler.
        fact pub local_jobs: usize,
        /// Work of the jobs at speed 1 / (cores * length of the workload).
        fact("share") pub load: f64,
        /// Number of jobs that completed at another time than in the reference run.
        fact pub changed: usize = comparison.changed,
        /// Number of jobs that completed earlier than in the reference run.
        fact pub earlier: usize = comparison.earlier,
        /// Mean turnaround of all jobs.
        metric(less, "s") pub mean_turnaround_s: Option<f64>,
        /// Mean time from arrival to start of all jobs.
        metric(less, "s") pub mean_wait_s: Option<f64>,
        /// Mean bounded slowdown of all jobs: turnaround / actual run time, with run times of at
        /// least 10 s, and at least 1.
        metric(less) pub mean_bounded_slowdown: Option<f64>,
        /// Fraction of all cores that ran jobs between the first arrival and the last completion.
        metric(more, "share") pub utilisation: Option<f64>,
        /// Mean turnaround of the changed jobs.
        metric(less, "s") pub changed_turnaround_s: Option<f64>,
        /// Mean turnaround of the changed jobs in the reference run.
        fact("s") pub reference_turnaround_s: Option<f64>,
        /// Mean turnaround of the changed jobs / their mean turnaround in the reference run.
        primary(less) pub relative_turnaround: Option<f64>,
        /// Reallocations: submissions to another cluster than the one where the job waited.
        metric(less) pub moves: u64 = outcome.moves,
        /// Number of cancellations.
        metric(less) pub cancellations: u64 = outcome.cancellations,
        /// Number of submissions to clusters.
        metric(less) pub submissions: u64 = outcome.submissions,
        /// Largest delay of a job's completion relative to the reference run.
        metric(less, "s") pub max_delay_s: SimSpan = comparison.largest_delay,
        /// Site whose jobs have the largest mean delay relative to the reference run, if any site
        /// has a delay.
        fact pub losing_site: Option<String>,
        /// Mean delay of the jobs of `losing_site`.
        fact("s") pub losing_site_delay_s: Option<f64>,
        /// Largest delay of a job's completion relative to the estimate at its arrival.
        metric(less, "s") pub max_lateness_s: SimSpan,
        /// Largest number of reallocations of a job.
        metric(less) pub max_moves: u32,
        /// Largest number of cancellations of a job.
        metric(less) pub max_cancellations: u32,
        /// Largest number of jobs that waited at a reallocation.
        metric(less) pub max_waiting: usize = outcome.most_waiting,
        /// Number of completion times that the meta-scheduler requests from the clusters in the
        /// text's procedures: at arrivals, and at reallocations once for each waiting job (MCT), or
        /// once for each remaining job before each choice (the other heuristics; on average over the
        /// orders, if jobs fit on different numbers of clusters).
        fact pub questions: u64 = outcome.questions,
        /// Number of runs that were lost when clusters failed.
        fact pub lost_runs: u64 = outcome.losses,
        /// Waits of the jobs of each user by day of submission, before and after, in a federation.
        fact pub users: Option<String>,
        /// Work done by these runs, in core-seconds.
        fact("s") pub lost_core_s: f64 = outcome.lost_work as f64 / 1e6,
    }
}
