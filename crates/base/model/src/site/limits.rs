//! Limits on the jobs of accounts, classes and arrays.

use super::SettingError;
use super::check::{check, check_positive, check_unique};
use super::declare::{Values, count, settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Amounts of Slurm's trackable resources (TRES) that jobs hold, by name.
///
/// * `node`: tasks, each of which has a node or shares one.
/// * `cpu`: cores; a node has one core if no platform specifies more.
/// * `mem`: memory in thousandths of that of a reference node.
/// * any other name: a resource of the platform, such as `gpu`.
///
/// The amounts of each task are rounded up.
pub type Tres = BTreeMap<String, u64>;

const JOBS: Values = count("a number of jobs", 0, u32::MAX);

settings! {
    /// Limits for the jobs of an account (including the accounts below it), of a QOS or of a
    /// partition. Limits apply to running jobs, except those that explicitly include waiting jobs.
    pub struct Limits {
        /// Maximum amounts held by all of these jobs together (`GrpTRES`). Jobs that request more
        /// are rejected.
        #[serde(skip_serializing_if = "Tres::is_empty")]
        pub total: Tres = Tres::new(), Values::Amounts;
        /// Maximum amounts held per user (`MaxTRESPU`). Jobs that request more are rejected.
        #[serde(skip_serializing_if = "Tres::is_empty")]
        pub per_user: Tres = Tres::new(), Values::Amounts;
        /// Maximum amounts held per account (`MaxTRESPA`). Jobs that request more are rejected.
        #[serde(skip_serializing_if = "Tres::is_empty")]
        pub per_account: Tres = Tres::new(), Values::Amounts;
        /// Maximum amounts per job (`MaxTRES`). Jobs that request more are rejected.
        #[serde(skip_serializing_if = "Tres::is_empty")]
        pub per_job: Tres = Tres::new(), Values::Amounts;
        /// Maximum sum of amount * remaining estimate in minutes (`GrpTRESRunMins`), evaluated at
        /// each decision. Jobs that request more are rejected.
        #[serde(skip_serializing_if = "Tres::is_empty")]
        pub minutes: Tres = Tres::new(), Values::Amounts;
        /// Maximum number of running jobs (`GrpJobs`).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub jobs: Option<u32> = None, JOBS;
        /// Maximum number of running jobs per user (`MaxJobs` of an account; for a class use its
        /// `max_running_per_user`).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub jobs_per_user: Option<u32> = None, JOBS;
        /// Maximum number of running jobs per account (`MaxJobsPA`).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub jobs_per_account: Option<u32> = None, JOBS;
        /// Maximum number of running and waiting jobs (`GrpSubmitJobs`). Further jobs are rejected.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub submitted: Option<u32> = None, JOBS;
        /// Maximum number of running and waiting jobs per user (`MaxSubmitJobs`, `MaxSubmitPU`).
        /// Further jobs are rejected.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub submitted_per_user: Option<u32> = None, JOBS;
    }
}

impl Limits {
    /// Returns the number of limits that are set.
    pub fn count(&self) -> usize {
        let Limits { total, per_user, per_account, per_job, minutes, .. } = self;
        let amounts: usize = [total, per_user, per_account, per_job, minutes].map(Tres::len).iter().sum();
        let jobs =
            [self.jobs, self.jobs_per_user, self.jobs_per_account, self.submitted, self.submitted_per_user];
        amounts + jobs.into_iter().flatten().count()
    }
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

/// Licences of a cluster (Slurm's `Licenses`), and the jobs that need some while they run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Licence {
    /// Name of the licence.
    pub name: String,
    /// Number of licences. Jobs that need more are rejected.
    pub total: u32,
    /// Job numbers in the log, each with its number of licences.
    pub jobs: Vec<(u64, u32)>,
}

/// Checks the names and jobs of licences.
pub(super) fn check_licences(licences: &[Licence]) -> Result<(), SettingError> {
    check_unique("licences", licences.iter().map(|it| it.name.as_str()))?;
    for Licence { name, jobs, .. } in licences {
        let place = format!("licences.{name}");
        let mut numbers: Vec<u64> = jobs.iter().map(|it| it.0).collect();
        numbers.sort_unstable();
        for pair in numbers.windows(2) {
            check(pair[0] != pair[1], &place, || format!("job {} is listed twice", pair[0]))?;
        }
        for (job, count) in jobs {
            check(*count > 0, &place, || format!("job {job} has 0 licences, expected at least 1"))?;
        }
    }
    Ok(())
}

/// Checks that the weights of resources are not too large to be added up.
pub(super) fn check_tres_weights(weights: &Tres) -> Result<(), SettingError> {
    let most = u64::from(u32::MAX);
    for (name, weight) in weights {
        check(*weight <= most, &format!("tres_weights.{name}"), || format!("expected at most {most}"))?;
    }
    check(weights.len() <= MAX_TRES_WEIGHTS, "tres_weights", || {
        format!("expected at most {MAX_TRES_WEIGHTS} resources")
    })
}

/// Maximum number of weights of resources: with more, priorities could exceed 40 bits.
const MAX_TRES_WEIGHTS: usize = 64;

/// Checks the ranges of job arrays.
pub(super) fn check_arrays(arrays: &[JobArray]) -> Result<(), SettingError> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for array in arrays {
        check_positive("arrays.running", array.running)?;
        ranges.extend(&array.jobs);
    }
    ranges.sort_unstable();
    let place = "arrays.jobs";
    for (first, last) in &ranges {
        check(first <= last, place, || {
            format!("expected ranges from a first job to a last one, found {first} and {last}")
        })?;
    }
    for pair in ranges.windows(2) {
        check(pair[0].1 < pair[1].0, place, || format!("job {} is in two ranges", pair[1].0))?;
    }
    Ok(())
}

/// Checks that each job is listed in one heterogeneous job at most.
pub(super) fn check_together(together: &[Vec<u64>]) -> Result<(), SettingError> {
    let mut jobs: Vec<u64> = together.concat();
    jobs.sort_unstable();
    for pair in jobs.windows(2) {
        check(pair[0] != pair[1], "together", || format!("job {} is listed twice", pair[0]))?;
    }
    Ok(())
}
