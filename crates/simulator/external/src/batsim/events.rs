//! The events that dfrsim sends.

use super::Sharing;
use dfrsim_cluster::JobView;
use dfrsim_model::{JobTexts, SimSpan, SimTime};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Events that were not sent yet, as they will be: each is written once, into one text.
#[derive(Debug)]
pub(super) struct Events {
    text: Vec<u8>,
    /// How far the clock of the other side is ahead.
    pub(super) ahead: SimSpan,
}

#[derive(Serialize)]
struct Event<T> {
    timestamp: f64,
    #[serde(rename = "type")]
    kind: &'static str,
    data: T,
}

impl Events {
    pub(super) const fn new(ahead: SimSpan) -> Events {
        Events { text: Vec::new(), ahead }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// A moment in seconds of the other side.
    fn seconds(&self, time: SimTime) -> f64 {
        time.saturating_add(self.ahead).as_secs_f64()
    }

    /// The request that has them, after which there are none.
    pub(super) fn request(&mut self, now: SimTime) -> Vec<u8> {
        let now = serde_json::to_string(&self.seconds(now)).expect("a time is a number");
        let request = [b"{\"now\":", now.as_bytes(), b",\"events\":[", &self.text, b"]}"].concat();
        self.text.clear();
        request
    }

    fn add(&mut self, now: SimTime, kind: &'static str, data: impl Serialize) {
        if !self.is_empty() {
            self.text.push(b',');
        }
        let event = Event { timestamp: self.seconds(now), kind, data };
        serde_json::to_writer(&mut self.text, &event).expect("events are plain");
    }

    pub(super) fn simulation_begins(&mut self, nodes: u32, sharing: Sharing, texts: Option<&JobTexts>) {
        let is_shared = sharing == Sharing::Allowed;
        let resource = |id: u32| json!({ "id": id, "name": format!("node{id}"), "state": "idle", "core": 1, "properties": {}, "zone_properties": {} });
        let resources: Vec<Value> = (0..nodes).map(resource).collect();
        let profile = |(name, profile): (&String, &String)| (name.clone(), raw(profile));
        let profiles: BTreeMap<_, _> = texts.into_iter().flat_map(|it| &it.profiles).map(profile).collect();
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
            "profiles": { "w0": profiles },
        });
        self.add(SimTime::ZERO, "SIMULATION_BEGINS", data);
    }

    pub(super) fn simulation_ends(&mut self, now: SimTime) {
        self.add(now, "SIMULATION_ENDS", json!({}));
    }

    /// A job of the log, or one that the scheduler registered, with its profile. What a workload of Batsim says of it is sent as it is.
    pub(super) fn job_submitted(
        &mut self,
        now: SimTime,
        name: &str,
        profile: &str,
        job: JobView<'_>,
        texts: Option<&JobTexts>,
    ) {
        let walltime = job.estimate().map_or(-1.0, SimSpan::as_secs_f64);
        let subtime = self.seconds(job.submit());
        let sent = SubmittedJob { id: name, subtime, walltime, res: job.tasks(), profile };
        let mut sent = serde_json::to_string(&sent).expect("a job is plain");
        if let Some(text) = texts.and_then(|texts| texts.jobs.get(&job.id())) {
            sent.insert_str(sent.len() - 1, &text.fields);
        }
        let profile = match texts.and_then(|texts| texts.profiles.get(profile)) {
            Some(written) => raw(written),
            // Schedulers expect a delay; the run time is hidden.
            None => raw(&json!({ "type": "delay", "delay": walltime.max(0.0) }).to_string()),
        };
        self.add(now, "JOB_SUBMITTED", Submitted { job_id: name, job: raw(&sent), profile });
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

/// JSON as it is.
fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("it was read or written as JSON")
}

#[derive(Serialize)]
struct Submitted<'a> {
    job_id: &'a str,
    job: Box<RawValue>,
    profile: Box<RawValue>,
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
