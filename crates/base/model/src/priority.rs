//! What the priorities and the limits of waiting jobs depend on, as the file of a site says it.
//!
//! The names of most fields are those of Slurm's parameters in other letters: `half_life_s` is `PriorityDecayHalfLife`. This module
//! has the settings only; what they mean is computed by the policies, and once more by the audit.

use crate::numbers::is_default;
use crate::{Origin, named};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Priorities and limits of waiting jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Priorities {
    /// By what the factors, which are between 0 and 1, are multiplied. The priority of a job is the sum.
    pub weights: PriorityWeights,
    /// The wait from which on the factor of the age is 1.
    pub max_age_s: u64,
    /// Whether smaller jobs have the larger factor of the size.
    pub favor_small: bool,
    /// What the size of a job is.
    #[serde(skip_serializing_if = "is_default")]
    pub size: SizeFactor,
    /// What a job uses of its account for each unit that it holds, in thousandths (`TRESBillingWeights`); if it is empty, its tasks count.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub billing: Tres,
    /// Whether usage is forgotten from the moment on at which it comes, as Slurm does it, and not from the next multiple of the period on.
    #[serde(skip_serializing_if = "is_default")]
    pub decay_within_period: bool,
    /// After how long half of the past usage is forgotten; 0 if none ever is.
    pub half_life_s: u64,
    /// From one computation of usage and priorities to the next.
    pub calc_period_s: u64,
    /// Accounts, whose usage is counted.
    pub accounts: Vec<Account>,
    /// The account of jobs that no account names.
    pub unlisted: Unlisted,
    /// How usage becomes the factor of the fair share.
    #[serde(skip_serializing_if = "is_default")]
    pub fair_share: FairShare,
    /// By what the exponent of the classic fair share is divided, at least 1 (`FairShareDampeningFactor`).
    #[serde(skip_serializing_if = "is_one")]
    pub fair_share_dampening: u32,
    /// Qualities of service. A job has the first one that matches it.
    pub qos: Vec<JobClass>,
    /// Partitions. A job has the first one that matches it.
    pub partitions: Vec<JobClass>,
    /// How many jobs of a user may run at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_running_per_user: Option<u32>,
    /// Arrays of jobs of which not all tasks may run at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<JobArray>,
    /// Jobs that start together under SLURM, by their numbers in the log: the components of heterogeneous jobs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<Vec<u64>>,
    /// Nodes that only some jobs may have for a time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reservations: Vec<Reservation>,
    /// How far backfilling goes.
    pub backfill: BackfillSettings,
    /// When the main scheduler of the policy SLURM looks, and how far.
    #[serde(skip_serializing_if = "is_default")]
    pub main: MainSettings,
    /// What happens to jobs that make room for others, if their class does not say it.
    #[serde(skip_serializing_if = "is_default")]
    pub preempt_mode: PreemptMode,
    /// How long jobs run before they may have to make room, in seconds since their last start, if their class does not say it.
    #[serde(skip_serializing_if = "is_default")]
    pub preempt_exempt_time_s: u64,
    /// How long a job that lost its nodes, by a failure or to make room, waits before a batch policy may start it again, in seconds
    /// (`AuthInfo=cred_expire`). Until then it is passed over.
    #[serde(skip_serializing_if = "is_default")]
    pub requeue_delay_s: u64,
    /// How long a job keeps its nodes once its work is done, in seconds at full speed: the epilog that cleans up after it. Estimates and
    /// run times leave it out; what depends on the end of the job waits for it. A job that loses its nodes meanwhile has not ended.
    #[serde(skip_serializing_if = "is_default")]
    pub epilog_s: u64,
}

impl Default for Priorities {
    /// Slurm's defaults: every weight is 0, so that jobs are in the order of submission.
    fn default() -> Self {
        Priorities {
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

/// The weights of the factors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PriorityWeights {
    /// Of the age: the wait / the largest age.
    pub age: u32,
    /// Of the size: that of the job / that of the cluster, or 1 less that.
    pub size: u32,
    /// Of the fair share of the account, or of the user.
    pub fair_share: u32,
    /// Of the quality of service: its priority / the largest one.
    pub qos: u32,
    /// Of the partition: its priority / the largest one.
    pub partition: u32,
}

/// Amounts of what jobs hold, by name, as Slurm's trackable resources (TRES): `node` is the tasks, each of which has a node or shares it;
/// `cpu` the cores, those of a node being one where no platform says more; `mem` the memory, in thousandths of that of a reference node;
/// any other name a resource of the platform, such as `gpu`. Of a task each is rounded up.
pub type Tres = BTreeMap<String, u64>;

/// What the size of a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SizeFactor {
    /// Its tasks, of the nodes of the cluster.
    #[default]
    Tasks,
    /// The mean of that and its cores, of those of the cluster, as Slurm has it.
    NodesAndCpus,
}

/// What the jobs of an account (and of those below it), of a quality of service or of a partition may hold. Jobs that run count, but where
/// it says that waiting ones do too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// What all of them together may hold (`GrpTRES`). Jobs of more are rejected.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub total: Tres,
    /// What those of a user may hold (`MaxTRESPU`). Jobs of more are rejected.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub per_user: Tres,
    /// What those of an account may hold (`MaxTRESPA`). Jobs of more are rejected.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub per_account: Tres,
    /// Jobs of more are rejected (`MaxTRES`).
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub per_job: Tres,
    /// What they may hold times the rest of their estimates, in minutes (`GrpTRESRunMins`), as of each decision. Jobs of more are
    /// rejected.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub minutes: Tres,
    /// How many may run (`GrpJobs`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u32>,
    /// How many of a user may run (`MaxJobs` of an account; that of a class is its `max_running_per_user`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs_per_user: Option<u32>,
    /// How many of an account may run (`MaxJobsPA`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs_per_account: Option<u32>,
    /// How many may run or wait (`GrpSubmitJobs`): more are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted: Option<u32>,
    /// How many of a user may run or wait (`MaxSubmitJobs`, `MaxSubmitPU`): more are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted_per_user: Option<u32>,
}

/// Tasks of an array of jobs (`sbatch --array=1-40%4`), or any jobs of a log, of which only some may run at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobArray {
    /// The numbers of the jobs in the log: the first one and the last one of each range.
    pub jobs: Vec<(u64, u64)>,
    /// How many of them may run.
    pub running: u32,
}

/// Nodes that only some jobs may have for a time (`scontrol show reservation`): those with the feature `reservation-NAME`. Jobs that ask for
/// this feature start there in that time, if they end in it by their estimates, and again once it is over; all others start there only if they end
/// before it, or once it is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reservation {
    /// Its name.
    pub name: String,
    /// When it begins, in seconds of simulated time.
    pub from_s: u64,
    /// When it ends.
    pub until_s: u64,
}

impl Reservation {
    /// The feature of its nodes and jobs.
    pub fn feature(&self) -> String {
        format!("reservation-{}", self.name)
    }

    /// When none of its jobs, or no other one, may be on its nodes, in microseconds.
    pub fn closed(&self, to_its_own: bool) -> Vec<(u64, u64)> {
        let [from, until] = [self.from_s, self.until_s].map(|seconds| seconds.saturating_mul(1_000_000));
        // Its own jobs end before its last microsecond, or begin behind it.
        if to_its_own { vec![(0, from), (until - 1, until)] } else { vec![(from, until)] }
    }
}

/// An account in the tree of accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// Its name.
    pub name: String,
    /// The account above it; the root if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its shares, of those of all accounts below the same one.
    #[serde(default = "one")]
    pub shares: u32,
    /// The groups of the log whose jobs it pays for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<u32>,
    /// The users of the log whose jobs it pays for, of any group; of an account that is a user: of those of the account above it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<u32>,
    /// Whether it is a user of the account above it, with or without jobs: of Slurm's own user `root` too, which has none above it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_user: bool,
    /// What its jobs, and those of the accounts below it, may hold.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: Limits,
}

impl Account {
    /// Makes a user of an account, of whom no job is known.
    pub fn user(name: &str, parent: Option<&str>, shares: u32) -> Account {
        let (name, parent) = (name.to_owned(), parent.map(str::to_owned));
        let (groups, users, limits) = Default::default();
        Account { name, parent, shares, groups, users, is_user: true, limits }
    }

    /// Whether it pays for all jobs of one of its users.
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
    /// The account of jobs that no account names. Such accounts are below the root, have one share, and are there from the first
    /// submission of one of their jobs on.
    #[derive(Default, JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    pub enum Unlisted as "account of other jobs" {
        /// One for each group of the log, and one for jobs of no group.
        #[default]
        Group = "group",
        /// One for each user, and one for jobs of no user.
        User = "user",
        /// One for all.
        Together = "together",
    }
}

/// How usage becomes the factor of the fair share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FairShare {
    /// 2^(-effective usage / share) of the account.
    #[default]
    Classic,
    /// The same of the user in the account, as Slurm has it with `PriorityFlags=NO_FAIR_TREE`.
    ClassicOfUsers,
    /// The rank of the user among all users, as Slurm does since version 19.05: first by the accounts below the root, then by those below each
    /// of them (<https://slurm.schedmd.com/fair_tree.html>). A user whom no account is has a share in each account that pays for a job of theirs.
    FairTree,
}

/// A quality of service, or a partition: which jobs it has, and what they may. Of each list that is not empty, one number must be that
/// of the job; without any list it has every job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobClass {
    /// Its name.
    pub name: String,
    /// Its priority.
    pub priority: u32,
    /// Of a partition: its jobs are before all jobs of partitions of a lower tier, of any priority; 1 if it is missing, at most
    /// [`LARGEST_TIER`] (`PriorityTier`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<u32>,
    /// By what the weights of its jobs in fractional shares are multiplied, 1 if it is missing: at most [`LARGEST_WEIGHT`].
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
    /// Jobs of a longer estimate, or without any, are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time_s: Option<u64>,
    /// Jobs of more nodes are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_nodes: Option<u32>,
    /// How many nodes its jobs may have together. Wider jobs are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_nodes: Option<u32>,
    /// How many of its jobs may run for a user at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_running_per_user: Option<u32>,
    /// What its jobs may hold.
    #[serde(skip_serializing_if = "is_default")]
    pub limits: Limits,
    /// Of a partition: what its jobs use of their accounts for each unit that they hold, in place of `billing` of the site.
    #[serde(skip_serializing_if = "Tres::is_empty")]
    pub billing: Tres,
    /// The names of the classes of the same kind whose running jobs make room for its waiting ones: those of the first name go first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preempt: Vec<String>,
    /// What happens to its jobs when they make room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preempt_mode: Option<PreemptMode>,
    /// How long its jobs run before they may have to make room, in seconds since their last start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preempt_exempt_time_s: Option<u64>,
    /// Under SLURM: how long its jobs keep their nodes once they have to make room, in seconds, if they do not keep what they have done
    /// (`GraceTime`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_s: Option<u64>,
}

named! {
    /// What happens to a running job that makes room for another one (`PreemptMode`).
    #[derive(Default, JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    pub enum PreemptMode as "mode of preemption" {
        /// It makes no room.
        Off = "off",
        /// It waits again, and begins from its last checkpoint if it writes any, otherwise from zero.
        #[default]
        Requeue = "requeue",
        /// It leaves for good, and its work is lost.
        Cancel = "cancel",
        /// It waits with the work that it has done, and goes on after the penalty.
        Suspend = "suspend",
    }
}

/// How far backfilling goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BackfillSettings {
    /// How many waiting jobs are tried, the head of the queue included; all of them if it is missing (`bf_max_job_test`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_job_test: Option<u32>,
    /// Jobs are backfilled at multiples of this time only; 0 if they are whenever something happens (`bf_interval`).
    pub interval_s: u64,
    /// How far conservative backfilling plans: jobs that can only start later have no reservation. 0 if there is no end
    /// (`bf_window`, which Slurm has in minutes).
    pub window_s: u64,
    /// Backfilling takes the ends of jobs for the next multiple of this; 0 if it takes them as they are (`bf_resolution`).
    pub resolution_s: u64,
    /// How many waiting jobs of a user SLURM tries in a pass of backfilling; all of them if it is missing (`bf_max_job_user`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_job_user: Option<u32>,
    /// The same for the jobs of a partition (`bf_max_job_part`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_job_part: Option<u32>,
}

/// When the main scheduler of the policy SLURM looks, and how far: in strict order, until a job of a partition has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MainSettings {
    /// From one pass to the next one that is due to an event, at least (`batch_sched_delay`).
    pub delay_s: u64,
    /// From one pass over the whole queue to the next (`sched_interval`).
    pub interval_s: u64,
    /// How many jobs a pass that is due to an event tries (`default_queue_depth`).
    pub depth: u32,
    /// How many of each partition it tries; all of them if it is missing (`partition_job_depth`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth_per_partition: Option<u32>,
}

impl Default for MainSettings {
    /// Slurm's defaults.
    fn default() -> Self {
        MainSettings { delay_s: 3, interval_s: 60, depth: 100, depth_per_partition: None }
    }
}

impl BackfillSettings {
    /// The settings, and Slurm's own values for what they leave out: a pass each 30 s, over 500 jobs, a day ahead, in steps of a minute.
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

/// Why settings are of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct PriorityError {
    /// The field.
    pub place: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Gives the error unless the condition holds.
macro_rules! ensure {
    ($holds:expr, $place:expr, $($reason:tt)+) => {
        if !$holds {
            return Err(PriorityError { place: $place.to_string(), reason: format!($($reason)+) });
        }
    };
}

/// The largest tier of a partition.
pub const LARGEST_TIER: u32 = 65_535;

/// The largest amount of a limit, or of a weight of what jobs hold.
pub const LARGEST_AMOUNT: u64 = 1_000_000_000_000;

/// How many accounts may be above each other.
const MOST_LEVELS: usize = 100;

/// The longest time in settings, in seconds.
pub const LONGEST_SETTING_S: u64 = 16_000_000_000;

/// The largest weight of a class. That of a job is at most its square.
pub const LARGEST_WEIGHT: u32 = 100;

impl Priorities {
    /// Slurm's settings for what its files leave out: jobs pay for their cores, and their usage is forgotten from the moment on at which it comes.
    pub fn slurm() -> Priorities {
        Priorities {
            size: SizeFactor::NodesAndCpus,
            billing: Tres::from([("cpu".to_owned(), 1_000)]),
            decay_within_period: true,
            fair_share: FairShare::FairTree,
            accounts: vec![Account::user("root", None, 1)],
            requeue_delay_s: 121,
            ..Priorities::default()
        }
    }

    /// The settings, and Slurm's own values for what they leave out of backfilling.
    #[must_use]
    pub fn as_slurm(&self) -> Priorities {
        Priorities { backfill: self.backfill.as_slurm(), ..self.clone() }
    }

    /// Whether no job has a priority or a limit.
    pub fn are_plain(&self) -> bool {
        self.weights.age == 0 && self.order_by_arrival()
    }

    /// Whether jobs are in the order of submission, without any limit: at most their age counts.
    pub fn order_by_arrival(&self) -> bool {
        PriorityWeights { age: 0, ..self.weights } == PriorityWeights::default()
            && self.backfill == BackfillSettings::default()
            && self.main == MainSettings::default()
            && !self.have_limits()
            && self.requeue_delay_s == 0
            && self.epilog_s == 0
            && self.together.is_empty()
            && self.reservations.is_empty()
            && self.partitions.iter().all(|class| class.tier() == 1)
    }

    /// Whether jobs are held back, rejected or preempted: by a user's number of running jobs, or by a class.
    pub fn have_limits(&self) -> bool {
        let mut classes = self.qos.iter().chain(&self.partitions);
        self.max_running_per_user.is_some()
            || !self.arrays.is_empty()
            || classes.any(JobClass::has_limits)
            || self.accounts.iter().any(|account| account.limits != Limits::default())
            || self.preempting().is_some()
    }

    /// The qualities of service, or the partitions, if jobs of some preempt those of others.
    pub fn preempting(&self) -> Option<&[JobClass]> {
        let preempt = |classes: &&[JobClass]| classes.iter().any(|class| !class.preempt.is_empty());
        [&self.qos[..], &self.partitions[..]].into_iter().find(preempt)
    }

    /// Checks what types do not.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn check(&self) -> Result<(), PriorityError> {
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
        at_least_one("backfill.max_job_test", max_job_test)?;
        at_least_one("backfill.max_job_user", max_job_user)?;
        at_least_one("backfill.max_job_part", max_job_part)?;
        at_least_one("main.depth", Some(self.main.depth))?;
        at_least_one("main.depth_per_partition", self.main.depth_per_partition)?;
        at_least_one("max_running_per_user", self.max_running_per_user)?;
        at_least_one("fair_share_dampening", Some(self.fair_share_dampening))?;
        check_amounts("billing", &self.billing)?;
        self.check_arrays()?;
        unique("reservations", self.reservations.iter().map(|it| it.name.as_str()))?;
        for Reservation { name, from_s, until_s } in &self.reservations {
            let fits = from_s < until_s && *until_s <= LONGEST_SETTING_S;
            let place = format!("reservations.{name}");
            ensure!(fits, place, "expected an end behind its begin, at most at {LONGEST_SETTING_S} seconds");
        }
        let mut jobs: Vec<u64> = self.together.concat();
        jobs.sort_unstable();
        for pair in jobs.windows(2) {
            ensure!(pair[0] != pair[1], "together", "the job {} is there twice", pair[0]);
        }
        self.check_accounts()?;
        check_classes("qos", &self.qos)?;
        check_classes("partitions", &self.partitions)?;
        let preempts = |class: &JobClass| !class.preempt.is_empty();
        for class in self.partitions.iter().filter(|class| preempts(class)) {
            let place = format!("partitions.{}.preempt", class.name);
            let is_one_kind = !self.qos.iter().any(preempts);
            ensure!(is_one_kind, place, "qualities of service preempt already; expected one kind");
        }
        Ok(())
    }

    fn check_arrays(&self) -> Result<(), PriorityError> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for array in &self.arrays {
            at_least_one("arrays.running", Some(array.running))?;
            ranges.extend(&array.jobs);
        }
        ranges.sort_unstable();
        let place = "arrays.jobs";
        for (first, last) in &ranges {
            ensure!(
                first <= last,
                place,
                "expected the first job before the last one, found {first} and {last}"
            );
        }
        for pair in ranges.windows(2) {
            ensure!(pair[0].1 < pair[1].0, place, "the job {} is in two ranges", pair[1].0);
        }
        Ok(())
    }

    fn check_accounts(&self) -> Result<(), PriorityError> {
        unique("accounts", self.accounts.iter().map(|account| account.name.as_str()))?;
        let by_name: BTreeMap<&str, &Account> =
            self.accounts.iter().map(|it| (it.name.as_str(), it)).collect();
        let parent = |of: &Account| by_name.get(of.parent.as_deref()?).copied();
        let (mut groups, mut users) = (BTreeSet::new(), BTreeSet::new());
        // A user may be one in several accounts.
        let mut users_of = BTreeMap::<Option<&str>, BTreeSet<u32>>::new();
        for account in &self.accounts {
            let place = format!("accounts.{}", account.name);
            account.limits.check(&place)?;
            if let Some(name) = &account.parent {
                ensure!(parent(account).is_some(), place, "its parent `{name}` does not exist");
            }
            ensure!(!parent(account).is_some_and(|parent| parent.is_user), place, "it is below a user");
            // A path to the root is no longer than there are accounts.
            let mut steps = 0;
            let mut at = parent(account);
            while let Some(next) = at {
                steps += 1;
                ensure!(steps <= self.accounts.len(), place, "it is above itself");
                ensure!(steps <= MOST_LEVELS, place, "more than {MOST_LEVELS} accounts are above it");
                at = parent(next);
            }
            let below = users_of.entry(account.parent.as_deref()).or_default();
            let users = if account.is_user { below } else { &mut users };
            for (what, of, seen) in [("group", &account.groups, &mut groups), ("user", &account.users, users)]
            {
                for &number in of {
                    ensure!(seen.insert(number), place, "{what} {number} has an account already");
                }
            }
        }
        Ok(())
    }
}

impl Limits {
    fn check(&self, place: &str) -> Result<(), PriorityError> {
        let Limits { total, per_user, per_account, per_job, minutes, .. } = self;
        let all = [("total", total), ("per_user", per_user), ("per_account", per_account)];
        let all = all.into_iter().chain([("per_job", per_job), ("minutes", minutes)]);
        all.into_iter()
            .try_for_each(|(name, amounts)| check_amounts(&format!("{place}.limits.{name}"), amounts))
    }
}

impl JobClass {
    /// Whether the class has the jobs of this user and origin.
    pub fn has(&self, user: Option<u32>, origin: Origin) -> bool {
        [
            (&self.queues, origin.queue()),
            (&self.partitions, origin.partition()),
            (&self.groups, origin.group()),
            (&self.users, user),
        ]
        .into_iter()
        .all(|(list, number)| list.is_empty() || number.is_some_and(|number| list.contains(&number)))
    }

    /// The tier of a partition.
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

fn at_least_one(place: &str, limit: Option<u32>) -> Result<(), PriorityError> {
    ensure!(limit != Some(0), place, "expected at least 1");
    Ok(())
}

fn check_amounts(place: &str, amounts: &Tres) -> Result<(), PriorityError> {
    for (name, &amount) in amounts {
        ensure!(amount <= LARGEST_AMOUNT, format!("{place}.{name}"), "expected at most {LARGEST_AMOUNT}");
    }
    Ok(())
}

fn unique<'a>(place: &str, names: impl Iterator<Item = &'a str>) -> Result<(), PriorityError> {
    let mut seen = BTreeSet::new();
    for name in names {
        ensure!(!name.is_empty(), place, "each needs a name");
        ensure!(seen.insert(name), place, "there are two of the name `{name}`");
    }
    Ok(())
}

fn check_classes(kind: &str, classes: &[JobClass]) -> Result<(), PriorityError> {
    unique(kind, classes.iter().map(|class| class.name.as_str()))?;
    for class in classes {
        let place = format!("{kind}.{}", class.name);
        class.limits.check(&place)?;
        let field = |name: &str| format!("{place}.{name}");
        let is_partition = kind == "partitions";
        check_amounts(&field("billing"), &class.billing)?;
        ensure!(is_partition || class.billing.is_empty(), field("billing"), "expected of a partition");
        at_least_one(&field("max_nodes"), class.max_nodes)?;
        at_least_one(&field("total_nodes"), class.total_nodes)?;
        at_least_one(&field("max_running_per_user"), class.max_running_per_user)?;
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

/// The lists name classes, and no class preempts itself, not even by way of others.
fn check_preempt(place: &str, classes: &[JobClass]) -> Result<(), PriorityError> {
    let of = |name: &String| classes.iter().find(|class| class.name == *name);
    for class in classes {
        let place = format!("{place}.{}.preempt", class.name);
        let (mut reached, mut at) = (class.preempt.iter().collect::<Vec<_>>(), 0);
        while let Some(&name) = reached.get(at) {
            ensure!(of(name).is_some(), place, "there is no `{name}`");
            ensure!(*name != class.name, place, "it preempts itself");
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
        let mut settings = Priorities::default();
        assert!(settings.are_plain());
        settings.check().unwrap();
        settings.qos.push(JobClass { name: "low".to_owned(), total_nodes: Some(1), ..JobClass::default() });
        assert!(!settings.are_plain());
    }

    #[test]
    fn wrong_settings_are_named() {
        let fault = |change: &dyn Fn(&mut Priorities)| {
            let mut settings = Priorities::default();
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
        let reserve = |it: &mut Priorities| {
            it.reservations = vec![Reservation { name: "r".to_owned(), from_s: 9, until_s: 9 }];
        };
        let end = "expected an end behind its begin, at most at 16000000000 seconds";
        assert_eq!(fault(&reserve), format!("reservations.r: {end}"));
        let together = |it: &mut Priorities| it.together = vec![vec![1, 2], vec![3, 2]];
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

    /// Settings of files that were written before have the same text.
    #[test]
    fn preemption_is_written_where_there_is_some() {
        let mut settings = Priorities::default();
        settings.qos.push(JobClass { name: "low".to_owned(), ..JobClass::default() });
        assert!(!serde_json::to_string(&settings).unwrap().contains("preempt"));
        settings.qos[0].preempt_mode = Some(PreemptMode::Suspend);
        assert!(serde_json::to_string(&settings).unwrap().contains(r#""preempt_mode":"suspend""#));
    }
}
