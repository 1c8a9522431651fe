//! Priorities and limits of waiting jobs, as configured in the site file.
//!
//! Most fields are named after Slurm's parameters in other letters: `half_life_s` is
//! `PriorityDecayHalfLife`. This module has the settings only. The policies compute the priorities,
//! and the audit recomputes them independently.

use crate::numbers::is_default;
use crate::{Origin, named};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Settings of a site: priorities, limits, preemption and backfilling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Priorities")]
pub struct SiteSettings {
    /// Weights by which the factors, which are between 0 and 1, are multiplied. The priority of a
    /// job is the sum of the products.
    pub weights: PriorityWeights,
    /// Wait in seconds from which on the age factor is 1.
    pub max_age_s: u64,
    /// True if smaller jobs have the larger size factor.
    pub favor_small: bool,
    /// Definition of the size of a job.
    #[serde(skip_serializing_if = "is_default")]
    pub size: SizeFactor,
    /// Billing weights: usage charged to the account for each unit that a job holds, in thousandths
    /// (`TRESBillingWeights`). If it is empty, tasks are charged.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub billing: Tres,
    /// True if usage decays from the time on at which it accrues, as in Slurm; otherwise it decays
    /// from the next multiple of `calc_period_s` on.
    #[serde(skip_serializing_if = "is_default")]
    pub decay_within_period: bool,
    /// Half-life of past usage in seconds; 0 if usage never decays.
    pub half_life_s: u64,
    /// Time between two computations of usage and priorities, in seconds.
    pub calc_period_s: u64,
    /// Accounts to which usage is charged.
    pub accounts: Vec<Account>,
    /// Account of jobs that are not assigned to any listed account.
    pub unlisted: Unlisted,
    /// Algorithm for the fair-share factor.
    #[serde(skip_serializing_if = "is_default")]
    pub fair_share: FairShare,
    /// Divisor of the exponent of the classic fair share, at least 1 (`FairShareDampeningFactor`).
    #[serde(skip_serializing_if = "is_one")]
    pub fair_share_dampening: u32,
    /// Qualities of service. The first one that matches a job applies to it.
    pub qos: Vec<JobClass>,
    /// Partitions. The first one that matches a job applies to it.
    pub partitions: Vec<JobClass>,
    /// Maximum number of running jobs per user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_running_per_user: Option<u32>,
    /// Job arrays with a limit on the number of running tasks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<JobArray>,
    /// Components of heterogeneous jobs, by their numbers in the log. They start at the same time
    /// under SLURM.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<Vec<u64>>,
    /// Advance reservations: nodes that only some jobs may use for a time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reservations: Vec<Reservation>,
    /// Limits of backfilling.
    pub backfill: BackfillSettings,
    /// Cycles and depth of the main scheduler of the policy SLURM.
    #[serde(skip_serializing_if = "is_default")]
    pub main: MainSettings,
    /// Default for preempted jobs whose class does not specify a mode.
    #[serde(skip_serializing_if = "is_default")]
    pub preempt_mode: PreemptMode,
    /// Default run time in seconds since the last start before a job may be preempted, if its class
    /// does not specify one.
    #[serde(skip_serializing_if = "is_default")]
    pub preempt_exempt_time_s: u64,
    /// Hold-off in seconds before a batch policy may restart a job that was preempted or lost its
    /// nodes by a failure (`AuthInfo=cred_expire`). Until then the job is not eligible.
    #[serde(skip_serializing_if = "is_default")]
    pub requeue_delay_s: u64,
    /// Time in seconds at full speed for which a job keeps its nodes after its work is done: the
    /// epilog that cleans up. Estimates and run times do not include it. Dependent jobs wait for its
    /// end. A job that loses its nodes during the epilog has not ended.
    #[serde(skip_serializing_if = "is_default")]
    pub epilog_s: u64,
}

impl Default for SiteSettings {
    /// Returns Slurm's defaults: every weight is 0, so that jobs are in the order of submission.
    fn default() -> Self {
        SiteSettings {
            weights: PriorityWeights::default(),
            max_age_s: 7 * 86_400,
            favor_small: false,
            size: SizeFactor::default(),
            billing: Tres::new(),
            decay_within_period: false,
            half_life_s: 7 * 86_400,
            calc_period_s: 300,
            accounts: Vec::new(),
            unlisted: Unlisted::default(),
            fair_share: FairShare::default(),
            fair_share_dampening: 1,
            qos: Vec::new(),
            partitions: Vec::new(),
            max_running_per_user: None,
            arrays: Vec::new(),
            together: Vec::new(),
            reservations: Vec::new(),
            backfill: BackfillSettings::default(),
            main: MainSettings::default(),
            preempt_mode: PreemptMode::default(),
            preempt_exempt_time_s: 0,
            requeue_delay_s: 0,
            epilog_s: 0,
        }
    }
}

/// Weights of the priority factors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PriorityWeights {
    /// Weight of the age factor: wait / `max_age_s`.
    pub age: u32,
    /// Weight of the size factor: size of the job / size of the cluster, or 1 minus this ratio.
    pub size: u32,
    /// Weight of the fair-share factor of the account or the user.
    pub fair_share: u32,
    /// Weight of the QOS factor: priority of the QOS / largest priority of a QOS.
    pub qos: u32,
    /// Weight of the partition factor: priority of the partition / largest priority of a partition.
    pub partition: u32,
}

/// Amounts of Slurm's trackable resources (TRES) that jobs hold, by name.
///
/// * `node`: tasks, each of which has a node or shares one.
/// * `cpu`: cores; a node has one core if no platform specifies more.
/// * `mem`: memory in thousandths of that of a reference node.
/// * any other name: a resource of the platform, such as `gpu`.
///
/// The amounts of each task are rounded up.
pub type Tres = BTreeMap<String, u64>;

/// Definition of the size of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SizeFactor {
    /// Tasks of the job / nodes of the cluster.
    #[default]
    Tasks,
    /// Mean of tasks / nodes of the cluster and cores / cores of the cluster, as in Slurm.
    NodesAndCpus,
}

/// Limits for the jobs of an account (including the accounts below it), of a QOS or of a partition.
/// Limits apply to running jobs, except those that explicitly include waiting jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Maximum amounts held by all of these jobs together (`GrpTRES`). Jobs that request more are
    /// rejected.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub total: Tres,
    /// Maximum amounts held per user (`MaxTRESPU`). Jobs that request more are rejected.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub per_user: Tres,
    /// Maximum amounts held per account (`MaxTRESPA`). Jobs that request more are rejected.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub per_account: Tres,
    /// Maximum amounts per job (`MaxTRES`). Jobs that request more are rejected.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub per_job: Tres,
    /// Maximum sum of amount * remaining estimate in minutes (`GrpTRESRunMins`), evaluated at each
    /// decision. Jobs that request more are rejected.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub minutes: Tres,
    /// Maximum number of running jobs (`GrpJobs`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u32>,
    /// Maximum number of running jobs per user (`MaxJobs` of an account; for a class use its
    /// `max_running_per_user`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs_per_user: Option<u32>,
    /// Maximum number of running jobs per account (`MaxJobsPA`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs_per_account: Option<u32>,
    /// Maximum number of running and waiting jobs (`GrpSubmitJobs`). Further jobs are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted: Option<u32>,
    /// Maximum number of running and waiting jobs per user (`MaxSubmitJobs`, `MaxSubmitPU`). Further
    /// jobs are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted_per_user: Option<u32>,
}

/// Tasks of a job array (`sbatch --array=1-40%4`), or any other jobs of a log, with a limit on how
/// many of them run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobArray {
    /// Job numbers in the log, as ranges of (first, last).
    pub jobs: Vec<(u64, u64)>,
    /// Maximum number of running jobs of the array.
    pub running: u32,
}

/// Advance reservation: nodes that only some jobs may use for a time (`scontrol show reservation`),
/// namely the nodes with the feature `reservation-NAME`. Jobs that request this feature start on
/// them during the reservation if they end in it by their estimates, and again after its end. All
/// other jobs start on them only if they end before the reservation, or after its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reservation {
    /// Name of the reservation.
    pub name: String,
    /// Begin in seconds of simulated time.
    pub from_s: u64,
    /// End in seconds of simulated time.
    pub until_s: u64,
}

impl Reservation {
    /// Returns the feature that its nodes have and its jobs request.
    pub fn feature(&self) -> String {
        format!("reservation-{}", self.name)
    }

    /// Returns the intervals in which the nodes are blocked for the reservation's own jobs
    /// (`to_its_own`) or for all other jobs, as (begin, end) in microseconds.
    pub fn blocked_intervals(&self, to_its_own: bool) -> Vec<(u64, u64)> {
        let [from, until] = [self.from_s, self.until_s].map(|seconds| seconds.saturating_mul(1_000_000));
        // The block of the last microsecond makes its own jobs end before the reservation does, or
        // begin after it.
        if to_its_own { vec![(0, from), (until - 1, until)] } else { vec![(from, until)] }
    }
}

/// Account in the tree of accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// Name of the account.
    pub name: String,
    /// Parent account; the root if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Shares, relative to those of its siblings.
    #[serde(default = "one")]
    pub shares: u32,
    /// Groups of the log whose jobs are charged to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<u32>,
    /// Users of the log whose jobs are charged to it, whatever their group. If the account is itself
    /// a user, only the jobs charged to its parent account.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<u32>,
    /// True if it is a user of its parent account, with or without jobs. This includes Slurm's own
    /// user `root`, which has no parent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_user: bool,
    /// Limits of its jobs and of those of the accounts below it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: Limits,
}

impl Account {
    /// Creates a user of an account without known jobs.
    pub fn user(name: &str, parent: Option<&str>, shares: u32) -> Account {
        let (name, parent) = (name.to_owned(), parent.map(str::to_owned));
        let (groups, users, limits) = Default::default();
        Account { name, parent, shares, groups, users, is_user: true, limits }
    }

    /// Returns whether all jobs of the user are charged to the account.
    pub fn pays_for(&self, user: u32) -> bool {
        !self.is_user && self.users.contains(&user)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_one(number: &u32) -> bool {
    *number == 1
}

fn one() -> u32 {
    1
}

named! {
    /// Account of jobs that are not assigned to any listed account. Such accounts are below the
    /// root, have one share, and exist from the first submission of one of their jobs on.
    #[derive(Default, JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    pub enum Unlisted as "rule for unlisted accounts" {
        /// One account per group of the log, and one for jobs without a group.
        #[default]
        Group = "group",
        /// One account per user, and one for jobs without a user.
        User = "user",
        /// One account for all of these jobs.
        Together = "together",
    }
}

/// Algorithm for the fair-share factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FairShare {
    /// Classic factor of the account: 2^(-effective usage / share).
    #[default]
    Classic,
    /// Classic factor of the user in the account, as in Slurm with `PriorityFlags=NO_FAIR_TREE`.
    ClassicOfUsers,
    /// Rank of the user among all users, as in Slurm since version 19.05. It orders the accounts
    /// below the root first, then those below each of them
    /// (<https://slurm.schedmd.com/fair_tree.html>). A user without an own entry has a share in each
    /// account to which one of the user's jobs is charged.
    FairTree,
}

/// Quality of service or partition: the jobs that belong to it, and their limits. For each non-empty
/// list, the number of the job must be in the list. Without any list every job matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobClass {
    /// Name of the QOS or partition.
    pub name: String,
    /// Priority of the QOS or partition.
    pub priority: u32,
    /// Tier of a partition (`PriorityTier`): its jobs precede all jobs of partitions of a lower
    /// tier, whatever their priority. At most [`LARGEST_TIER`], by default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<u32>,
    /// Factor of the weights of its jobs in fractional shares. At most [`LARGEST_WEIGHT`], by
    /// default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
    /// Queues of the log (field 15; the QOS of Slurm's accounting).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<u32>,
    /// Partitions of the log (field 16).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<u32>,
    /// Groups of the log (field 13; the account of Slurm's accounting).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<u32>,
    /// Users of the log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<u32>,
    /// Maximum time limit in seconds. Jobs with a longer estimate or without one are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time_s: Option<u64>,
    /// Maximum number of nodes per job. Larger jobs are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_nodes: Option<u32>,
    /// Maximum number of nodes of all its running jobs. Larger jobs are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_nodes: Option<u32>,
    /// Maximum number of its running jobs per user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_running_per_user: Option<u32>,
    /// Limits of its jobs.
    #[serde(skip_serializing_if = "is_default")]
    pub limits: Limits,
    /// Billing weights of a partition, which replace `billing` of the site for its jobs.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub billing: Tres,
    /// Names of the classes of the same kind whose running jobs its waiting jobs may preempt. Jobs
    /// of the first class are preempted first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preempt: Vec<String>,
    /// Mode of preemption of its jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preempt_mode: Option<PreemptMode>,
    /// Run time in seconds since the last start before its jobs may be preempted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preempt_exempt_time_s: Option<u64>,
    /// Grace period in seconds under SLURM: time for which its preempted jobs keep their nodes, if
    /// they do not keep their work (`GraceTime`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_s: Option<u64>,
}

named! {
    /// Handling of a running job that is preempted (`PreemptMode`).
    #[derive(Default, JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    pub enum PreemptMode as "preemption mode" {
        /// The job cannot be preempted.
        Off = "off",
        /// The job is requeued. It restarts from its last checkpoint, if it has any, otherwise from
        /// zero.
        #[default]
        Requeue = "requeue",
        /// The job is cancelled and its work is lost.
        Cancel = "cancel",
        /// The job waits without losing its work, and resumes after the penalty.
        Suspend = "suspend",
    }
}

/// Limits of backfilling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BackfillSettings {
    /// Maximum number of waiting jobs tried, including the queue head; unlimited if absent
    /// (`bf_max_job_test`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_job_test: Option<u32>,
    /// Interval in seconds: jobs are backfilled at multiples of it only; 0 if they are backfilled at
    /// every event (`bf_interval`).
    pub interval_s: u64,
    /// Planning window of conservative backfilling in seconds: jobs that can only start later have
    /// no reservation. 0 if it is unlimited (`bf_window`, which is in minutes in Slurm).
    pub window_s: u64,
    /// Resolution in seconds: backfilling rounds the ends of jobs up to multiples of it; 0 if they
    /// are exact (`bf_resolution`).
    pub resolution_s: u64,
    /// Maximum number of waiting jobs per user in a backfill cycle of SLURM; unlimited if absent
    /// (`bf_max_job_user`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_job_user: Option<u32>,
    /// Maximum number of waiting jobs per partition in a backfill cycle of SLURM; unlimited if
    /// absent (`bf_max_job_part`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_job_part: Option<u32>,
}

/// Cycles and depth of the main scheduler of the policy SLURM. It tries jobs strictly in order,
/// until a job of a partition does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MainSettings {
    /// Minimum time in seconds from one cycle to the next one that an event triggers
    /// (`batch_sched_delay`).
    pub delay_s: u64,
    /// Time in seconds from one cycle over the whole queue to the next (`sched_interval`).
    pub interval_s: u64,
    /// Maximum number of jobs tried in a cycle that an event triggers (`default_queue_depth`).
    pub depth: u32,
    /// Maximum number of jobs tried per partition; unlimited if absent (`partition_job_depth`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth_per_partition: Option<u32>,
}

impl Default for MainSettings {
    /// Returns Slurm's defaults.
    fn default() -> Self {
        MainSettings { delay_s: 3, interval_s: 60, depth: 100, depth_per_partition: None }
    }
}

impl BackfillSettings {
    /// Returns the settings with Slurm's defaults for missing ones: a cycle every 30 s, 500 jobs, a
    /// window of one day, a resolution of one minute.
    #[must_use]
    pub fn as_slurm(self) -> BackfillSettings {
        let or = |value: u64, default: u64| if value == 0 { default } else { value };
        BackfillSettings {
            max_job_test: self.max_job_test.or(Some(500)),
            interval_s: or(self.interval_s, 30),
            window_s: or(self.window_s, 86_400),
            resolution_s: or(self.resolution_s, 60),
            ..self
        }
    }
}

/// Error in the settings of a site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct SettingError {
    /// Path of the field.
    pub place: String,
    /// Reason for the error.
    pub reason: String,
}

/// Returns an error from the function unless the condition holds.
macro_rules! ensure {
    ($holds:expr, $place:expr, $($reason:tt)+) => {
        if !$holds {
            return Err(SettingError { place: $place.to_string(), reason: format!($($reason)+) });
        }
    };
}

/// Largest tier of a partition.
pub const LARGEST_TIER: u32 = 65_535;

/// Largest amount of a limit or of a billing weight.
pub const LARGEST_AMOUNT: u64 = 1_000_000_000_000;

/// Maximum depth of the tree of accounts.
const MOST_LEVELS: usize = 100;

/// Longest time in the settings, in seconds.
pub const LONGEST_SETTING_S: u64 = 16_000_000_000;

/// Largest weight of a class. The weight of a job is at most the square of it.
pub const LARGEST_WEIGHT: u32 = 100;

impl SiteSettings {
    /// Returns Slurm's settings for everything that its files leave out: jobs are charged for their
    /// cores, and usage decays from the time on at which it accrues.
    pub fn slurm_defaults() -> SiteSettings {
        SiteSettings {
            size: SizeFactor::NodesAndCpus,
            billing: Tres::from([("cpu".to_owned(), 1_000)]),
            decay_within_period: true,
            fair_share: FairShare::FairTree,
            accounts: vec![Account::user("root", None, 1)],
            requeue_delay_s: 121,
            ..SiteSettings::default()
        }
    }

    /// Returns the settings with Slurm's defaults for missing settings of backfilling.
    #[must_use]
    pub fn as_slurm(&self) -> SiteSettings {
        SiteSettings { backfill: self.backfill.as_slurm(), ..self.clone() }
    }

    /// Returns whether no job has a priority or a limit.
    pub fn is_plain(&self) -> bool {
        self.weights.age == 0 && self.is_arrival_order()
    }

    /// Returns whether jobs are in the order of submission and without limits: at most their age
    /// counts.
    pub fn is_arrival_order(&self) -> bool {
        PriorityWeights { age: 0, ..self.weights } == PriorityWeights::default()
            && self.backfill == BackfillSettings::default()
            && self.main == MainSettings::default()
            && !self.has_limits()
            && self.requeue_delay_s == 0
            && self.epilog_s == 0
            && self.together.is_empty()
            && self.reservations.is_empty()
            && self.partitions.iter().all(|class| class.tier() == 1)
    }

    /// Returns whether jobs can be blocked, rejected or preempted because of limits or classes.
    pub fn has_limits(&self) -> bool {
        let mut classes = self.qos.iter().chain(&self.partitions);
        self.max_running_per_user.is_some()
            || !self.arrays.is_empty()
            || classes.any(JobClass::has_limits)
            || self.accounts.iter().any(|account| account.limits != Limits::default())
            || self.preempting_classes().is_some()
    }

    /// Returns the qualities of service or the partitions, if jobs of some can preempt those of
    /// others.
    pub fn preempting_classes(&self) -> Option<&[JobClass]> {
        let preempt = |classes: &&[JobClass]| classes.iter().any(|class| !class.preempt.is_empty());
        [&self.qos[..], &self.partitions[..]].into_iter().find(preempt)
    }

    /// Checks ranges, references and duplicates, which types do not cover.
    ///
    /// # Errors
    ///
    /// Returns an error for the first invalid field.
    pub fn check(&self) -> Result<(), SettingError> {
        let BackfillSettings { max_job_test, interval_s, window_s, resolution_s, max_job_user, max_job_part } =
            self.backfill;
        for (place, span, least) in [
            ("max_age_s", self.max_age_s, 1),
            ("half_life_s", self.half_life_s, 0),
            ("calc_period_s", self.calc_period_s, 1),
            ("backfill.interval_s", interval_s, 0),
            ("backfill.window_s", window_s, 0),
            ("backfill.resolution_s", resolution_s, 0),
            ("main.delay_s", self.main.delay_s, 0),
            ("main.interval_s", self.main.interval_s, 1),
            ("preempt_exempt_time_s", self.preempt_exempt_time_s, 0),
            ("requeue_delay_s", self.requeue_delay_s, 0),
            ("epilog_s", self.epilog_s, 0),
        ] {
            let fits = (least..=LONGEST_SETTING_S).contains(&span);
            ensure!(fits, place, "expected {least} to {LONGEST_SETTING_S} seconds");
        }
        check_positive("backfill.max_job_test", max_job_test)?;
        check_positive("backfill.max_job_user", max_job_user)?;
        check_positive("backfill.max_job_part", max_job_part)?;
        check_positive("main.depth", Some(self.main.depth))?;
        check_positive("main.depth_per_partition", self.main.depth_per_partition)?;
        check_positive("max_running_per_user", self.max_running_per_user)?;
        check_positive("fair_share_dampening", Some(self.fair_share_dampening))?;
        check_amounts("billing", &self.billing)?;
        self.check_arrays()?;
        check_unique("reservations", self.reservations.iter().map(|it| it.name.as_str()))?;
        for Reservation { name, from_s, until_s } in &self.reservations {
            let fits = from_s < until_s && *until_s <= LONGEST_SETTING_S;
            let place = format!("reservations.{name}");
            ensure!(
                fits,
                place,
                "expected a begin before the end, and an end of at most {LONGEST_SETTING_S} seconds"
            );
        }
        let mut jobs: Vec<u64> = self.together.concat();
        jobs.sort_unstable();
        for pair in jobs.windows(2) {
            ensure!(pair[0] != pair[1], "together", "job {} is listed twice", pair[0]);
        }
        self.check_accounts()?;
        check_classes("qos", &self.qos)?;
        check_classes("partitions", &self.partitions)?;
        let preempts = |class: &JobClass| !class.preempt.is_empty();
        for class in self.partitions.iter().filter(|class| preempts(class)) {
            let place = format!("partitions.{}.preempt", class.name);
            let is_one_kind = !self.qos.iter().any(preempts);
            ensure!(is_one_kind, place, "both QOS and partitions define preemption; use one of them");
        }
        Ok(())
    }

    fn check_arrays(&self) -> Result<(), SettingError> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for array in &self.arrays {
            check_positive("arrays.running", Some(array.running))?;
            ranges.extend(&array.jobs);
        }
        ranges.sort_unstable();
        let place = "arrays.jobs";
        for (first, last) in &ranges {
            ensure!(
                first <= last,
                place,
                "expected ranges from a first job to a last one, found {first} and {last}"
            );
        }
        for pair in ranges.windows(2) {
            ensure!(pair[0].1 < pair[1].0, place, "job {} is in two ranges", pair[1].0);
        }
        Ok(())
    }

    fn check_accounts(&self) -> Result<(), SettingError> {
        check_unique("accounts", self.accounts.iter().map(|account| account.name.as_str()))?;
        let by_name: BTreeMap<&str, &Account> =
            self.accounts.iter().map(|it| (it.name.as_str(), it)).collect();
        let parent = |of: &Account| by_name.get(of.parent.as_deref()?).copied();
        let (mut groups, mut users) = (BTreeSet::new(), BTreeSet::new());
        // A user may have entries in several accounts.
        let mut users_of = BTreeMap::<Option<&str>, BTreeSet<u32>>::new();
        for account in &self.accounts {
            let place = format!("accounts.{}", account.name);
            account.limits.check(&place)?;
            if let Some(name) = &account.parent {
                ensure!(
                    parent(account).is_some(),
                    place,
                    "unknown parent `{name}`; expected the name of an account"
                );
            }
            ensure!(
                !parent(account).is_some_and(|parent| parent.is_user),
                place,
                "parent is a user; expected an account"
            );
            // A longer path to the root than there are accounts contains a cycle.
            let mut steps = 0;
            let mut at = parent(account);
            while let Some(next) = at {
                steps += 1;
                ensure!(steps <= self.accounts.len(), place, "account is its own ancestor");
                ensure!(steps <= MOST_LEVELS, place, "nested below more than {MOST_LEVELS} accounts");
                at = parent(next);
            }
            let below = users_of.entry(account.parent.as_deref()).or_default();
            let users = if account.is_user { below } else { &mut users };
            for (what, of, seen) in [("group", &account.groups, &mut groups), ("user", &account.users, users)]
            {
                for &number in of {
                    ensure!(seen.insert(number), place, "{what} {number} is assigned to an account twice");
                }
            }
        }
        Ok(())
    }
}

impl Limits {
    fn check(&self, place: &str) -> Result<(), SettingError> {
        let Limits { total, per_user, per_account, per_job, minutes, .. } = self;
        let all = [("total", total), ("per_user", per_user), ("per_account", per_account)];
        let all = all.into_iter().chain([("per_job", per_job), ("minutes", minutes)]);
        all.into_iter()
            .try_for_each(|(name, amounts)| check_amounts(&format!("{place}.limits.{name}"), amounts))
    }
}

impl JobClass {
    /// Returns whether a job of this user and origin belongs to the class.
    pub fn matches(&self, user: Option<u32>, origin: Origin) -> bool {
        [
            (&self.queues, origin.queue()),
            (&self.partitions, origin.partition()),
            (&self.groups, origin.group()),
            (&self.users, user),
        ]
        .into_iter()
        .all(|(list, number)| list.is_empty() || number.is_some_and(|number| list.contains(&number)))
    }

    /// Returns the tier of a partition, by default 1.
    pub fn tier(&self) -> u32 {
        self.tier.unwrap_or(1)
    }

    fn has_limits(&self) -> bool {
        self.max_time_s.is_some()
            || self.max_nodes.is_some()
            || self.total_nodes.is_some()
            || self.max_running_per_user.is_some()
            || self.limits != Limits::default()
    }
}

fn check_positive(place: &str, limit: Option<u32>) -> Result<(), SettingError> {
    ensure!(limit != Some(0), place, "expected at least 1");
    Ok(())
}

fn check_amounts(place: &str, amounts: &Tres) -> Result<(), SettingError> {
    for (name, &amount) in amounts {
        ensure!(amount <= LARGEST_AMOUNT, format!("{place}.{name}"), "expected at most {LARGEST_AMOUNT}");
    }
    Ok(())
}

fn check_unique<'a>(place: &str, names: impl Iterator<Item = &'a str>) -> Result<(), SettingError> {
    let mut seen = BTreeSet::new();
    for name in names {
        ensure!(!name.is_empty(), place, "expected a name in each entry");
        ensure!(seen.insert(name), place, "duplicate name `{name}`");
    }
    Ok(())
}

fn check_classes(kind: &str, classes: &[JobClass]) -> Result<(), SettingError> {
    check_unique(kind, classes.iter().map(|class| class.name.as_str()))?;
    for class in classes {
        let place = format!("{kind}.{}", class.name);
        class.limits.check(&place)?;
        let field = |name: &str| format!("{place}.{name}");
        let is_partition = kind == "partitions";
        check_amounts(&field("billing"), &class.billing)?;
        ensure!(
            is_partition || class.billing.is_empty(),
            field("billing"),
            "billing weights are for partitions only"
        );
        check_positive(&field("max_nodes"), class.max_nodes)?;
        check_positive(&field("total_nodes"), class.total_nodes)?;
        check_positive(&field("max_running_per_user"), class.max_running_per_user)?;
        let tiers = class.tier.is_none_or(|tier| is_partition && tier <= LARGEST_TIER);
        ensure!(tiers, field("tier"), "expected 0 to {LARGEST_TIER}, of a partition");
        let weighs = class.weight.is_none_or(|weight| (1..=LARGEST_WEIGHT).contains(&weight));
        ensure!(weighs, field("weight"), "expected 1 to {LARGEST_WEIGHT}");
        for (name, span) in [
            ("max_time_s", class.max_time_s),
            ("preempt_exempt_time_s", class.preempt_exempt_time_s),
            ("grace_s", class.grace_s),
        ] {
            let fits = span.is_none_or(|span| span <= LONGEST_SETTING_S);
            ensure!(fits, field(name), "expected at most {LONGEST_SETTING_S} seconds");
        }
    }
    check_preempt(kind, classes)
}

/// Checks that the lists name existing classes, and that no class preempts itself, directly or
/// through others.
fn check_preempt(place: &str, classes: &[JobClass]) -> Result<(), SettingError> {
    let of = |name: &String| classes.iter().find(|class| class.name == *name);
    for class in classes {
        let place = format!("{place}.{}.preempt", class.name);
        let (mut reached, mut at) = (class.preempt.iter().collect::<Vec<_>>(), 0);
        while let Some(&name) = reached.get(at) {
            ensure!(of(name).is_some(), place, "unknown name `{name}`");
            ensure!(*name != class.name, place, "class preempts itself, directly or through others");
            for name in of(name).into_iter().flat_map(|next| &next.preempt) {
                if !reached.contains(&name) {
                    reached.push(name);
                }
            }
            at += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(name: &str, parent: Option<&str>) -> Account {
        let parent = parent.map(str::to_owned);
        let (groups, users, limits) = Default::default();
        Account { name: name.to_owned(), parent, shares: 1, groups, users, is_user: false, limits }
    }

    #[test]
    fn defaults_are_plain_and_right() {
        let mut settings = SiteSettings::default();
        assert!(settings.is_plain());
        settings.check().unwrap();
        settings.qos.push(JobClass { name: "low".to_owned(), total_nodes: Some(1), ..JobClass::default() });
        assert!(!settings.is_plain());
    }

    #[test]
    fn wrong_settings_are_named() {
        let fault = |change: &dyn Fn(&mut SiteSettings)| {
            let mut settings = SiteSettings::default();
            change(&mut settings);
            settings.check().unwrap_err().to_string()
        };
        let accounts = |accounts: &[Account]| fault(&|it| it.accounts = accounts.to_vec());
        assert_eq!(fault(&|it| it.calc_period_s = 0), "calc_period_s: expected 1 to 16000000000 seconds");
        assert_eq!(
            fault(&|it| it.backfill.max_job_test = Some(0)),
            "backfill.max_job_test: expected at least 1"
        );
        assert_eq!(accounts(&[account("a", Some("b"))]), "accounts.a: its parent `b` does not exist");
        assert_eq!(
            accounts(&[account("a", Some("b")), account("b", Some("a"))]),
            "accounts.a: it is above itself"
        );
        assert_eq!(
            accounts(&[account("a", None), account("a", None)]),
            "accounts: there are two of the name `a`"
        );
        let of_group = |name| Account { groups: vec![3], ..account(name, None) };
        assert_eq!(accounts(&[of_group("a"), of_group("b")]), "accounts.b: group 3 has an account already");
        assert_eq!(fault(&|it| it.qos.push(JobClass::default())), "qos: each needs a name");
        let class = JobClass { name: "p".to_owned(), max_nodes: Some(0), ..JobClass::default() };
        assert_eq!(
            fault(&|it| it.partitions.push(class.clone())),
            "partitions.p.max_nodes: expected at least 1"
        );
        let arrays = |jobs: &[(u64, u64)], running| {
            fault(&|it| {
                it.arrays = jobs.iter().map(|&range| JobArray { jobs: vec![range], running }).collect();
            })
        };
        assert_eq!(arrays(&[(1, 4)], 0), "arrays.running: expected at least 1");
        assert_eq!(arrays(&[(4, 9), (1, 4)], 1), "arrays.jobs: the job 4 is in two ranges");
        assert_eq!(
            arrays(&[(5, 4)], 1),
            "arrays.jobs: expected the first job before the last one, found 5 and 4"
        );
        for weight in [0, 101] {
            let class = JobClass { name: "p".to_owned(), weight: Some(weight), ..JobClass::default() };
            assert_eq!(fault(&|it| it.qos.push(class.clone())), "qos.p.weight: expected 1 to 100");
        }
        let reserve = |it: &mut SiteSettings| {
            it.reservations = vec![Reservation { name: "r".to_owned(), from_s: 9, until_s: 9 }];
        };
        let end = "expected an end behind its begin, at most at 16000000000 seconds";
        assert_eq!(fault(&reserve), format!("reservations.r: {end}"));
        let together = |it: &mut SiteSettings| it.together = vec![vec![1, 2], vec![3, 2]];
        assert_eq!(fault(&together), "together: the job 2 is there twice");
        let preempting = |name: &str, preempt: &[&str]| JobClass {
            name: name.to_owned(),
            preempt: preempt.iter().map(|&name| name.to_owned()).collect(),
            ..JobClass::default()
        };
        let qos = |qos: &[JobClass]| fault(&|it| it.qos = qos.to_vec());
        assert_eq!(qos(&[preempting("a", &["b"])]), "qos.a.preempt: there is no `b`");
        assert_eq!(qos(&[preempting("a", &["a"])]), "qos.a.preempt: it preempts itself");
        assert_eq!(
            qos(&[preempting("a", &["b"]), preempting("b", &["c"]), preempting("c", &["a"])]),
            "qos.a.preempt: it preempts itself"
        );
        let both = [preempting("a", &["b"]), preempting("b", &[])];
        assert_eq!(
            fault(&|it| (it.qos, it.partitions) = (both.to_vec(), both.to_vec())),
            "partitions.a.preempt: qualities of service preempt already; expected one kind"
        );
        assert_eq!(
            fault(&|it| it.preempt_exempt_time_s = u64::MAX),
            "preempt_exempt_time_s: expected 0 to 16000000000 seconds"
        );
    }

    /// Settings of files of earlier versions keep their text.
    #[test]
    fn preemption_is_written_where_there_is_some() {
        let mut settings = SiteSettings::default();
        settings.qos.push(JobClass { name: "low".to_owned(), ..JobClass::default() });
        assert!(!serde_json::to_string(&settings).unwrap().contains("preempt"));
        settings.qos[0].preempt_mode = Some(PreemptMode::Suspend);
        assert!(serde_json::to_string(&settings).unwrap().contains(r#""preempt_mode":"suspend""#));
    }
}
