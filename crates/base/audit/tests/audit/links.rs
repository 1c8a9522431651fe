//! Faults of links between jobs, each planted alone in a valid file.
//!
//! One node. Job 0 runs from 0 to 10 s; jobs 1 and 2 follow it at once and after 3 s. Job 1 runs from 10 to 15 s, when job 2 is
//! rejected; job 3 follows that at once, a microsecond later, and runs for 4 s.

use dfrsim_audit::{AuditError, audit};

const LINES: [&str; 17] = [
    r#"{"event":"run","format":3,"policy":"by hand","nodes":1,"penalty_us":0,"tau_us":10000000}"#,
    r#"{"event":"submit","at_us":0,"job":0,"id":10,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000}"#,
    r#"{"event":"link","at_us":0,"job":0,"followers":2}"#,
    r#"{"event":"start","at_us":0,"job":0,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":10000000,"job":0}"#,
    r#"{"event":"submit","at_us":10000000,"job":1,"id":11,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":5000000}"#,
    r#"{"event":"link","at_us":10000000,"job":1,"after":0,"think_us":0}"#,
    r#"{"event":"start","at_us":10000000,"job":1,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"submit","at_us":13000000,"job":2,"id":12,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":1}"#,
    r#"{"event":"link","at_us":13000000,"job":2,"after":0,"think_us":3000000,"followers":1}"#,
    r#"{"event":"complete","at_us":15000000,"job":1}"#,
    r#"{"event":"reject","at_us":15000000,"job":2}"#,
    r#"{"event":"submit","at_us":15000001,"job":3,"id":13,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":4000000}"#,
    r#"{"event":"link","at_us":15000001,"job":3,"after":2,"think_us":0}"#,
    r#"{"event":"start","at_us":15000001,"job":3,"on":[[0,1]],"yield":1048576}"#,
    r#"{"event":"complete","at_us":19000001,"job":3}"#,
    concat!(
        r#"{"event":"summary","completed":3,"rejected":1,"makespan_us":19000001,"max_stretch":1.0,"#,
        r#""max_bounded_stretch":1.0,"mean_bounded_stretch":1.0,"mean_turnaround_s":6.333333333333333,"#,
        r#""utilisation":0.9999999473684238,"preemptions":0,"migrations":0,"migrated_tasks":0}"#
    ),
];

/// The first fault after replacing parts of lines (from 1), and taking lines out.
fn fault(edits: &[(usize, &str, &str)], gone: &[usize]) -> String {
    let mut lines: Vec<String> = LINES.iter().map(|&line| line.to_owned()).collect();
    for &(line, from, to) in edits {
        assert!(lines[line - 1].contains(from), "line {line} has no {from}");
        lines[line - 1] = lines[line - 1].replace(from, to);
    }
    for &line in gone.iter().rev() {
        lines.remove(line - 1);
    }
    match audit((lines.join("\n") + "\n").as_bytes()) {
        Err(AuditError::Faults(faults)) => faults.shown()[0].to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn jobs_may_follow_others() {
    audit((LINES.join("\n") + "\n").as_bytes()).unwrap();
}

#[test]
fn a_follower_is_submitted_when_its_think_time_is_over() {
    let early = [(9, "13000000", "12999999"), (10, "13000000", "12999999")];
    let expected = "line 10, 12.999999 s, job 2: it follows job 0 and should have been submitted at 13 s";
    assert_eq!(fault(&early, &[]), expected);
    let late = [(9, "13000000", "13000001"), (10, "13000000", "13000001")];
    let expected = "line 10, 13.000001 s, job 2: it follows job 0 and should have been submitted at 13 s";
    assert_eq!(fault(&late, &[]), expected);
    let shorter = [(10, "3000000,\"foll", "2999999,\"foll")];
    let expected = "line 10, 13 s, job 2: it follows job 0 and should have been submitted at 12.999999 s";
    assert_eq!(fault(&shorter, &[]), expected);
}

/// Not in the moment in which the other one is rejected, and not two microseconds later.
#[test]
fn a_follower_of_a_rejected_job_comes_a_microsecond_later() {
    let late = [(13, "15000001", "15000002"), (14, "15000001", "15000002"), (15, "15000001", "15000002")];
    let expected =
        "line 14, 15.000002 s, job 3: it follows job 2 and should have been submitted at 15.000001 s";
    assert_eq!(fault(&late, &[]), expected);
}

#[test]
fn the_other_job_has_left_and_waits_for_followers() {
    let present = [(10, "\"after\":0", "\"after\":1")];
    assert_eq!(fault(&present, &[]), "line 10, 13 s, job 2: it follows job 1, which is still in the system");
    let never = [(10, "\"after\":0", "\"after\":9")];
    let none =
        |job| format!("line 10, 13 s, job 2: it follows job {job}, which has no follower that has not come");
    assert_eq!(fault(&never, &[]), none(9));
    // One was announced, and it has come.
    assert_eq!(fault(&[(3, "\"followers\":2", "\"followers\":1")], &[]), none(0));
    // The follower of job 2 was not announced.
    let expected = "line 14, 15.000001 s, job 3: it follows job 2, which has no follower that has not come";
    assert_eq!(fault(&[(10, ",\"followers\":1", "")], &[]), expected);
}

#[test]
fn every_announced_follower_comes() {
    let more = [(3, "\"followers\":2", "\"followers\":4")];
    assert_eq!(fault(&more, &[]), "line 17, job 0: 2 jobs that were to follow it were never submitted");
    // Job 1 comes, but not as a follower.
    assert_eq!(fault(&[], &[7]), "line 16, job 0: 1 jobs that were to follow it were never submitted");
}

#[test]
fn links_are_whole_and_directly_behind_their_submissions() {
    let elsewhere = "a `link` that does not come directly after the submission of its job";
    assert_eq!(fault(&[(7, "\"job\":1", "\"job\":0")], &[]), format!("line 7, 10 s, job 0: {elsewhere}"));
    assert_eq!(
        fault(&[(14, "\"job\":3", "\"job\":4")], &[]),
        format!("line 14, 15.000001 s, job 4: {elsewhere}")
    );
    assert_eq!(
        fault(&[(3, "}", "}\n{\"event\":\"link\",\"at_us\":0,\"job\":0,\"followers\":2}")], &[]),
        format!("line 4, 0 s, job 0: {elsewhere}")
    );
    let incomplete = "a `link` needs `after` and `think_us` together, or `followers`";
    assert_eq!(fault(&[(7, ",\"think_us\":0", "")], &[]), format!("line 7, 10 s, job 1: {incomplete}"));
    assert_eq!(fault(&[(7, "\"after\":0,", "")], &[]), format!("line 7, 10 s, job 1: {incomplete}"));
    assert_eq!(fault(&[(3, ",\"followers\":2", "")], &[]), format!("line 3, 0 s, job 0: {incomplete}"));
}
