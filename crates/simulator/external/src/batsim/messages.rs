//! Messages received in Batsim's protocol.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// A reply of the scheduler.
#[derive(Debug, Deserialize)]
pub(super) struct BatsimMessage {
    pub(super) now: f64,
    pub(super) events: Vec<ReceivedEvent>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ReceivedEvent {
    pub(super) timestamp: f64,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) data: Map<String, Value>,
}

/// Data of an event, by its type.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Data {
    /// Starts a job on nodes.
    ExecuteJob(ExecuteJob),
    /// Rejects a pending job.
    RejectJob { job_id: String },
    /// Kills running jobs.
    KillJob { job_ids: Vec<String> },
    /// Requests a call at a time.
    CallMeLater { timestamp: f64 },
    /// Changes the state of nodes.
    SetResourceState { resources: String, state: String },
    /// Registration of a profile, which later jobs name.
    RegisterProfile { workload_name: String, profile_name: String, profile: Profile },
    /// Registration of a job that the scheduler itself submits.
    RegisterJob { job_id: String, job: RegisteredJob },
    /// Attaches a text to a job.
    SetJobMetadata(IgnoredAny),
    /// Announces a state of the scheduler.
    Notify { r#type: String },
}

#[derive(Debug, Deserialize)]
pub(super) struct ExecuteJob {
    pub(super) job_id: String,
    pub(super) alloc: String,
    /// Index in `alloc` of the node of each executor, by the number of the executor.
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
