//! Jobs that make room for others: a file that is right, and faults planted in it.

use crate::base::{Edit, edited};
use dfrsim_audit::{AuditError, CheckedPolicy, audit, audit_policy};
use dfrsim_model::SimSpan;

/// EASY on two nodes with a penalty of 2 s. Jobs of `high` preempt those of `low`, which are requeued, then those of `quiet`, which are
/// suspended, when they have run for 5 s.
///
/// | second | what happens |
/// |---|---|
/// | 0 | job 0, low, and job 1, quiet, start |
/// | 10 | job 2, high: job 0 makes room, and has lost 10 s |
/// | 20 | job 3, high: job 1 makes room, and has done 20 s |
/// | 25, 30 | job 3 ends, job 0 begins again; job 2 ends, job 1 goes on at 32 s |
/// | 62, 125 | jobs 1 and 0 end |
const FILE: [&str; 19] = [
    r#"{"event":"run","format":3,"policy":"EASY","nodes":2,"penalty_us":2000000,"tau_us":10000000}"#,
    r#"{"event":"priority","settings":{"preempt_exempt_time_s":5,"qos":[{"name":"high","queues":[2],"preempt":["low","quiet"]},{"name":"low","queues":[1]},{"name":"quiet","queues":[3],"preempt_mode":"suspend"}]}}"#,
    r#"{"event":"submit","at_us":0,"job":0,"id":1,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":100000000,"queue":1}"#,
    r#"{"event":"submit","at_us":0,"job":1,"id":2,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":50000000,"queue":3}"#,
    r#"{"event":"start","at_us":0,"job":0,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"start","at_us":0,"job":1,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"submit","at_us":10000000,"job":2,"id":3,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":20000000,"queue":2}"#,
    r#"{"event":"interrupt","at_us":10000000,"job":0,"kept_us":0}"#,
    r#"{"event":"start","at_us":10000000,"job":2,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"submit","at_us":20000000,"job":3,"id":4,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":5000000,"queue":2}"#,
    r#"{"event":"pause","at_us":20000000,"job":1}"#,
    r#"{"event":"start","at_us":20000000,"job":3,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":25000000,"job":3}"#,
    r#"{"event":"start","at_us":25000000,"job":0,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":30000000,"job":2}"#,
    r#"{"event":"resume","at_us":30000000,"job":1,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":62000000,"job":1}"#,
    r#"{"event":"complete","at_us":125000000,"job":0}"#,
    concat!(
        r#"{"event":"summary","completed":4,"rejected":0,"makespan_us":125000000,"max_stretch":1.25,"max_bounded_stretch":1.25,"#,
        r#""mean_bounded_stretch":1.1225,"mean_turnaround_s":53.0,"utilisation":0.7,"preemptions":1,"migrations":0,"migrated_tasks":0,"#,
        r#""platform":{"interruptions":1,"lost":0,"lost_work_s":10.0,"availability":1.0,"goodput":0.7}}"#
    ),
];

fn faults(text: &str) -> Vec<String> {
    let checked = CheckedPolicy::parse("EASY", SimSpan::ZERO).unwrap();
    match audit_policy(text.as_bytes(), checked) {
        Err(AuditError::Faults(faults)) => faults.shown().iter().map(ToString::to_string).collect(),
        Ok(_) => Vec::new(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_file_with_preemption_is_accepted() {
    assert_eq!(faults(&edited(&FILE, &[])), Vec::<String>::new());
    audit(edited(&FILE, &[]).as_bytes()).unwrap();
}

#[test]
fn planted_faults_of_preemption_are_found() {
    let list = r#""preempt":["low","quiet"]"#;
    let planted: &[(&[Edit], &str)] = &[
        (
            &[(2, "\"preempt_exempt_time_s\":5", "\"preempt_exempt_time_s\":15")],
            "line 8, 10 s, job 0: it makes room after 10 s, and may after 15 s",
        ),
        // The other class is the first.
        (
            &[(2, list, r#""preempt":["quiet","low"]"#)],
            "10 s, job 1: it is its turn to make room for job 2, which starts, and it does not",
        ),
        (
            &[(2, list, r#""preempt":["quiet","low"]"#)],
            "line 8, 10 s, job 0: it makes room, but no job starts for which it has to",
        ),
        (
            &[(2, list, r#""preempt":["quiet"]"#)],
            "line 8, 10 s, job 0: it makes room, but its class is in no list",
        ),
        // Job 2 is of no class that preempts.
        (
            &[(7, "\"queue\":2", "\"queue\":1")],
            "line 9, 10 s, job 2: it starts with 1 tasks, but there is room for 0",
        ),
        (
            &[(10, "\"queue\":2", "\"queue\":1")],
            "line 11, 20 s, job 1: it makes room, but no job starts for which it has to",
        ),
        (
            &[(2, "\"preempt_mode\":\"suspend\"", "\"preempt_mode\":\"requeue\"")],
            "line 11, 20 s, job 1: it makes room by `suspend`, its class says `requeue`",
        ),
        (
            &[(8, "\"interrupt\"", "\"lose\""), (8, ",\"kept_us\":0", "")],
            "line 8, 10 s, job 0: it makes room by `cancel`, its class says `requeue`",
        ),
        (
            &[(8, "\"kept_us\":0", "\"kept_us\":7000000")],
            "line 8, 10 s, job 0: it keeps 7 s of work; by the rule it keeps 0 s",
        ),
        // Job 2 comes earlier: at 8 s job 0 could leave at once, at 3 s when it has run for 5 s.
        (
            &[(7, "\"at_us\":10000000", "\"at_us\":8000000")],
            "8 s, job 2: it does not start, though job 0 and 0 others could make room for it",
        ),
        (
            &[(7, "\"at_us\":10000000", "\"at_us\":3000000")],
            "5 s, job 2: it does not start, though job 0 and 0 others could make room for it",
        ),
        // It waits in its place in the queue.
        (
            &[(14, "\"job\":0", "\"job\":1"), (14, "\"start\"", "\"resume\"")],
            "25 s, job 0: it is the first in the queue and does not start",
        ),
        (
            &[(19, "\"lost_work_s\":10.0", "\"lost_work_s\":9.0")],
            "summary: `lost_work_s` is 9, the events say 10",
        ),
        (
            &[(19, "\"interruptions\":1", "\"interruptions\":0")],
            "summary: `interruptions` is 0, the events say 1",
        ),
        (&[(17, "\"at_us\":62000000", "\"at_us\":60000000")], "line 17, 60 s, job 1: it completes too early"),
    ];
    let mut missed = Vec::new();
    for (edits, expected) in planted {
        let found = faults(&edited(&FILE, edits));
        if !found.iter().any(|message| message.contains(expected)) {
            missed.push((expected, found));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Nodes that go down are another matter: without a `platform` record they stay up.
#[test]
fn nodes_stay_up() {
    let mut lines: Vec<String> = edited(&FILE, &[]).lines().map(str::to_owned).collect();
    lines.insert(6, r#"{"event":"down","at_us":5000000,"nodes":[[0,1]]}"#.to_owned());
    let found = faults(&(lines.join("\n") + "\n"));
    assert!(found[0].contains("`down` in a file without a `platform` record"), "{found:?}");
}
