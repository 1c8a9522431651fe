//! The record of one policy is not one of another.

use crate::conditions::{ALONE, Case, judge};
use dfrsim_model::event::Record;

/// Some of each kind, whose decisions are all computed again.
const POLICIES: [&str; 19] = [
    "FCFS",
    "EASY",
    "EASY/ORDER=SJF",
    "EASY/FILL=SAF",
    "EASY/SPARE",
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

/// The record under the name of another policy.
fn renamed(records: &[Record<'static>], name: &str) -> Vec<Record<'static>> {
    let mut renamed = records.to_vec();
    if let Record::Run { policy, .. } = &mut renamed[0] {
        *policy = name.to_owned().into();
    }
    renamed
}

/// What goes wrong in one case.
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

/// The record of a policy passes as its own, and fails as that of any other that has another schedule, under each condition.
#[test]
fn policies_are_distinguished() {
    for condition in ALONE {
        let found = misses(&condition.case(1, 70));
        assert!(found.is_empty(), "{}: {found:#?}", condition.name);
    }
}
