//! Each rule broken alone: a change of the valid file, and the first fault.

use crate::base::{Lines, SUMMARY};
use dfrsim_audit::{AuditError, Faults, audit};
use proptest::prelude::*;

fn faults(text: &[u8]) -> Faults {
    match audit(text) {
        Err(AuditError::Faults(faults)) => faults,
        other => panic!("{other:?}"),
    }
}

/// Why a text is not an events file at all.
#[track_caller]
fn no_events(text: &[u8], expected: &str) {
    let refused = audit(text).unwrap_err();
    assert!(matches!(refused, AuditError::NoEvents(_)), "{refused:?}");
    assert_eq!(refused.to_string(), format!("this is not an events file: line 1: {expected}"));
}

/// The first fault in full.
#[track_caller]
fn first(lines: &Lines, expected: &str) {
    assert_eq!(faults(lines.text().as_bytes()).shown()[0].to_string(), expected);
}

/// The only fault in full.
#[track_caller]
fn only(lines: &Lines, expected: &str) {
    first(lines, expected);
    assert_eq!(faults(lines.text().as_bytes()).count(), 1);
}

#[test]
fn the_first_line_is_a_run_of_this_format() {
    let refused = |lines: &Lines, expected: &str| no_events(lines.text().as_bytes(), expected);
    refused(&Lines::new().delete(1), "the first line must be a `run` record");
    refused(&Lines::new().edit(1, "\"format\":3", "\"format\":2"), "format 2; this audit knows format 3");
    // Only the number of the format counts: the line's other fields are those of its version.
    let earlier = Lines::new().edit(1, "\"format\":3", "\"format\":2").edit(1, ",\"tau_us\":10000000", "");
    refused(&earlier, "format 2; this audit knows format 3");
    let huge = Lines::new().edit(1, "\"nodes\":2", "\"nodes\":4294967295");
    refused(&huge, "4294967295 nodes are more than the 16777216 that can be audited");
    no_events(b"", "the first line must be a `run` record");
    let twice = Lines::new()
        .insert(3, r#"{"event":"run","format":3,"policy":"","nodes":2,"penalty_us":0,"tau_us":0}"#);
    only(&twice, "line 3: a second `run` record");
}

#[test]
fn every_line_is_a_record() {
    let surplus = Lines::new().edit(8, "\"job\":0", "\"job\":0,\"why\":1");
    first(&surplus, "line 8: not a record: unknown field `why`, expected `at_us` or `job`");
    let cut = Lines::new().edit(8, "\"job\":0}", "\"job\":");
    first(&cut, "line 8: not a record: column 39: EOF while parsing a value");
    first(&Lines::new().insert(5, ""), "line 5: not a record: EOF while parsing a value");
    no_events(b"\xff\xfe\n", "not a record: column 1: expected value");
}

#[test]
fn the_file_is_complete() {
    let message = "line 15: the file ends without a `summary` record: it is incomplete";
    only(&Lines::new().delete(SUMMARY), message);
    only(
        &Lines::new().insert(16, r#"{"event":"pause","at_us":0,"job":0}"#),
        "line 16: a record follows the `summary` record",
    );
}

#[test]
fn time_and_records_are_in_order() {
    only(
        &Lines::new().insert(8, r#"{"event":"yield","at_us":3999999,"job":1,"yield":0}"#),
        "line 8, 3.999999 s, job 1: time goes back from 4 s",
    );
    only(
        &Lines::new().reorder(4, 5),
        "line 5, 2 s, job 1: `submit` out of order: at one time completions come first, then submissions, then changes",
    );
    first(
        &Lines::new().reorder(10, 11),
        "line 11, 10 s, job 1: `complete` out of order: at one time completions come first, then submissions, then changes",
    );
}

#[test]
fn submissions_are_numbered_and_sound() {
    only(
        &Lines::new().insert(
            5,
            r#"{"event":"submit","at_us":2000000,"job":0,"id":9,"tasks":1,"cpu_need":1,"memory":1,"run_us":1}"#,
        ),
        "line 5, 2 s, job 0: it is submitted twice",
    );
    first(
        &Lines::new().edit(12, "\"job\":2", "\"job\":3"),
        "line 12, 12 s, job 3: out of order: the next job to be submitted is job 2",
    );
    let empty = "line 12, 12 s, job 2: a job must have at least one task and a run time above zero";
    only(&Lines::new().edit(12, "\"tasks\":3", "\"tasks\":0"), empty);
    only(&Lines::new().edit(12, "\"run_us\":1", "\"run_us\":0"), empty);
    only(
        &Lines::new().edit(12, "943718400", "943718401"),
        "line 12, 12 s, job 2: a task's CPU need of 943718401 units is more than a node has",
    );
    only(
        &Lines::new().edit(12, "471859200", "4294967295"),
        "line 12, 12 s, job 2: a task's memory of 4294967295 units is more than a node has",
    );
}

#[test]
fn records_are_legal_in_the_state_of_their_job() {
    let cases = [
        (
            3,
            r#"{"event":"start","at_us":0,"job":1,"on":[[0,1]],"yield":1}"#,
            "0 s, job 1: `start` of a job that was never submitted",
        ),
        (
            11,
            r#"{"event":"complete","at_us":10000000,"job":1}"#,
            "10 s, job 1: `complete` of a job that has completed, was rejected or killed",
        ),
        (
            14,
            r#"{"event":"start","at_us":12000000,"job":2,"on":[[0,3]],"yield":1}"#,
            "12 s, job 2: `start` of a job that has completed, was rejected or killed",
        ),
        (
            4,
            r#"{"event":"start","at_us":1,"job":0,"on":[[0,2]],"yield":1}"#,
            "0.000001 s, job 0: `start` of a job that is running",
        ),
        (
            4,
            r#"{"event":"resume","at_us":1,"job":0,"on":[[0,2]],"yield":1}"#,
            "0.000001 s, job 0: `resume` of a job that is running",
        ),
        (
            4,
            r#"{"event":"reject","at_us":1,"job":0}"#,
            "0.000001 s, job 0: `reject` of a job that is running",
        ),
        (10, r#"{"event":"pause","at_us":7000000,"job":0}"#, "7 s, job 0: `pause` of a job that is paused"),
        (
            10,
            r#"{"event":"yield","at_us":7000000,"job":0,"yield":9}"#,
            "7 s, job 0: `yield` of a job that is paused",
        ),
        (
            10,
            r#"{"event":"migrate","at_us":7000000,"job":0,"on":[[0,2]],"yield":9}"#,
            "7 s, job 0: `migrate` of a job that is paused",
        ),
        (
            10,
            r#"{"event":"complete","at_us":7000000,"job":0}"#,
            "7 s, job 0: `complete` of a job that is paused",
        ),
        (
            5,
            r#"{"event":"complete","at_us":2000000,"job":1}"#,
            "2 s, job 1: `complete` of a job that is waiting",
        ),
    ];
    for (line, text, message) in cases {
        let lines = Lines::new().insert(line, text);
        let found = faults(lines.text().as_bytes());
        let message = format!("line {line}, {message}");
        assert!(found.shown().iter().any(|fault| fault.to_string() == message), "{message}\n{found}");
    }
    only(
        &Lines::new().insert(7, r#"{"event":"yield","at_us":2000000,"job":1,"yield":524288}"#),
        "line 7, 2 s, job 1: a second change in the same moment",
    );
}

#[test]
fn placements_are_complete() {
    let with = |on: &str| Lines::new().edit(7, "[[1,1]]", on);
    first(&with("[[2,1]]"), "line 7, 4 s, job 1: node 2 does not exist; there are 2 nodes");
    first(&with("[[1,0]]"), "line 7, 4 s, job 1: no task is placed on node 1");
    first(&with("[[1,2]]"), "line 7, 4 s, job 1: 2 tasks are placed, but the job has 1");
    first(&with("[]"), "line 7, 4 s, job 1: 0 tasks are placed, but the job has 1");
    let start = |on: &str| Lines::new().edit(3, "[[0,1],[1,1]]", on);
    first(&start("[[1,1],[0,1]]"), "line 3, 0 s, job 0: node 0 follows node 1 in the placement");
    first(&start("[[0,1],[0,1]]"), "line 3, 0 s, job 0: node 0 follows node 0 in the placement");
}

/// Node 0 is exactly full in second 2: one unit more is too much.
#[test]
fn no_node_is_over_committed() {
    let yields = Lines::new().edit(6, "524288", "524289");
    first(&yields, "line 6, 2 s, job 1: the CPU of node 0 is over-committed: 1.000000954 of 1");
    let needs = Lines::new().edit(1, "\"nodes\":2", "\"nodes\":3").edit(4, "471859200", "471859201");
    first(&needs, "line 6, 2 s, job 1: the memory of node 0 is over-committed: 1.000000001 of 1");
    // Both tasks of job 0 on one node.
    let stacked = Lines::new().edit(3, "[[0,1],[1,1]]", "[[1,2]]");
    first(&stacked, "line 3, 0 s, job 0: the CPU of node 1 is over-committed: 2.000000000 of 1");
    first(
        &Lines::new().edit(3, "1048576", "1048577"),
        "line 3, 0 s, job 0: a yield of 1048577 units is above 1",
    );
}

#[test]
fn jobs_complete_when_their_work_is_done() {
    // A microsecond early.
    first(
        &Lines::new().edit(14, "19000000", "18999999"),
        "line 14, 18.999999 s, job 0: it completes too early: it has done 9.999999 s of 10 s",
    );
    // A microsecond late.
    first(
        &Lines::new().edit(14, "19000000", "19000001"),
        "line 14, 19 s, job 0: it should have completed at 19 s, when its work was done",
    );
    // A unit of yield less from second 7 on: 3 s of work take 3 s and 3 microseconds, rounded up.
    first(
        &Lines::new().edit(9, "1048576", "1048575"),
        "line 10, 10 s, job 1: it completes too early: it has done 3.999997138977051 s of 4 s",
    );
    // Never: no completion at all.
    first(&Lines::new().delete(14), "line 14, job 0: it is still running at the end");
    // That job 0 then finds node 1 full is reported after that.
    first(
        &Lines::new().delete(10),
        "line 11, 10 s, job 1: it should have completed at 10 s, when its work was done",
    );
}

/// A microsecond more or less of penalty, and none: job 1 would have done 2 s by second 6 and 4 s by second 8.
#[test]
fn penalties_are_served() {
    first(
        &Lines::new().edit(1, "3000000", "3000001"),
        "line 10, 10 s, job 1: it completes too early: it has done 3.999999 s of 4 s",
    );
    first(
        &Lines::new().edit(1, "3000000", "2999999"),
        "line 10, 9.999999 s, job 1: it should have completed at 9.999999 s, when its work was done",
    );
    first(
        &Lines::new().edit(1, "3000000", "0"),
        "line 10, 8 s, job 1: it should have completed at 8 s, when its work was done",
    );
}

#[test]
fn no_job_is_left() {
    first(&Lines::new().delete(13), "line 14, job 2: it is still waiting at the end");
    first(&Lines::new().delete(11), "line 13, 19 s, job 0: `complete` of a job that is paused");
    first(&Lines::new().delete(11).delete(13), "line 13, job 0: it is still paused at the end");
}

#[test]
fn the_summary_is_recomputed() {
    let cases = [
        ("completed", "2", "3"),
        ("rejected", "1", "0"),
        ("makespan_us", "19000000", "19000001"),
        ("max_stretch", "2.0", "2.00000001"),
        ("max_bounded_stretch", "1.9", "1.8"),
        ("mean_bounded_stretch", "1.45", "1.46"),
        ("mean_turnaround_s", "13.5", "13"),
        ("utilisation", "0.631578947368421", "0.6315789"),
        ("preemptions", "1", "2"),
        ("migrations", "1", "2"),
        ("migrated_tasks", "1", "0"),
    ];
    for (figure, right, wrong) in cases {
        let field = |value: &str| format!("\"{figure}\":{value}");
        let lines = Lines::new().edit(SUMMARY, &field(right), &field(wrong));
        let (wrong, right) = (wrong.parse::<f64>().unwrap(), right.parse::<f64>().unwrap());
        let found = faults(lines.text().as_bytes());
        let message = format!("line 15: summary: `{figure}` is {wrong}, the events say {right}");
        let shown = found.shown()[0].to_string();
        // The exact utilisation has more digits than its line above.
        assert!(shown.starts_with(&message) && found.count() == 1, "{message}\n{found}");
    }
    // With another tau other bounded stretches: 2 for job 1.
    let message = "line 15: summary: `max_bounded_stretch` is 1.9, the events say 2";
    first(&Lines::new().edit(1, "\"tau_us\":10000000", "\"tau_us\":0"), message);
}

/// Jobs 0 and 1 are of users 4 and 7, with stretches of 1.9 and 1, and 20 and 4 node-seconds.
#[test]
fn objectives_are_recomputed() {
    let right = [
        ("median_bounded_stretch", "1.0"),
        ("p95_bounded_stretch", "1.9"),
        ("p99_bounded_stretch", "1.9"),
        ("weighted_bounded_stretch", "1.6"),
        ("fairness", "0.9121475054229936"),
        ("max_user_bounded_stretch", "1.9"),
    ];
    let lines = |figures: &[(&str, &str)]| {
        let figures: Vec<String> =
            figures.iter().map(|(figure, value)| format!("\"{figure}\":{value}")).collect();
        let objectives = format!(
            "\"migrated_tasks\":1,\"objectives\":{{\"weights\":\"node-seconds\",\"user_weights\":[[7,2.5]],{}}}",
            figures.join(",")
        );
        let lines = Lines::new().edit(SUMMARY, "\"migrated_tasks\":1", &objectives);
        lines.edit(2, "\"run_us\"", "\"user\":4,\"run_us\"").edit(4, "\"run_us\"", "\"user\":7,\"run_us\"")
    };
    // The product of node-seconds and stretch: 38 and 2.5 * 4; the weights: 20 and 2.5 * 4.
    audit(lines(&right).text().as_bytes()).unwrap();
    for (place, (figure, value)) in right.into_iter().enumerate() {
        let mut wrong = right;
        wrong[place].1 = "1.2";
        let message =
            format!("line 15: summary: `{figure}` is 1.2, the events say {}", value.trim_end_matches(".0"));
        only(&lines(&wrong), &message);
    }
    let without = lines(&right).edit(SUMMARY, ",\"fairness\":0.9121475054229936", "");
    first(&without, "line 15: summary: `fairness` is NaN, the events say 0.9121475054229936");
    let without_users = lines(&right).edit(2, "\"user\":4,", "").edit(4, "\"user\":7,", "");
    assert_eq!(
        faults(without_users.text().as_bytes()).count(),
        3,
        "weights by users, fairness and the largest mean"
    );
}

#[test]
fn twenty_faults_are_shown_and_all_are_counted() {
    let mut lines = Lines::new();
    for _ in 0..30 {
        lines = lines.insert(2, "nonsense");
    }
    let faults = faults(lines.text().as_bytes());
    assert_eq!((faults.shown().len(), faults.count()), (20, 30));
    assert!(faults.to_string().ends_with("\nand 10 more"));
}

#[test]
fn what_cannot_be_read_is_no_fault() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("pulled out"))
        }
    }
    let text = Lines::new().text();
    let reader = std::io::Read::chain(text.as_bytes(), Broken);
    let error = audit(std::io::BufReader::new(reader)).unwrap_err();
    assert_eq!(error.to_string(), "line 16 cannot be read");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Any number may be replaced by any other without a panic.
    #[test]
    fn no_number_breaks_the_audit(
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![
            0..4_u64,
            prop::sample::select(vec![u64::MAX, 1 << 20, 943_718_400, u64::from(u32::MAX), 20_000_000]),
            any::<u64>(),
        ]), 1..5)
    ) {
        let mut text = Lines::new().text();
        for (index, value) in edits {
            let starts: Vec<usize> = text
                .match_indices(|c: char| c.is_ascii_digit())
                .map(|(place, _)| place)
                .filter(|&place| !text.as_bytes()[place - 1].is_ascii_digit())
                .collect();
            let start = starts[index.index(starts.len())];
            let length = text[start..].bytes().take_while(u8::is_ascii_digit).count();
            text.replace_range(start..start + length, &value.to_string());
        }
        let _ = audit(text.as_bytes());
    }
}
