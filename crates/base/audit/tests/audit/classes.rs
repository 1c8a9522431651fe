//! Nodes that differ: a file that is right, and each rule broken alone.

use crate::changes::{Do, Do::*, changed, first};
use dfrsim_audit::{CheckedPolicy, audit, audit_policy};
use dfrsim_model::SimSpan;

/// Node 0 is fast, node 1 has half of its speed and twice its memory, two GPUs, of which tasks use parts, and a feature.
///
/// | second | what happens | work of job 0 (10 s) | work of job 1 (6 s) | GPUs in use |
/// |---|---|---|---|---|
/// | 0 | job 0, a task with two GPUs of which it uses three quarters, starts on node 1: half of full speed | 0 | | 1.5 |
/// | 4 | job 0 goes on at 1/2, and job 1 with half of one GPU starts at 1 on the CPU that is left | 2 | 0 | 1.25 |
/// | 16 | job 1 completes; job 0 goes on at 1 | 5 | 6 | 1.5 |
/// | 26 | job 0 completes | 10 | | |
///
/// Turnarounds: 26 s and 12 s. Work: 10 + 6 / 2 = 13 node-seconds of 26 * 1.5.
const SHARED: [&str; 11] = [
    r#"{"event":"run","format":3,"policy":"by hand","nodes":2,"penalty_us":0,"tau_us":10000000}"#,
    concat!(
        r#"{"event":"classes","resources":[{"name":"gpu","shared":true}],"classes":["#,
        r#"{"name":"fast","nodes":1,"cpu":943718400,"memory":943718400,"speed":1048576,"resources":[0]},"#,
        r#"{"name":"gpu","nodes":1,"cpu":943718400,"memory":1887436800,"speed":524288,"resources":[2],"features":["x"]}]}"#
    ),
    r#"{"event":"submit","at_us":0,"job":0,"id":10,"tasks":1,"cpu_need":943718400,"memory":943718400,"run_us":10000000}"#,
    r#"{"event":"ask","at_us":0,"job":0,"resources":[[2,707788800]],"features":["x"]}"#,
    r#"{"event":"start","at_us":0,"job":0,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"submit","at_us":4000000,"job":1,"id":11,"tasks":1,"cpu_need":471859200,"memory":943718400,"run_us":6000000}"#,
    r#"{"event":"ask","at_us":4000000,"job":1,"resources":[[1,471859200]]}"#,
    r#"{"event":"yield","at_us":4000000,"job":0,"yield":524288}"#,
    r#"{"event":"start","at_us":4000000,"job":1,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":16000000,"job":1}"#,
    r#"{"event":"yield","at_us":16000000,"job":0,"yield":1048576}"#,
];
const END: [&str; 2] = [
    r#"{"event":"complete","at_us":26000000,"job":0}"#,
    concat!(
        r#"{"event":"summary","completed":2,"rejected":0,"makespan_us":26000000,"max_stretch":2.6,"#,
        r#""max_bounded_stretch":2.6,"mean_bounded_stretch":1.9,"mean_turnaround_s":19.0,"#,
        r#""utilisation":0.3333333333333333,"preemptions":0,"migrations":0,"migrated_tasks":0}"#
    ),
];

/// EASY on the same nodes, with GPUs that are held. Job 0 runs for 10 s of work on node 1, until 20 s. Job 1, which asks for a GPU too,
/// waits for that. Job 2, which asks for none, starts on node 0, of which job 1 has no use.
const HELD: [&str; 12] = [
    r#"{"event":"run","format":3,"policy":"EASY","nodes":2,"penalty_us":0,"tau_us":10000000}"#,
    concat!(
        r#"{"event":"classes","resources":[{"name":"gpu","shared":false}],"classes":["#,
        r#"{"name":"fast","nodes":1,"cpu":943718400,"memory":943718400,"speed":1048576,"resources":[0]},"#,
        r#"{"name":"gpu","nodes":1,"cpu":943718400,"memory":1887436800,"speed":524288,"resources":[2],"features":["x"]}]}"#
    ),
    r#"{"event":"submit","at_us":0,"job":0,"id":10,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000}"#,
    r#"{"event":"ask","at_us":0,"job":0,"resources":[[2,943718400]]}"#,
    r#"{"event":"start","at_us":0,"job":0,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"submit","at_us":1000000,"job":1,"id":11,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":5000000}"#,
    r#"{"event":"ask","at_us":1000000,"job":1,"resources":[[1,943718400]]}"#,
    r#"{"event":"submit","at_us":2000000,"job":2,"id":12,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":30000000}"#,
    r#"{"event":"start","at_us":2000000,"job":2,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":20000000,"job":0}"#,
    r#"{"event":"start","at_us":20000000,"job":1,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":30000000,"job":1}"#,
];
/// 45 s of work in 32 s on nodes of speed 1 and 1/2.
const HELD_END: [&str; 2] = [
    r#"{"event":"complete","at_us":32000000,"job":2}"#,
    concat!(
        r#"{"event":"summary","completed":3,"rejected":0,"makespan_us":32000000,"max_stretch":5.8,"#,
        r#""max_bounded_stretch":2.9,"mean_bounded_stretch":1.9666666666666666,"mean_turnaround_s":26.333333333333332,"#,
        r#""utilisation":0.9375,"preemptions":0,"migrations":0,"migrated_tasks":0}"#
    ),
];

fn shared() -> Vec<&'static str> {
    SHARED.into_iter().chain(END).collect()
}
fn held() -> Vec<&'static str> {
    HELD.into_iter().chain(HELD_END).collect()
}
fn easy() -> CheckedPolicy {
    CheckedPolicy::parse("EASY", SimSpan::ZERO).unwrap()
}

#[test]
fn files_with_classes_are_accepted() {
    let report = audit(changed(&shared(), &[]).as_bytes()).unwrap();
    assert_eq!((report.peak_cpu, report.peak_memory), (1.0, 1.0), "of the node with twice the memory");
    audit_policy(changed(&held(), &[]).as_bytes(), easy()).unwrap();
}

/// What is planted, and the first fault that is found.
#[test]
fn each_rule_of_unequal_nodes_is_found_broken() {
    let move_platform = r#"{"event":"ask","at_us":0,"job":0,"resources":[[2,707788800]],"features":["x"]}"#;
    let cases: Vec<(&str, Vec<Do>, &str)> = vec![
        (
            "shared GPUs beyond the node",
            vec![Edit(7, "[1,471859200]", "[3,471859200]")],
            "the gpu of node 1 is over-committed: 2.250000000 of 2",
        ),
        (
            "a GPU need that the yield does not lower enough",
            vec![Edit(2, "[2]", "[1]")],
            "the gpu of node 1 is over-committed: 1.500000000 of 1",
        ),
        (
            "a GPU where there is none",
            vec![Edit(9, "[[1,1]]", "[[0,1]]")],
            "the gpu of node 0 is over-committed: 0.500000000 of 0",
        ),
        (
            "held GPUs do not shrink with the yield",
            vec![Edit(2, "true", "false")],
            "the gpu of node 1 is over-committed: 3.000000000 of 2",
        ),
        (
            "a class without the feature",
            vec![Edit(2, r#""resources":[0]"#, r#""resources":[2]"#), Edit(5, "[[1,1]]", "[[0,1]]")],
            "it is on node 0, which does not have the feature x",
        ),
        (
            "memory beyond the class",
            vec![Edit(2, "1887436800", "1500000000")],
            "the memory of node 1 is over-committed: 2.000000000 of 1.58945",
        ),
        (
            "CPU beyond the class",
            vec![Edit(
                2,
                r#""nodes":1,"cpu":943718400,"memory":1887436800"#,
                r#""nodes":1,"cpu":471859200,"memory":1887436800"#,
            )],
            "the CPU of node 1 is over-committed: 1.000000000 of 0.5",
        ),
        (
            "full speed on a slow node",
            vec![Edit(12, "26000000", "21000000")],
            "it completes too early: it has done 7.5 s of 10 s",
        ),
        (
            "slower than its node",
            vec![Edit(2, "524288", "1048576")],
            "it should have completed at 10 s, when its work was done",
        ),
        (
            "a feature that no node has",
            vec![Edit(4, r#"["x"]"#, r#"["y"]"#)],
            "an `ask` that does not follow the submission of its job",
        ),
        (
            "a demand for a resource too many",
            vec![Edit(4, "[[2,707788800]]", "[[2,707788800],[1,1]]")],
            "an `ask` that does not follow",
        ),
        (
            "a demand of a job that is running",
            vec![Delete(4), Insert(5, move_platform)],
            "`ask` out of order",
        ),
        ("two demands of a job", vec![Insert(5, move_platform)], "an `ask` that does not follow"),
        (
            "classes that are not the cluster",
            vec![Edit(1, r#""nodes":2"#, r#""nodes":3"#)],
            "the classes do not make up the cluster",
        ),
        ("a class above full speed", vec![Edit(2, "1048576", "1048577")], "a class has no speed up to 1"),
        ("classes in the middle", vec![Move(2, 3)], "a `classes` record behind the beginning of the file"),
        ("demands without classes", vec![Delete(2)], "an `ask` that does not follow"),
        (
            "utilisation of equal nodes",
            vec![Edit(13, "0.3333333333333333", "0.25")],
            "summary: `utilisation` is 0.25, the events say 0.333",
        ),
    ];
    for (what, changes, expected) in cases {
        let found = first(audit(changed(&shared(), &changes).as_bytes()));
        assert!(found.contains(expected), "{what}: {found}");
    }
}

/// The same for the decisions of EASY.
#[test]
fn wrong_decisions_on_unequal_nodes_are_found() {
    let cases: Vec<(&str, Vec<Do>, &str)> = vec![
        (
            "a slow node, though the fast one is free",
            vec![Delete(4), Edit(4, "[[1,1]]", "[[1,1]]")],
            "it has 1 tasks on node 1, where it should have 1 on node 0",
        ),
        (
            "a job that could be backfilled",
            vec![Edit(9, "2000000", "3000000")],
            "it does not start, though there is room for 1 tasks, it has 1",
        ),
        (
            "rejected though a node has its GPUs",
            vec![Insert(8, r#"{"event":"reject","at_us":1000000,"job":1}"#)],
            "it is rejected, although its 1 tasks fit on 1 nodes",
        ),
        (
            "kept though no node has its GPUs",
            vec![Edit(7, "[1,943718400]", "[3,943718400]")],
            "it is not rejected, although its 1 tasks are more than the 0 nodes",
        ),
    ];
    for (what, changes, expected) in cases {
        let found = first(audit_policy(changed(&held(), &changes).as_bytes(), easy()));
        assert!(found.contains(expected), "{what}: {found}");
    }
}
