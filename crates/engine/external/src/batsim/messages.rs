//! Messages as Batsim has them.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A reply.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) now: f64,
    pub(super) events: Vec<Event>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Event {
    pub(super) timestamp: f64,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) data: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ExecuteJob {
    pub(super) job_id: String,
    pub(super) alloc: String,
    /// The place in `alloc` of the node of each executor, by the number of the executor.
    pub(super) mapping: Option<Map<String, Value>>,
    pub(super) storage_mapping: Option<Map<String, Value>>,
    pub(super) additional_io_job: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct OneJob {
    pub(super) job_id: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct KillJob {
    pub(super) job_ids: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CallMeLater {
    pub(super) timestamp: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct SetResourceState {
    pub(super) resources: String,
    pub(super) state: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct RegisterProfile {
    pub(super) workload_name: String,
    pub(super) profile_name: String,
    pub(super) profile: Profile,
}

#[derive(Debug, Deserialize)]
pub(super) struct Profile {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) delay: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RegisterJob {
    pub(super) job_id: String,
    pub(super) job: RegisteredJob,
}

#[derive(Debug, Deserialize)]
pub(super) struct RegisteredJob {
    pub(super) profile: String,
    pub(super) res: u32,
    pub(super) walltime: Option<f64>,
}
