//! Priorities and limits: a file that is right, and faults planted in it.

use crate::base::{Edit, edited};
use dfrsim_audit::{AuditError, CheckedPolicy, Report, audit, audit_policy};
use dfrsim_model::SimSpan;

/// EASY on two nodes. Fair share with a period and a half life of 100 s; each group is an account. Group 3 may have one node, and jobs
/// of no group have an estimate above 1,000 s; a user runs two jobs at most; two jobs are tried.
///
/// | second | what happens |
/// |---|---|
/// | 0 | job 0 of group 1 starts on both nodes |
/// | 10, 20 | job 1 of group 1, on both nodes, and job 2 of group 2 come |
/// | 100 | job 0 ends: group 1 has a factor of 2^(-1 / (1/2)) = 1/4, group 2 of 1. Job 2 is the head and starts; job 1 waits for it |
/// | 110 | job 3 of group 3 is the head and starts, job 4 of the same group is held back, and job 5, which is too long, is rejected |
/// | 120 | job 3 ends; job 4 starts |
/// | 130 | job 4 ends |
/// | 150 | job 2 ends, job 1 starts |
/// | 200 | job 1 ends |
const FILE: [&str; 20] = [
    r#"{"event":"run","format":3,"policy":"EASY","nodes":2,"penalty_us":0,"tau_us":10000000}"#,
    r#"{"event":"priority","settings":{"weights":{"fair_share":1000},"calc_period_s":100,"half_life_s":100,"max_running_per_user":2,"backfill":{"max_job_test":2},"partitions":[{"name":"small","priority":1,"groups":[3],"total_nodes":1},{"name":"all","max_nodes":2,"max_time_s":1000}]}}"#,
    r#"{"event":"submit","at_us":0,"job":0,"id":1,"tasks":2,"cpu_need":943718400,"memory":0,"run_us":100000000,"user":1,"group":1}"#,
    r#"{"event":"start","at_us":0,"job":0,"on":[[0,1],[1,1]],"yield":1048576}"#,
    r#"{"event":"submit","at_us":10000000,"job":1,"id":2,"tasks":2,"cpu_need":943718400,"memory":0,"run_us":50000000,"user":1,"group":1}"#,
    r#"{"event":"submit","at_us":20000000,"job":2,"id":3,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":50000000,"user":2,"group":2}"#,
    r#"{"event":"complete","at_us":100000000,"job":0}"#,
    r#"{"event":"start","at_us":100000000,"job":2,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"submit","at_us":110000000,"job":3,"id":4,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000,"user":3,"group":3}"#,
    r#"{"event":"submit","at_us":110000000,"job":4,"id":5,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000,"user":3,"group":3}"#,
    r#"{"event":"submit","at_us":110000000,"job":5,"id":6,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":2000000000,"user":4,"group":1}"#,
    r#"{"event":"reject","at_us":110000000,"job":5}"#,
    r#"{"event":"start","at_us":110000000,"job":3,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":120000000,"job":3}"#,
    r#"{"event":"start","at_us":120000000,"job":4,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":130000000,"job":4}"#,
    r#"{"event":"complete","at_us":150000000,"job":2}"#,
    r#"{"event":"start","at_us":150000000,"job":1,"on":[[0,1],[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":200000000,"job":1}"#,
    concat!(
        r#"{"event":"summary","completed":5,"rejected":1,"makespan_us":200000000,"max_stretch":3.8,"max_bounded_stretch":3.8,"#,
        r#""mean_bounded_stretch":2.08,"mean_turnaround_s":90.0,"utilisation":0.925,"preemptions":0,"migrations":0,"migrated_tasks":0}"#
    ),
];

fn easy(text: &str) -> Result<Report, AuditError> {
    audit_policy(text.as_bytes(), CheckedPolicy::parse("EASY", SimSpan::ZERO).unwrap())
}

fn messages(result: Result<Report, AuditError>) -> Vec<String> {
    match result {
        Err(AuditError::Faults(faults)) => faults.shown().iter().map(ToString::to_string).collect(),
        Ok(_) => Vec::new(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_file_with_priorities_is_accepted() {
    easy(&edited(&FILE, &[])).unwrap();
    audit(edited(&FILE, &[]).as_bytes()).unwrap();
}

/// What is planted, and a fault that is found.
#[test]
fn planted_faults_of_priorities_are_found() {
    let planted: &[(&[Edit], &str)] = &[
        // The weight is another one: by submission job 1 is first.
        (
            &[(2, "\"fair_share\":1000", "\"fair_share\":0")],
            "line 9, 100 s, job 1: it is the first in the queue and does not start, though there is room for 2 tasks, and it has 2",
        ),
        // Usage is counted later: at 100 s all factors are 1.
        (
            &[(2, "\"calc_period_s\":100", "\"calc_period_s\":101")],
            "line 9, 100 s, job 1: it is the first in the queue and does not start, though there is room for 2 tasks, and it has 2",
        ),
        // Job 2 is of the account that has used the nodes.
        (
            &[(6, "\"group\":2", "\"group\":1")],
            "line 9, 100 s, job 1: it is the first in the queue and does not start, though there is room for 2 tasks, and it has 2",
        ),
        // The account of job 2 has no share.
        (
            &[(
                2,
                "\"calc_period_s\"",
                "\"accounts\":[{\"name\":\"two\",\"shares\":0,\"groups\":[2]}],\"calc_period_s\"",
            )],
            "line 9, 100 s, job 1: it is the first in the queue and does not start, though there is room for 2 tasks, and it has 2",
        ),
        // By submission job 1 is the head, and only the head is tried.
        (
            &[
                (2, "\"max_job_test\":2", "\"max_job_test\":1"),
                (2, "\"fair_share\":1000", "\"fair_share\":0"),
            ],
            "line 13, 110 s, job 3: it is backfilled, though it is behind the 1 jobs that backfilling tries",
        ),
        // The same, and backfilling is due at multiples of 40 s.
        (
            &[
                (2, "\"max_job_test\":2", "\"max_job_test\":2,\"interval_s\":40"),
                (2, "\"fair_share\":1000", "\"fair_share\":0"),
            ],
            "line 13, 110 s, job 3: it starts before job 1, which is ahead of it in the queue",
        ),
        // Job 5 may run for so long, and is rejected.
        (
            &[(2, "\"max_time_s\":1000", "\"max_time_s\":3000")],
            "line 12, 110 s, job 5: it is rejected, although its 1 tasks fit on 2 nodes",
        ),
        // Jobs of one node only.
        (
            &[(2, "\"max_nodes\":2", "\"max_nodes\":1")],
            "line 4, 0 s, job 0: it starts, though it is too wide or too long for `all`",
        ),
        // The limit of the partition is that of one node for all.
        (
            &[(
                2,
                "\"name\":\"small\",\"priority\":1,\"groups\":[3]",
                "\"name\":\"small\",\"priority\":1,\"groups\":[2,3]",
            )],
            "line 13, 110 s, job 3: it starts with 1 node beside 1 of `small`, which may have 1",
        ),
        (
            &[
                (2, "\"max_running_per_user\":2", "\"max_running_per_user\":1"),
                (9, "\"user\":3", "\"user\":2"),
            ],
            "line 13, 110 s, job 3: it starts, though 1 jobs of its user in `the site` run, which may run 1",
        ),
        (
            &[(2, "\"calc_period_s\":100", "\"calc_period_s\":0")],
            "line 2: settings of priorities: calc_period_s: expected 1 to 16000000000 seconds",
        ),
    ];
    let mut missed = Vec::new();
    for (edits, expected) in planted {
        let found = messages(easy(&edited(&FILE, edits)));
        if !found.iter().any(|message| message.contains(expected)) {
            missed.push((edits, found));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Limits are checked without the rules of a policy, and so is the place of the settings.
#[test]
fn limits_need_no_policy() {
    let text = edited(&FILE, &[(2, "\"groups\":[3]", "\"groups\":[2,3]")]);
    let found = messages(audit(text.as_bytes()));
    assert_eq!(
        found[0],
        "line 13, 110 s, job 3: it starts with 1 node beside 1 of `small`, which may have 1"
    );
    let mut lines: Vec<String> = edited(&FILE, &[]).lines().map(str::to_owned).collect();
    lines.swap(1, 2);
    let found = messages(audit((lines.join("\n") + "\n").as_bytes()));
    assert_eq!(found[0], "line 3: a `priority` record behind the first job, or a second one");
}

/// With EASY/SPARE job 1 keeps the reservation that it has from 10 s on, also when another job is the first at 100 s.
#[test]
fn a_reservation_stays_when_priorities_change() {
    let spare = edited(&FILE, &[(1, "\"EASY\"", "\"EASY/SPARE\"")]);
    let checked = CheckedPolicy::parse("EASY/SPARE", SimSpan::ZERO).unwrap();
    let found = messages(audit_policy(spare.as_bytes(), checked));
    assert_eq!(
        found[0],
        "line 9, 100 s, job 1: it is the first in the queue and does not start, though there is room for 2 tasks, and it has 2"
    );
}

/// EASY on two nodes, of which node 1 is down from 5 to 7 s. Job 2 is of the class `high`: job 1, which was interrupted, begins again behind it.
const FAILING: [&str; 16] = [
    r#"{"event":"run","format":3,"policy":"EASY","nodes":2,"penalty_us":0,"tau_us":10000000}"#,
    r#"{"event":"platform","interruption":"requeue","interval_us":0,"cost_us":0,"restart_us":0}"#,
    r#"{"event":"priority","settings":{"weights":{"qos":100},"qos":[{"name":"high","priority":1,"queues":[2]},{"name":"low"}]}}"#,
    r#"{"event":"submit","at_us":0,"job":0,"id":1,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000,"user":1}"#,
    r#"{"event":"submit","at_us":0,"job":1,"id":2,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000,"user":2}"#,
    r#"{"event":"start","at_us":0,"job":0,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"start","at_us":0,"job":1,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"down","at_us":5000000,"nodes":[[1,1]]}"#,
    r#"{"event":"interrupt","at_us":5000000,"job":1,"kept_us":0}"#,
    r#"{"event":"submit","at_us":6000000,"job":2,"id":3,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000,"user":1,"queue":2}"#,
    r#"{"event":"up","at_us":7000000,"nodes":[[1,1]]}"#,
    r#"{"event":"start","at_us":7000000,"job":2,"on":[[1,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":10000000,"job":0}"#,
    r#"{"event":"start","at_us":10000000,"job":1,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":17000000,"job":2}"#,
    r#"{"event":"complete","at_us":20000000,"job":1}"#,
];

const FAILING_SUMMARY: &str = concat!(
    r#"{"event":"summary","completed":3,"rejected":0,"makespan_us":20000000,"max_stretch":2.0,"max_bounded_stretch":2.0,"#,
    r#""mean_bounded_stretch":1.3666666666666667,"mean_turnaround_s":13.666666666666666,"utilisation":0.75,"preemptions":0,"#,
    r#""migrations":0,"migrated_tasks":0,"platform":{"interruptions":1,"lost":0,"lost_work_s":5.0,"availability":0.95,"#,
    r#""goodput":0.7894736842105263}}"#
);

fn failing(from: &str, to: &str) -> Vec<String> {
    let text = [&FAILING[..], &[FAILING_SUMMARY]].concat().join("\n") + "\n";
    assert!(text.contains(from), "{from}");
    messages(easy(&text.replacen(from, to, 1)))
}

#[test]
fn priorities_of_nodes_that_go_down_are_followed() {
    assert_eq!(failing("", ""), Vec::<String>::new());
    for (from, to, expected) in [
        // By submission job 1 is the first.
        (
            "\"qos\":100",
            "\"qos\":0",
            "7 s, job 1: it is the first in the queue and does not start, though there is room for 1 tasks",
        ),
        (
            "\"queue\":2",
            "\"queue\":3",
            "7 s, job 1: it is the first in the queue and does not start, though there is room for 1 tasks",
        ),
        // Job 0 of the same user runs.
        (
            "\"weights\"",
            "\"max_running_per_user\":1,\"weights\"",
            "7 s, job 2: it starts, though 1 jobs of its user in `the site` run, which may run 1",
        ),
        // The class may have one node, and job 1 has left it.
        (
            "{\"name\":\"low\"}",
            "{\"name\":\"low\",\"total_nodes\":1}",
            "0 s, job 1: it starts with 1 node beside 1 of `low`",
        ),
        (
            "\"name\":\"high\"",
            "\"name\":\"high\",\"preempt\":[\"low\"]",
            "6 s, job 2: it does not start, though job 0 and 0 others could make room for it",
        ),
    ] {
        let found = failing(from, to);
        assert!(found.iter().any(|message| message.contains(expected)), "{to}: {found:#?}");
    }
}
