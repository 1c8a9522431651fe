//! What a workload says of its jobs beside numbers.

use crate::JobId;
use std::collections::BTreeMap;

/// What a workload of Batsim says of its jobs in texts: policies and files of jobs get it as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobTexts {
    /// The profiles in JSON, by name.
    pub profiles: BTreeMap<String, String>,
    /// The jobs, by the numbers that they have here.
    pub jobs: BTreeMap<JobId, JobText>,
}

/// What a workload says of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobText {
    /// Its id, without the name of a workload.
    pub name: String,
    /// The name of its profile.
    pub profile: String,
    /// Its other fields, each as `,"name":value`.
    pub fields: String,
}
