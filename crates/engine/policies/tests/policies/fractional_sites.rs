//! Priorities, limits and preemption by class under policies that share nodes: schedules derived by hand, and properties.

use crate::preemption::{TWO, settings};
use crate::priorities::{Row, of, requested, run};
use crate::support::starts_and_ends;
use dfrsim_cluster::Options;
use dfrsim_model::priority::{JobClass, PreemptMode, Priorities, PriorityWeights};
use dfrsim_model::{Job, Share, SimSpan};
use proptest::prelude::*;

/// Jobs of which a node holds one.
fn alone(rows: &[Row]) -> Vec<Job> {
    of(rows).into_iter().map(|job| Job { memory: Share::from_ratio(6, 10), ..job }).collect()
}

fn times(policy: &str, nodes: u32, settings: &Priorities, rows: &[Row]) -> Vec<(f64, f64)> {
    let options = Options { penalty: SimSpan::from_secs(5), ..requested() };
    starts_and_ends(&run(policy, nodes, settings, &options, alone(rows)).0)
}

/// Whatever the mode says, the job that started last is paused with 10 s done, and goes on at 50 s: the penalty of 5 s, and 90 s.
#[test]
fn preemption_by_class_is_a_pause() {
    for policy in ["EQUIPARTITION", "Greedy*/OPT=MIN", "Greedy*/OPT=AVG"] {
        for mode in [PreemptMode::Requeue, PreemptMode::Suspend, PreemptMode::Cancel] {
            let expected = [(0.0, 100.0), (10.0, 145.0), (20.0, 50.0)];
            assert_eq!(times(policy, 4, &settings(mode), &TWO), expected, "{policy}");
        }
        let expected = [(0.0, 100.0), (10.0, 110.0), (100.0, 130.0)];
        assert_eq!(times(policy, 4, &settings(PreemptMode::Off), &TWO), expected, "{policy}");
    }
}

/// Exempt for 30 s: the first job can be paused at 30 s, and goes on at 60 s with the penalty and 70 s left.
#[test]
fn jobs_are_exempt_for_a_time() {
    let exempt = Priorities { preempt_exempt_time_s: 30, ..settings(PreemptMode::Requeue) };
    for policy in ["EQUIPARTITION", "Greedy*/OPT=MIN"] {
        let expected = [(0.0, 135.0), (10.0, 110.0), (30.0, 60.0)];
        assert_eq!(times(policy, 4, &exempt, &TWO), expected, "{policy}");
    }
}

/// A job of a class that preempts others is above theirs: what MCB leaves out is the job of the lower class, though it was submitted first and
/// has done less work for its age.
#[test]
fn classes_that_preempt_others_are_above_them() {
    let rows = [(0, 1, 1_000, 0, 2, 2), (10, 1, 100, 0, 1, 1)];
    for policy in ["MCB*/OPT=MIN", "MCB*/per/OPT=MIN", "GreedyP*/per/OPT=MIN"] {
        let expected = [(0.0, 1_000.0), (1_000.0, 1_100.0)];
        assert_eq!(times(policy, 1, &settings(PreemptMode::Suspend), &rows), expected, "{policy}");
        assert!(times(policy, 1, &settings(PreemptMode::Off), &rows)[1].0 <= 1_000.0, "{policy}");
    }
}

/// One node and the order of qualities of service: 9 before 1.
#[test]
fn the_priority_of_the_site_orders_jobs_that_wait() {
    let class = |name: &str, queue, priority| JobClass {
        name: name.to_owned(),
        queues: vec![queue],
        priority,
        ..JobClass::default()
    };
    let settings = Priorities {
        weights: PriorityWeights { qos: 1_000, ..PriorityWeights::default() },
        qos: vec![class("low", 1, 1), class("high", 2, 9)],
        ..Priorities::default()
    };
    let rows = [(0, 1, 100, 0, 1, 1), (10, 1, 50, 0, 1, 1), (20, 1, 50, 0, 2, 2)];
    for policy in ["EQUIPARTITION", "Greedy*/OPT=MIN", "Greedy*/OPT=AVG"] {
        let expected = [(0.0, 100.0), (150.0, 200.0), (100.0, 150.0)];
        assert_eq!(times(policy, 1, &settings, &rows), expected, "{policy}");
    }
    // Under MCB a job that comes has the node at once, with 10 s done by the first two. At 70 s the first one, which is older, goes on: the
    // penalty of 5 s, and 90 s; then the second one, with 40 s left.
    let expected = [(0.0, 165.0), (10.0, 210.0), (20.0, 70.0)];
    assert_eq!(times("MCB*/OPT=MIN", 1, &settings, &rows), expected);
}

/// Each user runs one job at a time, though three nodes are free; the other user's job is not delayed.
#[test]
fn limits_pass_jobs_over() {
    let settings = Priorities { max_running_per_user: Some(1), ..Priorities::default() };
    let rows = [(0, 1, 100, 0, 1, 1), (1, 1, 100, 0, 1, 1), (2, 1, 100, 0, 1, 2)];
    for policy in ["EQUIPARTITION", "Greedy*/OPT=MIN", "GreedyPM*/OPT=MIN", "GreedyP*/OPT=MIN"] {
        let expected = [(0.0, 100.0), (100.0, 200.0), (2.0, 102.0)];
        assert_eq!(times(policy, 4, &settings, &rows), expected, "{policy}");
    }
    let most =
        JobClass { name: "all".into(), total_nodes: Some(2), max_nodes: Some(2), ..JobClass::default() };
    let settings = Priorities { qos: vec![JobClass { queues: vec![1], ..most }], ..Priorities::default() };
    let rows = [(0, 2, 100, 0, 1, 1), (1, 1, 100, 0, 1, 1), (2, 3, 100, 0, 1, 2), (3, 3, 10, 0, 2, 2)];
    for policy in ["EQUIPARTITION", "Greedy*/OPT=MIN"] {
        let (found, rejected) = run(policy, 9, &settings, &requested(), alone(&rows));
        assert_eq!((starts_and_ends(&found), rejected), (vec![(0.0, 100.0), (100.0, 200.0), (3.0, 13.0)], 1));
    }
}

const POLICIES: [&str; 11] = [
    "EQUIPARTITION",
    "Greedy*/OPT=MIN",
    "GreedyP*/per/OPT=AVG",
    "GreedyPM*/per/OPT=MIN/MVT=600",
    "GreedyPM*/per/BUDGET=9/OPT=MIN",
    "Greedy/per/OPT=MIN",
    "MCB*/OPT=MIN",
    "MCB*/per/RELABEL/OPT=MIN",
    "/per/OPT=MIN",
    "/stretch-per/OPT=MAX",
    "GreedyPM*/per/OPT=MIN/SAFE=60/SPREAD/RETRY=60/SWAP=2/LAS=300/AHEAD=2700",
];

fn crowd() -> impl Strategy<Value = Vec<Job>> {
    let row = (0_u64..300, 1_u32..5, 1_u64..3_000, 1_u64..4_000, 1_u32..4, 1_u32..4, 1_u64..9);
    prop::collection::vec(row, 1..30).prop_map(|rows| {
        let mut submit = 0;
        let rows = rows.into_iter().map(|(gap, width, run, requested, group, user, memory)| {
            submit += gap / 2;
            ((submit, width, run, requested, group, user), Share::from_ratio(memory, 10))
        });
        let (rows, memories): (Vec<Row>, Vec<Share>) = rows.unzip();
        of(&rows).into_iter().zip(memories).map(|(job, memory)| Job { memory, ..job }).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Under everything that a site says all jobs run that may; the audit finds no limit that is broken.
    #[test]
    fn all_policies_keep_to_a_site(jobs in crowd(), policy in 0..POLICIES.len(), mode in 0_usize..4, exempt in 0_u64..200) {
        let mode = [PreemptMode::Off, PreemptMode::Requeue, PreemptMode::Suspend, PreemptMode::Cancel][mode];
        let mut site = Priorities {
            weights: PriorityWeights { age: 100, fair_share: 500, size: 50, qos: 100, ..PriorityWeights::default() },
            max_running_per_user: Some(3),
            preempt_exempt_time_s: exempt,
            ..settings(mode)
        };
        site.qos[0].total_nodes = Some(5);
        site.qos[1].weight = Some(3);
        let count = jobs.len();
        let (records, rejected) = run(POLICIES[policy], 6, &site, &requested(), jobs);
        prop_assert_eq!(records.len() as u64 + rejected, count as u64);
    }
}
