//! The nodes that jobs get under batch policies: files that are right, and one wrong node each.

use crate::changes::{Do, Do::*, changed, first};
use dfrsim_audit::{AuditError, CheckedPolicy, Rule, audit_policy};
use dfrsim_model::SimSpan;

fn checked(policy: &str) -> CheckedPolicy {
    CheckedPolicy::parse(policy, SimSpan::ZERO).unwrap()
}

/// A job: submission and start, end, nodes.
type Placed = (u64, u64, &'static [u32]);

/// The events of jobs that start when they are submitted, without the summary.
fn events(policy: &str, nodes: u32, jobs: &[Placed]) -> String {
    let mut records = Vec::new();
    for (number, &(start, end, on)) in jobs.iter().enumerate() {
        let mut record = |at: u64, rank, event: &str, more: &str| {
            let text = format!(r#"{{"event":"{event}","at_us":{},"job":{number}{more}}}"#, at * 1_000_000);
            records.push((at, rank, number, text));
        };
        let (tasks, run) = (on.len(), end - start);
        let what =
            format!(r#","id":{number},"tasks":{tasks},"cpu_need":1000,"memory":0,"run_us":{run}000000"#);
        record(start, 1, "submit", &what);
        let on: Vec<String> = on.iter().map(|node| format!("[{node},1]")).collect();
        record(start, 2, "start", &format!(r#","on":[{}],"yield":1048576"#, on.join(",")));
        record(end, 0, "complete", "");
    }
    records.sort();
    let lines: Vec<String> = records.into_iter().map(|(.., text)| text).collect();
    let run = r#"{"event":"run","format":3,"policy":"POLICY","nodes":NODES,"penalty_us":0,"tau_us":0}"#;
    let run = run.replace("POLICY", policy).replace("NODES", &nodes.to_string());
    format!("{run}\n{}\n", lines.join("\n"))
}

/// The faults of decisions.
fn faults(policy: &str, nodes: u32, jobs: &[Placed]) -> Vec<String> {
    let Err(AuditError::Faults(faults)) =
        audit_policy(events(policy, nodes, jobs).as_bytes(), checked(policy))
    else {
        panic!("the summary is missing")
    };
    let batch = faults.shown().iter().filter(|fault| matches!(fault.rule, Rule::Decision(_)));
    batch.map(|fault| fault.to_string().split_once(", ").unwrap().1.to_owned()).collect()
}

/// Free from 10 s on: 0, 2-4, 6-7 and 9-10 of 11 nodes.
const BEGIN: [Placed; 7] = [
    (0, 10, &[0]),
    (0, 100, &[1]),
    (0, 10, &[2, 3, 4]),
    (0, 100, &[5]),
    (0, 10, &[6, 7]),
    (0, 100, &[8]),
    (0, 10, &[9, 10]),
];

#[test]
fn each_rule_of_places_is_found_broken() {
    // The rule, the nodes of a job that starts at 20 s, and the first wrong node with the one that it should have had.
    type Wrong = Option<(u32, u32)>;
    let cases: [(&str, &'static [u32], Wrong); 16] = [
        ("", &[0, 2], None),
        ("", &[2, 3], Some((2, 0))),
        ("", &[0, 3], Some((3, 2))),
        ("", &[0, 2, 3, 4, 7], Some((7, 6))),
        ("/PLACE=CONTIGUOUS", &[2, 3], None),
        ("/PLACE=CONTIGUOUS", &[0, 2], Some((0, 2))),
        ("/PLACE=CONTIGUOUS", &[3, 4], Some((3, 2))),
        ("/PLACE=CONTIGUOUS", &[6, 7], Some((6, 2))),
        ("/PLACE=CONTIGUOUS", &[2, 3, 4, 6], Some((2, 0))),
        ("/PLACE=BEST", &[6, 7], None),
        ("/PLACE=BEST", &[2, 3], Some((2, 6))),
        ("/PLACE=BEST", &[9, 10], Some((9, 6))),
        ("/PLACE=BEST", &[0, 6], Some((0, 6))),
        // The longest run, and the shortest that has the rest.
        ("/PLACE=BEST", &[0, 2, 3, 4], None),
        ("/PLACE=BEST", &[2, 3, 4, 6], Some((2, 0))),
        ("/PLACE=BEST", &[6, 7, 9, 10], Some((6, 0))),
    ];
    for (place, on, wrong) in cases {
        for base in ["FCFS", "EASY", "EASY/SPARE", "CONS", "CONS/REPLAN"] {
            let policy = format!("{base}{place}");
            let jobs: Vec<Placed> = BEGIN.into_iter().chain([(20, 30, on)]).collect();
            let rule = place.split_once('=').map_or("FIRST", |(_, rule)| rule);
            let expected: Vec<String> = wrong.into_iter().map(|(node, expected)| {
                format!("20 s, job 7: it has 1 tasks on node {node}, where it should have 1 on node {expected}: the rule for nodes is {rule}")
            }).collect();
            assert_eq!(faults(&policy, 11, &jobs), expected, "{policy}");
        }
    }
}

/// Of two jobs that start in a moment, the first in the file chooses first.
#[test]
fn starts_of_a_moment_are_judged_in_their_order() {
    let right: [Placed; 2] = [(0, 10, &[0]), (0, 10, &[1])];
    assert!(faults("FCFS", 2, &right).is_empty());
    let wrong: [Placed; 2] = [(0, 10, &[1]), (0, 10, &[0])];
    assert_eq!(
        faults("FCFS", 2, &wrong),
        [
            "0 s, job 0: it has 1 tasks on node 1, where it should have 1 on node 0: the rule for nodes is FIRST"
        ]
    );
}

#[test]
fn a_rule_by_another_name_is_found() {
    let text = events("EASY", 2, &[(0, 10, &[0])]);
    let Err(AuditError::Faults(faults)) = audit_policy(text.as_bytes(), checked("EASY/PLACE=BEST")) else {
        panic!()
    };
    assert!(faults.shown()[0].to_string().contains("EASY/PLACE=BEST"), "{}", faults.shown()[0]);
    for unknown in
        ["EASY/PLACE=FIRST", "EASY/PLACE=WORST", "EQUIPARTITION/PLACE=BEST", "EASY/PLACE=BEST/PLACE=BEST"]
    {
        assert!(CheckedPolicy::parse(unknown, SimSpan::ZERO).is_err(), "{unknown}");
    }
    assert_eq!(checked("CBF/PLACE=BEST").to_string(), "CONS/PLACE=BEST");
}

/// Node 0 has a GPU; nodes 1 and 2 have none. Job 0, which asks for none, gets node 1. Job 1 needs two GPUs of which there is one, so it
/// is rejected.
const UNEQUAL: [&str; 5] = [
    r#"{"event":"run","format":3,"policy":"EASY/PLACE=BEST","nodes":3,"penalty_us":0,"tau_us":10000000}"#,
    concat!(
        r#"{"event":"classes","resources":[{"name":"gpu","shared":false}],"classes":["#,
        r#"{"name":"gpu","nodes":1,"cpu":943718400,"memory":943718400,"speed":1048576,"resources":[1]},"#,
        r#"{"name":"plain","nodes":2,"cpu":943718400,"memory":943718400,"speed":1048576,"resources":[0]}]}"#
    ),
    r#"{"event":"submit","at_us":0,"job":0,"id":1,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000}"#,
    r#"{"event":"start","at_us":0,"job":0,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":10000000,"job":0}"#,
];

#[test]
fn nodes_with_more_than_a_job_asks_for_are_last() {
    let cases: [(&str, Vec<Do>, &str); 4] = [
        ("right", vec![], "without a `summary`"),
        (
            "the node with a GPU",
            vec![Edit(4, "[1,1]", "[0,1]")],
            "on node 0, where it should have 1 on node 1",
        ),
        (
            "not the lowest one",
            vec![Edit(4, "[1,1]", "[2,1]")],
            "on node 2, where it should have 1 on node 1",
        ),
        (
            "more memory counts like a GPU",
            vec![Edit(
                2,
                r#""memory":943718400,"speed":1048576,"resources":[0]"#,
                r#""memory":943718500,"speed":1048576,"resources":[1]"#,
            )],
            "on node 1, where it should have 1 on node 0",
        ),
    ];
    for (what, changes, expected) in cases {
        let found = first(audit_policy(changed(&UNEQUAL, &changes).as_bytes(), checked("EASY/PLACE=BEST")));
        assert!(found.contains(expected), "{what}: {found}");
    }
    let first_rule = [Edit(1, "/PLACE=BEST", "")];
    let found = first(audit_policy(changed(&UNEQUAL, &first_rule).as_bytes(), checked("EASY")));
    assert!(found.contains("on node 1, where it should have 1 on node 0"), "{found}");
}
