//! Texts of a workload's jobs, in addition to their numbers.

use crate::JobId;
use std::collections::BTreeMap;

/// Texts of the jobs of a Batsim workload. They are passed unchanged to policies and job files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobTexts {
    /// Profiles as JSON, by name.
    pub profiles: BTreeMap<String, String>,
    /// Texts of the jobs, by the job number in this simulator.
    pub jobs: BTreeMap<JobId, JobText>,
}

/// Texts of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobText {
    /// Identifier of the job in its workload, without the workload's name.
    pub name: String,
    /// Name of the profile.
    pub profile: String,
    /// Remaining JSON fields, each as `,"name":value`.
    pub fields: String,
}
