//! Tests the node selection of batch policies: correct files, and files with one wrong node each.

use crate::written::{self, Written};
use dfrsim_audit::{AuditError, CheckedPolicy, audit_policy};
use dfrsim_model::SimSpan;

fn checked(policy: &str) -> CheckedPolicy {
    CheckedPolicy::parse(policy, SimSpan::ZERO).unwrap()
}

/// A job: submit and start time, end, nodes.
type Placed = (u64, u64, &'static [u32]);

/// Writes the events of jobs that start when they are submitted, without the summary.
fn events(policy: &str, nodes: usize, jobs: &[Placed]) -> String {
    let written = |&(start, end, on): &Placed| {
        let (tasks, run, on) = (on.len(), end - start, on.iter().map(|&node| (node, 1)).collect());
        Written { submit: start, tasks, need: 1_000, run, estimate: run, start: Some(start), on }
    };
    written::events(policy, nodes, None, &jobs.iter().map(written).collect::<Vec<_>>())
}

/// Returns the violations of policy rules.
fn faults(policy: &str, nodes: usize, jobs: &[Placed]) -> Vec<String> {
    written::faults(&events(policy, nodes, jobs), policy)
}

/// Schedule that leaves nodes 0, 2-4, 6-7 and 9-10 of 11 free from 10 s on.
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
    // The rule, the nodes of a job that starts at 20 s, and the first wrong node with the correct
    // one.
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
        // The longest run of free nodes, and the shortest run that holds the remaining tasks.
        ("/PLACE=BEST", &[0, 2, 3, 4], None),
        ("/PLACE=BEST", &[2, 3, 4, 6], Some((2, 0))),
        ("/PLACE=BEST", &[6, 7, 9, 10], Some((6, 0))),
    ];
    for (place, on, wrong) in cases {
        for base in ["FCFS", "EASY", "CONS", "CONS/REPLAN"] {
            let policy = format!("{base}{place}");
            let jobs: Vec<Placed> = BEGIN.into_iter().chain([(20, 30, on)]).collect();
            let rule = place.split_once('=').map_or("FIRST", |(_, rule)| rule);
            let expected: Vec<String> = wrong.into_iter().map(|(node, expected)| {
                format!("20 s, job 7: it has 1 tasks on node {node}, expected 1 on node {expected}: the node selection is {rule}")
            }).collect();
            assert_eq!(faults(&policy, 11, &jobs), expected, "{policy}");
        }
    }
}

/// Checks that of two jobs that start at one time, the first in the file selects its nodes first.
#[test]
fn starts_of_a_moment_are_judged_in_their_order() {
    let right: [Placed; 2] = [(0, 10, &[0]), (0, 10, &[1])];
    assert!(faults("FCFS", 2, &right).is_empty());
    let wrong: [Placed; 2] = [(0, 10, &[1]), (0, 10, &[0])];
    assert_eq!(
        faults("FCFS", 2, &wrong),
        ["0 s, job 0: it has 1 tasks on node 1, expected 1 on node 0: the node selection is FIRST"]
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
