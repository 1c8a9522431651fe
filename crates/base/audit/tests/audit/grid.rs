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

const FCFS: &str = r#"{"event":"run","format":2,"local":"FCFS","promises":true,"copies":1,"clusters":[{"cores":4,"speed":1000}]}
{"event":"arrive","at_us":0,"job":0,"id":10,"width":3,"run_us":100,"walltime_us":200}
{"event":"submit","at_us":0,"job":0,"cluster":0,"expected_us":200}
{"event":"start","at_us":0,"job":0,"cluster":0}
{"event":"arrive","at_us":10,"job":1,"id":11,"width":2,"run_us":50,"walltime_us":60}
{"event":"submit","at_us":10,"job":1,"cluster":0,"expected_us":260}
{"event":"arrive","at_us":20,"job":2,"id":12,"width":1,"run_us":10,"walltime_us":30}
{"event":"submit","at_us":20,"job":2,"cluster":0,"expected_us":230}
{"event":"arrive","at_us":30,"job":3,"id":13,"width":2,"run_us":20,"walltime_us":40}
{"event":"submit","at_us":30,"job":3,"cluster":0,"expected_us":270}
{"event":"complete","at_us":100,"job":0,"cluster":0}
{"event":"start","at_us":100,"job":1,"cluster":0}
{"event":"start","at_us":100,"job":2,"cluster":0}
{"event":"complete","at_us":110,"job":2,"cluster":0}
{"event":"start","at_us":110,"job":3,"cluster":0}
{"event":"complete","at_us":130,"job":3,"cluster":0}
{"event":"complete","at_us":150,"job":1,"cluster":0}
{"event":"summary","completed":4,"skipped":0,"moves":0,"cancellations":0,"turnaround_us":430}
"#;

/// Job 2 goes into the hole beside job 0, and so does not delay anybody.
const EASY: &str = r#"{"event":"run","format":2,"local":"EASY","promises":false,"copies":1,"clusters":[{"cores":4,"speed":1000}]}
{"event":"arrive","at_us":0,"job":0,"id":10,"width":3,"run_us":100,"walltime_us":200}
{"event":"submit","at_us":0,"job":0,"cluster":0,"expected_us":200}
{"event":"start","at_us":0,"job":0,"cluster":0}
{"event":"arrive","at_us":10,"job":1,"id":11,"width":4,"run_us":50,"walltime_us":60}
{"event":"submit","at_us":10,"job":1,"cluster":0,"expected_us":260}
{"event":"arrive","at_us":20,"job":2,"id":12,"width":1,"run_us":10,"walltime_us":30}
{"event":"submit","at_us":20,"job":2,"cluster":0,"expected_us":50}
{"event":"start","at_us":20,"job":2,"cluster":0}
{"event":"complete","at_us":30,"job":2,"cluster":0}
{"event":"complete","at_us":100,"job":0,"cluster":0}
{"event":"start","at_us":100,"job":1,"cluster":0}
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
fn what_nothing_else_depends_on_is_found_too() {
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
        "line 1: `promises` is wrong: the policy keeps what it expects",
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
    let waits =
        "job 2: it does not start on cluster 0, though its cores are free and the policy has it start";
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
        "line 9, 0.00002 s, job 2: it starts and delays job 1, the first in the queue of cluster 0",
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
    // Nobody starts when job 0 ends. The reservation of job 1, made for 200 us, has moved up by then.
    for text in [FCFS, &cons] {
        let late = [1, 2].iter().fold(text.to_owned(), |text, job| {
            text.replacen(&format!("\"at_us\":100,\"job\":{job}"), &format!("\"at_us\":101,\"job\":{job}"), 1)
        });
        let found = faults(&late);
        assert!(
            found.first().is_some_and(|fault| fault.contains("job 1: it does not start on cluster 0")),
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
        "line 10, 0.00003 s, job 3: it is a local job of cluster 1, and is submitted elsewhere or again";
    assert_eq!(elsewhere, [expected]);
    let submit = "{\"event\":\"submit\",\"at_us\":30,\"job\":3,\"cluster\":0,\"expected_us\":270}\n";
    let again =
        format!("{submit}{}{submit}", "{\"event\":\"cancel\",\"at_us\":30,\"job\":3,\"cluster\":0}\n");
    let text = home(0).replace(submit, &again).replace("\"cancellations\":0", "\"cancellations\":1");
    let expected =
        "line 12, 0.00003 s, job 3: it is a local job of cluster 0, and is submitted elsewhere or again";
    assert_eq!(faults(&text), [expected]);
}

#[test]
fn clusters_have_policies_of_their_own() {
    // FCFS is what the cluster does, whatever the others do.
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
