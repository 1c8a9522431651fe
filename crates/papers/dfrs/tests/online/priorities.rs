//! Scenarios with priorities.

use crate::{frame, numbers, read, registry, run_with};
use dfrsim_lab::RunOptions;
use std::fs;

/// On one node: group 1 works until 100 s, then its second job and a job of group 2 wait.
const LOG: &str = "1 0 -1 100 1 -1 -1 1 100 -1 1 1 1 -1 -1 -1 -1 -1\n2 10 -1 50 1 -1 -1 1 50 -1 1 1 1 -1 -1 -1 -1 -1\n\
    3 20 -1 30 1 -1 -1 1 30 -1 1 2 2 -1 -1 -1 -1 -1\n";

const SCENARIO: &str = "study = 'online'\npolicies = ['FCFS', 'EASY', 'EQUIPARTITION']\n\
    [[priority]]\nname = 'fair'\nweights = { fair_share = 1000 }\ncalc_period_s = 100\n\
    [[priority]]\nname = 'none'\n\
    [[workloads]]\nname = 'log'\nnodes = 1\nswf = { file = 'log.swf' }\n";

/// Without priorities the waits are 0, 90 and 130 s; with a fair share 0, 120 and 80 s.
#[test]
fn policies_are_simulated_without_and_with_priorities() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.swf"), LOG).unwrap();
    let options = RunOptions { audit: true, ..RunOptions::new(folder.path().join("out")) };
    run_with(&registry(), SCENARIO, &[], Some(folder.path()), &options);
    let rows = frame(&folder.path().join("out"));
    assert_eq!(rows.len(), 3 * 3);
    for policy in ["FCFS", "EASY"] {
        let wait = |name: &str| numbers(&rows, name, "mean_wait_s")[0];
        assert!((wait(policy) - 220.0 / 3.0).abs() < 1e-9, "{policy}");
        assert!((wait(&format!("{policy} [fair]")) - 200.0 / 3.0).abs() < 1e-9, "{policy}");
        assert_eq!(wait(&format!("{policy} [none]")), wait(policy));
    }
    // All rows are found again.
    let again = run_with(&registry(), SCENARIO, &[], Some(folder.path()), &options);
    assert_eq!(again.counts.computed, 0);
    // Other settings of the same name are simulated.
    let other = SCENARIO.replace("calc_period_s = 100", "calc_period_s = 50");
    assert_eq!(run_with(&registry(), &other, &[], Some(folder.path()), &options).counts.computed, 3);
}

/// Jobs 1 and 3 are alone on the node from 0 to 10 s and from 20 s on with others: with weights of 3 for group 2 the third one ends earlier.
#[test]
fn policies_share_without_and_with_weights() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.swf"), LOG).unwrap();
    let text = SCENARIO.replace("'EQUIPARTITION'", "'Greedy*/OPT=MIN', 'GreedyPM*/per/OPT=MIN'").replace(
        "name = 'none'",
        "name = 'group'\npartitions = [{ name = 'two', groups = [2], weight = 3 }]",
    );
    let options = RunOptions { audit: true, ..RunOptions::new(folder.path().join("out")) };
    run_with(&registry(), &text, &[], Some(folder.path()), &options);
    let rows = frame(&folder.path().join("out"));
    assert_eq!(rows.len(), 4 * 3);
    let turnaround = |name: &str| numbers(&rows, name, "mean_turnaround_s")[0];
    // By weight: until 20 s the others have 15 and 5 s done, then 1/5, 1/5 and 3/5. The third one ends at 20 + 30 / (3/5) = 70, when
    // they have 25 and 15 s, 75 and 35 s to go: the second one ends at 140, the first one at 180.
    assert!((turnaround("Greedy*/OPT=MIN [group]") - (180.0 + 130.0 + 50.0) / 3.0).abs() < 1e-3);
    // Without weights the third one ends at 110, when they have 45 and 35 s, 55 and 15 s to go: at 140 and 180.
    assert!((turnaround("Greedy*/OPT=MIN") - (180.0 + 130.0 + 90.0) / 3.0).abs() < 1e-3);
    assert_eq!(turnaround("EASY [group]"), turnaround("EASY"));
    assert_eq!(run_with(&registry(), &text, &[], Some(folder.path()), &options).counts.computed, 0);
    let heavier = text.replace("weight = 3", "weight = 4");
    assert_eq!(run_with(&registry(), &heavier, &[], Some(folder.path()), &options).counts.computed, 4);
}

#[test]
fn faults_of_priorities_have_their_place() {
    let lublin = SCENARIO.replace("swf = { file = 'log.swf' }", "lublin = { replications = 1 }");
    for (found, other, message) in [
        ("{ fair_share = 1000 }", "{ weight = 1 }", "unknown field `weight`"),
        ("'none'", "'fair'", "duplicate priorities `fair`"),
        ("calc_period_s = 100", "calc_period_s = 0", "expected a number of seconds"),
        (
            "calc_period_s = 100",
            "accounts = [{ name = 'b', parent = 'c' }]",
            "accounts.b: its parent `c` does not exist",
        ),
    ] {
        assert!(lublin.contains(found), "{found}");
        let errors = read(&lublin.replace(found, other), None, &[]).unwrap_err().to_string();
        assert!(errors.contains(message), "{other}: {errors}");
    }
}
