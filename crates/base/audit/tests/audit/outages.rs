//! Nodes that go down: files that are right, and each rule broken alone.

use crate::changes::{Do, Do::*, changed, first};
use dfrsim_audit::{CheckedPolicy, audit, audit_policy};
use dfrsim_model::SimSpan;

/// Two nodes; jobs of one task that needs a whole CPU. A checkpoint of 1 s after each 3 s of work, and reading one takes 2 s.
///
/// | second | what happens | work of job 0 (13 s) | work of job 1 (39 s) |
/// |---|---|---|---|
/// | 0 | a window of node 0 from 40 to 50 is announced; job 0 starts on node 1 | 0 | |
/// | 5 | node 1 goes down: the checkpoint that ended at 4 s is kept, 1 s of work is lost | 4 | |
/// | 7 | node 1 is up; job 0 starts again, and reads until 9 | 4 | |
/// | 18 | it completes | 13 | |
/// | 20 | job 1 starts on node 0 | | 0 |
/// | 40 | the window begins: the fifth checkpoint ends just now | | 20 |
/// | 50 | it ends; job 1 starts again, and reads until 52 | | 20 |
/// | 71 | it completes | | 39 |
///
/// Turnarounds: 18 s and 51 s of runs of 10 s and 30 s. Of 142 node-seconds nodes are down in 12; 40 are run times.
const CHECKPOINTS: [&str; 18] = [
    r#"{"event":"run","format":3,"policy":"by hand","nodes":2,"penalty_us":0,"tau_us":10000000}"#,
    r#"{"event":"platform","interruption":"checkpoint","interval_us":3000000,"cost_us":1000000,"restart_us":2000000}"#,
    r#"{"event":"window","at_us":0,"first":0,"nodes":1,"from_us":40000000,"until_us":50000000}"#,
    r#"{"event":"submit","at_us":0,"job":0,"id":10,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000}"#,
    r#"{"event":"start","at_us":0,"job":0,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"down","at_us":5000000,"nodes":[[1,1]]}"#,
    r#"{"event":"interrupt","at_us":5000000,"job":0,"kept_us":4000000}"#,
    r#"{"event":"up","at_us":7000000,"nodes":[[1,1]]}"#,
    r#"{"event":"start","at_us":7000000,"job":0,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":18000000,"job":0}"#,
    r#"{"event":"submit","at_us":20000000,"job":1,"id":11,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":30000000}"#,
    r#"{"event":"start","at_us":20000000,"job":1,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"down","at_us":40000000,"nodes":[[0,1]]}"#,
    r#"{"event":"interrupt","at_us":40000000,"job":1,"kept_us":20000000}"#,
    r#"{"event":"up","at_us":50000000,"nodes":[[0,1]]}"#,
    r#"{"event":"start","at_us":50000000,"job":1,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":71000000,"job":1}"#,
    concat!(
        r#"{"event":"summary","completed":2,"rejected":0,"makespan_us":71000000,"max_stretch":1.8,"#,
        r#""max_bounded_stretch":1.8,"mean_bounded_stretch":1.75,"mean_turnaround_s":34.5,"#,
        r#""utilisation":0.28169014084507044,"preemptions":0,"migrations":0,"migrated_tasks":0,"#,
        r#""platform":{"interruptions":2,"lost":0,"lost_work_s":1.0,"availability":0.9154929577464789,"goodput":0.3076923076923077}}"#
    ),
];

/// EASY on two nodes, both of which are in a window from 10 to 20 s. Job 1 would end at 11 s if it began when it could, at 6 s: it waits
/// for the end of the window. Job 2 ends before it begins.
const WINDOW: [&str; 15] = [
    r#"{"event":"run","format":3,"policy":"EASY","nodes":2,"penalty_us":0,"tau_us":10000000}"#,
    r#"{"event":"platform","interruption":"requeue"}"#,
    r#"{"event":"window","at_us":0,"first":0,"nodes":2,"from_us":10000000,"until_us":20000000}"#,
    r#"{"event":"submit","at_us":0,"job":0,"id":10,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":6000000}"#,
    r#"{"event":"start","at_us":0,"job":0,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"submit","at_us":1000000,"job":1,"id":11,"tasks":2,"cpu_need":943718400,"memory":0,"run_us":5000000}"#,
    r#"{"event":"submit","at_us":2000000,"job":2,"id":12,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":4000000}"#,
    r#"{"event":"start","at_us":2000000,"job":2,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":6000000,"job":0}"#,
    r#"{"event":"complete","at_us":6000000,"job":2}"#,
    r#"{"event":"down","at_us":10000000,"nodes":[[0,2]]}"#,
    r#"{"event":"up","at_us":20000000,"nodes":[[0,2]]}"#,
    r#"{"event":"start","at_us":20000000,"job":1,"on":[[0,1],[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":25000000,"job":1}"#,
    concat!(
        r#"{"event":"summary","completed":3,"rejected":0,"makespan_us":25000000,"max_stretch":4.8,"#,
        r#""max_bounded_stretch":2.4,"mean_bounded_stretch":1.4666666666666668,"mean_turnaround_s":11.333333333333334,"#,
        r#""utilisation":0.4,"preemptions":0,"migrations":0,"migrated_tasks":0,"#,
        r#""platform":{"interruptions":0,"lost":0,"lost_work_s":0.0,"availability":0.6,"goodput":0.6666666666666666}}"#
    ),
];

/// GreedyPM* on two nodes, of which node 1 is in a window from 4 to 7 s. Both jobs of 10 s take six tenths of the memory of a node: job 1 is
/// paused a microsecond before the window, and goes on after it.
const PAUSED: [&str; 14] = [
    r#"{"event":"run","format":3,"policy":"GreedyPM*/OPT=MIN","nodes":2,"penalty_us":0,"tau_us":10000000}"#,
    r#"{"event":"platform","interruption":"requeue"}"#,
    r#"{"event":"window","at_us":0,"first":1,"nodes":1,"from_us":4000000,"until_us":7000000}"#,
    r#"{"event":"submit","at_us":0,"job":0,"id":10,"tasks":1,"cpu_need":943718400,"memory":566231040,"run_us":10000000}"#,
    r#"{"event":"submit","at_us":0,"job":1,"id":11,"tasks":1,"cpu_need":943718400,"memory":566231040,"run_us":10000000}"#,
    r#"{"event":"start","at_us":0,"job":0,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"start","at_us":0,"job":1,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"pause","at_us":3999999,"job":1}"#,
    r#"{"event":"down","at_us":4000000,"nodes":[[1,1]]}"#,
    r#"{"event":"up","at_us":7000000,"nodes":[[1,1]]}"#,
    r#"{"event":"resume","at_us":7000000,"job":1,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":10000000,"job":0}"#,
    r#"{"event":"complete","at_us":13000001,"job":1}"#,
    concat!(
        r#"{"event":"summary","completed":2,"rejected":0,"makespan_us":13000001,"max_stretch":1.3000001,"#,
        r#""max_bounded_stretch":1.3000001,"mean_bounded_stretch":1.15000005,"mean_turnaround_s":11.5000005,"#,
        r#""utilisation":0.7692307100591762,"preemptions":1,"migrations":0,"migrated_tasks":0,"#,
        r#""platform":{"interruptions":0,"lost":0,"lost_work_s":0.0,"availability":0.8846153934911236,"goodput":0.8695651417769442}}"#
    ),
];

#[test]
fn a_file_with_outages_is_accepted() {
    let report = audit(changed(&CHECKPOINTS, &[]).as_bytes()).unwrap();
    assert_eq!(report.platform.unwrap().interruptions, 2);
    let text = report.to_string();
    let last = "2 interruptions, 0 jobs lost, 1.0 node-seconds of work lost; availability 0.915493, goodput 0.307692";
    assert_eq!(text.lines().rev().nth(1), Some(last));
    let easy = CheckedPolicy::parse("EASY", SimSpan::ZERO).unwrap();
    audit_policy(changed(&WINDOW, &[]).as_bytes(), easy).unwrap();
}

/// What is planted, and the first fault that is found.
#[test]
fn planted_faults_of_outages_are_found() {
    const DOWN: &str = r#"{"event":"down","at_us":5000000,"nodes":[[1,1]]}"#;
    const UP: &str = r#"{"event":"up","at_us":2000000,"nodes":[[1,1]]}"#;
    const LOSE: &str = r#"{"event":"lose","at_us":5000000,"job":0}"#;
    const AGAIN: &str = r#"{"event":"interrupt","at_us":5000000,"job":0,"kept_us":4000000}"#;
    const SOON: &str =
        r#"{"event":"window","at_us":20000000,"first":0,"nodes":1,"from_us":19000000,"until_us":50000000}"#;
    let planted: &[(&[Do], &str)] = &[
        (&[Delete(2)], "line 2: `window` in a file without a `platform` record in its second line"),
        (&[Move(2, 4)], "line 2: `window` in a file without a `platform` record in its second line"),
        (&[Insert(4, CHECKPOINTS[1])], "line 4: a `platform` record behind the second line"),
        (
            &[Edit(2, "\"interval_us\":3000000", "\"interval_us\":0")],
            "line 2: checkpoints must have an interval above zero, and other rules none",
        ),
        (
            &[Edit(3, "\"until_us\":50000000", "\"until_us\":40000000")],
            "line 3: the window does not last, is of nodes that do not exist, or is announced when it has begun",
        ),
        (
            &[Edit(3, "\"nodes\":1", "\"nodes\":3")],
            "line 3: the window does not last, is of nodes that do not exist, or is announced when it has begun",
        ),
        (
            &[Insert(11, SOON)],
            "line 11: the window does not last, is of nodes that do not exist, or is announced when it has begun",
        ),
        (
            &[Move(4, 3)],
            "line 4: `window` out of order: at one time completions come first, then submissions, then changes",
        ),
        (&[Edit(3, "40000000", "39000000")], "line 13: node 0 is up after the begin of its window at 39 s"),
        (
            &[Edit(3, "40000000", "20000000")],
            "line 13, 20 s: node 0 is up after the begin of its window at 20 s",
        ),
        (&[Insert(6, DOWN)], "line 7: node 1 is down already"),
        (&[Insert(6, UP)], "line 6: node 1 is up already"),
        (&[Edit(6, "[[1,1]]", "[[1,2]]")], "line 6: node 2 does not exist; there are 2 nodes"),
        (&[Edit(15, "50000000", "49000000")], "line 15: node 0 comes up in a window"),
        (&[Delete(7)], "line 7, 5 s, job 0: it is on node 1, which is down"),
        (&[Delete(8)], "line 8, 7 s, job 0: it is on node 1, which is down"),
        (
            &[Edit(6, "[[1,1]]", "[[0,1]]")],
            "line 7, 5 s, job 0: `interrupt` of a job of which all nodes are up",
        ),
        (
            &[Delete(7), Insert(7, LOSE)],
            "line 7, 5 s, job 0: `lose` is not what happens to jobs by the second line",
        ),
        (
            &[Edit(2, "checkpoint\",\"interval_us\":3000000", "lose\",\"interval_us\":0")],
            "line 7, 5 s, job 0: `interrupt` is not what happens to jobs by the second line",
        ),
        (
            &[Edit(7, "4000000", "5000000")],
            "line 7, 5 s, job 0: it keeps 5 s of work; by the rule it keeps 4 s",
        ),
        (
            &[Edit(2, "checkpoint\",\"interval_us\":3000000", "requeue\",\"interval_us\":0")],
            "line 7, 5 s, job 0: it keeps 4 s of work; by the rule it keeps 0 s",
        ),
        (&[Insert(8, AGAIN)], "line 8, 5 s, job 0: `interrupt` of a job that is waiting"),
        // Without the time that reading takes.
        (
            &[Edit(10, "18000000", "16000000")],
            "line 10, 16 s, job 0: it completes too early: it has done 11 s of 10 s",
        ),
        (
            &[Edit(10, "18000000", "19000000")],
            "line 10, 18 s, job 0: it should have completed at 18 s, when its work was done",
        ),
        // Without the checkpoints after the interruption.
        (
            &[Edit(17, "71000000", "67000000")],
            "line 17, 67 s, job 1: it completes too early: it has done 35 s of 30 s",
        ),
        (
            &[Edit(18, "\"interruptions\":2", "\"interruptions\":1")],
            "line 18: summary: `interruptions` is 1, the events say 2",
        ),
        (&[Edit(18, "\"lost\":0", "\"lost\":1")], "line 18: summary: `lost` is 1, the events say 0"),
        (
            &[Edit(18, "\"lost_work_s\":1.0", "\"lost_work_s\":0.0")],
            "line 18: summary: `lost_work_s` is 0, the events say 1",
        ),
        (
            &[Edit(18, "0.9154929577464789", "0.92")],
            "line 18: summary: `availability` is 0.92, the events say 0.9154929577464789",
        ),
        (
            &[Edit(18, "0.3076923076923077", "0.5")],
            "line 18: summary: `goodput` is 0.5, the events say 0.3076923076923077",
        ),
        (
            &[Edit(
                18,
                ",\"platform\":{\"interruptions\":2,\"lost\":0,\"lost_work_s\":1.0,\"availability\":0.9154929577464789,\"goodput\":0.3076923076923077}",
                "",
            )],
            "line 18: summary: `platform` must be there if and only if the second line is a `platform` record or jobs preempt others",
        ),
    ];
    assert!(planted.len() >= 30);
    for (changes, expected) in planted {
        assert_eq!(first(audit(changed(&CHECKPOINTS, changes).as_bytes())), *expected);
    }
}

/// Starts that a batch policy would not decide for the window that it knows of.
#[test]
fn planted_faults_of_windows_are_found() {
    const EARLY: &str = r#"{"event":"start","at_us":6000000,"job":1,"on":[[0,1],[1,1]],"yield":1048576}"#;
    let planted: &[(&str, &[Do], &str)] = &[
        (
            "CONS",
            &[Insert(11, EARLY), Delete(14)],
            "line 11, 6 s, job 1: it starts before its reservation at 20 s",
        ),
        // Job 1 has both nodes for itself.
        ("EASY/SPARE", &[], "line 8, 2 s, job 2: it starts with 1 tasks, but there is room for 0"),
        (
            "EASY",
            &[Insert(11, EARLY), Delete(14)],
            "line 11, 6 s, job 1: it starts with 2 tasks, but there is room for 0",
        ),
        ("FCFS", &[], "line 8, 2 s, job 2: it starts before job 1, which is ahead of it in the queue"),
        (
            "EASY",
            &[Edit(8, "2000000", "3000000")],
            "line 8, 2 s, job 2: it does not start, though there is room for 1 tasks, it has 1, and it would not delay job 1",
        ),
        (
            "EASY",
            &[Edit(13, "20000000", "21000000")],
            "line 13, 20 s, job 1: it is the first in the queue and does not start, though there is room for 2 tasks, and it has 2",
        ),
        // It takes both nodes beyond the time at which job 1 can start.
        (
            "EASY",
            &[
                Edit(7, "4000000", "40000000"),
                Edit(7, "\"run_us\":40000000", "\"run_us\":40000000,\"estimate_us\":19000000"),
            ],
            "line 8, 2 s, job 2: it starts with 1 tasks, but there is room for 0",
        ),
    ];
    for (policy, changes, expected) in planted {
        let checked = CheckedPolicy::parse(policy, SimSpan::ZERO).unwrap();
        let mut text = changed(&WINDOW, changes);
        text = text.replacen("\"policy\":\"EASY\"", &format!("\"policy\":\"{policy}\""), 1);
        assert_eq!(first(audit_policy(text.as_bytes(), checked)), *expected, "{policy}");
    }
}

/// Changes that a fractional policy would not decide.
#[test]
fn planted_faults_of_fractional_policies_with_windows_are_found() {
    const INTERRUPT: &str = r#"{"event":"interrupt","at_us":4000000,"job":1,"kept_us":0}"#;
    const MOVED: &str = r#"{"event":"migrate","at_us":3999999,"job":1,"on":[[0,1]],"yield":1048576}"#;
    const BACK: &str = r#"{"event":"resume","at_us":3999999,"job":1,"on":[[1,1]],"yield":1048576}"#;
    let checked = || CheckedPolicy::parse("GreedyPM*/OPT=MIN", SimSpan::from_secs(600)).unwrap();
    audit_policy(changed(&PAUSED, &[]).as_bytes(), checked()).unwrap();
    let planted: &[(&[Do], &str)] = &[
        (
            &[Delete(8), Insert(9, INTERRUPT), Edit(11, "resume", "start"), Edit(13, "13000001", "17000000")],
            "line 8, 3.999999 s, job 1: it is on node 1; the policy has it on no node",
        ),
        (
            &[Edit(8, "3999999", "3999998")],
            "line 8, 3.999998 s, job 1: the policy has no reason for a `pause` at this time",
        ),
        (
            &[Edit(8, "3999999", "4000000")],
            "line 8, 3.999999 s, job 1: it is on node 1; the policy has it on no node",
        ),
        (&[Delete(8)], "line 8, 3.999999 s, job 1: it is on node 1; the policy has it on no node"),
        (
            &[Delete(8), Insert(8, MOVED)],
            "line 8, 3.999999 s, job 1: the memory of node 0 is over-committed: 1.200000000 of 1",
        ),
        (&[Insert(9, BACK)], "line 9, 3.999999 s, job 1: a second change in the same moment"),
        (
            &[Edit(11, "7000000", "7500000")],
            "line 11, 7 s, job 1: it is on no node; the policy has it on node 1",
        ),
        (
            &[Edit(11, "[[1,1]]", "[[0,1]]")],
            "line 11, 7 s, job 1: the memory of node 0 is over-committed: 1.200000000 of 1",
        ),
        (
            &[Move(11, 10), Edit(10, "7000000", "6000000")],
            "line 10, 6 s, job 1: it is on node 1, which is down",
        ),
        (&[Edit(8, "pause", "reject")], "line 8, 3.999999 s, job 1: `reject` of a job that is running"),
        (
            &[Edit(13, "13000001", "13000000")],
            "line 13, 13 s, job 1: it completes too early: it has done 9.999999 s of 10 s",
        ),
    ];
    for (changes, expected) in planted {
        let found = first(audit_policy(changed(&PAUSED, changes).as_bytes(), checked()));
        assert_eq!(found, *expected);
    }
}
