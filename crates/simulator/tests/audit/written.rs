//! Writes events files from schedules given as rows, and reports the violations of their decisions.

use dfrsim_audit::{AuditError, CheckedPolicy, Rule, audit_policy};
use dfrsim_model::SimSpan;

/// A job of a schedule; times are in seconds. A job without a start is rejected when it is
/// submitted.
#[derive(Clone)]
pub(crate) struct Written {
    pub(crate) submit: u64,
    pub(crate) tasks: usize,
    /// CPU request of a task, in units of a node's CPU.
    pub(crate) need: u64,
    pub(crate) run: u64,
    pub(crate) estimate: u64,
    pub(crate) start: Option<u64>,
    /// Nodes of the job, with the number of its tasks on each.
    pub(crate) on: Vec<(u32, u32)>,
}

/// Writes the events, without the summary.
pub(crate) fn events(policy: &str, nodes: usize, classes: Option<&str>, jobs: &[Written]) -> String {
    let mut records = Vec::new();
    for (number, job) in jobs.iter().enumerate() {
        let mut record = |at: u64, rank, event: &str, more: &str| {
            let text = format!(r#"{{"event":"{event}","at_us":{},"job":{number}{more}}}"#, at * 1_000_000);
            records.push((at, rank, number, text));
        };
        let Written { submit, tasks, need, run, estimate, start, on } = job;
        let known =
            if estimate == run { String::new() } else { format!(r#","estimate_us":{estimate}000000"#) };
        let what = format!(
            r#","id":{number},"tasks":{tasks},"cpu_need":{need},"memory":0,"run_us":{run}000000{known}"#
        );
        record(*submit, 1, "submit", &what);
        let Some(start) = start else {
            record(*submit, 2, "reject", "");
            continue;
        };
        let on: Vec<String> = on.iter().map(|(node, tasks)| format!("[{node},{tasks}]")).collect();
        record(*start, 2, "start", &format!(r#","on":[{}],"yield":1048576"#, on.join(",")));
        record(start + run, 0, "complete", "");
    }
    records.sort();
    let run = format!(
        r#"{{"event":"run","format":3,"policy":"{policy}","nodes":{nodes},"penalty_us":0,"tau_us":0}}"#
    );
    let lines = records.into_iter().map(|(.., text)| text);
    let lines: Vec<String> = [run].into_iter().chain(classes.map(str::to_owned)).chain(lines).collect();
    lines.join("\n") + "\n"
}

/// Returns the violations of policy rules, without their line numbers.
pub(crate) fn faults(text: &str, policy: &str) -> Vec<String> {
    let checked = CheckedPolicy::parse(policy, SimSpan::from_secs(600)).unwrap();
    let Err(AuditError::Faults(faults)) = audit_policy(text.as_bytes(), checked) else {
        panic!("the summary is missing")
    };
    let of_decisions = faults.shown().iter().filter(|fault| matches!(fault.rule, Rule::Decision(_)));
    of_decisions.map(|fault| fault.to_string().split_once([',', ':']).unwrap().1.trim().to_owned()).collect()
}
