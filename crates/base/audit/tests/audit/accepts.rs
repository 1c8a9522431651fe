//! Files without a fault.

use crate::base::{BASE, Lines};
use dfrsim_audit::{CheckedPolicy, Report, audit, audit_policy};
use dfrsim_model::{SimSpan, SimTime};

#[test]
fn the_derived_file_is_valid() {
    let report = audit(Lines::new().text().as_bytes()).unwrap();
    let expected = Report {
        policy: "by hand".to_owned(),
        nodes: 2,
        penalty: SimSpan::from_secs(3),
        lines: BASE.len() as u64,
        jobs: 3,
        completed: 2,
        rejected: 1,
        peak_jobs: 2,
        peak_cpu: 1.0,
        peak_memory: 1.0,
        end: SimTime::from_secs(19),
        makespan: SimSpan::from_secs(19),
        max_stretch: 2.0,
        tau: SimSpan::from_secs(10),
        max_bounded_stretch: 1.9,
        utilisation: 24.0 / 38.0,
        preemptions: 1,
        migrations: 1,
        migrated_tasks: 1,
        platform: None,
        not_judged: Some("decisions".to_owned()),
    };
    assert_eq!(report, expected);
    assert_eq!(
        report.to_string(),
        "by hand on 2 nodes, penalty 3 s: no fault
15 lines, 3 jobs: 2 completed, 1 rejected, at most 2 at once
peak use of a node: CPU 1.000000, memory 1.000000; utilisation 0.631579
maximum stretch 2.000000, bounded by 10 s 1.900000; makespan 19 s
1 preemptions, 1 migrations of 1 tasks
not judged: decisions"
    );
}

/// The last line may lack its end.
#[test]
fn the_end_of_the_last_line_may_be_missing() {
    assert!(audit(Lines::new().text().trim_end().as_bytes()).is_ok());
}

/// Until a moment ends, a node may hold too much: the pause of job 0 makes room for job 1 one line later.
#[test]
fn only_the_end_of_a_moment_counts() {
    let text = Lines::new().reorder(9, 8).text();
    assert!(audit(text.as_bytes()).is_ok(), "yield 1 for job 1 before the pause of job 0");
}

/// A migration to where the tasks are already is none: no penalty, not counted. Job 1 with its 1.5 s at second 5
/// would lose progress otherwise, and complete later than at 10.
#[test]
fn a_migration_of_no_task_counts_as_none() {
    let text = Lines::new()
        .insert(8, r#"{"event":"migrate","at_us":5000000,"job":1,"on":[[1,1]],"yield":524288}"#)
        .text();
    assert!(audit(text.as_bytes()).is_ok());
}

/// A second move restarts the penalty: moved again at 5, job 1 goes on at 8 and not at 7, and completes at 11.
/// Job 0 resumes at 11 and completes at 11 + 3 + 6 = 20. Turnarounds 20 and 9, stretches 2 and 2.25, bounded
/// 2 and 1; 24 of 40 node-seconds.
#[test]
fn a_later_move_restarts_the_penalty() {
    let text = Lines::new()
        .edit(10, "10000000", "11000000")
        .edit(11, "10000000", "11000000")
        .edit(14, "19000000", "20000000")
        .edit(
            15,
            r#""makespan_us":19000000,"max_stretch":2.0"#,
            r#""makespan_us":20000000,"max_stretch":2.25"#,
        )
        .edit(15, r#"1.9,"mean_bounded_stretch":1.45"#, r#"2.0,"mean_bounded_stretch":1.5"#)
        .edit(15, r#"13.5,"utilisation":0.631578947368421"#, r#"14.5,"utilisation":0.6"#)
        .edit(15, r#""migrations":1,"migrated_tasks":1"#, r#""migrations":2,"migrated_tasks":2"#)
        .insert(8, r#"{"event":"migrate","at_us":5000000,"job":1,"on":[[0,1]],"yield":524288}"#)
        .text();
    assert_eq!(audit(text.as_bytes()).map(|report| report.migrations).map_err(|e| e.to_string()), Ok(2));
}

/// No job at all: all figures are 0.
#[test]
fn an_empty_run() {
    let summary = concat!(
        r#"{"event":"summary","completed":0,"rejected":0,"makespan_us":0,"max_stretch":0.0,"#,
        r#""max_bounded_stretch":0.0,"mean_bounded_stretch":0.0,"mean_turnaround_s":0.0,"utilisation":0.0,"#,
        r#""preemptions":0,"migrations":0,"migrated_tasks":0}"#
    );
    let text = format!("{}\n{summary}\n", BASE[0]);
    assert_eq!(audit(text.as_bytes()).unwrap().jobs, 0);
}

/// Job 1 is killed at 8, with 2 of its 4 s done: job 0 alone counts.
#[test]
fn a_killed_job_counts_as_rejected() {
    let text = Lines::new()
        .edit(10, r#""complete","at_us":10000000"#, r#""kill","at_us":8000000"#)
        .edit(15, r#""completed":2,"rejected":1"#, r#""completed":1,"rejected":2"#)
        .edit(15, r#""max_stretch":2.0"#, r#""max_stretch":1.9"#)
        .edit(
            15,
            r#""mean_bounded_stretch":1.45,"mean_turnaround_s":13.5"#,
            r#""mean_bounded_stretch":1.9,"mean_turnaround_s":19.0"#,
        )
        .edit(15, "0.631578947368421", "0.5263157894736842")
        .text();
    let report = audit(text.as_bytes()).unwrap();
    assert_eq!((report.completed, report.rejected), (1, 2));
}

#[test]
fn only_running_jobs_are_killed_and_known_policies_kill_none() {
    let text = Lines::new().insert(10, r#"{"event":"kill","at_us":7000000,"job":0}"#).text();
    let fault = audit(text.as_bytes()).unwrap_err().to_string();
    assert!(fault.contains("`kill` of a job that is paused"), "{fault}");

    let text = [
        r#"{"event":"run","format":3,"policy":"FCFS","nodes":1,"penalty_us":0,"tau_us":0}"#,
        r#"{"event":"submit","at_us":0,"job":0,"id":1,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000}"#,
        r#"{"event":"start","at_us":0,"job":0,"on":[[0,1]],"yield":1048576}"#,
        r#"{"event":"kill","at_us":4000000,"job":0}"#,
    ];
    let policy = CheckedPolicy::parse("FCFS", SimSpan::from_secs(600)).unwrap();
    let fault = audit_policy(text.join("\n").as_bytes(), policy).unwrap_err().to_string();
    assert!(fault.contains("the policy does not kill jobs"), "{fault}");
}
