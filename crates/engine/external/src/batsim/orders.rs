//! What a scheduler orders, checked as far as a single event can be.

use super::messages::{
    CallMeLater, Event, ExecuteJob, KillJob, OneJob, Profile, RegisterJob, RegisterProfile, SetResourceState,
};
use crate::nodes;
use crate::seconds::moment;
use dfrsim_model::{SimSpan, SimTime};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// An event of a scheduler.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Order {
    /// A job on these nodes, a task on each.
    Execute {
        job: String,
        on: Vec<u32>,
    },
    Reject {
        job: String,
    },
    Kill {
        jobs: Vec<String>,
    },
    CallAt(SimTime),
    SetState {
        resources: String,
        state: i64,
    },
    RegisterProfile {
        name: String,
        run_time: SimSpan,
    },
    RegisterJob {
        job: String,
        profile: String,
        tasks: u32,
        walltime: Option<SimSpan>,
    },
    /// Accepted, without any effect.
    Ignored,
}

impl Order {
    pub(super) fn read(event: Event, nodes: u32) -> Result<Order, String> {
        let Event { kind, data, .. } = event;
        match kind.as_str() {
            "EXECUTE_JOB" => execute(data, nodes),
            "REJECT_JOB" => Ok(Order::Reject { job: fields::<OneJob>("REJECT_JOB", data)?.job_id }),
            "KILL_JOB" => Ok(Order::Kill { jobs: fields::<KillJob>("KILL_JOB", data)?.job_ids }),
            "CALL_ME_LATER" => {
                let CallMeLater { timestamp } = fields("CALL_ME_LATER", data)?;
                Ok(Order::CallAt(moment(timestamp, "CALL_ME_LATER")?))
            }
            "SET_RESOURCE_STATE" => {
                let SetResourceState { resources, state } = fields("SET_RESOURCE_STATE", data)?;
                let fault = |fault: String| format!("SET_RESOURCE_STATE: {fault}");
                nodes::parse(&resources, nodes).map_err(fault)?;
                let state =
                    state.parse().map_err(|_| fault(format!("`{state}` is not a number of a state")))?;
                Ok(Order::SetState { resources, state })
            }
            "REGISTER_PROFILE" => register_profile(data),
            "REGISTER_JOB" => register_job(data),
            "SET_JOB_METADATA" => Ok(Order::Ignored),
            "NOTIFY" if is_known_notice(&data) => Ok(Order::Ignored),
            other => Err(format!("{other} is not supported{}", reason(other))),
        }
    }
}

/// Why an event of the protocol is not supported.
fn reason(kind: &str) -> &'static str {
    match kind {
        "QUERY" | "ANSWER" => ": there is no model of energy, and no estimate of waiting times",
        "TO_JOB_MSG" => ": jobs have no processes to talk to",
        "CHANGE_JOB_STATE" => ": jobs change by EXECUTE_JOB, KILL_JOB and REJECT_JOB",
        "NOTIFY" => " with another type than registration_finished and continue_registration",
        _ => "",
    }
}

fn fields<T: DeserializeOwned>(kind: &str, data: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(data)).map_err(|error| format!("{kind}: {error}"))
}

fn is_known_notice(data: &Map<String, Value>) -> bool {
    let kind = data.get("type").and_then(Value::as_str);
    matches!(kind, Some("registration_finished" | "continue_registration"))
}

fn execute(data: Map<String, Value>, nodes: u32) -> Result<Order, String> {
    let ExecuteJob { job_id: job, alloc, mapping, storage_mapping, additional_io_job } =
        fields("EXECUTE_JOB", data)?;
    let fault = |fault: String| format!("EXECUTE_JOB of {job}: {fault}");
    if storage_mapping.is_some_and(|mapping| !mapping.is_empty()) || additional_io_job.is_some() {
        return Err(fault("storage is not supported".into()));
    }
    let alloc = nodes::parse(&alloc, nodes).map_err(fault)?;
    let on = match mapping {
        None => alloc,
        Some(mapping) => {
            let place = |value: &Value| {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let place = text.parse::<usize>().ok().and_then(|place| alloc.get(place)).copied();
                place.ok_or_else(|| {
                    fault(format!("its mapping has {text}, which is not a place in its allocation"))
                })
            };
            mapping.values().map(place).collect::<Result<_, _>>()?
        }
    };
    Ok(Order::Execute { job, on })
}

fn register_profile(data: Map<String, Value>) -> Result<Order, String> {
    let RegisterProfile { workload_name, profile_name, profile } = fields("REGISTER_PROFILE", data)?;
    let name = format!("{workload_name}!{profile_name}");
    let fault = |fault: String| format!("REGISTER_PROFILE of {name}: {fault}");
    let Profile { kind, delay } = profile;
    if kind != "delay" {
        return Err(fault(format!("profiles of the type {kind} are not supported, only delay")));
    }
    let run_time = delay.and_then(SimSpan::try_from_secs_f64).filter(|span| !span.is_zero());
    let run_time = run_time.ok_or_else(|| fault("expected a delay in seconds, above 0".into()))?;
    Ok(Order::RegisterProfile { name, run_time })
}

fn register_job(data: Map<String, Value>) -> Result<Order, String> {
    let RegisterJob { job_id, job } = fields("REGISTER_JOB", data)?;
    let fault = |fault: &str| format!("REGISTER_JOB of {job_id}: {fault}");
    let (workload, _) = job_id.split_once('!').ok_or_else(|| fault("expected WORKLOAD!NUMBER"))?;
    if job.res == 0 {
        return Err(fault("a job needs a resource"));
    }
    let walltime = job.walltime.filter(|walltime| *walltime >= 0.0);
    let span = walltime.map(|seconds| {
        SimSpan::try_from_secs_f64(seconds).ok_or_else(|| fault("its walltime is not a time in seconds"))
    });
    let profile = format!("{workload}!{}", job.profile);
    Ok(Order::RegisterJob { profile, tasks: job.res, walltime: span.transpose()?, job: job_id })
}
