//! Tests scenarios with priorities.

use crate::{frame, numbers, read, registry, run_with};
use dfrsim_lab::RunOptions;
use std::fs;

/// Log for one node: group 1 runs until 100 s, while its second job and a job of group 2 wait.
const LOG: &str = "1 0 -1 100 1 -1 -1 1 100 -1 1 1 1 -1 -1 -1 -1 -1\n2 10 -1 50 1 -1 -1 1 50 -1 1 1 1 -1 -1 -1 -1 -1\n\
    3 20 -1 30 1 -1 -1 1 30 -1 1 2 2 -1 -1 -1 -1 -1\n";

const SCENARIO: &str = "study = 'online'\npolicies = ['FCFS', 'EASY', 'EQUIPARTITION']\n\
    [[priority]]\nname = 'fair'\nweights = { fair_share = 1000 }\ncalc_period_s = 100\n\
    [[priority]]\nname = 'none'\n\
    [[workloads]]\nname = 'log'\nnodes = 1\nswf = { file = 'log.swf' }\n";

/// Without priorities the waits are 0, 90 and 130 s; with fair share they are 0, 120 and 80 s.
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
    // All rows are reused.
    let again = run_with(&registry(), SCENARIO, &[], Some(folder.path()), &options);
    assert_eq!(again.counts.computed, 0);
    // Changed settings under an unchanged name are simulated.
    let other = SCENARIO.replace("calc_period_s = 100", "calc_period_s = 50");
    assert_eq!(run_with(&registry(), &other, &[], Some(folder.path()), &options).counts.computed, 3);
}

/// Job 1 is alone on the node until 10 s, and all three jobs share it from 20 s on. With a weight of
/// 3 for group 2 the third one ends earlier.
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
    // Weighted: the others have done 15 s and 5 s by 20 s; then the shares are 1/5, 1/5 and 3/5. The
    // third job ends at 20 + 30 / (3/5) = 70 s, when the others have done 25 s and 15 s and have 75
    // s and 35 s left. The second one ends at 140 s, and the first one at 180 s.
    assert!((turnaround("Greedy*/OPT=MIN [group]") - (180.0 + 130.0 + 50.0) / 3.0).abs() < 1e-3);
    // Unweighted: the third job ends at 110 s, when the others have done 45 s and 35 s and have 55 s
    // and 15 s left: they end at 140 s and 180 s.
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
            "accounts.b: unknown parent `c`; expected the name of an account",
        ),
    ] {
        assert!(lublin.contains(found), "{found}");
        let errors = read(&lublin.replace(found, other), None, &[]).unwrap_err().to_string();
        assert!(errors.contains(message), "{other}: {errors}");
    }
}
