//! The events that dfrsim sends.

use super::Sharing;
use super::messages::Event;
use dfrsim_cluster::JobView;
use dfrsim_model::{SimSpan, SimTime};
use serde_json::{Map, Value, json};

fn event(now: SimTime, kind: &str, data: Value) -> Event {
    let data = if let Value::Object(data) = data { data } else { Map::new() };
    Event { timestamp: now.as_secs_f64(), kind: kind.into(), data }
}

pub(super) fn simulation_begins(nodes: u32, sharing: Sharing) -> Event {
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
    event(SimTime::ZERO, "SIMULATION_BEGINS", data)
}

pub(super) fn simulation_ends(now: SimTime) -> Event {
    event(now, "SIMULATION_ENDS", json!({}))
}

/// A job of the log, or one that the scheduler registered, with its profile.
pub(super) fn job_submitted(now: SimTime, name: &str, profile: &str, job: JobView<'_>) -> Event {
    let walltime = job.estimate().map_or(-1.0, SimSpan::as_secs_f64);
    let data = json!({
        "job_id": name,
        "job": {
            "id": name,
            "subtime": job.submit().as_secs_f64(),
            "walltime": walltime,
            "res": job.tasks(),
            "profile": profile,
        },
        // Schedulers expect a delay; the run time is hidden.
        "profile": { "type": "delay", "delay": walltime.max(0.0) },
    });
    event(now, "JOB_SUBMITTED", data)
}

/// How a job ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Done,
    WalltimeReached,
    Killed,
}

pub(super) fn job_completed(now: SimTime, name: &str, end: End, alloc: &str) -> Event {
    let (state, code, reason) = match end {
        End::Done => ("COMPLETED_SUCCESSFULLY", 0, ""),
        End::WalltimeReached => ("COMPLETED_WALLTIME_REACHED", -1, "Walltime reached"),
        End::Killed => (
            "COMPLETED_KILLED",
            -1,
            "Killed from killer_process (probably requested by the decision process)",
        ),
    };
    let data = json!({ "job_id": name, "job_state": state, "return_code": code, "kill_reason": reason, "alloc": alloc });
    event(now, "JOB_COMPLETED", data)
}

/// Jobs that were killed, with the part of each that was done; those that had ended before have none.
pub(super) fn job_killed(now: SimTime, names: &[String], progress: &Map<String, Value>) -> Event {
    event(now, "JOB_KILLED", json!({ "job_ids": names, "job_progress": progress }))
}

pub(super) fn requested_call(now: SimTime) -> Event {
    event(now, "REQUESTED_CALL", json!({}))
}

pub(super) fn all_submitted(now: SimTime) -> Event {
    event(now, "NOTIFY", json!({ "type": "no_more_static_job_to_submit" }))
}

pub(super) fn resource_state_changed(now: SimTime, resources: &str, state: i64) -> Event {
    event(now, "RESOURCE_STATE_CHANGED", json!({ "resources": resources, "state": state }))
}
