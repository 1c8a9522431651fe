//! Commands of a scheduler, checked as far as possible without the state of the jobs.

use super::messages::{Data, ExecuteJob, Profile, ReceivedEvent, RegisteredJob};
use crate::nodes;
use crate::seconds::time_from_seconds;
use dfrsim_model::{SimSpan, SimTime};
use serde_json::{Value, json};

/// A command of a scheduler.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Order {
    /// Starts a job on these nodes, with one task on each.
    Execute { job: String, on: Vec<u32> },
    /// Rejects a pending job.
    Reject { job: String },
    /// Kills running jobs.
    Kill { jobs: Vec<String> },
    /// Requests a call at a time.
    CallAt(SimTime),
    /// Changes the state of nodes, without any effect.
    SetState { resources: String, state: i64 },
    /// Registration of a profile with its run time.
    RegisterProfile { name: String, run_time: SimSpan },
    /// Submits a new job.
    RegisterJob { job: String, profile: String, tasks: u32, walltime: Option<SimSpan> },
    /// Event that is accepted without any effect.
    Ignored,
}

impl Order {
    pub(super) fn read(event: ReceivedEvent, nodes: u32) -> Result<Order, String> {
        let ReceivedEvent { kind, data, .. } = event;
        let data = serde_json::from_value(json!({ &kind: data })).map_err(|error| {
            let error = error.to_string();
            match error.starts_with("unknown variant") {
                true => not_supported(&kind),
                false => format!("{kind}: {error}"),
            }
        })?;
        match data {
            Data::ExecuteJob(data) => execute(data, nodes),
            Data::RejectJob { job_id: job } => Ok(Order::Reject { job }),
            Data::KillJob { job_ids: jobs } => Ok(Order::Kill { jobs }),
            Data::CallMeLater { timestamp } => Ok(Order::CallAt(time_from_seconds(timestamp, &kind)?)),
            Data::SetResourceState { resources, state } => {
                let fault = |fault: String| format!("{kind}: {fault}");
                nodes::parse(&resources, nodes).map_err(fault)?;
                let state =
                    state.parse().map_err(|_| fault(format!("`{state}` is not the number of a state")))?;
                Ok(Order::SetState { resources, state })
            }
            Data::RegisterProfile { workload_name, profile_name, profile } => {
                register_profile(format!("{workload_name}!{profile_name}"), profile)
            }
            Data::RegisterJob { job_id, job } => register_job(job_id, &job),
            Data::SetJobMetadata(_) => Ok(Order::Ignored),
            Data::Notify { r#type } => match r#type.as_str() {
                "registration_finished" | "continue_registration" => Ok(Order::Ignored),
                _ => Err(not_supported(&kind)),
            },
        }
    }
}

/// Formats the error for an unsupported event, with the reason.
fn not_supported(kind: &str) -> String {
    let reason = match kind {
        "QUERY" | "ANSWER" => ": energy is not modelled, and waiting times are not predicted",
        "TO_JOB_MSG" => ": jobs have no processes to talk to",
        "CHANGE_JOB_STATE" => ": jobs change by EXECUTE_JOB, KILL_JOB and REJECT_JOB",
        "NOTIFY" => " with a type other than registration_finished and continue_registration",
        _ => "",
    };
    format!("{kind} is not supported{reason}")
}

fn execute(data: ExecuteJob, nodes: u32) -> Result<Order, String> {
    let ExecuteJob { job_id: job, alloc, mapping, storage_mapping, additional_io_job } = data;
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
                place.ok_or_else(|| fault(format!("`mapping` has the index {text}, which is not in `alloc`")))
            };
            mapping.values().map(place).collect::<Result<_, _>>()?
        }
    };
    Ok(Order::Execute { job, on })
}

fn register_profile(name: String, Profile { r#type, delay }: Profile) -> Result<Order, String> {
    let fault = |fault: String| format!("REGISTER_PROFILE of {name}: {fault}");
    if r#type != "delay" {
        return Err(fault(format!("profiles of the type {type} are not supported, only delay")));
    }
    let run_time = delay.and_then(SimSpan::try_from_secs_f64).filter(|span| !span.is_zero());
    let run_time = run_time.ok_or_else(|| fault("expected a positive delay in seconds".into()))?;
    Ok(Order::RegisterProfile { name, run_time })
}

fn register_job(job_id: String, job: &RegisteredJob) -> Result<Order, String> {
    let fault = |fault: &str| format!("REGISTER_JOB of {job_id}: {fault}");
    let (workload, _) = job_id.split_once('!').ok_or_else(|| fault("expected WORKLOAD!NUMBER"))?;
    if job.res == 0 {
        return Err(fault("`res` must be at least 1"));
    }
    let walltime = job.walltime.filter(|walltime| *walltime >= 0.0);
    let span = walltime.map(|seconds| {
        SimSpan::try_from_secs_f64(seconds).ok_or_else(|| fault("its walltime is not a time in seconds"))
    });
    let profile = format!("{workload}!{}", job.profile);
    Ok(Order::RegisterJob { profile, tasks: job.res, walltime: span.transpose()?, job: job_id })
}
