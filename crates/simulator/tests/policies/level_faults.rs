//! Tests that the audit finds schedules with wrong speed levels: of policies that know other levels than the
//! nodes have, or none, and with changed records.

use crate::classes::events;
use crate::support::assert_judged;
use dfrsim_audit::{CheckedPolicy, audit_policy};
use dfrsim_cluster::Options;
use dfrsim_model::event::Record;
use dfrsim_model::platform::classes::{Demands, PlatformFields, UnequalNodes};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
use dfrsim_policies::PolicyOptions;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Policies of all kinds; the audit knows each of them.
const ALL: [&str; 18] = [
    "FCFS",
    "FIRSTFIT",
    "EASY",
    "TWOQ",
    "CONS",
    "CONS/REPLAN/NODES=SHARED",
    "EASY/NODES=SHARED",
    "SLURM",
    "SLURM/NODES=WHOLE",
    "EQUIPARTITION",
    "Greedy*/OPT=MIN",
    "GreedyP*/per/OPT=AVG/PERIOD=7",
    "/stretch-per/OPT=MAX/PERIOD=7",
    "RANKED",
    "SRPT",
    "LAS",
    "EDF/STRETCH=20",
    "GANG",
];

const ECO: &str = "{ name = 'eco', speed = 0.9, busy_w = 155 }";
const LOW: &str = "{ name = 'low', speed = 0.7, busy_w = 125 }";
const SLOWER: &str = "{ name = 'eco', speed = 0.88, busy_w = 155 }";
const FRUGAL: &str = "{ name = 'eco', speed = 0.9, busy_w = 150 }";

/// Simulates jobs on five nodes with these levels and 180 W for tasks.
fn simulated(policy: &str, levels: &str) -> Vec<Record<'static>> {
    let job = |id: u64| Job {
        id: JobId(id),
        submit: SimTime::from_secs(id / 3),
        tasks: 1 + id as u32 % 2,
        cpu_need: Share::from_ratio(1 + id % 3, 3),
        memory: Share::from_ratio(2 + id % 4, 5),
        run_time: SimSpan::from_secs(5 + id % 4),
        requested_time: Some(SimSpan::from_secs(5 + id % 4)),
        ..Job::default()
    };
    let text = format!(
        "power = {{ cap_w = 700 }}\nclasses = [{{ name = 'a', nodes = 5, cores = 8, memory_gb = 8, power = {{ idle_w = 104, busy_w = 199.999, levels = [{levels}] }} }}]"
    );
    let classes = PlatformFields::parse("platform.toml", &text).unwrap().classes().unwrap();
    let options = Options {
        unequal: Some(Arc::new(UnequalNodes { classes, demands: Demands::default() })),
        estimates: "requested".parse().unwrap(),
        ..Options::default()
    };
    let jobs: Vec<Job> = (0..20).map(job).collect();
    let events = events(policy.parse().unwrap(), 5, &options, &jobs);
    assert_judged(&events, policy);
    events.lines().map(|line| Record::from_json(line.as_bytes()).unwrap()).collect()
}

fn is_faulty(lines: &[Record<'_>], policy: &str) -> bool {
    let text: String = lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
    let policy = CheckedPolicy::parse(policy, PolicyOptions::default().period).unwrap();
    audit_policy(text.as_bytes(), policy).is_err()
}

/// Returns the level of a record, if it may have one.
fn level<'a>(record: &'a mut Record<'_>) -> Option<&'a mut Option<u32>> {
    match record {
        Record::Start { level, .. }
        | Record::Resume { level, .. }
        | Record::Migrate { level, .. }
        | Record::Yield { level, .. } => Some(level),
        _ => None,
    }
}

/// Simulates policies that know other levels than the nodes have: they ignore some, know some that there are
/// not, or other speeds and powers. The audit finds each schedule that differs from the right one.
#[test]
fn policies_that_know_other_levels_are_found() {
    let (both, slower) = (format!("{ECO}, {LOW}"), format!("{SLOWER}, {LOW}"));
    let frugal = format!("{FRUGAL}, {LOW}");
    let all: [(&str, &str, &str); 7] = [
        ("the policy ignores levels", "", &both),
        ("the policy ignores the first level", LOW, &both),
        ("the policy ignores the last level", ECO, &both),
        ("the policy knows a level that there is not", &both, ECO),
        ("the policy knows levels where there are none", &both, ""),
        ("the policy knows a faster level", &both, &slower),
        ("the policy knows a level of more power", &both, &frugal),
    ];
    let (mut planted, mut missed, mut policies) = (0, Vec::new(), BTreeSet::new());
    for policy in ALL {
        for (what, known, real) in all {
            let (right, mut wrong) = (simulated(policy, real), simulated(policy, known));
            let header = |lines: &[Record<'_>]| {
                lines.iter().position(|line| matches!(line, Record::Classes { .. })).unwrap()
            };
            let at = header(&wrong);
            wrong[at] = right[header(&right)].clone();
            if wrong == right {
                continue;
            }
            policies.insert(policy);
            planted += 1;
            if !is_faulty(&wrong, policy) {
                missed.push(format!("{policy}: {what}"));
            }
        }
    }
    assert!(missed.is_empty(), "{planted} planted, not found: {missed:?}");
    assert!(planted > 100 && policies.len() == ALL.len(), "{planted} faults of {policies:?}");
}

/// Changes the levels in records, one at a time. The audit finds each fault.
#[test]
fn changed_levels_are_found() {
    let (mut planted, mut kinds, mut missed) = (0, BTreeSet::new(), Vec::new());
    for (number, policy) in ALL.into_iter().enumerate() {
        let lines = simulated(policy, &format!("{ECO}, {LOW}"));
        // The level of each job so far.
        let mut now = [0; 20];
        for at in 0..lines.len() {
            let mut wrong = lines.clone();
            let (is_first, job) = match wrong[at] {
                Record::Start { job, .. } | Record::Resume { job, .. } => (true, job),
                Record::Migrate { job, .. } | Record::Yield { job, .. } => (false, job),
                _ => continue,
            };
            let before = if is_first { 0 } else { now[job as usize] };
            let Some(of_record) = level(&mut wrong[at]).copied() else { continue };
            let own = of_record.unwrap_or(before);
            now[job as usize] = own;
            // A third of the records suffices.
            if (at + number) % 3 > 0 {
                continue;
            }
            let kind = if is_first { "start" } else { "change" };
            for other in (0..4).filter(|other| *other != own) {
                let Some(changed) = level(&mut wrong[at]) else { continue };
                *changed = Some(other);
                planted += 1;
                kinds.insert((kind, own, other));
                if !is_faulty(&wrong, policy) {
                    missed.push(format!("{policy}, line {}: {other} instead of {own}", at + 1));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{planted} planted, not found: {missed:?}");
    assert!(planted > 300 && kinds.len() >= 12, "{planted} faults of {} kinds", kinds.len());
}
