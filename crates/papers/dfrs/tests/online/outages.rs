//! Tests scenarios with nodes that go down.

use crate::{frame, numbers, read, registry, run, run_with};
use dfrsim_lab::RunOptions;

use std::fs;

/// Log of two jobs on one node: 20 s from second 0 on, and 5 s from second 12 on.
const LOG: &str =
    "1 0 -1 20 1 -1 -1 1 20 -1 1 1 -1 -1 -1 -1 -1 -1\n2 12 -1 5 1 -1 -1 1 5 -1 1 1 -1 -1 -1 -1 -1 -1\n";

const SCENARIO: &str = "study = 'online'\npolicies = ['FCFS', 'GreedyP*/OPT=MIN']\n\
    [[outages.maintenance]]\nfirst_s = 10\nevery_s = 1000\nlength_s = 5\n\
    [[workloads]]\nname = 'log'\nnodes = 1\nswf = { file = 'log.swf' }\n";

/// FCFS delays the first job to the end of the maintenance window, at 15 s: it ends at 35 s, and the
/// second one at 40 s. The node was up for 35 of 40 s, and worked for 25 of these. The fractional
/// policy starts immediately, and pauses the job a microsecond before the window.
#[test]
fn rows_have_the_figures_of_outages() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.swf"), LOG).unwrap();
    let options = RunOptions { audit: true, ..RunOptions::new(folder.path().join("out")) };
    run_with(&registry(), SCENARIO, &[], Some(folder.path()), &options);
    let rows = frame(&folder.path().join("out"));
    let of = |column: &str| numbers(&rows, "FCFS", column)[0];
    assert_eq!((of("makespan_s"), of("availability")), (40.0, 35.0 / 40.0));
    assert!((of("goodput") - 25.0 / 35.0).abs() < 1e-12);
    assert_eq!((of("interruptions"), of("lost"), of("lost_work")), (0.0, 0.0, 0.0));
    assert_eq!(numbers(&rows, "GreedyP*/OPT=MIN", "preemptions")[0], 1.0);
    assert_eq!(numbers(&rows, "GreedyP*/OPT=MIN", "interruptions")[0], 0.0);
}

/// Rows without outages have empty columns for them; rows with and without outages are read back.
#[test]
fn only_rows_with_outages_have_their_figures() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.swf"), LOG).unwrap();
    let plain = SCENARIO.replace("[[outages.maintenance]]\nfirst_s = 10\nevery_s = 1000\nlength_s = 5\n", "");
    let tail = |text: &str, name: &str| {
        let options = RunOptions::new(folder.path().join(name));
        run_with(&registry(), text, &[], Some(folder.path()), &options);
        // The second run reuses all rows.
        let again = run_with(&registry(), text, &[], Some(folder.path()), &options);
        assert_eq!(again.counts.computed, 0, "{name}");
        let rows = fs::read_to_string(folder.path().join(name).join("rows.csv")).unwrap();
        let (header, row) = rows.split_once('\n').unwrap();
        assert!(header.contains(
            ",interruption,availability,goodput,lost_work,interruptions,lost,penalty_bound,reached,waits,own,"
        ));
        row.lines().next().unwrap().to_owned()
    };
    assert!(tail(SCENARIO, "with").contains(",requeue,0.875,"));
    assert!(tail(&plain, "without").ends_with(",,,,,,,"));
}

/// Failures are drawn from separate random streams, equal for all policies and rules.
#[test]
fn all_rules_have_the_same_failures() {
    let folder = tempfile::tempdir().unwrap();
    let text = "study = 'online'\npolicies = ['FCFS', 'EASY']\n\
        [outages]\ninterruption = ['lose', 'requeue', 'checkpoint:600:10']\n\
        failures = { between = 'exponential:100000', repair = 'fixed:5000', rack = '4:0.2' }\n\
        [[workloads]]\nname = 'lublin'\nnodes = 16\nlublin = { replications = 2, jobs = 150, loads = [0.7] }\n";
    let options = RunOptions { audit: true, ..RunOptions::new(folder.path()) };
    run_with(&registry(), text, &[], None, &options);
    let rows = frame(folder.path());
    assert_eq!(rows.len(), 2 * 2 * 3);
    let lost = numbers(&rows, "EASY", "lost");
    assert!(lost.iter().filter(|lost| **lost > 0.0).count() == 2, "{lost:?}");
    assert!(numbers(&rows, "EASY", "interruptions").iter().all(|count| *count > 0.0));
    assert!(numbers(&rows, "FCFS", "availability").iter().all(|part| (0.5..1.0).contains(part)));
    // A second run gives identical bytes.
    let again = tempfile::tempdir().unwrap();
    run(text, &[], again.path());
    let bytes = |folder: &tempfile::TempDir| fs::read(folder.path().join("rows.csv")).unwrap();
    assert!(bytes(&folder) == bytes(&again));
}

#[test]
fn faults_of_outages_have_their_place() {
    for (field, message) in [
        ("outages.interruption=kill", "invalid rule for interrupted jobs `kill`"),
        ("outages.failures={between='normal:1',repair='fixed:1'}", "unknown distribution of times"),
        ("outages.failures={between='fixed:1'}", "repair"),
        (
            "outages.maintenance=[{first_s=0,every_s=5,length_s=5}]",
            "a maintenance window must be shorter than the period `every_s`",
        ),
        ("outages.maintenance=[{nodes='x',first_s=0,every_s=5,length_s=1}]", "invalid nodes `x`"),
        ("outages.rack='4:1'", "rack"),
    ] {
        let lublin = SCENARIO.replace("swf = { file = 'log.swf' }", "lublin = { replications = 1 }");
        let errors = read(&lublin, None, &[field]).unwrap_err().to_string();
        assert!(errors.contains(message), "{field}: {errors}");
    }
}
