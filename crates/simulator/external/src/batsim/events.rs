//! Events sent to the scheduler.

use super::Sharing;
use dfrsim_cluster::JobView;
use dfrsim_model::{JobTexts, SimSpan, SimTime};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Events to be sent, serialised into a single text.
#[derive(Debug)]
pub(super) struct Events {
    text: Vec<u8>,
    /// Offset of the scheduler's clock, which is ahead of simulated time.
    pub(super) clock_offset: SimSpan,
}

#[derive(Serialize)]
struct SentEvent<T> {
    timestamp: f64,
    #[serde(rename = "type")]
    kind: &'static str,
    data: T,
}

impl Events {
    pub(super) const fn new(clock_offset: SimSpan) -> Events {
        Events { text: Vec::new(), clock_offset }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Converts a time to seconds of the scheduler's clock.
    fn seconds(&self, time: SimTime) -> f64 {
        time.saturating_add(self.clock_offset).as_secs_f64()
    }

    /// Builds the request with all events, and clears them.
    pub(super) fn request(&mut self, now: SimTime) -> Vec<u8> {
        let now = serde_json::to_string(&self.seconds(now)).expect("a time is representable in JSON");
        let request = [b"{\"now\":", now.as_bytes(), b",\"events\":[", &self.text, b"]}"].concat();
        self.text.clear();
        request
    }

    fn add(&mut self, now: SimTime, kind: &'static str, data: impl Serialize) {
        if !self.is_empty() {
            self.text.push(b',');
        }
        let event = SentEvent { timestamp: self.seconds(now), kind, data };
        serde_json::to_writer(&mut self.text, &event).expect("events are representable in JSON");
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

    /// Adds a job of the log, or one registered by the scheduler, with its profile. Fields of a
    /// Batsim workload are sent unchanged.
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
        let mut sent = serde_json::to_string(&sent).expect("a job is representable in JSON");
        if let Some(text) = texts.and_then(|texts| texts.jobs.get(&job.id())) {
            sent.insert_str(sent.len() - 1, &text.fields);
        }
        let profile = match texts.and_then(|texts| texts.profiles.get(profile)) {
            Some(written) => raw(written),
            // Schedulers expect a delay; the run time must stay hidden.
            None => raw(&json!({ "type": "delay", "delay": walltime.max(0.0) }).to_string()),
        };
        self.add(now, "JOB_SUBMITTED", Submitted { job_id: name, job: raw(&sent), profile });
    }

    pub(super) fn job_completed(&mut self, now: SimTime, name: &str, end: JobEnd, alloc: &str) {
        let (state, code, reason) = match end {
            JobEnd::Done => ("COMPLETED_SUCCESSFULLY", 0, ""),
            JobEnd::Failed => ("COMPLETED_FAILED", 1, ""),
            JobEnd::WalltimeReached => ("COMPLETED_WALLTIME_REACHED", -1, "Walltime reached"),
            JobEnd::Killed => (
                "COMPLETED_KILLED",
                -1,
                "Killed from killer_process (probably requested by the decision process)",
            ),
        };
        let data =
            Completed { job_id: name, job_state: state, return_code: code, kill_reason: reason, alloc };
        self.add(now, "JOB_COMPLETED", data);
    }

    /// Adds the acknowledgement of killed jobs, with the progress of each; jobs that had ended
    /// before have no progress.
    pub(super) fn job_killed(&mut self, now: SimTime, names: &[String], progress: &Map<String, Value>) {
        self.add(now, "JOB_KILLED", json!({ "job_ids": names, "job_progress": progress }));
    }

    pub(super) fn requested_call(&mut self, now: SimTime) {
        self.add(now, "REQUESTED_CALL", json!({}));
    }

    pub(super) fn all_submitted(&mut self, now: SimTime) {
        self.add(now, "NOTIFY", json!({ "type": "no_more_static_job_to_submit" }));
    }

    /// Adds a notification that nodes went down or came up.
    pub(super) fn machines_changed(&mut self, now: SimTime, kind: &str, nodes: &str) {
        self.add(now, "NOTIFY", json!({ "type": kind, "resources": nodes }));
    }

    pub(super) fn resource_state_changed(&mut self, now: SimTime, resources: &str, state: i64) {
        self.add(now, "RESOURCE_STATE_CHANGED", json!({ "resources": resources, "state": state }));
    }
}

/// Wraps JSON text unchanged.
fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("the text was parsed or serialised as JSON")
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

/// Reason for which a job left the system.
#[derive(Clone, Copy, Debug)]
pub(super) enum JobEnd {
    Done,
    WalltimeReached,
    Killed,
    /// One of its nodes went down.
    Failed,
}
