//! Tests several tasks on a node: a correct schedule, and schedules with one wrong decision each.

use crate::written::{self, Written, faults as faults_of};

/// A job: submit time, tasks, cores per task, start, end, and its tasks per node.
#[derive(Clone, Copy)]
struct Packed(u64, u32, u64, u64, u64, &'static [(u32, u32)]);

/// Correct schedule on two nodes of four cores. Jobs 0 and 1 use three cores of one node each, until
/// 10 s and 20 s. Job 2 needs four cores: its reservation is at 10 s, on node 0. Job 3 needs one
/// core until 32 s; it would delay job 2 on node 0, so it starts on node 1. Job 4 runs for 30 s and
/// waits until job 2 ends at 15 s. Job 5 runs on node 0 until 10 s.
const RIGHT: [Packed; 6] = [
    Packed(0, 1, 3, 0, 10, &[(0, 1)]),
    Packed(0, 1, 3, 0, 20, &[(1, 1)]),
    Packed(1, 1, 4, 10, 15, &[(0, 1)]),
    Packed(2, 1, 1, 2, 32, &[(1, 1)]),
    Packed(3, 1, 1, 15, 45, &[(0, 1)]),
    Packed(4, 1, 1, 4, 10, &[(0, 1)]),
];

const CORE: u64 = 943_718_400 / 4;

/// Record that describes two identical nodes of four cores.
const ALIKE: &str = r#"{"event":"classes","resources":[],"classes":[{"name":"a","nodes":2,"cpu":943718400,"memory":943718400,"speed":1048576,"resources":[]}],"cores":4}"#;

/// Writes the events, without the summary.
fn events(policy: &str, jobs: &[Packed]) -> String {
    // A fraction of a core counts as a whole core.
    let written = |&Packed(submit, tasks, cores, start, end, on): &Packed| {
        let (tasks, need, run, on) = (tasks as usize, cores * CORE - 100, end - start, on.to_vec());
        Written { submit, tasks, need, run, estimate: run, start: Some(start), on }
    };
    written::events(policy, 2, Some(ALIKE), &jobs.iter().map(written).collect::<Vec<_>>())
}

/// Jobs that differ from the correct schedule, by index.
type Changes<'a> = &'a [(usize, Packed)];

/// Returns the first violation of the correct schedule with these changes.
fn first(policy: &str, changes: Changes<'_>) -> Option<String> {
    let mut jobs = RIGHT;
    changes.iter().for_each(|&(at, job)| jobs[at] = job);
    faults_of(&events(policy, &jobs), policy).into_iter().next()
}

#[test]
fn each_rule_of_shared_nodes_is_found_broken() {
    let easy = "EASY/NODES=SHARED";
    assert_eq!(first(easy, &[]), None);
    let cases: [(&str, Changes, &str); 8] = [
        (
            "a job that could start on the other node",
            &[(5, Packed(4, 1, 1, 4, 10, &[(1, 1)])), (3, Packed(2, 1, 1, 32, 33, &[(0, 1)]))],
            "2 s, job 3: it does not start, although 2 tasks fit, it has 1, and it would not delay job 2",
        ),
        (
            "the node that costs the head its room",
            &[(3, Packed(2, 1, 1, 2, 32, &[(0, 1)]))],
            "2 s, job 3: it has 1 tasks on node 0, expected 1 on node 1: the node selection is FIRST",
        ),
        (
            "a job that delays the head",
            &[(4, Packed(3, 1, 1, 3, 33, &[(0, 1)]))],
            "3 s, job 4: it starts and delays job 2, the queue head, which can start at 10 s: it is expected to end \
             at 33 s, and leaves capacity for 0 of 1 tasks",
        ),
        (
            "a head that waits",
            &[(2, Packed(1, 1, 4, 45, 50, &[(0, 1)]))],
            "10 s, job 2: it is the queue head and does not start, although 1 tasks fit and it has 1",
        ),
        (
            "a core too few",
            &[(2, Packed(1, 1, 4, 4, 9, &[(0, 1)]))],
            "4 s, job 2: it starts with 1 tasks, but 0 fit",
        ),
        (
            "a job that could be backfilled",
            &[(5, Packed(4, 1, 1, 5, 11, &[(0, 1)]))],
            "4 s, job 5: it does not start, although 1 tasks fit, it has 1, and it would not delay job 2",
        ),
        (
            "tasks on another node than the lowest with room",
            &[(0, Packed(0, 1, 3, 0, 10, &[(1, 1)]))],
            "0 s, job 0: it has 1 tasks on node 1, expected 1 on node 0: the node selection is FIRST",
        ),
        (
            "two tasks on two nodes where one has room for both",
            &[(0, Packed(0, 2, 1, 0, 10, &[(0, 1), (1, 1)]))],
            "0 s, job 0: it has 1 tasks on node 0, expected 2 on node 0: the node selection is FIRST",
        ),
    ];
    for (what, changes, expected) in cases {
        assert_eq!(first(easy, changes).as_deref(), Some(expected), "{what}");
    }
}

#[test]
fn packed_fcfs_and_whole_nodes_are_judged_too() {
    // Job 3 starts before job 2.
    let found = first("FCFS/NODES=SHARED", &[]).unwrap();
    assert_eq!(found, "2 s, job 3: it starts before job 2, which is ahead of it in the queue");
    // Job 3 would need node 1 exclusively.
    let found = first("EASY/NODES=EXCLUSIVE", &[]).unwrap();
    assert_eq!(found, "2 s, job 3: it starts with 1 tasks, but 0 fit");
    let alone = [Packed(0, 5, 1, 0, 10, &[(0, 4), (1, 1)]), Packed(1, 1, 1, 10, 20, &[(0, 1)])];
    assert!(faults_of(&events("EASY/NODES=EXCLUSIVE", &alone), "EASY/NODES=EXCLUSIVE").is_empty());
    assert_eq!(
        faults_of(&events("EASY/NODES=SHARED", &alone), "EASY/NODES=SHARED")[0],
        "1 s, job 1: it is the queue head and does not start, although 3 tasks fit and it has 1"
    );
}

#[test]
fn cores_must_be_known() {
    let text = events("EASY/NODES=SHARED", &RIGHT).replace(r#","cores":4"#, "");
    let found = faults_of(&text, "EASY/NODES=SHARED");
    assert!(found[0].contains("the number of cores of nodes is unknown"), "{found:?}");
    // More cores of a node are in use than it has, although its CPU is sufficient.
    let five = [Packed(0, 5, 1, 0, 10, &[(0, 5)])];
    let text = events("EASY/NODES=SHARED", &five).replace(&(CORE - 100).to_string(), "1000");
    assert_eq!(
        faults_of(&text, "EASY/NODES=SHARED"),
        ["0 s, job 0: it has 5 tasks on node 0, expected 4 on node 0: the node selection is FIRST"]
    );
}
