//! Records of a grid that are small enough to follow by hand, and what was changed in them.
//!
//! One cluster of 4 cores and speed 1; times in microseconds.
//!
//! | moment | FCFS |
//! |---|---|
//! | 0 | job 0 takes 3 cores for 200 at most |
//! | 10 | job 1 needs 2 cores for 60: from 200 on |
//! | 20 | job 2 needs 1 core for 30: not before job 1, from 200 on |
//! | 30 | job 3 needs 2 cores for 40: from 230 on, when job 2 leaves |
//! | 100 | job 0 ends; jobs 1 and 2 start |
//! | 110 | job 2 ends, job 3 starts |
//! | 130, 150 | jobs 3 and 1 end |

use dfrsim_audit::AuditError;
use dfrsim_audit::grid::audit;

const FCFS: &str = r#"{"event":"run","format":3,"local":"FCFS","promises":true,"copies":1,"clusters":[{"cores":4,"speed":1000}]}
{"event":"arrive","at_us":0,"job":0,"id":10,"width":3,"run_us":100,"walltime_us":200}
{"event":"submit","at_us":0,"job":0,"cluster":0,"expected_us":200}
{"event":"start","at_us":0,"job":0,"cluster":0,"on":[[0,1],[1,1],[2,1]]}
{"event":"arrive","at_us":10,"job":1,"id":11,"width":2,"run_us":50,"walltime_us":60}
{"event":"submit","at_us":10,"job":1,"cluster":0,"expected_us":260}
{"event":"arrive","at_us":20,"job":2,"id":12,"width":1,"run_us":10,"walltime_us":30}
{"event":"submit","at_us":20,"job":2,"cluster":0,"expected_us":230}
{"event":"arrive","at_us":30,"job":3,"id":13,"width":2,"run_us":20,"walltime_us":40}
{"event":"submit","at_us":30,"job":3,"cluster":0,"expected_us":270}
{"event":"complete","at_us":100,"job":0,"cluster":0}
{"event":"start","at_us":100,"job":1,"cluster":0,"on":[[0,1],[1,1]]}
{"event":"start","at_us":100,"job":2,"cluster":0,"on":[[2,1]]}
{"event":"complete","at_us":110,"job":2,"cluster":0}
{"event":"start","at_us":110,"job":3,"cluster":0,"on":[[2,1],[3,1]]}
{"event":"complete","at_us":130,"job":3,"cluster":0}
{"event":"complete","at_us":150,"job":1,"cluster":0}
{"event":"summary","completed":4,"skipped":0,"moves":0,"cancellations":0,"turnaround_us":430}
"#;

/// Job 2 goes into the hole beside job 0, and so does not delay anybody.
const EASY: &str = r#"{"event":"run","format":3,"local":"EASY","promises":false,"copies":1,"clusters":[{"cores":4,"speed":1000}]}
{"event":"arrive","at_us":0,"job":0,"id":10,"width":3,"run_us":100,"walltime_us":200}
{"event":"submit","at_us":0,"job":0,"cluster":0,"expected_us":200}
{"event":"start","at_us":0,"job":0,"cluster":0,"on":[[0,1],[1,1],[2,1]]}
{"event":"arrive","at_us":10,"job":1,"id":11,"width":4,"run_us":50,"walltime_us":60}
{"event":"submit","at_us":10,"job":1,"cluster":0,"expected_us":260}
{"event":"arrive","at_us":20,"job":2,"id":12,"width":1,"run_us":10,"walltime_us":30}
{"event":"submit","at_us":20,"job":2,"cluster":0,"expected_us":50}
{"event":"start","at_us":20,"job":2,"cluster":0,"on":[[3,1]]}
{"event":"complete","at_us":30,"job":2,"cluster":0}
{"event":"complete","at_us":100,"job":0,"cluster":0}
{"event":"start","at_us":100,"job":1,"cluster":0,"on":[[0,1],[1,1],[2,1],[3,1]]}
{"event":"complete","at_us":150,"job":1,"cluster":0}
{"event":"summary","completed":3,"skipped":0,"moves":0,"cancellations":0,"turnaround_us":250}
"#;

fn faults(text: &str) -> Vec<String> {
    match audit(text.as_bytes()) {
        Ok(_) => Vec::new(),
        Err(AuditError::Faults(faults)) => faults.shown().iter().map(ToString::to_string).collect(),
        Err(other) => panic!("{other}"),
    }
}

/// The first fault after a change of what must be there.
#[track_caller]
fn changed(text: &str, from: &str, to: &str, expected: &str) {
    assert!(text.contains(from), "{from}");
    let found = faults(&text.replacen(from, to, 1));
    assert!(found.first().is_some_and(|first| first == expected), "{from} -> {to}: {found:?}");
}

#[test]
fn the_records_are_right() {
    assert_eq!(faults(FCFS), [""; 0]);
    assert_eq!(faults(EASY), [""; 0]);
    // What CONS does is the same here.
    let cons = EASY.replace("EASY", "CONS").replace("\"promises\":false", "\"promises\":true");
    assert_eq!(faults(&cons), [""; 0]);
    assert_eq!(faults(&EASY.replace("EASY", "CONS/REPLAN")), [""; 0]);
}

/// What the review changed and the checker did not find.
#[test]
fn errors_without_consequences_are_found_too() {
    // A walltime above the run time, by which the job still ends as it did.
    changed(
        FCFS,
        "\"walltime_us\":60",
        "\"walltime_us\":70",
        "line 6, 0.00001 s, job 1: it is expected to end at 0.00027 s by the plan of the policy",
    );
    // A width for which there is room.
    changed(
        FCFS,
        "\"id\":11,\"width\":2",
        "\"id\":11,\"width\":3",
        "line 10, 0.00003 s, job 3: it is expected to end at 0.0003 s by the plan of the policy",
    );
    changed(
        FCFS,
        "\"cores\":4",
        "\"cores\":40",
        "line 6, 0.00001 s, job 1: it is expected to end at 0.00007 s by the plan of the policy",
    );
    for wrong in ["269", "271"] {
        changed(
            FCFS,
            "\"expected_us\":270",
            &format!("\"expected_us\":{wrong}"),
            "line 10, 0.00003 s, job 3: it is expected to end at 0.00027 s by the plan of the policy",
        );
    }
    changed(
        FCFS,
        "\"promises\":true",
        "\"promises\":false",
        "line 1: `promises` is wrong: the policy guarantees promised end times",
    );
    changed(
        FCFS,
        "\"local\":\"FCFS\",\"promises\":true",
        "\"local\":\"EASY\",\"promises\":false",
        "line 8, 0.00002 s, job 2: it is expected to end at 0.00005 s by the plan of the policy",
    );
    let found = faults(
        &FCFS.replace("\"local\":\"FCFS\",\"promises\":true", "\"local\":\"EASY\",\"promises\":false"),
    );
    let waits = "job 2: on cluster 0, where jobs count from 0: it does not start, though there is room for 1 tasks, it has 1, \
                 and it would not delay job 1";
    assert!(found.iter().any(|fault| fault.ends_with(waits)), "{found:?}");
}

#[test]
fn easy_and_cons_keep_their_rules() {
    // Job 2 would hold its core beyond the start of job 1.
    let longer = EASY.replace("\"walltime_us\":30", "\"walltime_us\":300");
    changed(
        &longer,
        "\"expected_us\":50",
        "\"expected_us\":560",
        "line 9, 0.00002 s, job 2: on cluster 0, where jobs count from 0: it starts and delays job 1, the first in the queue, which can \
         start at 0.0002 s: it is expected to end at 0.00032 s, and leaves room for 3 of 4 tasks",
    );
    let cons = EASY.replace("EASY", "CONS").replace("\"promises\":false", "\"promises\":true");
    for wrong in ["49", "51"] {
        changed(
            &cons,
            "\"expected_us\":50",
            &format!("\"expected_us\":{wrong}"),
            "line 8, 0.00002 s, job 2: it is expected to end at 0.00005 s by the plan of the policy",
        );
    }
    // A walltime that no longer ends by what was promised.
    changed(
        &cons,
        "\"walltime_us\":60",
        "\"walltime_us\":161",
        "line 6, 0.00001 s, job 1: it is expected to end at 0.000361 s by the plan of the policy",
    );
    // No job starts when job 0 ends. The reservation of job 1, made for 200 us, has moved up by then.
    for text in [FCFS, &cons] {
        let late = [1, 2].iter().fold(text.to_owned(), |text, job| {
            text.replacen(&format!("\"at_us\":100,\"job\":{job}"), &format!("\"at_us\":101,\"job\":{job}"), 1)
        });
        let found = faults(&late);
        assert!(
            found
                .first()
                .is_some_and(|fault| fault.contains("job 1: on cluster 0, where jobs count from 0: it ")),
            "{found:?}"
        );
    }
}

#[test]
fn local_jobs_keep_to_their_cluster() {
    let home = |cluster: u32| {
        FCFS.replace("\"walltime_us\":40}", &format!("\"walltime_us\":40,\"home\":{cluster}}}"))
    };
    assert_eq!(faults(&home(0)), [""; 0]);
    let elsewhere = faults(&home(1));
    let expected =
        "line 10, 0.00003 s, job 3: it is a local job of cluster 1, but is submitted elsewhere or again";
    assert_eq!(elsewhere, [expected]);
    let submit = "{\"event\":\"submit\",\"at_us\":30,\"job\":3,\"cluster\":0,\"expected_us\":270}\n";
    let again =
        format!("{submit}{}{submit}", "{\"event\":\"cancel\",\"at_us\":30,\"job\":3,\"cluster\":0}\n");
    let text = home(0).replace(submit, &again).replace("\"cancellations\":0", "\"cancellations\":1");
    let expected =
        "line 12, 0.00003 s, job 3: it is a local job of cluster 0, but is submitted elsewhere or again";
    assert_eq!(faults(&text), [expected]);
}

#[test]
fn clusters_have_policies_of_their_own() {
    // The cluster uses FCFS, regardless of the other clusters.
    let text = FCFS.replace("\"local\":\"FCFS\",\"promises\":true", "\"local\":\"EASY\",\"promises\":false");
    let own = text.replace("\"speed\":1000}", "\"speed\":1000,\"local\":\"FCFS\"}");
    assert_eq!(faults(&own), [""; 0]);
    changed(
        &FCFS.replace("\"speed\":1000}", "\"speed\":1000,\"local\":\"EASY\"}"),
        "\"id\":13",
        "\"id\":14",
        "line 8, 0.00002 s, job 2: it is expected to end at 0.00005 s by the plan of the policy",
    );
}

/// Two clusters of a core each. Jobs 1 and 2 wait for the first until 100 and 120; at 10 both leave for the second together.
const MOVES: &str = r#"{"event":"run","format":3,"local":"FCFS","promises":true,"copies":1,"threshold_us":1,"clusters":[{"cores":1,"speed":1000},{"cores":1,"speed":1000}]}
{"event":"arrive","at_us":0,"job":0,"id":10,"width":1,"run_us":100,"walltime_us":100}
{"event":"submit","at_us":0,"job":0,"cluster":0,"expected_us":100}
{"event":"start","at_us":0,"job":0,"cluster":0,"on":[[0,1]]}
{"event":"arrive","at_us":1,"job":1,"id":11,"width":1,"run_us":20,"walltime_us":20}
{"event":"submit","at_us":1,"job":1,"cluster":0,"expected_us":120}
{"event":"arrive","at_us":2,"job":2,"id":12,"width":1,"run_us":30,"walltime_us":30}
{"event":"submit","at_us":2,"job":2,"cluster":0,"expected_us":150}
{"event":"cancel","at_us":10,"job":1,"cluster":0,"expected_us":120}
{"event":"cancel","at_us":10,"job":2,"cluster":0,"expected_us":150}
{"event":"submit","at_us":10,"job":1,"cluster":1,"expected_us":30}
{"event":"start","at_us":10,"job":1,"cluster":1,"on":[[0,1]]}
{"event":"submit","at_us":10,"job":2,"cluster":1,"expected_us":60}
{"event":"complete","at_us":30,"job":1,"cluster":1}
{"event":"start","at_us":30,"job":2,"cluster":1,"on":[[0,1]]}
{"event":"complete","at_us":60,"job":2,"cluster":1}
{"event":"complete","at_us":100,"job":0,"cluster":0}
{"event":"summary","completed":3,"skipped":0,"moves":2,"cancellations":2,"turnaround_us":187}
"#;

#[test]
fn jobs_that_leave_were_expected_to_end_by_the_plan() {
    for local in ["FCFS", "EASY", "CONS", "CONS/REPLAN"] {
        let promises = format!("\"local\":\"{local}\",\"promises\":{}", ["FCFS", "CONS"].contains(&local));
        let text = MOVES.replace("\"local\":\"FCFS\",\"promises\":true", &promises);
        assert_eq!(faults(&text), [""; 0], "{local}");
        for (line, job, end) in [(9, 1, 120), (10, 2, 150)] {
            let left = format!("\"cancel\",\"at_us\":10,\"job\":{job},\"cluster\":0,\"expected_us\":");
            for wrong in [end - 1, end + 1] {
                changed(
                    &text,
                    &format!("{left}{end}"),
                    &format!("{left}{wrong}"),
                    &format!(
                        "line {line}, 0.00001 s, job {job}: it is expected to end at 0.000{} s by the plan of the policy",
                        end.to_string().trim_end_matches('0')
                    ),
                );
            }
        }
    }
}

/// Two clusters of a core each, of which the first fails at 10 and works again at 60. Job 0 is lost, and has the second one before
/// job 1, which waited; job 2 is a local one of the first.
const FAILS: &str = r#"{"event":"run","format":3,"local":"FCFS","promises":true,"copies":1,"threshold_us":1,"clusters":[{"cores":1,"speed":1000},{"cores":1,"speed":1000}]}
{"event":"arrive","at_us":0,"job":0,"id":10,"width":1,"run_us":30,"walltime_us":30}
{"event":"submit","at_us":0,"job":0,"cluster":0,"expected_us":30}
{"event":"start","at_us":0,"job":0,"cluster":0,"on":[[0,1]]}
{"event":"arrive","at_us":1,"job":1,"id":11,"width":1,"run_us":5,"walltime_us":5}
{"event":"submit","at_us":1,"job":1,"cluster":0,"expected_us":35}
{"event":"arrive","at_us":2,"job":2,"id":12,"width":1,"run_us":5,"walltime_us":5,"home":0}
{"event":"submit","at_us":2,"job":2,"cluster":0,"expected_us":40}
{"event":"fail","at_us":10,"cluster":0}
{"event":"lose","at_us":10,"job":0,"cluster":0}
{"event":"cancel","at_us":10,"job":1,"cluster":0}
{"event":"cancel","at_us":10,"job":2,"cluster":0}
{"event":"submit","at_us":10,"job":0,"cluster":1,"expected_us":40}
{"event":"start","at_us":10,"job":0,"cluster":1,"on":[[0,1]]}
{"event":"submit","at_us":10,"job":1,"cluster":1,"expected_us":45}
{"event":"complete","at_us":40,"job":0,"cluster":1}
{"event":"start","at_us":40,"job":1,"cluster":1,"on":[[0,1]]}
{"event":"complete","at_us":45,"job":1,"cluster":1}
{"event":"repair","at_us":60,"cluster":0}
{"event":"submit","at_us":60,"job":2,"cluster":0,"expected_us":65}
{"event":"start","at_us":60,"job":2,"cluster":0,"on":[[0,1]]}
{"event":"complete","at_us":65,"job":2,"cluster":0}
{"event":"summary","completed":3,"skipped":0,"moves":2,"cancellations":2,"turnaround_us":147}
"#;

#[test]
fn jobs_leave_clusters_that_fail() {
    assert_eq!(faults(FAILS), [""; 0]);
    let line = |text: &str| FAILS.lines().find(|line| line.contains(text)).unwrap().to_owned() + "\n";
    changed(
        FAILS,
        &line("\"event\":\"lose\""),
        "",
        "line 12, 0.00001 s, job 0: it has already started on cluster 0",
    );
    changed(
        FAILS,
        &line("\"at_us\":10,\"job\":1,\"cluster\":0"),
        "",
        "line 14, 0.00001 s, job 1: it is in more than 1 queues",
    );
    let remains = faults(&FAILS.replace(&line("\"at_us\":10,\"job\":2,\"cluster\":0"), ""));
    assert_eq!(remains[0], "line 15, 0.00001 s, job 2: it is still on cluster 0, which has failed");
    changed(
        FAILS,
        &line("\"event\":\"fail\""),
        "",
        "line 9, 0.00001 s, job 0: it is lost, but cluster 0 works",
    );
    changed(FAILS, "repair", "fail", "line 19, 0.00006 s: cluster 0 has already failed");
    changed(
        FAILS,
        &line("\"event\":\"fail\""),
        &line("\"event\":\"fail\"").replace("fail", "repair"),
        "line 9, 0.00001 s: cluster 0 is already working",
    );
    changed(FAILS, &line("\"event\":\"repair\""), "", "line 19, 0.00006 s, job 2: cluster 0 has failed");
    changed(
        FAILS,
        "\"at_us\":10,\"job\":0,\"cluster\":1",
        "\"at_us\":10,\"job\":0,\"cluster\":0",
        "line 13, 0.00001 s, job 0: cluster 0 has failed",
    );
    // Job 1 could be on the second cluster at once, job 2 on the first as soon as it works.
    let late = |number: u64, from: &str, to: &str| {
        let found = faults(&FAILS.replace(from, to));
        let expected = format!("job {number}: it has not been in any queue since");
        assert!(found[0].contains(&expected), "{found:?}");
    };
    late(1, "\"submit\",\"at_us\":10,\"job\":1", "\"submit\",\"at_us\":11,\"job\":1");
    late(2, "\"submit\",\"at_us\":60", "\"submit\",\"at_us\":61");
}

/// Two clusters of a core each that publish their states every 30; data take 7, and 1 for each core. Job 0 ends early, so that job
/// 2 has the first cluster at once, and not at 20 as is known. Job 3 is expected to wait for the second until 60, and to end at 65.
/// At 21 it moves to the first, where by what is known job 2 ends at 25, for 5 and the 8 that its data take: it gains 27.
const OLD: &str = r#"{"event":"run","format":3,"local":"FCFS","promises":true,"copies":1,"threshold_us":1,"transfer_us":7,"transfer_per_core_us":1,"publication_us":30,"clusters":[{"cores":1,"speed":1000},{"cores":1,"speed":1000}]}
{"event":"arrive","at_us":0,"job":0,"id":10,"width":1,"run_us":10,"walltime_us":20}
{"event":"submit","at_us":0,"job":0,"cluster":0,"expected_us":20,"known_us":20}
{"event":"start","at_us":0,"job":0,"cluster":0,"on":[[0,1]]}
{"event":"arrive","at_us":1,"job":1,"id":11,"width":1,"run_us":59,"walltime_us":59}
{"event":"submit","at_us":1,"job":1,"cluster":1,"expected_us":60,"known_us":60}
{"event":"start","at_us":1,"job":1,"cluster":1,"on":[[0,1]]}
{"event":"complete","at_us":10,"job":0,"cluster":0}
{"event":"arrive","at_us":12,"job":2,"id":12,"width":1,"run_us":5,"walltime_us":5}
{"event":"submit","at_us":12,"job":2,"cluster":0,"expected_us":17,"known_us":25}
{"event":"start","at_us":12,"job":2,"cluster":0,"on":[[0,1]]}
{"event":"complete","at_us":17,"job":2,"cluster":0}
{"event":"arrive","at_us":18,"job":3,"id":13,"width":1,"run_us":4,"walltime_us":5}
{"event":"submit","at_us":18,"job":3,"cluster":1,"expected_us":65,"known_us":65}
{"event":"cancel","at_us":21,"job":3,"cluster":1,"expected_us":65}
{"event":"submit","at_us":21,"job":3,"cluster":0,"expected_us":34,"known_us":38}
{"event":"start","at_us":21,"job":3,"cluster":0,"on":[[0,1]]}
{"event":"publish","at_us":30}
{"event":"arrive","at_us":31,"job":4,"id":14,"width":1,"run_us":1,"walltime_us":1}
{"event":"submit","at_us":31,"job":4,"cluster":0,"expected_us":35,"known_us":35}
{"event":"complete","at_us":33,"job":3,"cluster":0}
{"event":"start","at_us":33,"job":4,"cluster":0,"on":[[0,1]]}
{"event":"complete","at_us":34,"job":4,"cluster":0}
{"event":"complete","at_us":60,"job":1,"cluster":1}
{"event":"summary","completed":5,"skipped":0,"moves":1,"cancellations":1,"turnaround_us":92}
"#;

#[test]
fn what_is_expected_follows_from_what_was_published() {
    assert_eq!(faults(OLD), [""; 0]);
    let by = "by the published state it is";
    changed(
        OLD,
        "\"known_us\":25",
        "\"known_us\":17",
        &format!(
            "line 10, 0.000012 s, job 2: the meta-scheduler expects an end at 0.000017 s; {by} 0.000025 s"
        ),
    );
    changed(
        OLD,
        ",\"known_us\":35",
        "",
        &format!("line 20, 0.000031 s, job 4: the meta-scheduler expects no end; {by} 0.000035 s"),
    );
    changed(
        OLD,
        "\"job\":3,\"cluster\":1,\"expected_us\":65}",
        "\"job\":3,\"cluster\":1,\"expected_us\":64}",
        &format!(
            "line 15, 0.000021 s, job 3: the meta-scheduler expects an end at 0.000064 s; {by} 0.000065 s"
        ),
    );
    // It takes 8 for the data, where the first cluster had none.
    changed(
        OLD,
        "\"transfer_us\":7",
        "\"transfer_us\":6",
        "line 16, 0.000021 s, job 3: it is expected to end at 0.000033 s by the plan of the policy",
    );
    changed(
        OLD,
        "\"at_us\":33,\"job\":3",
        "\"at_us\":32,\"job\":3",
        "line 21, 0.000032 s, job 3: on cluster 0, where jobs count from 0: it completes too early: it has done 0.000011 s of 0.000012 s",
    );
    // The gain would be as much as the threshold.
    changed(
        OLD,
        "\"threshold_us\":1",
        "\"threshold_us\":27",
        "line 16, 0.000021 s, job 3: it moves, although it is not expected to end more than 0.000027 s earlier",
    );
    let publish = "{\"event\":\"publish\",\"at_us\":30}\n";
    changed(OLD, publish, "", "line 18, 0.000031 s: clusters publish their states at 0.00003 s, not before");
    changed(
        OLD,
        publish,
        &publish.replace("30", "29"),
        "line 18, 0.000029 s: clusters publish their states at 0.00003 s, not before",
    );
    let never = OLD.replace(",\"publication_us\":30", "");
    assert_eq!(
        faults(&never)[0],
        "line 3, 0 s, job 0: the meta-scheduler always asks, so it must expect the same end as the cluster"
    );
}
