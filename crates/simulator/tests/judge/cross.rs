//! Tests that the record of one policy is not accepted as that of another.

use crate::conditions::{ALONE, Case, judge};
use dfrsim_model::event::Record;

/// Some policies of each kind, all of whose decisions the audit recomputes.
const POLICIES: [&str; 18] = [
    "FCFS",
    "EASY",
    "EASY/ORDER=SJF",
    "EASY/FILL=SAF",
    "CONS",
    "CONS/REPLAN",
    "EQUIPARTITION",
    "Greedy*/OPT=MIN",
    "GreedyP*/OPT=MIN",
    "GreedyPM*/OPT=MIN",
    "GreedyPM*/OPT=AVG",
    "GreedyP*/OPT=MIN/PAY=10/RETRY=60/SWAP=2",
    "MCB*/OPT=MIN",
    "/per/OPT=MIN",
    "/per/OPT=MIN/MVT=600",
    "/per/OPT=MIN/LAS=300/AHEAD=2700",
    "/stretch-per/OPT=MAX",
    "GreedyPM*/per/OPT=MIN/BELOW=30",
];

/// Returns the record under the name of another policy.
fn renamed(records: &[Record<'static>], name: &str) -> Vec<Record<'static>> {
    let mut renamed = records.to_vec();
    if let Record::Run { policy, .. } = &mut renamed[0] {
        *policy = name.to_owned().into();
    }
    renamed
}

/// Returns the wrong verdicts of one case.
fn misses(case: &Case) -> Vec<String> {
    let all = POLICIES.map(|name| case.records(name).expect("some job completes"));
    let mut misses = Vec::new();
    for (name, records) in POLICIES.iter().zip(&all) {
        for (other, its) in POLICIES.iter().zip(&all) {
            let is_right = judge(&renamed(records, other), other).is_ok();
            if is_right != (records[1..] == its[1..]) {
                misses.push(format!("{name} as {other}: {is_right}"));
            }
        }
    }
    misses
}

/// Accepts the record of a policy as its own, and rejects it as that of any policy with another
/// schedule, under each condition.
#[test]
fn policies_are_distinguished() {
    for condition in ALONE {
        let found = misses(&condition.case(1, if dfrsim_testing::is_full() { 70 } else { 45 }));
        assert!(found.is_empty(), "{}: {found:#?}", condition.name);
    }
}
