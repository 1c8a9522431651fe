//! The fields of a scenario.

use dfrsim_cluster::EstimateModel;
use dfrsim_grid::{Algorithm, Heuristic, LocalPolicy, Mapping, Platform, Speed};
use dfrsim_lab::fields;
use dfrsim_lab::fields::{
    Codec, LocatedFile, boolean, choice, count, distinct_tables, file, flattened, list, name, named, number,
    one_or_many, optional, positive, seconds, table, via,
};
use dfrsim_model::SimSpan;

const YEAR_S: f64 = 366.0 * 86_400.0;

fields! {
    /// Waiting jobs move between clusters.
    #[derive(Clone, Debug, PartialEq)]
    pub struct GridFields {
        /// How many times everything that is random is drawn.
        pub replications: u32 = count("a number of replications", 1, 10_000), default 1;
        /// Whether clusters have their own speeds (`true`) or all have speed 1 (`false`).
        pub heterogeneous: Vec<bool> = one_or_many(boolean()), default vec![false, true];
        /// The policies of the clusters; all clusters have the same one.
        pub local: Vec<LocalPolicy> = one_or_many(named("a local policy")), default vec![LocalPolicy::Fcfs, LocalPolicy::Conservative];
        /// The folder into which every simulation that is run writes its records.
        pub events: Option<String> = optional(name("a folder"));
        /// The meta-scheduler.
        pub meta: MetaFields = table();
        /// What all jobs have in common.
        pub jobs: JobFields = table();
        /// The clusters, of which each workload uses some.
        pub clusters: Vec<ClusterFields> =
            distinct_tables("name", "a cluster", |it: &ClusterFields| &it.name).at_least_one();
        /// What is simulated.
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
        /// To which cluster arriving jobs go.
        pub mapping: Mapping = named("a mapping"), default Mapping::default();
        /// To how many clusters each job goes; with more than one there is no reallocation.
        pub copies: usize = count("a number of clusters", 1, Platform::MOST_CLUSTERS), default 1;
        /// The reallocation algorithms, without and with cancellation.
        pub algorithms: Vec<Algorithm> = one_or_many(named("a reallocation algorithm")), default Algorithm::ALL.to_vec();
        /// The heuristics.
        pub heuristics: Vec<Heuristic> = one_or_many(named("a heuristic")), default Heuristic::ALL.to_vec();
        /// The time between two reallocations.
        pub period_s: SimSpan = seconds(1.0..=YEAR_S), default SimSpan::from_secs(3_600);
        /// The gain above which a job moves without cancellation.
        pub threshold_s: SimSpan = seconds(0.0..=YEAR_S), default SimSpan::from_secs(60);
    }
    renamed { "period" => "period_s", "threshold" => "threshold_s" }
}

fields! {
    /// What all jobs have in common.
    #[derive(Clone, Debug, PartialEq)]
    pub struct JobFields {
        /// The walltimes of generated jobs, and of those in logs that have none: `exact`, `random:5` and so on.
        pub walltimes: EstimateModel = walltimes(), default EstimateModel::Random(5.0);
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
        /// Its cores.
        pub cores: u32 = count("a number of cores", 1, 1 << 20);
        /// Its speed, with at most three decimals.
        pub speed: Speed = via(number("a speed", 0.001..=1_000.0), speed, |it: &Speed| f64::from(it.thousandths()) / 1e3);
    }
}

fields! {
    /// The jobs of several sites, each of which has a cluster.
    #[derive(Clone, Debug, PartialEq)]
    pub struct WorkloadFields {
        /// Its name in rows and tables.
        pub name: String = name("a workload");
        /// The lengths of its months.
        pub days: Vec<u32> = list(count("a number of days", 1, 366)).nonempty();
        /// Its sites.
        pub sites: Vec<SiteFields> =
            distinct_tables("cluster", "a site with the cluster", |it: &SiteFields| &it.cluster).at_least_one();
    }
    check |workload, at| {
        let months = workload.days.len();
        for site in &workload.sites {
            if matches!(&site.source, Source::Months(jobs) if jobs.len() != months) {
                at.fault("sites", format!("{}: expected a number of jobs for each of the {months} months", site.cluster));
            }
        }
    }
}

fields! {
    /// A site and its jobs.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SiteFields {
        /// Its cluster.
        pub cluster: String = name("a cluster");
        /// Where its jobs come from.
        pub source: Source = flattened();
    }
}

fields! {
    /// Where the jobs of a site come from.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Source {
        /// The number of jobs of each month; the jobs are those of the Lublin-Feitelson model.
        Months(Vec<usize>) as "jobs" = list(count("a number of jobs", 0, 10_000_000));
        /// A log, of which the days of the workload are taken from its first job on.
        Log(LocatedFile) as "log" = file();
    }
}

impl GridFields {
    /// The bytes that the jobs of the largest workload of generated months take at least.
    pub(crate) fn memory(&self) -> u64 {
        const JOB: u64 = 100;
        let jobs = |site: &SiteFields| match &site.source {
            Source::Months(jobs) => jobs.iter().sum::<usize>() as u64,
            Source::Log(_) => 0,
        };
        let of = |workload: &WorkloadFields| JOB * workload.sites.iter().map(jobs).sum::<u64>();
        self.workloads.iter().map(of).max().unwrap_or(0)
    }
    /// The cluster of this name.
    pub(crate) fn cluster(&self, name: &str) -> Option<&ClusterFields> {
        self.clusters.iter().find(|cluster| cluster.name == name)
    }
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
