//! Tests `dfrsim results compare` as a user runs it.

use crate::support::{Folder, dfrsim, stdout};
use std::fs;

const SCENARIO: &str = include_str!("fixtures/compare_scenario.toml");

fn folder() -> Folder {
    Folder::with(&[("scenario.toml", SCENARIO)])
}

fn run(folder: &Folder, out: &str, sets: &[&str]) {
    let mut command = dfrsim(["run", "--out"]);
    command.arg(folder.path(out)).arg(folder.path("scenario.toml"));
    sets.iter().for_each(|set| _ = command.args(["--set", set]));
    stdout(&mut command);
}

fn compare(folder: &Folder, results: &[&str], arguments: &[&str]) -> assert_cmd::Command {
    let mut command = dfrsim(["results", "compare", "--resamples", "500"]);
    command.args(results.iter().map(|name| folder.path(name))).args(arguments);
    command
}

/// Returns the fields of a CSV file without quotes.
fn records(folder: &Folder, name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.path(name)).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn column<'a>(records: &'a [Vec<String>], name: &str) -> Vec<&'a str> {
    let place = records[0].iter().position(|column| column == name).unwrap();
    records[1..].iter().map(|record| record[place].as_str()).collect()
}

#[test]
fn two_policies_of_one_folder() {
    let folder = folder();
    run(&folder, "results", &[]);
    let out = folder.path("out").display().to_string();
    let arguments = "--variant FCFS --with /per/OPT=MIN --metric degradation --metric preemptions --out";
    let arguments: Vec<&str> = arguments.split(' ').chain([out.as_str()]).collect();
    let message = stdout(&mut compare(&folder, &["results"], &arguments));
    assert!(message.starts_with("A: FCFS in ") && message.contains("; B: /per/OPT=MIN in "), "{message}");
    assert_eq!(message, fs::read_to_string(folder.path("out/comparison.md")).unwrap());

    // Two loads and all together, both periods of the second policy, two metrics.
    let groups = records(&folder, "out/comparison.csv");
    assert_eq!(groups.len() - 1, 3 * 2 * 2);
    assert_eq!(column(&groups, "period_s")[..4], ["300", "300", "600", "600"]);
    assert_eq!(column(&groups, "pairs")[..5], ["5", "5", "5", "5", "5"]);
    assert_eq!(column(&groups, "pairs")[8..], ["10", "10", "10", "10"]);
    // Each pair occurs once, with the values of rows.csv.
    let pairs = records(&folder, "out/pairs.csv");
    assert_eq!(pairs.len() - 1, 2 * 5 * 2 * 2);
    let rows = records(&folder, "results/rows.csv");
    let of_row = |instance: &str, policy: &str, period: &str| {
        let is = |index: &usize| {
            column(&rows, "instance")[*index] == instance
                && column(&rows, "policy")[*index] == policy
                && column(&rows, "period_s")[*index] == period
        };
        column(&rows, "degradation")[(0..rows.len() - 1).find(is).unwrap()].to_owned()
    };
    assert_eq!(column(&pairs, "a")[0], of_row("trace-000-load-0.5", "FCFS", ""));
    assert_eq!(column(&pairs, "b")[0], of_row("trace-000-load-0.5", "/per/OPT=MIN", "300"));

    // A second run gives identical bytes; another seed gives other intervals around equal means.
    assert_eq!(message, stdout(&mut compare(&folder, &["results"], &arguments)));
    let before = groups;
    stdout(&mut compare(&folder, &["results"], &[&arguments[..], &["--seed", "2"]].concat()));
    let after = records(&folder, "out/comparison.csv");
    assert_eq!(column(&before, "mean_difference"), column(&after, "mean_difference"));
    assert_ne!(column(&before, "mean_difference_low"), column(&after, "mean_difference_low"));
}
