//! Scenarios of the study: what is simulated.

use crate::own::{Own, OwnMetric, OwnSource};
use crate::published::Published;
use crate::readings::{Alternative, Readings, share};
use dfrsim_cluster::{EstimateModel, NeedModel, Overrun, Weights};
use dfrsim_lab::fields::{
    Codec, Environment, Fields as _, FileOr, LocatedFile, UsedFile, boolean, choice, count, distinct_tables,
    file_or, flattened, list, log, map, name, named, number, one_or_many, optional, parsed, positive,
    positive_fraction, positive_seconds, seconds, selected, serde, shorthand, table, tables, via,
};
use dfrsim_lab::{DownTimes, NodeKinds, fields};
use dfrsim_model::named;
use dfrsim_model::named::UnknownName;
use dfrsim_model::platform::Interruption;
use dfrsim_model::platform::classes::PlatformFields;
use dfrsim_model::priority::{
    Account, BackfillSettings, FairShare, JobArray, JobClass, LONGEST_SETTING_S, MainSettings, PreemptMode,
    Priorities, PriorityWeights, Reservation, SizeFactor, Tres, Unlisted,
};
use dfrsim_model::{Share, SimSpan, WeightRule, Yield};
use dfrsim_policies::fractional::{DropRule, Packing, Periodic, PriorityRule};
use dfrsim_policies::{Policies, Policy, PolicySetting};
use dfrsim_workload::by_name::ByName;
use dfrsim_workload::cut::Selection;
use dfrsim_workload::feedback::Submission;
use dfrsim_workload::formats::batsim::MOST_FLOPS;
use dfrsim_workload::log::{Header, Strictness};
use dfrsim_workload::lublin::{CpuNeeds, LublinParameters, MemoryModel, Mode};
use dfrsim_workload::prepare::{self, Annotation, ClusterAssumptions, Format, Rules, SizeField};
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};

/// The largest cluster, as for `dfrsim simulate`.
const MAX_NODES: u32 = 10_000_000;

fields! {
    /// Policies on weeks of logs and synthetic traces.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Online {
        /// The policies, each once.
        pub policies: Vec<Policy> = policies();
        /// Parameters of the simulation.
        pub simulation: Simulation = table();
        /// When nodes are down, and what that does to jobs; without it they never are.
        pub outages: Option<OutageFields> = optional(table());
        /// Priorities and limits of waiting jobs, and weights of jobs. All policies are simulated without and with each of them.
        pub priorities as "priority": Vec<PriorityFields> = distinct_tables("name", "priorities", |it: &PriorityFields| &it.name);
        /// Whether policies are simulated without any of them too.
        pub plain: bool = boolean(), default true;
        /// Whether the lower bound on the largest bounded stretch is computed. Otherwise it is 1, which no bounded stretch is below.
        pub bounded: bool = boolean(), default true;
        /// Whether rows and tables also have what is known of the least stretch with penalties: a lower bound that counts them, and what the
        /// best schedule found reaches that knows all run times. That takes longer than most policies, and is for nodes that
        /// are equal, always up, and have room for each job at full speed.
        pub clairvoyant: bool = boolean(), default false;
        /// The parts of the jobs of which `tables/waits` has the waits, with the differences from the first variant: jobs of a `partition`,
        /// an `account`, a quality of service (`qos`), or of a `size` (in tasks).
        pub waits_by: Vec<PartOfJobs> = list(named("a part of the jobs")).distinct(), default Vec::new();
        /// Metrics of the program that runs the scenario (`Own` in Rust, `dfrsim.run(..., metrics=...)` in Python), in the column `own` and in `tables/metrics`.
        pub metrics: Vec<OwnMetric> = list(own_metric()).distinct(), default Vec::new();
        /// Further policies, with their own periods.
        pub sweeps as "sweep": Vec<PeriodSweep> = tables();
        /// Alternative readings of points that the text leaves open.
        pub alternatives as "reading": Vec<Alternative> = distinct_tables("name", "a reading", |it: &Alternative| &it.name);
        /// The workloads.
        pub workloads: Vec<Workload> = distinct_tables("name", "a workload", |it: &Workload| &it.name).at_least_one();
    }
    check |scenario, at| {
        let is_found = !scenario.simulation.discovery.is_empty();
        let policies = scenario.sweeps.iter().fold(scenario.policies.clone(), |all, sweep| [all, sweep.policies.clone()].concat());
        if scenario.workloads.iter().any(|workload| workload.kinds.platform.is_some())
            && scenario.simulation.cpu_needs.iter().any(|needs| *needs != NeedModel::Exact)
        {
            at.fault("simulation", "where nodes differ, policies know the exact CPU needs");
        }
        if !scenario.plain && scenario.priorities.is_empty() {
            at.fault("plain", "expected a table `priority` where policies are not simulated without");
        }
        let ignores_site = |policy: &&Policy| !policy.reads(PolicySetting::Site);
        if !scenario.priorities.is_empty() && let Some(policy) = policies.iter().find(ignores_site) {
            at.fault("policies", format!("{policy} does not read the settings of a site"));
        }
        let keeps_yields = |policy: &&Policy| {
            policy.fractional().is_some_and(|parts| parts.periodic == Periodic::McbStretch)
        };
        if let Some(policy) = policies.iter().find(keeps_yields).filter(|_| is_found) {
            at.fault(
                "policies",
                format!("{policy} keeps its yields between ticks, which discovered CPU needs do not allow"),
            );
        }
    }
}

fields! {
    /// When nodes are down, in every workload of the scenario. Times are seconds from second 0 of an instance on.
    #[derive(Clone, Debug, PartialEq)]
    pub struct OutageFields {
        /// What happens to jobs on nodes that go down: `lose`, `requeue` (they begin again), or `checkpoint:INTERVAL:COST:RESTART` in
        /// seconds of their work (they begin again from their last checkpoint). With several, all are simulated.
        pub interruptions as "interruption": Vec<Interruption> = one_or_many(named("what happens to jobs")), default vec![Interruption::Requeue];
        /// The times.
        pub times: DownTimes = flattened();
    }
}

fields! {
    /// Priorities and limits of waiting jobs: the multifactor priority of Slurm. Groups, queues and partitions
    /// are those of the log (fields 13, 15 and 16 of SWF; account, QOS and partition of Slurm).
    #[derive(Clone, Debug, PartialEq)]
    pub struct PriorityFields {
        /// Its name, which follows that of the policy in rows: `EASY [fair_share]`.
        pub name: String = name("priorities");
        /// By what the factors, from 0 to 1, are multiplied: `{ age, size, fair_share, qos, partition }`, each 0 if it is missing.
        pub weights: PriorityWeights = serde("a table of weights"), default PriorityWeights::default();
        /// The wait from which on the factor of the age is 1, in seconds.
        pub max_age as "max_age_s": u64 = count("a number of seconds", 1, LONGEST_SETTING_S), default Priorities::default().max_age_s;
        /// Whether smaller jobs have the larger factor of the size.
        pub favor_small: bool = boolean(), default false;
        /// What the size of a job is: its `tasks`, of the nodes of the cluster, or `nodes_and_cpus`, the mean of that and its cores, as Slurm has it.
        pub size: SizeFactor = choice([("tasks", SizeFactor::Tasks), ("nodes_and_cpus", SizeFactor::NodesAndCpus)]), default SizeFactor::Tasks;
        /// What a job uses of its account for each unit that it holds of `node`, `cpu`, `mem` or a resource of the platform, in thousandths, as in
        /// `{ cpu = 1000, gpu = 4000 }`; its tasks count if it is empty.
        pub billing: Tres = serde("a table of amounts"), default Tres::new();
        /// Whether usage is forgotten from the moment on at which it comes, and not from the next multiple of the period on.
        pub decay_within_period: bool = boolean(), default false;
        /// After how many seconds half of the past usage is forgotten; 0 if none ever is.
        pub half_life as "half_life_s": u64 = count("a number of seconds", 0, LONGEST_SETTING_S), default Priorities::default().half_life_s;
        /// From one computation of usage and priorities to the next, in seconds.
        pub calc_period as "calc_period_s": u64 = count("a number of seconds", 1, LONGEST_SETTING_S), default Priorities::default().calc_period_s;
        /// The classes of nodes, where they are others than those of the workload: with the same reference node.
        pub platform: Option<FileOr<PlatformFields>> = optional(file_or(serde("a table of classes of nodes")));
        /// Accounts: `{ name, parent, shares, groups, users }`. A job belongs to the one that has its user, otherwise its group. With `is_user` it is
        /// a user of the account above it, which has shares there with or without jobs. These lists, and those of qualities of service and partitions, have numbers of the log, or names where the log has some (listings of Slurm, PBS).
        pub accounts: Vec<ByName<Account>> = serde("a list of accounts"), default Vec::new();
        /// The accounts of other jobs, with a share each: one for each `group`, one for each `user`, or one for all `together`.
        pub unlisted: Unlisted = choice([("group", Unlisted::Group), ("user", Unlisted::User), ("together", Unlisted::Together)]), default Unlisted::Group;
        /// How usage becomes the factor of the fair share: `classic`, 2^(-usage / share) of the account, `classic_of_users`, the same of the user
        /// in the account, or Slurm's `fair_tree`, the rank of the user among all users.
        pub fair_share: FairShare = choice([("classic", FairShare::Classic), ("classic_of_users", FairShare::ClassicOfUsers), ("fair_tree", FairShare::FairTree)]), default FairShare::Classic;
        /// By what the exponent of the classic fair share is divided.
        pub fair_share_dampening: u32 = count("a factor", 1, u32::MAX), default 1;
        /// Qualities of service: `{ name, priority, weight, queues, partitions, groups, users, max_time_s, max_nodes, total_nodes,
        /// max_running_per_user, preempt, preempt_mode, preempt_exempt_time_s, grace_s }`. A job has the first one of which all lists have it.
        pub qos: Vec<ByName<JobClass>> = serde("a list of qualities of service"), default Vec::new();
        /// Partitions, with the same fields, and the `tier`: jobs of a higher one are before all others.
        pub partitions: Vec<ByName<JobClass>> = serde("a list of partitions"), default Vec::new();
        /// How many jobs of a user may run at the same time.
        pub max_running_per_user: Option<u32> = optional(count("a number of jobs", 1, u32::MAX));
        /// Arrays of jobs of which only some may run at once: `{ jobs, running }`, with ranges of numbers of the log, as in `jobs = [[12, 40]]`.
        pub arrays: Vec<JobArray> = serde("a list of arrays of jobs"), default Vec::new();
        /// Jobs that start together under SLURM, as the components of heterogeneous jobs do: lists of numbers of the log.
        pub together: Vec<Vec<u64>> = serde("a list of lists of jobs"), default Vec::new();
        /// Nodes that only some jobs may have for a time: `{ name, from_s, until_s }`. The nodes are those with the feature `reservation-NAME`, the
        /// jobs those that ask for it.
        pub reservations: Vec<Reservation> = serde("a list of reservations"), default Vec::new();
        /// How far backfilling goes: `{ max_job_test, interval_s, window_s, resolution_s }`, and with SLURM `max_job_user` and `max_job_part`.
        pub backfill: BackfillSettings = serde("a table of limits"), default BackfillSettings::default();
        /// When the main scheduler of SLURM looks, and how far: `{ delay_s, interval_s, depth, depth_per_partition }`.
        pub main: MainSettings = serde("a table of limits"), default MainSettings::default();
        /// What happens to jobs of classes that another one has in its list `preempt`, where they do not say it: they `requeue`, `cancel`,
        /// `suspend`, or stay (`off`).
        pub preempt_mode: PreemptMode = choice([("requeue", PreemptMode::Requeue), ("cancel", PreemptMode::Cancel), ("suspend", PreemptMode::Suspend), ("off", PreemptMode::Off)]), default PreemptMode::Requeue;
        /// How long jobs run before that, in seconds since their last start, where their class does not say it.
        pub preempt_exempt_time as "preempt_exempt_time_s": u64 = count("a number of seconds", 0, LONGEST_SETTING_S), default 0;
        /// How long a job that lost its nodes, by a failure or to make room, waits before a batch policy may start it again, in seconds.
        pub requeue_delay as "requeue_delay_s": u64 = count("a number of seconds", 0, LONGEST_SETTING_S), default 0;
        /// How long a job keeps its nodes once its work is done, in seconds at full speed: its epilog, which estimates leave out.
        pub epilog as "epilog_s": u64 = count("a number of seconds", 0, LONGEST_SETTING_S), default 0;
    }
    check |priority, at| {
        let classes = |list: &[ByName<JobClass>]| list.iter().map(|it| it.without_names().clone()).collect();
        let accounts = priority.accounts.iter().map(|it| it.without_names().clone()).collect();
        if let Err(error) = priority.settings(accounts, classes(&priority.qos), classes(&priority.partitions)).check() {
            let (field, path) = error.place.split_once('.').unwrap_or((&error.place, ""));
            at.fault_below(field, path, error.to_string());
        }
    }
}

impl PriorityFields {
    /// As policies have them for a log with this header.
    pub(crate) fn of_log(&self, header: &Header) -> Result<Priorities, String> {
        let numbered = |error: UnknownName| format!("priority `{}`: {error}", self.name);
        let accounts = self.accounts.iter().map(|it| it.numbered(header)).collect::<Result<_, _>>();
        let classes = |list: &[ByName<JobClass>]| {
            list.iter().map(|it| it.numbered(header)).collect::<Result<_, _>>().map_err(numbered)
        };
        let (qos, partitions) = (classes(&self.qos)?, classes(&self.partitions)?);
        Ok(self.settings(accounts.map_err(numbered)?, qos, partitions))
    }

    fn settings(&self, accounts: Vec<Account>, qos: Vec<JobClass>, partitions: Vec<JobClass>) -> Priorities {
        let mut table = self.write();
        table.retain(|name, _| !["name", "platform", "accounts", "qos", "partitions"].contains(&name));
        let others: Priorities = table.try_into().expect("a setting has the name of its field");
        Priorities { accounts, qos, partitions, ..others }
    }
}

named! {
    /// By what jobs are parts of a log.
    pub enum PartOfJobs as "part of the jobs" {
        /// Their partition.
        Partition = "partition",
        /// Their account, or group.
        Account = "account",
        /// Their quality of service, or queue.
        Qos = "qos",
        /// Their number of tasks.
        Size = "size",
    }
}

fields! {
    /// Policies with periods of their own.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PeriodSweep {
        /// The policies, each once.
        pub policies: Vec<Policy> = policies();
        /// Their periods in seconds.
        pub periods as "period_s": Vec<SimSpan> = one_or_many(positive_seconds());
    }
    renamed { "period" => "period_s" }
}

fields! {
    /// Parameters of the simulation. Of fields with several values, every combination that makes a difference to a policy is
    /// simulated.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Simulation {
        /// Rescheduling penalties: how long a resumed or migrated job makes no progress, in seconds.
        pub penalties as "penalty": Vec<SimSpan> = one_or_many(seconds(..)), default vec![SimSpan::from_secs(300)];
        /// Periods of periodic policies in seconds.
        pub periods as "period_s": Vec<SimSpan> = one_or_many(positive_seconds()), default vec![SimSpan::from_secs(600)];
        /// The taus of the bounded stretch in seconds: shorter run times count as this.
        pub taus as "tau": Vec<SimSpan> = one_or_many(seconds(..)), default vec![SimSpan::from_secs(10)];
        /// Packing rules of MCB.
        pub packings as "packing": Vec<Packing> = one_or_many(named("a packing rule")), default vec![Packing::default()];
        /// Drop rules of MCB.
        pub drops as "drop": Vec<DropRule> = one_or_many(named("a drop rule")), default vec![DropRule::default()];
        /// The least yield that MCB gives.
        pub yield_floor: Yield = positive_fraction("a yield"), default Yield::nearest(0.01);
        /// The precision of MCB's search for the largest yield.
        pub yield_precision: Yield = positive_fraction("a yield"), default Yield::nearest(0.01);
        /// The precision of the search of `/stretch-per` for the largest inverse stretch: stretches above the inverse
        /// of this cannot be distinguished. The text wants the lowest feasible stretch (section 5.2.6).
        pub stretch_precision: Yield = positive_fraction("an inverse stretch"), default Yield::nearest(0.0001);
        /// How priorities are computed.
        pub priority: PriorityRule = named("a rule of priorities"), default PriorityRule::default();
        /// The run times that policies know: `exact`, `requested`, `none`, or a model of errors.
        pub estimates: EstimateModel = named("a model of estimates"), default EstimateModel::Exact;
        /// What happens to a job that outlasts its estimate.
        pub overrun: Overrun = choice([("extend", Overrun::Extend), ("kill", Overrun::Kill)]), default Overrun::Extend;
        /// The CPU needs that policies know: `exact`, `factor:0.5` (all of them halved, for example), `whole` (a node for
        /// each task).
        pub cpu_needs: Vec<NeedModel> = one_or_many(named("a model of CPU needs")), default vec![NeedModel::Exact];
        /// After how many seconds running jobs reveal their CPU needs, where these are not exact; beside these
        /// simulations there are those in which they never do.
        pub discovery as "discovery_s": Vec<SimSpan> = list(positive_seconds()).distinct(), default Vec::new();
        /// Readings of other points that the text leaves open.
        pub readings: Readings = table();
        /// Jobs submitted within this time after the first submission do not count in the metrics, in seconds.
        pub warm_up: SimSpan = seconds(..), default SimSpan::ZERO;
        /// Jobs submitted within this time before the last submission do not count in the metrics, in seconds.
        pub cool_down: SimSpan = seconds(..), default SimSpan::ZERO;
        /// The weights of jobs in the weighted bounded stretch: `node-seconds` (nodes * run time), or `equal`.
        pub weight_rule as "weights": WeightRule = named("a rule of weights"), default WeightRule::default();
        /// By what the weights of a user's jobs are multiplied, by the number of the user in the log: `{ 3 = 10.0 }`.
        pub user_weights: BTreeMap<u32, f64> = user_weights(), default BTreeMap::new();
    }
    renamed { "period" => "period_s" }
}

fields! {
    /// Instances on one cluster.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Workload {
        /// Its name in rows and tables.
        pub name: String = name("a workload");
        /// The nodes of the cluster (processors, where a log has no annotation).
        pub nodes: NonZeroU32 = count("a number of nodes", 1, MAX_NODES);
        /// How they differ.
        pub kinds: NodeKinds = flattened();
        /// The memory of a node in GB, for bandwidths.
        pub node_memory_gb: f64 = positive("a number of GB"), default 8.0;
        /// Memory of tasks is rounded to whole multiples of this part of a node, as in the author's simulator
        /// (hundredths); to the nearest, but at least one. Exact where it is missing.
        pub memory_step: Option<Share> = optional(share());
        /// Jobs arrive at whole multiples of this, in seconds, rounded down; exact where it is missing.
        pub submit_step as "submit_step_s": Option<SimSpan> = optional(positive_seconds());
        /// The published tables to compare with.
        pub published: Vec<Published> = list(named("a published table")).distinct(), default Vec::new();
        /// Where its jobs come from.
        pub source: Source = flattened();
    }
    check |workload, at| {
        workload.kinds.check(workload.nodes.get(), at);
    }
}

impl Workload {
    /// The published table of degradations to compare with.
    pub(crate) fn degradations(&self) -> Option<Published> {
        self.published.iter().copied().find(|table| table.means().next().is_some())
    }
}

fields! {
    /// Where jobs come from.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Source {
        /// A log in the Standard Workload Format.
        Swf(SwfLog) as "swf" = table();
        /// A workload of Batsim.
        Batsim(BatsimLog) as "batsim" = table();
        /// Traces of the Lublin-Feitelson model.
        Lublin(LublinTraces) as "lublin" = table();
        /// Jobs that the program makes which runs the scenario: `Own` in Rust, `dfrsim.run(..., sources=...)` in Python.
        Own(OwnTraces) as "own" = table();
    }
}

fields! {
    /// What logs have in common.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Log {
        /// The file, plain or compressed by gzip.
        pub file: LocatedFile = log();
        /// Whether the log is one instance, or each week of its own time.
        pub cut: Cut = choice([("none", Cut::None), ("week", Cut::Week)]), default Cut::None;
        /// The rule for lines that cannot be read: `lenient` skips and counts them, `strict` refuses the log. Jobs
        /// wider than the machine can be read; their rule is `rules = { too_wide = "error" }`.
        pub lines: Strictness = named("a strictness"), default Strictness::default();
        /// Where tasks, CPU needs and memory come from.
        pub annotation: Annotation = annotation(), default Annotation::None;
        /// The part of the log to use: `{ skip, first, from, to }`.
        pub select: Selection = serde("a table of the part that is taken"), default Selection::default();
        /// The rules for anomalous lines.
        pub rules: Rules = serde("a table of rules"), default Rules::default();
        /// How the times of submission come about: `open` (they are those of the log), `holds` (they are, but a job waits
        /// until all jobs have ended or started that the log names before it, as by `--dependency` of Slurm), `dependencies` (a job of which the
        /// log names a preceding job is submitted a think time after its end, fields 17 and 18 of SWF), or `sessions` (users wait for their
        /// jobs; a session ends where its user submits no job for an hour; `sessions:arrival:SECONDS` for another time,
        /// `sessions:think:SECONDS` for a time after the end of all of its jobs). Then the bound of each row is that of the
        /// jobs as they were submitted.
        pub submission: Submission = named("a way of submission"), default Submission::Open;
        /// Logs that are drawn from the users of this one, each an instance: `{ replications = 10, weeks = 8 }`. The jobs of each
        /// user are a stream; streams are drawn with replacement and shifted by whole weeks. Where it is missing the log itself
        /// is simulated.
        pub resample: Option<Resample> = optional(table());
    }
    check |log, at| {
        if log.cut == Cut::Week && log.submission != Submission::Open {
            at.fault("submission", "jobs of one week may follow jobs of another one; expected `open`, or `cut = \"none\"`".to_owned());
        }
    }
}

fields! {
    /// Logs that are drawn from the users of a log.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Resample {
        /// How many logs.
        pub replications: u32 = count("a number of logs", 1, 10_000), default 10;
        /// The weeks of each.
        pub weeks: u64 = count("a number of weeks", 1, 10_000), default 8;
        /// Whether the log itself is an instance too, the first one.
        pub whole: bool = boolean(), default false;
    }
}

fields! {
    /// A log in the Standard Workload Format.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SwfLog {
        /// What logs have in common.
        pub log: Log = flattened();
        /// The processors of a job: those that it requested, or those that it got.
        pub size: SizeField = named("a size"), default SizeField::default();
    }
}

fields! {
    /// A workload of Batsim.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BatsimLog {
        /// What logs have in common.
        pub log: Log = flattened();
        /// The speed of a node in flop/s, for jobs that compute.
        pub flops: Option<NonZeroU64> = optional(flops());
    }
}

/// How a log is cut into instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The log is one instance.
    None,
    /// Each week of its own time is one.
    Week,
}

fields! {
    /// Traces of the Lublin-Feitelson model.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LublinTraces {
        /// The number of traces.
        pub replications: u32 = count("a number of traces", 1, 1_000_000), default 100;
        /// The number of traces to skip before the first one, so that development and evaluation can use different
        /// traces.
        pub skip: u32 = count("a number of traces", 0, 1_000_000), default 0;
        /// The jobs of each.
        pub jobs: usize = count("a number of jobs", 1, 100_000_000), default 1_000;
        /// The variant of the model.
        pub mode: Mode = named("a mode of the Lublin model"), default Mode::default();
        /// The offered loads to which each trace is scaled; without any, traces are left as they are.
        pub loads: Vec<f64> = list(positive("a load")).distinct(), default Vec::new();
        /// The CPU needs of tasks: `{ cores, serial, parallel }`.
        pub cpu: CpuNeeds = serde("a table of CPU needs"), default CpuNeeds::default();
        /// The memory of tasks.
        pub memory: MemoryModel = serde("a model of memory"), default MemoryModel::default();
    }
    renamed { "traces" => "replications" }
}

fields! {
    /// Jobs of a source of the program.
    #[derive(Clone, Debug, PartialEq)]
    pub struct OwnTraces {
        /// The name of the source.
        pub source: OwnSource = own_source();
        /// The number of traces, each of a seed of its own.
        pub replications: u32 = count("a number of traces", 1, 1_000_000), default 1;
        /// The offered loads to which each trace is scaled; without any, traces are left as they are.
        pub loads: Vec<f64> = list(positive("a load")).distinct(), default Vec::new();
    }
}

fn own(environment: &Environment) -> Own {
    environment.get::<Own>().cloned().unwrap_or_default()
}

fn own_source() -> Codec<OwnSource> {
    parsed("a source of the program", |name, environment| own(environment).source_named(name))
}

fn own_metric() -> Codec<OwnMetric> {
    parsed("a metric of the program", |name, environment| own(environment).metric_named(name))
}

/// The policies of the program; those of this project if it has registered none.
fn known(environment: &Environment) -> Policies {
    environment.get::<Policies>().cloned().unwrap_or_default()
}

fn policies() -> Codec<Vec<Policy>> {
    let one = parsed("a policy", |name, environment| known(environment).parse(name)).using(|policy, uses| {
        if let Policy::Custom(custom) = policy
            && let Some(files) = custom.files_of_command()
        {
            uses.command(custom.name());
            files.iter().for_each(|file| {
                uses.file(UsedFile { given: file.clone(), path: file.into(), is_copied: true });
            });
        }
    });
    selected("a policy", one, |environment| {
        known(environment).catalogue().into_iter().map(|info| (info.name, info.policy)).collect()
    })
}

/// `"none"`, `"hpc2n"`, or a table that says more.
fn annotation() -> Codec<Annotation> {
    let names = [("none", Annotation::None), ("hpc2n", Annotation::Hpc2n(ClusterAssumptions::default()))];
    shorthand(names, serde("{ hpc2n = { .. } } or { lublin = { seed = .. } }"))
}

fn flops() -> Codec<NonZeroU64> {
    let whole = |flops: f64| NonZeroU64::new(flops.round() as u64).ok_or("expected at least one flop/s");
    via(number("flop/s", 1.0..=MOST_FLOPS), whole, |flops: &NonZeroU64| flops.get() as f64)
}

/// Weights by the numbers of users.
fn user_weights() -> Codec<BTreeMap<u32, f64>> {
    let numbers = |weights: BTreeMap<String, f64>| {
        let number = |user: &str| user.parse().map_err(|_| "expected numbers of users as keys");
        weights.into_iter().map(|(user, weight)| Ok((number(&user)?, weight))).collect::<Result<_, &str>>()
    };
    let names = |weights: &BTreeMap<u32, f64>| {
        weights.iter().map(|(user, weight)| (user.to_string(), *weight)).collect()
    };
    via(map(positive("a weight")), numbers, names)
}

impl Simulation {
    /// The weights of jobs.
    pub(crate) fn weights(&self) -> Weights {
        Weights { rule: self.weight_rule, users: self.user_weights.clone() }
    }
}

impl Source {
    /// The log and how its records become jobs of a cluster with these nodes, if it is one.
    pub(crate) fn log(&self, nodes: NonZeroU32) -> Option<(&Log, prepare::Options)> {
        let (log, format, size, flops) = match self {
            Source::Swf(SwfLog { log, size }) => (log, Format::ByName, *size, None),
            Source::Batsim(BatsimLog { log, flops }) => (log, Format::Batsim, SizeField::default(), *flops),
            Source::Lublin(_) | Source::Own(_) => return None,
        };
        let &Log { lines, annotation, select, rules, .. } = log;
        let units = Some(nodes.get());
        let origins = false;
        Some((
            log,
            prepare::Options { format, lines, flops, size, select, rules, units, annotation, origins },
        ))
    }
}

impl LublinTraces {
    /// The parameters of the model for a cluster with these nodes.
    pub(crate) fn parameters(&self, nodes: NonZeroU32) -> LublinParameters {
        let &LublinTraces { jobs, mode, cpu, memory, .. } = self;
        LublinParameters { nodes, jobs, mode, cpu, memory }
    }
}
