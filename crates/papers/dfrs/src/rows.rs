//! Rows: the results of one simulation with one tau.

use dfrsim_cluster::{BoundedStretch, Summary};
use dfrsim_lab::columns;
use dfrsim_model::SimSpan;

/// Results of a simulation: its summary, and the bounded stretch and the lower bound, both of which
/// depend on tau.
type Figures<'a> = (&'a Summary, &'a BoundedStretch, f64);

columns! {
    /// A simulation, measured with one tau. Distributions are over the jobs that count.
    pub struct SimulationRow of |(summary, bounded, bound): Figures<'_>| {
        /// Name of the workload.
        label pub workload: String,
        /// The part of the workload: a week, a trace, or a trace at a load.
        instance pub instance: String,
        /// Offered load to which the trace was scaled, if it was.
        label pub load: Option<f64>,
        /// Name of the policy.
        variant pub policy: String,
        /// Rescheduling penalty.
        variant("s") pub penalty_s: SimSpan,
        /// Period, if the policy is periodic.
        variant("s") pub period_s: Option<SimSpan>,
        /// Packing rule of MCB, if the policy uses MCB.
        variant pub packing: Option<String>,
        /// Drop rule of MCB, if the policy uses MCB.
        variant pub drop: Option<String>,
        /// Run-time estimates that the policy knows.
        variant pub estimates: String,
        /// Treatment of jobs that exceed their estimate.
        variant pub overrun: String,
        /// CPU needs that the policy knows.
        variant pub cpu_needs: String,
        /// Time after which running jobs reveal their CPU need, if it is unknown and they do.
        variant("s") pub discovery_s: Option<SimSpan>,
        /// Tau of the bounded stretch and of the bound.
        variant("s") pub tau_s: SimSpan,
        /// Number of nodes.
        fact pub nodes: u32,
        /// Number of submitted jobs.
        fact pub jobs: usize,
        /// Lower bound on the maximum bounded stretch, for all jobs on nodes that are always up.
        fact pub bound: f64 = bound,
        /// Completed jobs that count in the distributions.
        fact pub counted: usize = summary.jobs,
        /// Completed jobs that do not count because of warm-up and cool-down.
        fact pub trimmed: usize = summary.trimmed,
        /// Jobs killed at the end of their estimate.
        metric(less) pub killed: u64 = summary.killed,
        /// Rejected jobs.
        metric(less) pub rejected: u64 = summary.rejected,
        /// Largest bounded stretch / lower bound.
        primary(less) pub degradation: f64 = bounded.distribution.max / bound,
        /// Mean bounded stretch.
        metric(less) pub mean_bounded_stretch: f64 = bounded.distribution.mean,
        /// Median bounded stretch.
        metric(less) pub median_bounded_stretch: f64 = bounded.distribution.median,
        /// 95th percentile of the bounded stretch.
        metric(less) pub p95_bounded_stretch: f64 = bounded.distribution.p95,
        /// 99th percentile of the bounded stretch.
        metric(less) pub p99_bounded_stretch: f64 = bounded.distribution.p99,
        /// Largest bounded stretch.
        metric(less) pub max_bounded_stretch: f64 = bounded.distribution.max,
        /// Mean stretch.
        metric(less) pub mean_stretch: f64 = summary.stretch.mean,
        /// Median stretch.
        metric(less) pub median_stretch: f64 = summary.stretch.median,
        /// 95th percentile of the stretch.
        metric(less) pub p95_stretch: f64 = summary.stretch.p95,
        /// 99th percentile of the stretch.
        metric(less) pub p99_stretch: f64 = summary.stretch.p99,
        /// Largest stretch.
        metric(less) pub max_stretch: f64 = summary.stretch.max,
        /// Mean wait.
        metric(less, "s") pub mean_wait_s: f64 = summary.wait.mean,
        /// Median wait.
        metric(less, "s") pub median_wait_s: f64 = summary.wait.median,
        /// 95th percentile of the wait.
        metric(less, "s") pub p95_wait_s: f64 = summary.wait.p95,
        /// 99th percentile of the wait.
        metric(less, "s") pub p99_wait_s: f64 = summary.wait.p99,
        /// Longest wait.
        metric(less, "s") pub max_wait_s: f64 = summary.wait.max,
        /// Mean turnaround.
        metric(less, "s") pub mean_turnaround_s: f64 = summary.turnaround.mean,
        /// Median turnaround.
        metric(less, "s") pub median_turnaround_s: f64 = summary.turnaround.median,
        /// 95th percentile of the turnaround.
        metric(less, "s") pub p95_turnaround_s: f64 = summary.turnaround.p95,
        /// 99th percentile of the turnaround.
        metric(less, "s") pub p99_turnaround_s: f64 = summary.turnaround.p99,
        /// Longest turnaround.
        metric(less, "s") pub max_turnaround_s: f64 = summary.turnaround.max,
        /// Work done / (nodes * makespan).
        metric(more) pub utilisation: f64 = summary.utilisation,
        /// Time from the first submission to the last completion.
        metric(less, "s") pub makespan_s: SimSpan = summary.makespan,
        /// Number of times that a job was paused.
        metric(less) pub preemptions: u64 = summary.preemptions,
        /// Number of times that a job was migrated.
        metric(less) pub migrations: u64 = summary.migrations,
        /// Tasks that changed node in migrations.
        metric(less) pub migrated_tasks: u64 = summary.migrated_tasks,
        /// Memory written by pauses.
        metric(less, "memories of a node") pub paused_memory_nodes: f64 = summary.paused_memory,
        /// Memory moved by migrations.
        metric(less, "memories of a node") pub migrated_memory_nodes: f64 = summary.migrated_memory,
        /// Mean bounded stretch, weighted by nodes * run time unless the scenario specifies other
        /// weights.
        metric(less) pub weighted_bounded_stretch: f64 = bounded.weighted_mean,
        /// Jain's index of the users' mean bounded stretches: 1 if all are equal, 1 / users at
        /// worst; empty if no user is known.
        metric(more) pub fairness: Option<f64> = bounded.fairness.map(|fairness| fairness.jain),
        /// Largest mean bounded stretch of a user; empty if no user is known.
        metric(less) pub max_user_bounded_stretch: Option<f64> = bounded.fairness.map(|fairness| fairness.max_mean),
        /// Treatment of jobs on nodes that went down.
        variant pub interruption: Option<String>,
        /// Fraction of the node-seconds from the first submission to the last completion in which
        /// nodes were up.
        fact pub availability: Option<f64> = summary.platform.map(|it| it.availability),
        /// Run times of completed jobs as work / the node-seconds in which nodes were up.
        metric(more) pub goodput: Option<f64> = summary.platform.map(|it| it.goodput),
        /// Work that was done and lost: tasks * CPU need * virtual time.
        metric(less, "node-seconds") pub lost_work: Option<f64> = summary.platform.map(|it| it.lost_work),
        /// Number of times that a job was interrupted because a node went down, including lost jobs.
        metric(less) pub interruptions: Option<u64> = summary.platform.map(|it| it.interruptions),
        /// Jobs that left for good because a node went down; no other metric counts them.
        metric(less) pub lost: Option<u64> = summary.platform.map(|it| it.lost),
        /// Lower bound on the largest bounded stretch that accounts for memory and penalties, if the
        /// scenario requests it.
        fact pub penalty_bound: Option<f64>,
        /// Largest bounded stretch of the best known schedule with full knowledge of run times, if
        /// the scenario requests it.
        fact pub reached: Option<f64>,
        /// Waits of subsets of the jobs, if the scenario requests them: a list of kind, name, number
        /// of completed or killed jobs and mean wait in seconds, as JSON.
        fact pub waits: Option<String>,
        /// Metrics registered by the program that ran the scenario, if it requests them: values by
        /// name, as JSON. Comparisons, exports and baselines have a column for each; less is better.
        fact pub own: Option<String>,
        /// Parts of devices that tasks held, on average over time, as a fraction of all devices;
        /// empty if nodes have no devices.
        metric(more) pub held_devices: Option<f64>,
        /// Largest fraction of all devices that tasks held at any time.
        metric(more) pub peak_held_devices: Option<f64>,
        /// Free parts of devices that the mean task submitted so far could not use, on average over
        /// time, as a fraction of all devices.
        metric(less) pub useless_devices: Option<f64>,
        /// Parts of devices that tasks held when the last job had arrived and the policy had decided.
        metric(more) pub last_held_devices: Option<f64>,
        /// Free parts that the mean task could not use then.
        metric(less) pub last_useless_devices: Option<f64>,
        /// Energy of the site in kilowatt-hours from the first submission to the last event, with the
        /// power usage effectiveness; empty if the power of nodes is unknown.
        metric(less, "kWh") pub energy: Option<f64>,
        /// Energy that tasks add to that of idle nodes, in kilowatt-hours, with the power usage
        /// effectiveness, too. The sum of `energy_j` of all jobs is without it.
        metric(less, "kWh") pub energy_of_jobs: Option<f64>,
        /// Mean power of the nodes in watts over the same time, without the power usage effectiveness.
        metric(less, "W") pub mean_power: Option<f64>,
        /// Largest power of the nodes in watts.
        metric(less, "W") pub peak_power: Option<f64>,
        /// Time in seconds in which the power of the nodes exceeded the cap, which can happen when the cap falls.
        metric(less, "s") pub over_cap: Option<f64>,
        /// Number of jobs that ran below full speed for lack of power; empty without speed levels.
        metric(less) pub slowed: Option<u64>,
        /// Fraction of the time of all nodes in which they were asleep; empty if no node sleeps.
        metric(more) pub asleep: Option<f64>,
        /// Time in seconds for which jobs waited on their nodes until these were awake, summed over the
        /// jobs.
        metric(less, "s") pub woken: Option<f64>,
        /// Carbon dioxide of the energy of the site, in kilograms; empty if its intensity is unknown.
        metric(less, "kg") pub carbon: Option<f64>,
        /// Price of the energy of the site, in the currency of the series; empty if that of a
        /// kilowatt-hour is unknown.
        metric(less) pub cost: Option<f64>,
        /// Mean time in seconds for which jobs were held for a low carbon intensity, over all jobs; empty if none
        /// may be. No wait or turnaround counts it.
        metric(less, "s") pub held_s: Option<SimSpan>,
        /// Number of jobs that might be held, but are not: the series of carbon intensities does not cover their
        /// estimates; empty if none may be held.
        fact pub not_held: Option<u64>,
        /// Licences and other resources that the cluster has as a whole: name, mean and largest number
        /// of units in use, and the smallest and the largest number that there are, as JSON.
        fact pub common: Option<String>,
    }
}
