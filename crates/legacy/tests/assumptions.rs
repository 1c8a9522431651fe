//! Needs and memory of synthetic jobs: the study's unless a scenario assumes others, which change results as they should.

use dfrsim_legacy::{Figures, Results, Row, RunOptions, Scenario, run};
use std::sync::atomic::AtomicBool;

const SCENARIO: &str = r#"
study = "online"
policies = ["EASY", "Greedy*/OPT=MIN"]
[[workloads]]
name = "model"
nodes = 32
lublin = { traces = 3, jobs = 200 }
"#;

fn rows(overrides: &[&str]) -> Vec<Row> {
    let overrides: Vec<String> =
        overrides.iter().map(|&set| format!("workloads.model.lublin.{set}")).collect();
    let scenario =
        Scenario::parse(SCENARIO, "test.toml", &overrides).unwrap_or_else(|errors| panic!("{errors}"));
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
    run(&scenario, &options, &AtomicBool::new(false), &()).unwrap();
    Results::read(folder.path()).unwrap().rows
}

/// The mean over the instances of a figure of the fractional policy.
fn mean(rows: &[Row], figure: impl Fn(&Figures) -> f64) -> f64 {
    let fractional = rows.iter().filter(|row| row.cell.policy == "Greedy*/OPT=MIN");
    let figures: Vec<f64> = fractional.map(|row| figure(row.outcome.as_ref().unwrap())).collect();
    assert_eq!(figures.len(), 3);
    figures.iter().sum::<f64>() / figures.len() as f64
}

/// Rows of earlier versions must be found again: their keys hang on every need and memory.
#[test]
fn defaults_are_the_assumptions_of_the_study() {
    let default = rows(&[]);
    assert_eq!(default[0].key.to_string(), "e0032a91d5d9e8fb");
    for spelt_out in [
        vec!["cpu={ cores = 4, serial = 0.25, parallel = 1.0 }"],
        vec!["cpu.cores=4", "memory.multiples.unit=0.1"],
        vec!["memory={ multiples = { unit = 0.1, single_probability = 0.55, most = 10 } }"],
    ] {
        assert_eq!(rows(&spelt_out), default, "{spelt_out:?}");
    }
}

#[test]
fn serial_tasks_that_need_more_raise_the_load() {
    let study = rows(&[]);
    let whole = rows(&["cpu.serial=1.0"]);
    assert_eq!(rows(&["cpu.cores=1"]), whole, "one core is a whole node");
    for (study, whole) in study.iter().zip(&whole) {
        assert_ne!(study.key, whole.key);
        assert!(whole.cell.bound >= study.cell.bound);
        let utilisation = |row: &Row| row.outcome.as_ref().unwrap().utilisation;
        assert!(study.cell.policy != "EASY" || utilisation(whole) > utilisation(study));
    }
    let turnaround = |rows: &[Row]| mean(rows, |figures| figures.mean_turnaround_s);
    let halves = rows(&["cpu.cores=2"]);
    assert!(turnaround(&study) < turnaround(&halves) && turnaround(&halves) < turnaround(&whole));
}

#[test]
fn jobs_wait_for_memory_only() {
    let wait = |rows: &[Row]| mean(rows, |figures| figures.mean_wait_s);
    let study = wait(&rows(&[]));
    assert_eq!(wait(&rows(&["memory=none"])), 0.0, "Greedy starts what fits, and without memory all does");
    assert!(study > 0.0);
    assert!(wait(&rows(&["memory={ constant = 0.9 }"])) > study, "a task a node");
    let less = wait(&rows(&["memory={ uniform = { from = 0.05, to = 0.1 } }"]));
    assert!(less < study, "{less}");
}
