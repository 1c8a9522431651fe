//! Scenarios of the study.

use crate::columns::{Columns, columns};
use crate::jitter::Jitter;
use crate::own::{Own, OwnMetric, OwnSource};
use crate::published::Published;
use crate::readings::{Alternative, Interpretations, share};
use dfrsim_cluster::{EstimateModel, NeedModel, Overrun, Weights};
use dfrsim_lab::fields::{
    Codec, Environment, FileOr, LocatedFile, UsedFile, boolean, choice, count, declared, distinct_tables,
    file, flattened, list, log, map, name, named, number, one_or_many, optional, parsed, positive,
    positive_fraction, positive_seconds, seconds, selected, serde, shorthand, table, tables, via, written,
};
use dfrsim_lab::{DownTimes, NodeKinds, fields, platform};
use dfrsim_model::named;
use dfrsim_model::platform::Interruption;
use dfrsim_model::platform::classes::PlatformFields;
use dfrsim_model::platform::defer::Defer;
use dfrsim_model::platform::power::PowerCap;
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{Share, SimSpan, WeightRule, Yield};
use dfrsim_policies::fractional::{DropRule, Packing, Periodic, PriorityRule};
use dfrsim_policies::{Policies, Policy, PolicySetting};
use dfrsim_workload::cut::Selection;
use dfrsim_workload::feedback::Submission;
use dfrsim_workload::formats::batsim::MOST_FLOPS;
use dfrsim_workload::log::{Header, Strictness};
use dfrsim_workload::lublin::{CpuNeeds, LublinParameters, MemoryModel, Mode};
use dfrsim_workload::named_settings::{self, NamedSettings};
use dfrsim_workload::prepare::{self, Annotation, ClusterAssumptions, Format, Rules, SizeField};
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};

/// Size of the largest cluster, the same as in `dfrsim simulate`.
const MAX_NODES: u32 = 10_000_000;

fields! {
    /// Simulations of policies on weeks of logs and on synthetic traces.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Online {
        /// Policies, each listed once.
        pub policies: Vec<Policy> = policies();
        /// Parameters of the simulation.
        pub simulation: Simulation = table();
        /// Times when nodes are down, and the effect on their jobs; without it all nodes are always
        /// up.
        pub outages: Option<OutageFields> = optional(table());
        /// Priorities and limits of waiting jobs, and weights of jobs. All policies are simulated
        /// without any and with each of them.
        pub priorities as "priority": Vec<PriorityFields> = distinct_tables("name", "priorities", |it: &PriorityFields| &it.name);
        /// True if policies are also simulated without any `priority` table.
        pub plain: bool = boolean(), default true;
        /// True if the lower bound on the largest bounded stretch is computed. Otherwise it is 1,
        /// the smallest possible bounded stretch.
        pub bounded: bool = boolean(), default true;
        /// True if rows and tables also have bounds on the least stretch with penalties: a lower
        /// bound that accounts for them, and the stretch of the best schedule found with full
        /// knowledge of run times. This takes longer than most policies. It requires nodes that are
        /// equal, always up, and large enough for each job at full speed.
        pub clairvoyant: bool = boolean(), default false;
        /// Groupings of jobs for which `tables/waits` reports waits, with the differences from the
        /// first variant: jobs of a `partition`, an `account`, a quality of service (`qos`), or a
        /// `size` (in tasks).
        pub waits_by: Vec<PartOfJobs> = list(named("a job grouping")).distinct(), default Vec::new();
        /// Metrics of the program that runs the scenario (`Own` in Rust, `dfrsim.run(...,
        /// metrics=...)` in Python), in the column `own` and in `tables/metrics`.
        pub metrics: Vec<OwnMetric> = list(own_metric()).distinct(), default Vec::new();
        /// Further policies, with their own periods.
        pub sweeps as "sweep": Vec<PeriodSweep> = tables();
        /// Alternative interpretations of points that the text leaves open.
        pub alternatives as "reading": Vec<Alternative> = distinct_tables("name", "a reading", |it: &Alternative| &it.name);
        /// Workloads to simulate.
        pub workloads: Vec<Workload> = distinct_tables("name", "a workload", |it: &Workload| &it.name).at_least_one();
    }
    check |scenario, at| {
        let is_found = !scenario.simulation.discovery.is_empty();
        let policies = scenario.sweeps.iter().fold(scenario.policies.clone(), |all, sweep| [all, sweep.policies.clone()].concat());
        if scenario.workloads.iter().any(|workload| workload.kinds.platform.is_some())
            && scenario.simulation.cpu_needs.iter().any(|needs| *needs != NeedModel::Exact)
        {
            at.fault("simulation", "a workload with a platform requires exact CPU needs");
        }
        let holds = scenario.workloads.iter().any(|workload| workload.defer.is_some());
        if holds && scenario.simulation.estimates == EstimateModel::None {
            at.fault("simulation", "defer of a workload has no effect with estimates = \"none\"");
        }
        if !scenario.plain && scenario.priorities.is_empty() {
            at.fault("plain", "plain = false requires at least one [[priority]] table");
        }
        let ignores_site = |policy: &&Policy| !policy.reads(PolicySetting::Site);
        if !scenario.priorities.is_empty() && let Some(policy) = policies.iter().find(ignores_site) {
            at.fault("policies", format!("{policy} ignores site settings and cannot be combined with [[priority]]"));
        }
        let keeps_yields = |policy: &&Policy| {
            policy.fractional().is_some_and(|parts| parts.periodic == Periodic::McbStretch)
        };
        if let Some(policy) = policies.iter().find(keeps_yields).filter(|_| is_found) {
            at.fault(
                "policies",
                format!("{policy} keeps its yields between ticks, which is incompatible with discovery_s"),
            );
        }
    }
}

fields! {
    /// Times when nodes are down, in every workload of the scenario. They are in seconds from second
    /// 0 of an instance.
    #[derive(Clone, Debug, PartialEq)]
    pub struct OutageFields {
        /// Treatment of jobs on nodes that go down: `lose`, `requeue` (restart from the beginning),
        /// or `checkpoint:INTERVAL:COST:RESTART` in seconds of their work (restart from the last
        /// checkpoint). With several, all are simulated.
        pub interruptions as "interruption": Vec<Interruption> = one_or_many(named("an interruption rule")), default vec![Interruption::Requeue];
        /// Distributions of up and down times, written in the same table.
        pub times: DownTimes = flattened();
    }
}

fields! {
    /// Priorities and limits of waiting jobs: the multifactor priority of Slurm. Groups, queues and
    /// partitions are those of the log (fields 13, 15 and 16 of SWF; account, QOS and partition of
    /// Slurm).
    #[derive(Clone, Debug, PartialEq)]
    pub struct PriorityFields {
        /// Name that follows that of the policy in rows: `EASY [fair_share]`.
        pub name: String = name("priorities");
        /// Node classes, if they differ from those of the workload. They must have the same
        /// reference node.
        pub platform: Option<FileOr<PlatformFields>> = optional(platform());
        /// Settings, whose accounts and classes may have names of the log.
        pub settings: NamedSettings = declared();
    }
    check |priority, at| {
        if let Err(error) = named_settings::without_names(&priority.settings).check() {
            let (field, path) = error.place.split_once('.').unwrap_or((&error.place, ""));
            at.fault_below(field, path, error.to_string());
        }
    }
}

impl PriorityFields {
    /// Returns the settings for a log with this header, in which names are replaced by numbers.
    pub(crate) fn of_log(&self, header: &Header) -> Result<SiteSettings, String> {
        let settings = named_settings::with_numbers(&self.settings, header);
        settings.map_err(|error| format!("priority `{}`: {error}", self.name))
    }
}

named! {
    /// Job attribute by which waits are grouped.
    pub enum PartOfJobs as "job grouping" {
        /// Partition.
        Partition = "partition",
        /// Account, or group.
        Account = "account",
        /// Quality of service, or queue.
        Qos = "qos",
        /// Number of tasks.
        Size = "size",
    }
}

fields! {
    /// Policies with periods of their own.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PeriodSweep {
        /// Policies, each listed once.
        pub policies: Vec<Policy> = policies();
        /// Periods in seconds.
        pub periods as "period_s": Vec<SimSpan> = one_or_many(positive_seconds());
    }
    renamed { "period" => "period_s" }
}

fields! {
    /// Parameters of the simulation. If fields have several values, every combination that makes a
    /// difference to a policy is simulated.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Simulation {
        /// Rescheduling penalties: time for which a resumed or migrated job makes no progress, in
        /// seconds.
        pub penalties as "penalty": Vec<SimSpan> = one_or_many(seconds(..)), default vec![SimSpan::from_secs(300)];
        /// Periods of periodic policies, in seconds.
        pub periods as "period_s": Vec<SimSpan> = one_or_many(positive_seconds()), default vec![SimSpan::from_secs(600)];
        /// Taus of the bounded stretch, in seconds: shorter run times count as tau.
        pub taus as "tau": Vec<SimSpan> = one_or_many(seconds(..)), default vec![SimSpan::from_secs(10)];
        /// Packing rules of MCB.
        pub packings as "packing": Vec<Packing> = one_or_many(named("a packing rule")), default vec![Packing::default()];
        /// Drop rules of MCB.
        pub drops as "drop": Vec<DropRule> = one_or_many(named("a drop rule")), default vec![DropRule::default()];
        /// Smallest yield that MCB assigns.
        pub yield_floor: Yield = positive_fraction("a yield"), default Yield::nearest(0.01);
        /// Precision of MCB's search for the largest yield.
        pub yield_precision: Yield = positive_fraction("a yield"), default Yield::nearest(0.01);
        /// Precision of the search of `/stretch-per` for the largest inverse stretch. Stretches
        /// above the inverse of this value cannot be distinguished. The text wants the lowest
        /// feasible stretch (section 5.2.6).
        pub stretch_precision: Yield = positive_fraction("an inverse stretch"), default Yield::nearest(0.0001);
        /// Priority rule.
        pub priority: PriorityRule = named("a priority rule"), default PriorityRule::default();
        /// Run times that policies know: `exact`, `requested`, `requested-or-exact` (for logs in which
        /// some requested times are missing), `none`, or an error model.
        pub estimates: EstimateModel = named("an estimate model"), default EstimateModel::Exact;
        /// Treatment of jobs that exceed their estimate.
        pub overrun: Overrun = choice([("extend", Overrun::Extend), ("kill", Overrun::Kill)]), default Overrun::Extend;
        /// CPU needs that policies know: `exact`, `factor:0.5` (all of them halved, for example),
        /// `whole` (a node for each task).
        pub cpu_needs: Vec<NeedModel> = one_or_many(named("a CPU-need model")), default vec![NeedModel::Exact];
        /// Times after which running jobs reveal their CPU needs, in seconds, if these are not
        /// exact. Simulations in which they never do are run as well.
        pub discovery as "discovery_s": Vec<SimSpan> = list(positive_seconds()).distinct(), default Vec::new();
        /// Interpretations of other points that the text leaves open.
        pub readings: Interpretations = table();
        /// Jobs submitted within this time after the first submission do not count in the metrics,
        /// in seconds.
        pub warm_up: SimSpan = seconds(..), default SimSpan::ZERO;
        /// Jobs submitted within this time before the last submission do not count in the metrics,
        /// in seconds.
        pub cool_down: SimSpan = seconds(..), default SimSpan::ZERO;
        /// Weights of jobs in the weighted bounded stretch: `node-seconds` (nodes * run time), or
        /// `equal`.
        pub weight_rule as "weights": WeightRule = named("a weight rule"), default WeightRule::default();
        /// Factors for the weights of a user's jobs, by the number of the user in the log: `{ 3 =
        /// 10.0 }`.
        pub user_weights: BTreeMap<u32, f64> = user_weights(), default BTreeMap::new();
    }
    renamed { "period" => "period_s" }
}

fields! {
    /// Instances on one cluster.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Workload {
        /// Name in rows and tables.
        pub name: String = name("a workload");
        /// Nodes of the cluster (processors, if a log has no annotation).
        pub nodes: NonZeroU32 = count("a number of nodes", 1, MAX_NODES);
        /// Differences between the nodes.
        pub kinds: NodeKinds = flattened();
        /// Power cap, instead of that of the platform: `38kW`, `80%` of the power of all busy nodes, or
        /// steps such as `0h:38kW,18h:30kW`, from second 0 of the log or trace on. `daily
        /// 0:00=38kW,8:00=30kW` repeats each day, of which the header of a log says at what time it
        /// begins.
        pub cap: Option<PowerCap> = optional(written("a power cap such as \"38kW\" or \"80%\", or steps such as \"0h:38kW,18h:30kW\""));
        /// Carbon intensity and price of energy over time: a CSV file with the columns `from_s` and
        /// `g_per_kwh`, `price_per_kwh` or both, which covers all instances without gaps. Its times
        /// count from second 0 of the log or trace.
        pub intensity: Option<LocatedFile> = optional(file());
        /// Longest time in seconds for which jobs are held, until the start at which the mean carbon
        /// intensity during their estimate is the least: `28800`, or `28800:0.3` for a random fraction
        /// of the jobs. Waits count from the end of the hold. Jobs whose estimates `intensity` does not
        /// cover are not held.
        pub defer: Option<Defer> = optional(named("a deferral"));
        /// Memory of a node in GB, for bandwidths.
        pub node_memory_gb: f64 = positive("a number of GB"), default 8.0;
        /// Step of memory requests, as a fraction of a node. They are rounded to the nearest
        /// multiple, but at least one step. The author's simulator uses hundredths. If absent,
        /// requests are exact.
        pub memory_step: Option<Share> = optional(share());
        /// Step of arrival times, in seconds. They are rounded down; if absent, they are exact.
        pub submit_step as "submit_step_s": Option<SimSpan> = optional(positive_seconds());
        /// Copies of each instance whose submissions and run times are moved at random, each an
        /// instance too. The spread over the copies is the noise of a result, which `tables/waits`
        /// reports: `{ copies = 20, up_to_s = 1 }`. Logs that are drawn from users differ anyway and
        /// are not copied.
        pub jitter: Option<Jitter> = optional(table());
        /// Published tables to compare with.
        pub published: Vec<Published> = list(named("a published table")).distinct(), default Vec::new();
        /// Source of the jobs.
        pub source: Source = flattened();
    }
    check |workload, at| {
        workload.kinds.check(workload.nodes.get(), at);
        let needs_power = [("cap", workload.cap.is_some()), ("intensity", workload.intensity.is_some())];
        for (field, _) in needs_power.iter().filter(|(_, is_given)| *is_given && workload.kinds.platform.is_none()) {
            at.fault(field, format!("{field} needs a `platform` with the power of its nodes"));
        }
        if let (Some(FileOr::Inline(platform)), Some(cap)) = (&workload.kinds.platform, &workload.cap)
            && let Ok(mut classes) = platform.classes_of(workload.nodes.get())
            && let Err(reason) = classes.cap_power(cap)
        {
            at.fault("cap", reason);
        }
        if workload.defer.is_some() && workload.intensity.is_none() {
            at.fault("defer", "defer needs `intensity`, by which the best time is chosen");
        }
        let log = workload.source.log(workload.nodes).map(|(log, _)| log.submission);
        if workload.defer.is_some() && log.is_some_and(|submission| submission != Submission::Open) {
            at.fault("defer", "jobs of users that wait for their jobs cannot be held; expected submission = \"open\"");
        }
        if workload.jitter.is_some() && workload.submit_step.is_some() {
            at.fault("jitter", "submissions cannot both be moved at random and be rounded to submit_step_s");
        }
    }
}

impl Workload {
    /// Returns the published table of degradations to compare with.
    pub(crate) fn degradations(&self) -> Option<Published> {
        self.published.iter().copied().find(|table| table.means().next().is_some())
    }
}

fields! {
    /// Source of jobs.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Source {
        /// A log in the Standard Workload Format.
        Swf(SwfLog) as "swf" = table();
        /// A workload of Batsim.
        Batsim(BatsimLog) as "batsim" = table();
        /// Traces of the Lublin-Feitelson model.
        Lublin(LublinTraces) as "lublin" = table();
        /// Jobs that are made by the program which runs the scenario: `Own` in Rust,
        /// `dfrsim.run(..., sources=...)` in Python.
        Own(OwnTraces) as "own" = table();
    }
}

fields! {
    /// Fields that all logs have.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Log {
        /// The file, plain or compressed by gzip.
        pub file: LocatedFile = log();
        /// Division of the log: one instance, or one for each week or for each three weeks of its own
        /// time.
        pub cut: Cut = choice([("none", Cut::None), ("week", Cut::Week), ("three-weeks", Cut::ThreeWeeks)]), default Cut::None;
        /// Treatment of lines that cannot be read: `lenient` skips and counts them, `strict` refuses
        /// the log. Jobs larger than the machine can be read; their rule is `rules = { too_wide =
        /// "error" }`.
        pub lines: Strictness = named("a strictness"), default Strictness::default();
        /// Source of tasks, CPU needs and memory.
        pub annotation: Annotation = annotation(), default Annotation::None;
        /// The part of the log to use: `{ skip, first, from, to }`.
        pub select: Selection = serde("a table of a selection"), default Selection::default();
        /// Rules for anomalous lines.
        pub rules: Rules = serde("a table of rules"), default Rules::default();
        /// Source of the submit times: `open` (those of the log), `holds` (those of the log, or when
        /// all jobs have ended or started that the log names as dependencies, as with `--dependency`
        /// of Slurm), `dependencies` (a job for which the log names a preceding job is submitted a
        /// think time after the end of that job, fields 17 and 18 of SWF), or `sessions` (users wait
        /// for their jobs; a session ends when its user submits no job for an hour;
        /// `sessions:arrival:SECONDS` for another time, `sessions:think:SECONDS` for a time after
        /// the end of all of its jobs). Except with `open`, the bound of each row is that of the
        /// jobs at their actual submit times.
        pub submission: Submission = named("a submission model"), default Submission::Open;
        /// Logs that are resampled from the users of this one, each an instance: `{ replications =
        /// 10, weeks = 8 }`. The jobs of each user are a stream; streams are drawn with replacement
        /// and shifted by whole weeks. If absent, the log itself is simulated.
        pub resample: Option<Resample> = optional(table());
        /// Logs that are drawn to fill the devices of the platform, each an instance instead of the log
        /// itself: `{ replications = 10, to = 1.3 }`. All jobs arrive in random order, one a second,
        /// followed by jobs drawn at random, until they request this multiple of all devices; if all
        /// jobs request more, only the first ones arrive. None ends before.
        pub saturate: Option<Saturate> = optional(table());
        /// Offered loads to which each instance (the log, a week, or a drawn log) is scaled, by its
        /// inter-arrival times; if empty, they are those of the log.
        pub loads: Vec<f64> = list(positive("a load")).distinct(), default Vec::new();
    }
    check |log, at| {
        if log.cut != Cut::None && log.submission != Submission::Open {
            at.fault("submission", "jobs of one week may follow jobs of another one; expected `open`, or `cut = \"none\"`".to_owned());
        }
        let is_changed = log.cut != Cut::None || log.submission != Submission::Open || log.resample.is_some() || !log.loads.is_empty();
        if log.saturate.is_some() && is_changed {
            at.fault("saturate", "the jobs arrive in random order, one a second; expected no `cut`, `submission`, `resample` or `loads`");
        }
    }
}

fields! {
    /// Logs that are resampled from the users of a log.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Resample {
        /// Number of logs.
        pub replications: u32 = count("a number of logs", 1, 10_000), default 10;
        /// Length of each log, in weeks.
        pub weeks: u64 = count("a number of weeks", 1, 10_000), default 8;
        /// True if the log itself is an instance too, the first one.
        pub whole: bool = boolean(), default false;
    }
}

fields! {
    /// Logs that are drawn to fill the devices of the platform.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Saturate {
        /// Number of logs.
        pub replications: u32 = count("a number of logs", 1, 10_000), default 10;
        /// Devices that all jobs together request, as a multiple of those of the platform.
        pub to: f64 = positive("a multiple of all devices"), default 1.3;
    }
}

fields! {
    /// A log in the Standard Workload Format.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SwfLog {
        /// Fields that all logs have.
        pub log: Log = flattened();
        /// Map of the columns, if the log is a table: one that ships with the program, such as
        /// `helios`, or a file, such as `jobs.toml` (see the page `your_log` of the guide).
        pub columns: Option<Columns> = optional(columns());
        /// Size of a job: the processors that it requested, those that it was allocated, or
        /// `by-format`: allocated for a listing of Slurm, requested for other logs.
        pub size: SizeField = named("a size"), default SizeField::default();
    }
}

fields! {
    /// A workload of Batsim.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BatsimLog {
        /// Fields that all logs have.
        pub log: Log = flattened();
        /// Speed of a node in flop/s, for jobs that compute.
        pub flops: Option<NonZeroU64> = optional(flops());
    }
}

/// Division of a log into instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The log is one instance.
    None,
    /// Each week of the log's own time is an instance.
    Week,
    /// Each three weeks of the log's own time are an instance.
    ThreeWeeks,
}

fields! {
    /// Traces of the Lublin-Feitelson model.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LublinTraces {
        /// Number of traces.
        pub replications: u32 = count("a number of traces", 1, 1_000_000), default 100;
        /// Number of traces to skip before the first one, so that development and evaluation can use
        /// different traces.
        pub skip: u32 = count("a number of traces", 0, 1_000_000), default 0;
        /// Number of jobs in each trace.
        pub jobs: usize = count("a number of jobs", 1, 100_000_000), default 1_000;
        /// Variant of the model.
        pub mode: Mode = named("a mode of the Lublin model"), default Mode::default();
        /// Offered loads to which each trace is scaled; if empty, traces are not scaled.
        pub loads: Vec<f64> = list(positive("a load")).distinct(), default Vec::new();
        /// CPU needs of tasks: `{ cores, serial, parallel }`.
        pub cpu: CpuNeeds = serde("a table of CPU needs"), default CpuNeeds::default();
        /// Memory of tasks.
        pub memory: MemoryModel = serde("a memory model"), default MemoryModel::default();
    }
    renamed { "traces" => "replications" }
}

fields! {
    /// Jobs of a source that the program registers.
    #[derive(Clone, Debug, PartialEq)]
    pub struct OwnTraces {
        /// Name of the source.
        pub source: OwnSource = own_source();
        /// Number of traces, each with its own seed.
        pub replications: u32 = count("a number of traces", 1, 1_000_000), default 1;
        /// Offered loads to which each trace is scaled; if empty, traces are not scaled.
        pub loads: Vec<f64> = list(positive("a load")).distinct(), default Vec::new();
    }
}

fn own_definitions(environment: &Environment) -> Own {
    environment.get::<Own>().cloned().unwrap_or_default()
}

fn own_source() -> Codec<OwnSource> {
    parsed("a source of the program", |name, environment| own_definitions(environment).source_named(name))
}

fn own_metric() -> Codec<OwnMetric> {
    parsed("a metric of the program", |name, environment| own_definitions(environment).metric_named(name))
}

/// Returns the policies of the program, or those of this project if it has registered none.
fn known_policies(environment: &Environment) -> Policies {
    environment.get::<Policies>().cloned().unwrap_or_default()
}

fn policies() -> Codec<Vec<Policy>> {
    let one = parsed("a policy", |name, environment| known_policies(environment).parse(name)).using(
        |policy, uses| {
            if let Policy::Custom(custom) = policy
                && let Some(files) = custom.files_of_command()
            {
                uses.command(custom.name());
                files.iter().for_each(|file| {
                    uses.file(UsedFile {
                        given: file.clone(),
                        path: file.into(),
                        others: Vec::new(),
                        is_copied: true,
                    });
                });
            }
        },
    );
    selected("a policy", one, |environment| {
        known_policies(environment).catalogue().into_iter().map(|info| (info.name, info.policy)).collect()
    })
}

/// Creates the codec of an annotation: `"none"`, `"hpc2n"`, or a table with details.
fn annotation() -> Codec<Annotation> {
    let names = [("none", Annotation::None), ("hpc2n", Annotation::Hpc2n(ClusterAssumptions::default()))];
    shorthand(names, serde("{ hpc2n = { .. } } or { lublin = { seed = .. } }"))
}

fn flops() -> Codec<NonZeroU64> {
    let whole = |flops: f64| NonZeroU64::new(flops.round() as u64).ok_or("expected at least one flop/s");
    via(number("flop/s", 1.0..=MOST_FLOPS), whole, |flops: &NonZeroU64| flops.get() as f64)
}

/// Creates the codec of weights by user number.
fn user_weights() -> Codec<BTreeMap<u32, f64>> {
    let numbers = |weights: BTreeMap<String, f64>| {
        let number = |user: &str| user.parse().map_err(|_| "expected user numbers as keys");
        weights.into_iter().map(|(user, weight)| Ok((number(&user)?, weight))).collect::<Result<_, &str>>()
    };
    let names = |weights: &BTreeMap<u32, f64>| {
        weights.iter().map(|(user, weight)| (user.to_string(), *weight)).collect()
    };
    via(map(positive("a weight")), numbers, names)
}

impl Simulation {
    /// Returns the weights of jobs.
    pub(crate) fn weights(&self) -> Weights {
        Weights { rule: self.weight_rule, users: self.user_weights.clone() }
    }
}

impl Source {
    /// Returns the map of the columns of the log, if it is a table.
    pub(crate) fn columns(&self) -> Option<&Columns> {
        match self {
            Source::Swf(log) => log.columns.as_ref(),
            Source::Batsim(_) | Source::Lublin(_) | Source::Own(_) => None,
        }
    }

    /// Returns the log and the options that turn its records into jobs of a cluster with these
    /// nodes, without the map of its columns; `None` if the source is not a log.
    pub(crate) fn log(&self, nodes: NonZeroU32) -> Option<(&Log, prepare::Options)> {
        let (log, format, size, flops) = match self {
            Source::Swf(SwfLog { log, size, .. }) => (log, Format::ByContent, *size, None),
            Source::Batsim(BatsimLog { log, flops }) => (log, Format::Batsim, SizeField::default(), *flops),
            Source::Lublin(_) | Source::Own(_) => return None,
        };
        let &Log { lines, annotation, select, rules, .. } = log;
        let units = Some(nodes.get());
        let origins = false;
        Some((
            log,
            prepare::Options {
                format,
                columns: None,
                lines,
                flops,
                size,
                select,
                rules,
                units,
                annotation,
                origins,
                dependencies: log.submission.follows_log(),
            },
        ))
    }
}

impl LublinTraces {
    /// Returns the parameters of the model for a cluster with these nodes.
    pub(crate) fn parameters(&self, nodes: NonZeroU32) -> LublinParameters {
        let &LublinTraces { jobs, mode, cpu, memory, .. } = self;
        LublinParameters { nodes, jobs, mode, cpu, memory }
    }
}
