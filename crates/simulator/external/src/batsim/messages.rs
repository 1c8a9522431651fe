//! Messages as Batsim has them.

use serde::Deserialize;
use serde::de::IgnoredAny;
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

/// The data of an event, by its type.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Data {
    /// A job starts on nodes.
    ExecuteJob(ExecuteJob),
    /// A waiting job leaves for good.
    RejectJob { job_id: String },
    /// Running jobs are ended.
    KillJob { job_ids: Vec<String> },
    /// It is to be called at a moment.
    CallMeLater { timestamp: f64 },
    /// Nodes are to have another state.
    SetResourceState { resources: String, state: String },
    /// There is another profile.
    RegisterProfile { workload_name: String, profile_name: String, profile: Profile },
    /// There is another job.
    RegisterJob { job_id: String, job: RegisteredJob },
    /// It keeps a text beside a job.
    SetJobMetadata(IgnoredAny),
    /// It says something of itself.
    Notify { r#type: String },
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
pub(super) struct Profile {
    pub(super) r#type: String,
    pub(super) delay: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RegisteredJob {
    pub(super) profile: String,
    pub(super) res: u32,
    pub(super) walltime: Option<f64>,
}
