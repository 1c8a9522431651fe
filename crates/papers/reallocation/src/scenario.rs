//! The fields of a scenario.

use crate::engine::{
    Algorithm, BatchPolicy, Compression, Discipline, Estimate, Heuristic, Mapped, Mapping, Platform, Speed,
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
use dfrsim_model::priority::Priorities;
use dfrsim_workload::log::Strictness;
use dfrsim_workload::prepare::{Annotation, ClusterAssumptions, Rule, Rules, SizeField};
use serde::Deserialize as _;
use serde_json::{Map, Value};

const YEAR_S: f64 = 366.0 * 86_400.0;
const MOST_JOBS: u32 = 10_000_000;
const MOST_DAYS: u32 = 36_600;
/// What can be run without a log.
const WITHOUT_LOGS: &str = "scenarios/grid_quick.toml and scenarios/grid_months.toml need no logs";

fields! {
    /// Waiting jobs move between clusters.
    #[derive(Clone, Debug, PartialEq)]
    pub struct GridFields {
        /// The number of replications, each with its own random numbers.
        pub replications: u32 = count("a number of replications", 1, 10_000), default 1;
        /// Whether clusters have their own speeds (`true`) or all have speed 1 (`false`).
        pub heterogeneous: Vec<bool> = one_or_many(boolean()), default vec![false, true];
        /// The policies of the clusters, one after the other; all clusters have the same one, but for those with a policy of their own.
        pub local: Vec<BatchPolicy> = one_or_many(named("a local policy")), default vec![Discipline::Fcfs.into(), Discipline::Conservative(Compression::OneByOne).into()];
        /// The report whose tables and statements are beside the results. Only scenarios with its workloads should name it.
        pub published: Option<Published> = optional(named("a report"));
        /// The folder in the results into which every simulation that is run writes its records.
        pub events: Option<String> = optional(result_folder());
        /// The meta-scheduler.
        pub meta: MetaFields = table();
        /// Parameters of all jobs.
        pub jobs: JobFields = table();
        /// The clusters; each workload uses some of them.
        pub clusters: Vec<ClusterFields> =
            distinct_tables("name", "a cluster", |it: &ClusterFields| &it.name).at_least_one();
        /// The workloads.
        pub workloads: Vec<WorkloadFields> =
            distinct_tables("name", "a workload", |it: &WorkloadFields| &it.name).at_least_one();
    }
    renamed { "seeds" => "replications" }
    removed { "audit" => "the checker follows every simulation" }
    check |grid, at| {
        if grid.clusters.len() > Platform::MOST_CLUSTERS {
            at.fault("clusters", format!("expected at most {} clusters", Platform::MOST_CLUSTERS));
        }
        for workload in &grid.workloads {
            for SiteFields { cluster, .. } in &workload.sites {
                if grid.cluster(cluster).is_none() {
                    at.fault("workloads", format!("{}: there is no cluster `{cluster}`", workload.name));
                }
            }
        }
    }
}

fields! {
    /// The meta-scheduler.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MetaFields {
        /// The rule that assigns arriving jobs to clusters.
        pub mapping: Mapping = named("a mapping"), default Mapping::default();
        /// How the completion of an arriving job is estimated: by the `plan` of the cluster, or from the `first-core` that is free
        /// behind all that wait, as Simbatch's example does, which is too early for wide jobs where the queue is served in turn.
        pub estimate: Estimate = named("an estimate"), default Estimate::default();
        /// When the cluster of a job is chosen: `at-arrival`, or `at-previous`, when the job before it has been submitted, as Simbatch's
        /// example does.
        pub mapped: Mapped = named("a moment"), default Mapped::default();
        /// The number of clusters to which each job is submitted; with more than one there is no reallocation.
        pub copies: usize = count("a number of clusters", 1, Platform::MOST_CLUSTERS), default 1;
        /// The reallocation algorithms, without and with cancellation.
        pub algorithms: Vec<Algorithm> = one_or_many(named("a reallocation algorithm")), default Algorithm::ALL.to_vec();
        /// The heuristics.
        pub heuristics: Vec<Heuristic> = one_or_many(named("a heuristic")), default Heuristic::ALL.to_vec();
        /// The time between two reallocations.
        pub period_s: SimSpan = seconds(1.0..=YEAR_S), default SimSpan::from_secs(3_600);
        /// The gain above which a job moves without cancellation.
        pub threshold_s: SimSpan = seconds(0.0..=YEAR_S), default SimSpan::from_secs(60);
        /// How long the data of a job take to another cluster than the one to which it was submitted first. They are transferred while
        /// the job has its cores there: it runs that much later, and its walltime is that much longer.
        pub transfer_s: SimSpan = seconds(0.0..=YEAR_S), default SimSpan::ZERO;
        /// The same for each core of the job, on top of that.
        pub transfer_per_core_s: SimSpan = seconds(0.0..=YEAR_S), default SimSpan::ZERO;
        /// How often clusters publish their plans. In between, the meta-scheduler knows only its own actions and which
        /// jobs still wait; it does not know of early ends, of jobs that move up, or of local jobs. By default it
        /// always asks.
        pub publication_s: Option<SimSpan> = optional(seconds(1.0..=YEAR_S));
    }
    renamed { "period" => "period_s", "threshold" => "threshold_s" }
    check |meta, at| {
        if meta.copies > 1 && !meta.transfer().is_zero() {
            at.fault("copies", "data are transferred for jobs that move, and with several copies none does");
        }
    }
}

fields! {
    /// Parameters of all jobs.
    #[derive(Clone, Debug, PartialEq)]
    pub struct JobFields {
        /// The walltimes of generated jobs, and of those in logs that have none: `exact`, `random:5` and so on.
        pub walltimes: EstimateModel = walltimes(), default EstimateModel::Random(5.0);
        /// Whether jobs of logs keep the walltimes that they have, or all get drawn ones.
        pub draw_all_walltimes as "logged_walltimes": bool = choice([("keep", false), ("replace", true)]), default false;
        /// The load of all sites without a `load` of their own.
        pub load: Option<f64> = optional(positive("a load"));
        /// How many equal jobs arrive at once (a bag of tasks): of this many successive jobs of a month one is drawn, and all of
        /// them become copies of it, with its arrival. 1 leaves the jobs as they are.
        pub bag_size: usize = count("a number of jobs", 1, MOST_JOBS), default 1;
        /// The part of the jobs that end after 10 s (or earlier, if they did before), with walltimes as if they did not. Bags and loads
        /// are made of such jobs, so a load may scale the 10 s as it does all times.
        pub failing: f64 = number("a share", 0.0..=1.0), default 0.0;
        /// The part of the jobs of each site that are submitted to its cluster past the meta-scheduler, and stay there; those that are
        /// wider than the cluster are not.
        pub local_jobs: f64 = number("a share", 0.0..=1.0), default 0.0;
        /// The cores of the machine for which the model makes jobs, where these are fewer than those of the cluster.
        pub model_cores: Option<u32> = optional(count("a number of cores", 1, 1 << 20));
        /// The largest load of a generated month; above it run times are shortened.
        pub max_load: f64 = positive("a load"), default 0.9;
        /// What happens to jobs of logs that fit on no cluster: they are an error, or left out and counted.
        pub skip_too_wide as "too_wide": bool = choice([("error", false), ("skip", true)]), default false;
    }
    renamed { "most_load" => "max_load" }
}

fields! {
    /// A cluster.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ClusterFields {
        /// Its name.
        pub name: String = name("a cluster");
        /// Its cores, each a node; a policy may put several tasks on one where nodes are given by `platform`.
        pub cores: u32 = count("a number of cores", 1, 1 << 20);
        /// Its own policy, which overrides `local`.
        pub local: Option<BatchPolicy> = optional(named("a local policy"));
        /// The times at which it is down. Its running jobs are lost and begin again, its waiting ones go elsewhere.
        pub outages: Vec<OutageFields> = tables();
        /// Random failures, in place of `outages`.
        pub failures: Option<FailureFields> = optional(table());
        /// How its nodes differ.
        pub kinds: NodeKinds = flattened();
        /// When single nodes are down, and what that does to jobs; without it they never are.
        pub node_outages: Option<NodeOutageFields> = optional(table());
        /// Priorities and limits of its site: `{ weights, max_age_s, favor_small, half_life_s, calc_period_s, accounts, unlisted, qos,
        /// partitions, max_running_per_user, backfill, preempt_mode, preempt_exempt_time_s }`, as in scenarios of single clusters.
        pub priorities: Option<Priorities> = optional(serde("a table of priorities and limits"));
        /// Its speed, with at most three decimals.
        pub speed: Speed = via(number("a speed", 0.001..=1_000.0), speed, |it: &Speed| f64::from(it.thousandths()) / 1e3);
    }
    check |cluster, at| {
        let mut over = None;
        for OutageFields { from_s, until_s } in &cluster.outages {
            if from_s >= until_s || over.is_some_and(|over| over >= *from_s) {
                at.fault("outages", "expected outages that last, one after the other");
                break;
            }
            over = Some(*until_s);
        }
        cluster.kinds.check(cluster.cores, at);
        if let Some(Err(error)) = cluster.priorities.as_ref().map(Priorities::check) {
            at.fault_below("priorities", &error.place, error.to_string());
        }
        if cluster.failures.is_some() && !cluster.outages.is_empty() {
            at.fault("failures", "expected one of `outages` and `failures`");
        }
    }
}

fields! {
    /// When nodes of a cluster are down. Times are seconds from the begin of each workload on.
    #[derive(Clone, Debug, PartialEq)]
    pub struct NodeOutageFields {
        /// What happens to jobs on nodes that go down: `lose` (they go back to the meta-scheduler), `requeue` (they begin again there),
        /// or `checkpoint:INTERVAL:COST:RESTART` in seconds of their work (they begin again there from their last checkpoint).
        pub interruption: Interruption = named("what happens to jobs"), default Interruption::Requeue;
        /// The times.
        pub times: DownTimes = flattened();
    }
}

fields! {
    /// An outage, in seconds from the begin of each workload on.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct OutageFields {
        /// The time at which the cluster fails.
        pub from_s: SimSpan = seconds(0.0..=100.0 * YEAR_S);
        /// The time at which it is repaired.
        pub until_s: SimSpan = seconds(0.0..=100.0 * YEAR_S);
    }
}

fields! {
    /// Failures of a cluster that are drawn for each replication, as long as jobs may arrive; the times between are exponential.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FailureFields {
        /// The mean time to failure.
        pub mean_up_s: f64 = number("a number of seconds", 1.0..=100.0 * YEAR_S);
        /// The mean time to repair.
        pub mean_down_s: f64 = number("a number of seconds", 1.0..=YEAR_S);
    }
}

fields! {
    /// The jobs of several sites, each of which has a cluster.
    #[derive(Clone, Debug, PartialEq)]
    pub struct WorkloadFields {
        /// Its name in rows and tables.
        pub name: String = name("a workload");
        /// The day (UTC) on which it begins, as in `1998-05-01`: then all logs of its sites have the same time, their `offset_days` are
        /// counted from that day on, and their headers must say when they begin (`UnixStartTime`).
        pub from: Option<NaiveDate> = optional(named("a day as in 1998-05-01"));
        /// The lengths of its months.
        pub days: Vec<u32> = list(count("a number of days", 1, 366)).nonempty();
        /// Its sites.
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
        /// Its cluster.
        pub cluster: String = name("a cluster");
        /// A log of the site. Times in it are those of its cluster at speed 1.
        pub log: Option<LocatedFile> = optional(log().advised(WITHOUT_LOGS));
        /// The number of jobs of each month. Without a log they are those of the Lublin-Feitelson model. With one they are the next
        /// this many of the log, their arrivals stretched or compressed by one factor to fill the month; where it is missing, a
        /// month has the jobs that arrive in its days.
        pub jobs: Option<Vec<usize>> = optional(list(count("a number of jobs", 0, MOST_JOBS)));
        /// The load of the site in each month, or one for all: run times and walltimes are multiplied by one factor a month that
        /// makes it so. Without it, and without `jobs.load`, they stay as they are (generated ones under `jobs.max_load`).
        pub load: Option<Vec<f64>> = optional(one_or_many(positive("a load")));
        /// The day of the log at which the workload begins, counted from its first job (of any site), or from the workload's `from`.
        pub offset_days: u32 = count("a number of days", 0, MOST_DAYS), default 0;
        /// How many days later each further replication begins, so that it uses another window of the log; after the
        /// last whole window they begin again with the first.
        pub shift_days: u32 = count("a number of days", 0, MOST_DAYS), default 0;
        /// How the log is read.
        pub reading: LogReading = flattened();
    }
    check |site, at| {
        if site.log.is_none() {
            if site.jobs.is_none() {
                at.fault_of_table("expected one of `jobs` or `log`");
            }
            if (site.offset_days, site.shift_days) != (0, 0) || site.reading != LogReading::default() {
                at.fault_of_table("`offset_days`, `shift_days`, `lines`, `origin`, `size`, `annotation` and `rules` are for sites with a `log`");
            }
        }
        let is_gwf = |log: &LocatedFile| [".gwf", ".gwf.gz"].iter().any(|ending| log.given.ends_with(ending));
        if site.reading.origin.is_some() && site.log.as_ref().is_some_and(|log| !is_gwf(log)) {
            at.fault("origin", "only logs in the Grid Workloads Format, `.gwf` or `.gwf.gz`, say where jobs came from");
        }
    }
}

fields! {
    /// How a log is read.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LogReading {
        /// The rule for lines that cannot be read: `lenient` skips and counts them, `strict` refuses the log.
        pub lines: Strictness = named("a strictness"), default Strictness::default();
        /// The site of a log in the Grid Workloads Format (a name that ends in `.gwf` or `.gwf.gz`) from which jobs are taken: their
        /// `OrigSiteID`. Without it, all are.
        pub origin: Option<String> = optional(name("a site"));
        /// The processors of a job: those that it requested, or those that it got.
        pub size: SizeField = named("a size"), default SizeField::default();
        /// Where the cores of a job come from: its processors, or the tasks of an annotation.
        pub annotation: Annotation = annotation(), default Annotation::None;
        /// The rules for anomalous lines. Jobs that are wider than all clusters are a matter of `jobs.too_wide`; run times of zero
        /// are clamped to 1 s unless it is said otherwise.
        pub rules: Rules = rules(), default default_rules();
    }
    check |reading, at| {
        if reading.rules.too_wide != Rules::default().too_wide {
            at.fault("rules", "jobs that fit on no cluster are a matter of `jobs.too_wide`");
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
    /// What the data of jobs that move take.
    pub(crate) fn transfer(&self) -> Transfer {
        Transfer { fixed: self.transfer_s, per_core: self.transfer_per_core_s }
    }
}

impl GridFields {
    /// The cluster of this name.
    pub(crate) fn cluster(&self, name: &str) -> Option<&ClusterFields> {
        self.clusters.iter().find(|cluster| cluster.name == name)
    }
}

/// The rules of sites: jobs of run time zero run for a second.
fn default_rules() -> Rules {
    Rules { zero_run: Rule::Clamp, ..Rules::default() }
}

/// Rules; those that are not given are [`default_rules`].
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

/// `"none"`, `"hpc2n"`, or a table that says more.
fn annotation() -> Codec<Annotation> {
    let names = [("none", Annotation::None), ("hpc2n", Annotation::Hpc2n(ClusterAssumptions::default()))];
    shorthand(names, serde("{ hpc2n = { .. } } or { lublin = { seed = .. } }"))
}

fn walltimes() -> Codec<EstimateModel> {
    let read = |model| match model {
        EstimateModel::None => Err("jobs must have walltimes"),
        model => Ok(model),
    };
    via(named("a model of walltimes"), read, |model: &EstimateModel| *model)
}

fn speed(speed: f64) -> Result<Speed, String> {
    let thousandths = (speed * 1e3).round();
    let exact = (thousandths / 1e3 - speed).abs() <= 1e-9;
    let found = Speed::from_thousandths(thousandths as u32).filter(|_| exact);
    found.ok_or_else(|| format!("expected a speed with at most three decimals, found {speed}"))
}
