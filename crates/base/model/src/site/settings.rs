//! All settings of a site.

use super::accounts::check_accounts;
use super::check::{check, check_ranges};
use super::class_check::{check_classes, check_kind_of_preemption};
use super::declare::{Values, count, names, positive, seconds, settings};
use super::limits::{check_arrays, check_licences, check_together, check_tres_weights};
use super::reservation::check_reservations;
use super::{
    Account, BackfillSettings, FairShare, JobArray, JobClass, Licence, Limits, MainSettings, PreemptMode,
    PriorityWeights, Reservation, SettingError, SizeFactor, Tres, Unlisted, VictimOrder,
};
use crate::numbers::is_default;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Settings of a site whose accounts and classes have the numbers of a log.
pub type SiteSettings = SiteSettingsOf<Account, JobClass>;

settings! {
    /// Settings of a site: priorities, limits, preemption and backfilling.
    #[schemars(rename = "Priorities", bound = "A: JsonSchema + Serialize, C: JsonSchema + Serialize")]
    pub struct SiteSettingsOf<A, C> {
        /// Weights of the factors, which are from 0 to 1: `{ age, size, fair_share, qos, partition }`.
        /// A missing weight is 0. The priority of a job is the sum of the products.
        pub weights: PriorityWeights = PriorityWeights::default(), Values::Any("a table of weights");
        /// Weights of a job's requested fractions of the resources of its partition, by name, as in
        /// `{ cpu = 1000, gpu = 2000 }` (`PriorityWeightTRES`). They add to the priority.
        #[serde(skip_serializing_if = "is_default")]
        pub tres_weights: Tres = Tres::new(), Values::Amounts;
        /// Wait at which the age factor reaches 1, in seconds.
        pub max_age_s: u64 = 7 * DAY_S, seconds(1), slurm Time ["PriorityMaxAge"];
        /// True if smaller jobs have the larger size factor.
        pub favor_small: bool = false, Values::Flag, slurm Switch ["PriorityFavorSmall"];
        /// Measure of a job's size: `tasks`, relative to the nodes of the cluster, or
        /// `nodes_and_cpus`, the mean of that and its cores, as in Slurm.
        #[serde(skip_serializing_if = "is_default")]
        pub size: SizeFactor = SizeFactor::default(), names!(SizeFactor);
        /// Charge to a job's account for each allocated unit of `node`, `cpu`, `mem` or a resource
        /// of the platform, in thousandths, as in `{ cpu = 1000, gpu = 4000 }`
        /// (`TRESBillingWeights`). If empty, the number of tasks is charged.
        #[serde(skip_serializing_if = "is_default")]
        pub billing: Tres = Tres::new(), Values::Amounts;
        /// True if usage decays from the time it accrues, as in Slurm. Otherwise it decays from the
        /// next multiple of the calculation period.
        #[serde(skip_serializing_if = "is_default")]
        pub decay_within_period: bool = false, Values::Flag;
        /// Half-life of past usage, in seconds; 0 if usage does not decay.
        pub half_life_s: u64 = 7 * DAY_S, seconds(0), slurm Time ["PriorityDecayHalfLife"];
        /// Period at which usage and priorities are computed, in seconds.
        pub calc_period_s: u64 = 300, seconds(1), slurm Time ["PriorityCalcPeriod"];
        /// Accounts: `{ name, parent, shares, groups, users }`. A job belongs to the account that
        /// lists its user, otherwise to the one that lists its group. With `is_user`, the entry is a
        /// user of its parent account, who holds shares there with or without jobs. These lists, and
        /// those of qualities of service and partitions, have numbers of the log, or names if the
        /// log has them (listings of Slurm, PBS).
        pub accounts: Vec<A> = Vec::new(), Values::Any("a list of accounts");
        /// Accounts of all other jobs, with one share each: one for each `group`, one for each
        /// `user`, or one for all `together`.
        pub unlisted: Unlisted = Unlisted::default(), names!(Unlisted);
        /// Formula of the fair-share factor: `classic`, 2^(-usage / share) of the account;
        /// `classic_of_users`, the classic formula for the user in the account; or Slurm's
        /// `fair_tree`, the rank of the user among all users.
        #[serde(skip_serializing_if = "is_default")]
        pub fair_share: FairShare = FairShare::default(), names!(FairShare);
        /// Divisor of the exponent of the classic fair share.
        #[serde(skip_serializing_if = "is_one")]
        pub fair_share_dampening: u32 = 1, positive("a factor"), slurm AtLeastOne ["FairShareDampeningFactor"];
        /// Qualities of service: `{ name, priority, weight, queues, partitions, groups, users,
        /// max_time_s, max_nodes, total_nodes, max_running_per_user, preempt, preempt_mode,
        /// preempt_exempt_time_s, grace_s }`. A job has the first one whose lists all match it.
        pub qos: Vec<C> = Vec::new(), Values::Any("a list of qualities of service");
        /// Partitions, with the fields of qualities of service and `tier`: jobs of a higher tier
        /// precede all others.
        pub partitions: Vec<C> = Vec::new(), Values::Any("a list of partitions");
        /// True if a limit of a job's partition replaces the equal one of its QOS, and a limit of
        /// either the equal one of its accounts, as in Slurm. Otherwise all of them apply.
        #[serde(skip_serializing_if = "is_default")]
        pub limits_replace: bool = false, Values::Flag;
        /// Maximum number of running jobs per user.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_running_per_user: Option<u32> = None, positive("a number of jobs");
        /// Job arrays with a limit on running jobs: `{ jobs, running }`, with ranges of numbers of
        /// the log, as in `jobs = [[12, 40]]`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub arrays: Vec<JobArray> = Vec::new(), Values::Any("a list of job arrays");
        /// Licences of which running jobs hold some: `{ name, total, jobs }`, with pairs of a job
        /// number of the log and the number of its licences, as in `jobs = [[12, 1], [13, 2]]`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub licences: Vec<Licence> = Vec::new(), Values::Any("a list of licences");
        /// Jobs that start together under SLURM, as the components of heterogeneous jobs do: lists
        /// of numbers of the log.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub together: Vec<Vec<u64>> = Vec::new(), Values::Any("a list of lists of jobs");
        /// Reservations of nodes for some jobs: `{ name, from_s, until_s }`. The nodes are those
        /// with the feature `reservation-NAME`, and the jobs are those that request it.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub reservations: Vec<Reservation> = Vec::new(), Values::Any("a list of reservations");
        /// Limits of backfilling: `{ max_job_test, interval_s, window_s, resolution_s }`, and with
        /// SLURM `max_job_user` and `max_job_part`.
        pub backfill: BackfillSettings = BackfillSettings::default(), Values::Any("a table of limits");
        /// Times and depth of SLURM's main scheduling cycles: `{ delay_s, interval_s, depth,
        /// depth_per_partition }`.
        #[serde(skip_serializing_if = "is_default")]
        pub main: MainSettings = MainSettings::default(), Values::Any("a table of limits");
        /// Default preemption mode of classes that appear in the `preempt` list of another one:
        /// preempted jobs `requeue`, `cancel` or `suspend`, or are not preempted (`off`).
        #[serde(skip_serializing_if = "is_default")]
        pub preempt_mode: PreemptMode = PreemptMode::default(), names!(PreemptMode);
        /// Order in which jobs of a class are preempted: the `youngest` first, the `smallest` first as
        /// in Slurm, or `slurm_youngest`, Slurm's `preempt_youngest_first`.
        #[serde(skip_serializing_if = "is_default")]
        pub victims: VictimOrder = VictimOrder::default(), names!(VictimOrder);
        /// Number of further passes in which Slurm reorders the jobs to preempt, so that it preempts
        /// fewer of them.
        #[serde(skip_serializing_if = "is_one")]
        pub preempt_reorders: u32 = 1, count("a number of passes", 0, 1_000), slurm Number ["SchedulerParameters=preempt_reorder_count"];
        /// True if a further pass moves only the last job that was needed to the front
        /// (`preempt_strict_order`).
        #[serde(skip_serializing_if = "is_default")]
        pub preempt_strict_order: bool = false, Values::Flag;
        /// Default time for which jobs are exempt from preemption, in seconds since their last
        /// start.
        #[serde(skip_serializing_if = "is_default")]
        pub preempt_exempt_time_s: u64 = 0, seconds(0);
        /// Time that a job waits after a failure or preemption before a batch policy may start it
        /// again, in seconds (`AuthInfo=cred_expire`).
        #[serde(skip_serializing_if = "is_default")]
        pub requeue_delay_s: u64 = 0, seconds(0);
        /// Time for which a job keeps its nodes after its work is done (its epilog), in seconds at
        /// full speed. Estimates and run times do not include it. Dependent jobs wait for its end. A
        /// job that loses its nodes during the epilog has not ended.
        #[serde(skip_serializing_if = "is_default")]
        pub epilog_s: u64 = 0, seconds(0);
    }
}

const DAY_S: u64 = 86_400;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_one(number: &u32) -> bool {
    *number == 1
}

impl<A: Serialize, C: Serialize> SiteSettingsOf<A, C> {
    /// Returns the settings with these accounts and classes, such as those with the numbers of a log
    /// in place of names.
    ///
    /// # Panics
    ///
    /// If the settings cannot be written as JSON.
    #[must_use]
    pub fn with_lists<B, D>(&self, accounts: Vec<B>, qos: Vec<D>, partitions: Vec<D>) -> SiteSettingsOf<B, D>
    where
        SiteSettingsOf<B, D>: DeserializeOwned,
    {
        let others = serde_json::to_value(self).and_then(|mut all| {
            if let Some(fields) = all.as_object_mut() {
                fields.retain(|name, _| !["accounts", "qos", "partitions"].contains(&name.as_str()));
            }
            serde_json::from_value(all)
        });
        let others: SiteSettingsOf<B, D> = others.expect("settings are read as they were written");
        SiteSettingsOf { accounts, qos, partitions, ..others }
    }
}

impl SiteSettings {
    /// Returns the settings that Slurm uses for parameters missing from its files: jobs are charged
    /// for their cores, and usage decays from the time it accrues.
    pub fn slurm_defaults() -> SiteSettings {
        SiteSettings {
            size: SizeFactor::NodesAndCpus,
            billing: Tres::from([("cpu".to_owned(), 1_000)]),
            decay_within_period: true,
            fair_share: FairShare::FairTree,
            limits_replace: true,
            victims: VictimOrder::Smallest,
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

    /// Returns whether the settings give jobs neither priorities nor limits.
    pub fn is_plain(&self) -> bool {
        self.weights.age == 0 && self.is_arrival_order()
    }

    /// Returns whether jobs run in the order of submission and without limits: the only priority
    /// factor is the job's age.
    pub fn is_arrival_order(&self) -> bool {
        PriorityWeights { age: 0, ..self.weights } == PriorityWeights::default()
            && self.backfill == BackfillSettings::default()
            && self.main == MainSettings::default()
            && !self.has_limits()
            && self.requeue_delay_s == 0
            && self.epilog_s == 0
            && self.together.is_empty()
            && self.reservations.is_empty()
            && self.tres_weights.is_empty()
            && self.partitions.iter().all(JobClass::is_ordinary)
    }

    /// Returns whether jobs can be blocked, rejected or preempted because of limits or classes.
    pub fn has_limits(&self) -> bool {
        let mut classes = self.qos.iter().chain(&self.partitions);
        self.max_running_per_user.is_some()
            || !self.arrays.is_empty()
            || !self.licences.is_empty()
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
}

impl SiteSettings {
    /// Checks ranges, references and duplicates, which types do not cover.
    ///
    /// # Errors
    ///
    /// Returns an error for the first invalid field.
    pub fn check(&self) -> Result<(), SettingError> {
        check_ranges(self, "")?;
        check_ranges(&self.backfill, "backfill")?;
        check_ranges(&self.main, "main")?;
        check_arrays(&self.arrays)?;
        check_licences(&self.licences)?;
        check_tres_weights(&self.tres_weights)?;
        check_reservations(&self.reservations)?;
        check_together(&self.together)?;
        check(!self.backfill.off || self.together.is_empty(), "backfill.off", || {
            "jobs that start together are started by backfilling only".to_owned()
        })?;
        check_accounts(&self.accounts)?;
        check_classes("qos", &self.qos)?;
        check_classes("partitions", &self.partitions)?;
        check_kind_of_preemption(&self.qos, &self.partitions)
    }
}
