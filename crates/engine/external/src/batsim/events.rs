//! The events that dfrsim sends.

use super::Sharing;
use dfrsim_cluster::JobView;
use dfrsim_model::{SimSpan, SimTime};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Events that were not sent yet, as they will be: each is written once, into one text.
#[derive(Debug, Default)]
pub(super) struct Events(Vec<u8>);

#[derive(Serialize)]
struct Event<T> {
    timestamp: f64,
    #[serde(rename = "type")]
    kind: &'static str,
    data: T,
}

impl Events {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The request that has them, after which there are none.
    pub(super) fn request(&mut self, now: SimTime) -> Vec<u8> {
        let now = serde_json::to_string(&now.as_secs_f64()).expect("a time is a number");
        let request = [b"{\"now\":", now.as_bytes(), b",\"events\":[", &self.0, b"]}"].concat();
        self.0.clear();
        request
    }

    fn add(&mut self, now: SimTime, kind: &'static str, data: impl Serialize) {
        if !self.is_empty() {
            self.0.push(b',');
        }
        let event = Event { timestamp: now.as_secs_f64(), kind, data };
        serde_json::to_writer(&mut self.0, &event).expect("events are plain");
    }

    pub(super) fn simulation_begins(&mut self, nodes: u32, sharing: Sharing) {
        let is_shared = sharing == Sharing::Allowed;
        let resource = |id: u32| json!({ "id": id, "name": format!("node{id}"), "state": "idle", "core": 1, "properties": {}, "zone_properties": {} });
        let resources: Vec<Value> = (0..nodes).map(resource).collect();
        let data = json!({
            "nb_resources": nodes,
            "nb_compute_resources": nodes,
            "nb_storage_resources": 0,
            "allow_time_sharing": is_shared,
            "allow_compute_sharing": is_shared,
            "allow_storage_sharing": false,
            "config": {
                "redis-enabled": false,
                "redis-hostname": "",
                "redis-port": 0,
                "redis-prefix": "",
                "profiles-forwarded-on-submission": true,
                "dynamic-jobs-enabled": true,
                "dynamic-jobs-acknowledged": true,
                "profile-reuse-enabled": false,
                "forward-unknown-events": false,
            },
            "compute_resources": resources,
            "storage_resources": [],
            "workloads": { "w0": "workload" },
            "profiles": { "w0": {} },
        });
        self.add(SimTime::ZERO, "SIMULATION_BEGINS", data);
    }

    pub(super) fn simulation_ends(&mut self, now: SimTime) {
        self.add(now, "SIMULATION_ENDS", json!({}));
    }

    /// A job of the log, or one that the scheduler registered, with its profile.
    pub(super) fn job_submitted(&mut self, now: SimTime, name: &str, profile: &str, job: JobView<'_>) {
        let walltime = job.estimate().map_or(-1.0, SimSpan::as_secs_f64);
        let data = Submitted {
            job_id: name,
            job: SubmittedJob {
                id: name,
                subtime: job.submit().as_secs_f64(),
                walltime,
                res: job.tasks(),
                profile,
            },
            // Schedulers expect a delay; the run time is hidden.
            profile: Delay { kind: "delay", delay: walltime.max(0.0) },
        };
        self.add(now, "JOB_SUBMITTED", data);
    }

    pub(super) fn job_completed(&mut self, now: SimTime, name: &str, end: End, alloc: &str) {
        let (state, code, reason) = match end {
            End::Done => ("COMPLETED_SUCCESSFULLY", 0, ""),
            End::Failed => ("COMPLETED_FAILED", 1, ""),
            End::WalltimeReached => ("COMPLETED_WALLTIME_REACHED", -1, "Walltime reached"),
            End::Killed => (
                "COMPLETED_KILLED",
                -1,
                "Killed from killer_process (probably requested by the decision process)",
            ),
        };
        let data =
            Completed { job_id: name, job_state: state, return_code: code, kill_reason: reason, alloc };
        self.add(now, "JOB_COMPLETED", data);
    }

    /// Jobs that were killed, with the part of each that was done; those that had ended before have none.
    pub(super) fn job_killed(&mut self, now: SimTime, names: &[String], progress: &Map<String, Value>) {
        self.add(now, "JOB_KILLED", json!({ "job_ids": names, "job_progress": progress }));
    }

    pub(super) fn requested_call(&mut self, now: SimTime) {
        self.add(now, "REQUESTED_CALL", json!({}));
    }

    pub(super) fn all_submitted(&mut self, now: SimTime) {
        self.add(now, "NOTIFY", json!({ "type": "no_more_static_job_to_submit" }));
    }

    /// Nodes went down or came up.
    pub(super) fn machines(&mut self, now: SimTime, kind: &str, nodes: &str) {
        self.add(now, "NOTIFY", json!({ "type": kind, "resources": nodes }));
    }

    pub(super) fn resource_state_changed(&mut self, now: SimTime, resources: &str, state: i64) {
        self.add(now, "RESOURCE_STATE_CHANGED", json!({ "resources": resources, "state": state }));
    }
}

#[derive(Serialize)]
struct Submitted<'a> {
    job_id: &'a str,
    job: SubmittedJob<'a>,
    profile: Delay,
}

#[derive(Serialize)]
struct SubmittedJob<'a> {
    id: &'a str,
    subtime: f64,
    walltime: f64,
    res: u32,
    profile: &'a str,
}

#[derive(Serialize)]
struct Delay {
    #[serde(rename = "type")]
    kind: &'static str,
    delay: f64,
}

#[derive(Serialize)]
struct Completed<'a> {
    job_id: &'a str,
    job_state: &'static str,
    return_code: i32,
    kill_reason: &'static str,
    alloc: &'a str,
}

/// How a job ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Done,
    WalltimeReached,
    Killed,
    /// A node of it went down.
    Failed,
}
