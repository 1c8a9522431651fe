//! Tests CPU needs and memory of synthetic jobs: defaults are those of the study, and other
//! assumptions change the results as expected.

use crate::{frame, numbers, run};
use dfrsim_lab::DataFrame;
use std::fs;

const SCENARIO: &str = include_str!("assumptions_scenario.toml");

/// Returns the rows, and their file.
fn rows(set: &[&str]) -> (DataFrame, String) {
    let set: Vec<String> = set.iter().map(|&set| format!("workloads.model.lublin.{set}")).collect();
    let folder = tempfile::tempdir().unwrap();
    run(SCENARIO, &set.iter().map(String::as_str).collect::<Vec<_>>(), folder.path());
    (frame(folder.path()), fs::read_to_string(folder.path().join("rows.csv")).unwrap())
}

/// Returns the mean of a metric of the fractional policy over the instances.
fn mean(rows: &DataFrame, metric: &str) -> f64 {
    let values = numbers(rows, "Greedy*/OPT=MIN", metric);
    assert_eq!(values.len(), 3);
    values.iter().sum::<f64>() / 3.0
}

/// Keeps rows of earlier versions reusable: their keys depend on every CPU need and memory.
#[test]
fn defaults_are_the_assumptions_of_the_study() {
    let default = rows(&[]).1;
    for spelt_out in [
        vec!["cpu={ cores = 4, serial = 0.25, parallel = 1.0 }"],
        vec!["cpu.cores=4", "memory.multiples.unit=0.1"],
        vec!["memory={ multiples = { unit = 0.1, single_probability = 0.55, most = 10 } }"],
    ] {
        assert_eq!(rows(&spelt_out).1, default, "{spelt_out:?}");
    }
}

#[test]
fn serial_tasks_that_need_more_raise_the_load() {
    let (study, _) = rows(&[]);
    let (whole, text) = rows(&["cpu.serial=1.0"]);
    assert_eq!(rows(&["cpu.cores=1"]).1, text, "one core is a whole node");
    for policy in ["EASY", "Greedy*/OPT=MIN"] {
        let bounds = |rows| numbers(rows, policy, "bound");
        assert!(bounds(&whole).iter().zip(bounds(&study)).all(|(whole, study)| *whole >= study));
    }
    let utilisation = |rows| numbers(rows, "EASY", "utilisation");
    assert!(utilisation(&whole).iter().zip(utilisation(&study)).all(|(whole, study)| *whole > study));
    let turnaround = |rows: &DataFrame| mean(rows, "mean_turnaround_s");
    let (halves, _) = rows(&["cpu.cores=2"]);
    assert!(turnaround(&study) < turnaround(&halves) && turnaround(&halves) < turnaround(&whole));
}

#[test]
fn jobs_wait_for_memory_only() {
    let wait = |set: &[&str]| mean(&rows(set).0, "mean_wait_s");
    let study = wait(&[]);
    assert_eq!(wait(&["memory=none"]), 0.0, "Greedy starts what fits, and without memory everything does");
    assert!(study > 0.0);
    assert!(wait(&["memory={ constant = 0.9 }"]) > study, "a task a node");
    let less = wait(&["memory={ uniform = { from = 0.05, to = 0.1 } }"]);
    assert!(less < study, "{less}");
}
