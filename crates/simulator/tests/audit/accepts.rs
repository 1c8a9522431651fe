//! Tests reports on valid files, and the parsing and checking of policy names.

use crate::planted::records;
use dfrsim_audit::{AuditError, CheckedPolicy, Report, audit, audit_policy};
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_simulator_tests::planted::text_of;

#[test]
fn the_derived_file_is_valid() {
    let report = audit(text_of(&records("by-hand")).as_bytes()).unwrap();
    let expected = Report {
        policy: "by hand".to_owned(),
        nodes: 2,
        penalty: SimSpan::from_secs(3),
        lines: 15,
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
        "by hand on 2 nodes, penalty 3 s: no violations
15 lines, 3 jobs: 2 completed, 1 rejected, at most 2 at once
peak use of a node: CPU 1.000000, memory 1.000000; utilisation 0.631579
maximum stretch 2.000000, bounded by 10 s 1.900000; makespan 19 s
1 preemptions, 1 migrations of 1 tasks
not checked: decisions"
    );
}

/// Accepts a file whose last line has no line break.
#[test]
fn the_end_of_the_last_line_may_be_missing() {
    assert!(audit(text_of(&records("by-hand")).trim_end().as_bytes()).is_ok());
}

/// Reports zero for all figures of a run without jobs.
#[test]
fn an_empty_run() {
    let summary = concat!(
        r#"{"event":"summary","completed":0,"rejected":0,"makespan_us":0,"max_stretch":0.0,"#,
        r#""max_bounded_stretch":0.0,"mean_bounded_stretch":0.0,"mean_turnaround_s":0.0,"utilisation":0.0,"#,
        r#""preemptions":0,"migrations":0,"migrated_tasks":0}"#
    );
    let text = format!("{}\n{summary}\n", records("by-hand")[0]);
    assert_eq!(audit(text.as_bytes()).unwrap().jobs, 0);
}

#[test]
fn reports_count_interruptions_and_the_use_of_large_nodes() {
    let report = audit(text_of(&records("checkpoints")).as_bytes()).unwrap();
    assert_eq!(report.platform.as_ref().unwrap().interruptions, 2);
    let shown = report.to_string();
    let last = "2 interruptions, 0 jobs lost, 1.0 node-seconds of work lost; availability 0.915493, goodput 0.307692";
    assert_eq!(shown.lines().rev().nth(1), Some(last));
    let report = audit(text_of(&records("shared")).as_bytes()).unwrap();
    assert_eq!((report.peak_cpu, report.peak_memory), (1.0, 1.0), "of the node with twice the memory");
}

#[test]
fn known_policies_kill_no_job() {
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

#[test]
fn the_name_is_that_of_the_file() {
    let policy = CheckedPolicy::parse("GreedyPM*/OPT=MIN", SimSpan::from_secs(600)).unwrap();
    let Err(AuditError::Faults(faults)) = audit_policy(text_of(&records("by-hand")).as_bytes(), policy)
    else {
        panic!("the policy is another one")
    };
    assert_eq!(
        faults.shown()[0].to_string(),
        "line 1: the file is of policy `by hand`, not `GreedyPM*/OPT=MIN`"
    );
    for unknown in ["Greedy*", "Greedy/OPT=MIN", "GreedyX*/OPT=MIN", "MCB*/OPT=MIN/x", "/OPT=MIN", "easy"] {
        assert!(CheckedPolicy::parse(unknown, SimSpan::from_secs(600)).is_err(), "{unknown}");
    }
}
