//! Rows: a simulation each, beside the reference run without reallocation.

use crate::engine::{Comparison, Outcome};
use dfrsim_lab::columns;
use dfrsim_model::SimSpan;

columns! {
    /// A simulation.
    pub struct Simulation of |(comparison, outcome): (&Comparison, &Outcome)| {
        /// The workload.
        label pub workload: String,
        /// The replication, from 0.
        instance pub replication: u32,
        /// `homogeneous` or `heterogeneous`.
        label pub platform: String,
        /// The policy of the clusters.
        label pub local: String,
        /// The reallocation algorithm: `without` or `with` cancellation; `none` is the reference run.
        variant pub algorithm: String,
        /// The heuristic; empty in the reference run.
        variant pub heuristic: Option<String>,
        /// Jobs that ran.
        fact pub jobs: usize = comparison.jobs,
        /// Jobs that fit on no cluster.
        fact pub skipped: usize = outcome.skipped,
        /// Jobs that were submitted past the meta-scheduler.
        fact pub local_jobs: usize,
        /// Work of the jobs at speed 1 / (cores * length of the workload).
        fact("share") pub load: f64,
        /// Jobs that completed at another moment than in the reference run.
        fact pub changed: usize = comparison.changed,
        /// Those that completed earlier.
        fact pub earlier: usize = comparison.earlier,
        /// The mean turnaround of all jobs.
        metric(less, "s") pub mean_turnaround_s: Option<f64>,
        /// The mean time from arrival to start of all jobs.
        metric(less, "s") pub mean_wait_s: Option<f64>,
        /// The mean bounded slowdown of all jobs: turnaround / run time where it ran, with run times of at least 10 s, and at
        /// least 1.
        metric(less) pub mean_bounded_slowdown: Option<f64>,
        /// The part of all cores that ran jobs between the first arrival and the last completion.
        metric(more, "share") pub utilisation: Option<f64>,
        /// The mean turnaround of the changed jobs.
        metric(less, "s") pub changed_turnaround_s: Option<f64>,
        /// The mean turnaround of the same jobs in the reference run.
        fact("s") pub reference_turnaround_s: Option<f64>,
        /// The former / the latter.
        primary(less) pub relative_turnaround: Option<f64>,
        /// Reallocations: submissions to another cluster than the one where the job waited.
        metric(less) pub moves: u64 = outcome.moves,
        /// Cancellations.
        metric(less) pub cancellations: u64 = outcome.cancellations,
        /// Submissions to clusters.
        metric(less) pub submissions: u64 = outcome.submissions,
        /// The most that a job completed later than in the reference run.
        metric(less, "s") pub max_delay_s: SimSpan = comparison.largest_delay,
        /// The site whose jobs complete later than in the reference run by the largest mean, if there is one.
        fact pub losing_site: Option<String>,
        /// That mean.
        fact("s") pub losing_site_delay_s: Option<f64>,
        /// The most that a job completed later than was estimated at its arrival.
        metric(less, "s") pub max_lateness_s: SimSpan,
        /// The most reallocations of a job.
        metric(less) pub max_moves: u32,
        /// The most cancellations of a job.
        metric(less) pub max_cancellations: u32,
        /// The most jobs that waited at a reallocation.
        metric(less) pub max_waiting: usize = outcome.most_waiting,
        /// The completion times for which the meta-scheduler asks the clusters, as the text's procedures do: at arrivals, and at
        /// reallocations once for each waiting job (MCT), or for each that is left before each choice (the other heuristics; on average
        /// over the orders, where jobs fit on different numbers of clusters).
        fact pub questions: u64 = outcome.questions,
        /// Runs that were lost when clusters failed.
        fact pub lost_runs: u64 = outcome.losses,
        /// What these runs had done, in seconds of a core.
        fact("s") pub lost_core_s: f64 = outcome.lost_work as f64 / 1e6,
    }
}
