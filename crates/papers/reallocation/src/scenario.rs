//! Fields of a scenario.

use crate::engine::{
    Algorithm, Backfilling, BatchPolicy, Compression, Estimate, Heuristic, Mapped, Mapping, Platform, Speed,
    Transfer,
};
use crate::published::Published;
use chrono::NaiveDate;
use dfrsim_cluster::EstimateModel;
use dfrsim_lab::fields::{
    Codec, LocatedFile, boolean, choice, count, distinct_tables, flattened, list, log, name, named, number,
    one_or_many, optional, positive, result_folder, seconds, serde, shorthand, table, tables, via,
};
use dfrsim_lab::{DownTimes, NodeKinds, fields};
use dfrsim_model::SimSpan;
use dfrsim_model::platform::Interruption;
use dfrsim_model::site::SiteSettings;
use dfrsim_workload::log::Strictness;
use dfrsim_workload::prepare::{Annotation, ClusterAssumptions, Rule, Rules, SizeField};
use serde::Deserialize as _;
use serde_json::{Map, Value};

const YEAR_S: f64 = 366.0 * 86_400.0;
const MOST_JOBS: u32 = 10_000_000;
const MOST_DAYS: u32 = 36_600;
/// Advice for a missing log: scenarios that need none.
const WITHOUT_LOGS: &str = "scenarios/grid_quick.toml and scenarios/grid_months.toml need no logs";

fields! {
    /// Reallocation of waiting jobs between clusters.
    #[derive(Clone, Debug, PartialEq)]
    pub struct GridFields {
        /// Number of replications, each with its own random numbers.
        pub replications: u32 = count("a number of replications", 1, 10_000), default 1;
        /// True for clusters with their own speeds, false if all have speed 1.
        pub heterogeneous: Vec<bool> = one_or_many(boolean()), default vec![false, true];
        /// Policies of the clusters, simulated one after the other. All clusters use the same one,
        /// except those with a policy of their own.
        pub local: Vec<BatchPolicy> = one_or_many(named("a local policy")), default vec![Backfilling::Fcfs.into(), Backfilling::Conservative(Compression::OneByOne).into()];
        /// Report whose tables and claims are compared with the results. Only scenarios with its
        /// workloads should name it.
        pub published: Option<Published> = optional(named("a report"));
        /// Folder in the results into which every simulation that is run writes its records.
        pub events: Option<String> = optional(result_folder());
        /// The meta-scheduler.
        pub meta: MetaFields = table();
        /// Parameters of all jobs.
        pub jobs: JobFields = table();
        /// Clusters; each workload uses some of them.
        pub clusters: Vec<ClusterFields> =
            distinct_tables("name", "a cluster", |it: &ClusterFields| &it.name).at_least_one();
        /// Workloads to simulate.
        pub workloads: Vec<WorkloadFields> =
            distinct_tables("name", "a workload", |it: &WorkloadFields| &it.name).at_least_one();
    }
    renamed { "seeds" => "replications" }
    removed { "audit" => "every simulation is checked" }
    check |grid, at| {
        if grid.clusters.len() > Platform::MAX_CLUSTERS {
            at.fault("clusters", format!("expected at most {} clusters", Platform::MAX_CLUSTERS));
        }
        for workload in &grid.workloads {
            for SiteFields { cluster, .. } in &workload.sites {
                if grid.cluster(cluster).is_none() {
                    at.fault("workloads", format!("{}: unknown cluster `{cluster}`", workload.name));
                }
            }
        }
    }
}

fields! {
    /// The meta-scheduler.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MetaFields {
        /// Rule that assigns arriving jobs to clusters.
        pub mapping: Mapping = named("a mapping"), default Mapping::default();
        /// Estimate of the completion of an arriving job: from the `plan` of the cluster, or from
        /// the `first-core` that is free after all waiting jobs, as in Simbatch's example. The
        /// latter is too early for large jobs if the queue is served in order.
        pub estimate: Estimate = named("an estimate"), default Estimate::default();
        /// Time at which the cluster of a job is chosen: `at-arrival`, or `at-previous`, when the
        /// previous job has been submitted, as in Simbatch's example.
        pub mapped: Mapped = named("a moment"), default Mapped::default();
        /// Number of clusters to which each job is submitted; with more than one there is no
        /// reallocation.
        pub copies: usize = count("a number of clusters", 1, Platform::MAX_CLUSTERS), default 1;
        /// Simulates a federation as Slurm has it: each job is submitted to all clusters and runs
        /// where it starts first, instead of reallocation. Its waits are compared with those of the
        /// mapping alone, user by user.
        pub federation: bool = boolean(), default false;
        /// Reallocation algorithms, without and with cancellation.
        pub algorithms: Vec<Algorithm> = one_or_many(named("a reallocation algorithm")), default Algorithm::ALL.to_vec();
        /// Heuristics of reallocation.
        pub heuristics: Vec<Heuristic> = one_or_many(named("a heuristic")), default Heuristic::ALL.to_vec();
        /// Time between two reallocations.
        pub period_s: SimSpan = seconds(1.0..=YEAR_S), default SimSpan::from_secs(3_600);
        /// Gain above which a job moves without cancellation.
        pub threshold_s: SimSpan = seconds(0.0..=YEAR_S), default SimSpan::from_secs(60);
        /// Time to transfer the data of a job to another cluster than the one to which it was
        /// submitted first. The transfer occupies the job's cores there, so the job runs and its
        /// walltime extends that much longer.
        pub transfer_s: SimSpan = seconds(0.0..=YEAR_S), default SimSpan::ZERO;
        /// Additional transfer time for each core of the job.
        pub transfer_per_core_s: SimSpan = seconds(0.0..=YEAR_S), default SimSpan::ZERO;
        /// Period at which clusters publish their plans. In between, the meta-scheduler knows only
        /// its own actions and which jobs still wait; it does not know of early terminations, of
        /// jobs that start earlier than planned, or of local jobs. By default it always queries the
        /// clusters.
        pub publication_s: Option<SimSpan> = optional(seconds(1.0..=YEAR_S));
    }
    renamed { "period" => "period_s", "threshold" => "threshold_s" }
    check |meta, at| {
        if meta.copies > 1 && !meta.transfer().is_zero() {
            at.fault("copies", "transfer_s and transfer_per_core_s require copies = 1: jobs with several copies do not move");
        }
        if meta.federation && (meta.copies > 1 || !meta.transfer().is_zero()) {
            at.fault("federation", "a federation requires copies = 1 and no transfers: its jobs have a copy on each cluster");
        }
    }
}

fields! {
    /// Parameters of all jobs.
    #[derive(Clone, Debug, PartialEq)]
    pub struct JobFields {
        /// Walltimes of generated jobs, and of those in logs that have none: `exact`, `random:5` and
        /// so on.
        pub walltimes: EstimateModel = walltimes(), default EstimateModel::Random(5.0);
        /// Walltimes of jobs in logs: `keep` those of the log, or `replace` all by random ones.
        pub draw_all_walltimes as "logged_walltimes": bool = choice([("keep", false), ("replace", true)]), default false;
        /// Load of all sites without a `load` of their own.
        pub load: Option<f64> = optional(positive("a load"));
        /// Number of equal jobs that arrive at once (a bag of tasks). Of this many successive jobs
        /// of a month one is drawn, and all of them become copies of it, with its arrival time. 1
        /// leaves the jobs unchanged.
        pub bag_size: usize = count("a number of jobs", 1, MOST_JOBS), default 1;
        /// Fraction of the jobs that fail after 10 s (or earlier, if their run time is shorter),
        /// with the walltimes of the full run. Bags and loads are made of such jobs, so a load may
        /// scale the 10 s as it does all times.
        pub failing: f64 = number("a share", 0.0..=1.0), default 0.0;
        /// Fraction of the jobs of each site that are submitted directly to its cluster, not through
        /// the meta-scheduler, and stay there. Jobs that are larger than the cluster are excluded.
        pub local_jobs: f64 = number("a share", 0.0..=1.0), default 0.0;
        /// Cores of the machine for which the model generates jobs, if these are fewer than those of
        /// the cluster.
        pub model_cores: Option<u32> = optional(count("a number of cores", 1, 1 << 20));
        /// Largest load of a generated month; if it is exceeded, run times are shortened.
        pub max_load: f64 = positive("a load"), default 0.9;
        /// Model of the jobs of sites without a log: bags of jobs with default walltimes. If absent,
        /// they are those of the Lublin-Feitelson model.
        pub bursts: Option<BurstFields> = optional(table());
        /// Treatment of jobs of logs that fit on no cluster: they are an error, or left out and
        /// counted.
        pub skip_too_wide as "too_wide": bool = choice([("error", false), ("skip", true)]), default false;
    }
    renamed { "most_load" => "max_load" }
}

fields! {
    /// Bags of independent jobs that arrive at once, at times uniform over the month. A `load` scales
    /// their run times, but not the default walltime.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BurstFields {
        /// Exponent of the sizes of bags: the probability of at least n jobs is n^-exponent.
        pub size_exponent: f64 = number("an exponent", 0.1..=10.0), default 1.0;
        /// Largest number of jobs of a bag.
        pub max_bag: usize = count("a number of jobs", 1, MOST_JOBS), default 1_000;
        /// Largest number of cores of a job. All powers of two up to it are equally likely.
        pub max_width: u32 = count("a number of cores", 1, 1 << 20), default 16;
        /// Median run time of the jobs.
        pub median_run_s: SimSpan = seconds(1.0..=YEAR_S), default SimSpan::from_secs(120);
        /// Standard deviation of the natural logarithm of the run times of bags.
        pub bag_deviation: f64 = number("a standard deviation", 0.0..=10.0), default 2.0;
        /// Standard deviation of the natural logarithm of the run times within a bag.
        pub job_deviation: f64 = number("a standard deviation", 0.0..=10.0), default 0.5;
        /// Walltime of all jobs that end within it, the default of the batch system. Longer jobs
        /// have `jobs.walltimes`.
        pub default_walltime_s: SimSpan = seconds(1.0..=YEAR_S), default SimSpan::from_secs(3_600);
    }
}

fields! {
    /// Cluster of the grid: its cores, speed and conditions.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ClusterFields {
        /// Name of the cluster.
        pub name: String = name("a cluster");
        /// Number of cores, each a node. If nodes are given by `platform`, a policy may put several
        /// tasks on one.
        pub cores: u32 = count("a number of cores", 1, 1 << 20);
        /// Policy of this cluster, which overrides `local`.
        pub local: Option<BatchPolicy> = optional(named("a local policy"));
        /// Times at which the cluster is down. Running jobs are lost and restart from the beginning;
        /// waiting jobs go elsewhere.
        pub outages: Vec<OutageFields> = tables();
        /// Random failures, instead of `outages`.
        pub failures: Option<FailureFields> = optional(table());
        /// Differences between the nodes.
        pub kinds: NodeKinds = flattened();
        /// Times when single nodes are down, and the effect on their jobs; without it all nodes are
        /// always up.
        pub node_outages: Option<NodeOutageFields> = optional(table());
        /// Priorities and limits of the cluster's site: `{ weights, max_age_s, favor_small,
        /// half_life_s, calc_period_s, accounts, unlisted, qos, partitions, max_running_per_user,
        /// backfill, preempt_mode, preempt_exempt_time_s }`, as in scenarios of single clusters.
        pub priorities: Option<SiteSettings> = optional(serde("a table of priorities and limits"));
        /// Speed of the cluster, with at most three decimals.
        pub speed: Speed = via(number("a speed", 0.001..=1_000.0), speed, |it: &Speed| f64::from(it.thousandths()) / 1e3);
    }
    check |cluster, at| {
        let mut over = None;
        for OutageFields { from_s, until_s } in &cluster.outages {
            if from_s >= until_s || over.is_some_and(|over| over >= *from_s) {
                at.fault("outages", "expected outages with from_s < until_s, in order and with a gap between them");
                break;
            }
            over = Some(*until_s);
        }
        cluster.kinds.check(cluster.cores, at);
        if let Some(Err(error)) = cluster.priorities.as_ref().map(SiteSettings::check) {
            at.fault_below("priorities", &error.place, error.to_string());
        }
        if cluster.failures.is_some() && !cluster.outages.is_empty() {
            at.fault("failures", "expected either `outages` or `failures`, not both");
        }
    }
}

fields! {
    /// Times when nodes of a cluster are down, in seconds from the beginning of each workload.
    #[derive(Clone, Debug, PartialEq)]
    pub struct NodeOutageFields {
        /// Treatment of jobs on nodes that go down: `lose` (they return to the meta-scheduler),
        /// `requeue` (they restart on the cluster), or `checkpoint:INTERVAL:COST:RESTART` in seconds
        /// of their work (they restart there from their last checkpoint).
        pub interruption: Interruption = named("an interruption rule"), default Interruption::Requeue;
        /// Distributions of up and down times, written in the same table.
        pub times: DownTimes = flattened();
    }
}

fields! {
    /// An outage, in seconds from the beginning of each workload.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct OutageFields {
        /// Time at which the cluster fails.
        pub from_s: SimSpan = seconds(0.0..=100.0 * YEAR_S);
        /// Time at which it is repaired.
        pub until_s: SimSpan = seconds(0.0..=100.0 * YEAR_S);
    }
}

fields! {
    /// Random failures of a cluster, drawn for each replication as long as jobs may arrive, with
    /// exponential times between them.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FailureFields {
        /// Mean time to failure.
        pub mean_up_s: f64 = number("a number of seconds", 1.0..=100.0 * YEAR_S);
        /// Mean time to repair.
        pub mean_down_s: f64 = number("a number of seconds", 1.0..=YEAR_S);
    }
}

fields! {
    /// Jobs of several sites, each of which has a cluster.
    #[derive(Clone, Debug, PartialEq)]
    pub struct WorkloadFields {
        /// Name in rows and tables.
        pub name: String = name("a workload");
        /// First day of the workload (UTC), as in `1998-05-01`. With it, all logs of its sites have
        /// a common time, their `offset_days` are counted from that day, and their headers must have
        /// a start time (`UnixStartTime`).
        pub from: Option<NaiveDate> = optional(named("a day as in 1998-05-01"));
        /// Lengths of the workload's months, in days.
        pub days: Vec<u32> = list(count("a number of days", 1, 366)).nonempty();
        /// Sites of the workload.
        pub sites: Vec<SiteFields> =
            distinct_tables("cluster", "a site with the cluster", |it: &SiteFields| &it.cluster).at_least_one();
    }
    check |workload, at| {
        let months = workload.days.len();
        for site in &workload.sites {
            if site.jobs.as_ref().is_some_and(|jobs| jobs.len() != months) {
                at.fault("sites", format!("{}: expected a number of jobs for each of the {months} months", site.cluster));
            }
            if site.load.as_ref().is_some_and(|loads| ![1, months].contains(&loads.len())) {
                at.fault("sites", format!("{}: expected one load, or one for each of the {months} months", site.cluster));
            }
        }
    }
}

fields! {
    /// A site and its jobs: those of a log, or generated ones.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SiteFields {
        /// Cluster of the site.
        pub cluster: String = name("a cluster");
        /// A log of the site. Times in it are those of its cluster at speed 1.
        pub log: Option<LocatedFile> = optional(log().advised(WITHOUT_LOGS));
        /// Number of jobs of each month. Without a log, jobs are generated by the Lublin-Feitelson
        /// model. With a log, they are the next jobs of it, with arrivals stretched or compressed by
        /// one factor to fill the month. If absent, a month has the jobs that arrive in its days.
        pub jobs: Option<Vec<usize>> = optional(list(count("a number of jobs", 0, MOST_JOBS)));
        /// Load of the site in each month, or one for all. Run times and walltimes of a month are
        /// multiplied by the factor that yields this load. Without it, and without `jobs.load`, they
        /// are not scaled (those of generated jobs are limited by `jobs.max_load`).
        pub load: Option<Vec<f64>> = optional(one_or_many(positive("a load")));
        /// Day of the log at which the workload begins, counted from its first job (of any site), or
        /// from the workload's `from`.
        pub offset_days: u32 = count("a number of days", 0, MOST_DAYS), default 0;
        /// Shift of the beginning for each further replication, in days, so that it uses another
        /// window of the log. After the last whole window, replications begin again with the first.
        pub shift_days: u32 = count("a number of days", 0, MOST_DAYS), default 0;
        /// Jobs of the log that request GPUs or other resources or features of nodes, by `leave` (they
        /// may run on any cluster, which is not checked) or `stay` (at the cluster of the site).
        pub keeps_special as "special_jobs": bool = choice([("leave", false), ("stay", true)]), default false;
        /// Options for reading the log.
        pub reading: LogReading = flattened();
    }
    check |site, at| {
        if site.log.is_none() {
            if site.jobs.is_none() {
                at.fault_of_table("expected `jobs` or `log`");
            }
            if (site.offset_days, site.shift_days) != (0, 0) || site.reading != LogReading::default() {
                at.fault_of_table("`offset_days`, `shift_days`, `lines`, `origin`, `size`, `annotation` and `rules` require a `log`");
            }
        }
        let is_gwf = |log: &LocatedFile| [".gwf", ".gwf.gz"].iter().any(|ending| log.given.ends_with(ending));
        if site.reading.origin.is_some() && site.log.as_ref().is_some_and(|log| !is_gwf(log)) {
            at.fault("origin", "`origin` requires a log in the Grid Workloads Format (`.gwf` or `.gwf.gz`)");
        }
    }
}

fields! {
    /// Options for reading a log.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LogReading {
        /// Treatment of lines that cannot be read: `lenient` skips and counts them, `strict` refuses
        /// the log.
        pub lines: Strictness = named("a strictness"), default Strictness::default();
        /// Site (`OrigSiteID`) of a log in the Grid Workloads Format (a name that ends in `.gwf` or
        /// `.gwf.gz`) whose jobs are used. If absent, all jobs are used.
        pub origin: Option<String> = optional(name("a site"));
        /// Size of a job: the processors that it requested, those that it was allocated, or
        /// `by-format`: allocated for a listing of Slurm, requested for other logs.
        pub size: SizeField = named("a size"), default SizeField::default();
        /// Source of a job's cores: its processors, or the tasks of an annotation.
        pub annotation: Annotation = annotation(), default Annotation::None;
        /// Rules for anomalous lines. Jobs that are larger than all clusters are handled by
        /// `jobs.too_wide`. Run times of zero are clamped to 1 s unless specified otherwise.
        pub rules: Rules = rules(), default default_rules();
    }
    check |reading, at| {
        if reading.rules.too_wide != Rules::default().too_wide {
            at.fault("rules", "use `jobs.too_wide` for jobs that fit on no cluster");
        }
    }
}

impl Default for LogReading {
    fn default() -> LogReading {
        let (lines, size) = (Strictness::default(), SizeField::default());
        LogReading { lines, origin: None, size, annotation: Annotation::None, rules: default_rules() }
    }
}

impl MetaFields {
    /// Returns the transfer times of jobs that move.
    pub(crate) fn transfer(&self) -> Transfer {
        Transfer { fixed: self.transfer_s, per_core: self.transfer_per_core_s }
    }
}

impl GridFields {
    /// Returns the cluster of this name.
    pub(crate) fn cluster(&self, name: &str) -> Option<&ClusterFields> {
        self.clusters.iter().find(|cluster| cluster.name == name)
    }
}

/// Returns the rules of sites: jobs with a run time of zero run for a second.
fn default_rules() -> Rules {
    Rules { zero_run: Rule::Clamp, ..Rules::default() }
}

/// Creates the codec of rules; those that are not given are [`default_rules`].
fn rules() -> Codec<Rules> {
    let read = |mut named: Map<String, Value>| {
        named.entry("zero_run").or_insert_with(|| Rule::Clamp.to_string().into());
        Rules::deserialize(Value::Object(named))
    };
    let back = |rules: &Rules| match serde_json::to_value(rules) {
        Ok(Value::Object(named)) => named,
        _ => Map::new(),
    };
    via(serde::<Map<String, Value>>("a table of rules"), read, back)
}

/// Creates the codec of an annotation: `"none"`, `"hpc2n"`, or a table with details.
fn annotation() -> Codec<Annotation> {
    let names = [("none", Annotation::None), ("hpc2n", Annotation::Hpc2n(ClusterAssumptions::default()))];
    shorthand(names, serde("{ hpc2n = { .. } } or { lublin = { seed = .. } }"))
}

fn walltimes() -> Codec<EstimateModel> {
    let read = |model| match model {
        EstimateModel::None => Err("expected a model other than `none`: jobs must have walltimes"),
        model => Ok(model),
    };
    via(named("a walltime model"), read, |model: &EstimateModel| *model)
}

fn speed(speed: f64) -> Result<Speed, String> {
    let thousandths = (speed * 1e3).round();
    let exact = (thousandths / 1e3 - speed).abs() <= 1e-9;
    let found = Speed::from_thousandths(thousandths as u32).filter(|_| exact);
    found.ok_or_else(|| format!("expected a speed with at most three decimals, found {speed}"))
}
