//! Tests `dfrsim results check` as CI runs it: each exit code, and its messages.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;

const SCENARIO: &str = include_str!("fixtures/check_scenario.toml");

/// Creates results of the scenario in `results`, and their baseline in `baseline.toml`.
fn checked() -> Folder {
    let folder = Folder::with(&[("scenario.toml", SCENARIO)]);
    run(&folder, "results", &[]);
    stdout(check(&folder, "results").arg("--update"));
    folder
}

fn run(folder: &Folder, out: &str, sets: &[&str]) {
    let mut command = dfrsim(["run", "--out"]);
    command.arg(folder.path(out)).arg(folder.path("scenario.toml"));
    sets.iter().for_each(|set| _ = command.args(["--set", set]));
    stdout(&mut command);
}

fn check(folder: &Folder, results: &str) -> assert_cmd::Command {
    let mut command = dfrsim(["results", "check", "--baseline"]);
    command.arg(folder.path("baseline.toml")).arg(folder.path(results));
    command
}

/// Changes a value of the first group of a policy; returns its line and the line number.
fn alter(folder: &Folder, policy: &str, metric: &str, change: impl Fn(f64) -> String) -> (String, usize) {
    let path = folder.path("baseline.toml");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let group = lines.iter().position(|line| line.contains(&format!("policy={policy},"))).unwrap();
    let begin = format!("{metric} = ");
    let place = group + lines[group..].iter().position(|line| line.starts_with(&begin)).unwrap();
    lines[place] = change(lines[place][begin.len()..].parse().unwrap());
    fs::write(&path, lines.join("\n")).unwrap();
    (lines[place].clone(), place + 1)
}

fn degradation(factor: f64) -> impl Fn(f64) -> String {
    move |value| format!("degradation.mean = {}", value * factor)
}

#[test]
fn a_baseline_that_was_just_written_holds_and_is_written_the_same() {
    let folder = checked();
    let baseline = fs::read(folder.path("baseline.toml")).unwrap();
    let summary = stdout(check(&folder, "results").arg("--strict"));
    // Two workloads, the second at two loads; two policies.
    assert!(summary.contains(" values in 6 groups: 0 worse, 0 better, "), "{summary}");
    assert!(summary.ends_with(" within tolerance (0 %)\n"), "{summary}");
    run(&folder, "again", &["title=\"another title\""]);
    stdout(&mut check(&folder, "again"));
    stdout(check(&folder, "results").arg("--update"));
    assert_eq!(fs::read(folder.path("baseline.toml")).unwrap(), baseline);
}

#[test]
fn a_value_that_is_worse_is_exit_code_1_and_is_in_all_reports() {
    let folder = checked();
    alter(&folder, "EASY", "degradation.mean", degradation(0.9));
    let (xml, markdown) = (folder.path("check.xml"), folder.path("check.md"));
    let output = check(&folder, "results").args(["--junit".as_ref(), xml.as_os_str()]).assert().code(1);
    let table = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(table.contains("degradation.mean") && table.contains("+11.1 %"), "{table}");
    assert!(table.contains(" values in 6 groups: 1 worse, 0 better, "), "{table}");
    stderr(check(&folder, "results").args(["--markdown".as_ref(), markdown.as_os_str()]), 1);
    let xml = fs::read_to_string(xml).unwrap();
    assert!(
        xml.contains("<testsuites name=\"dfrsim check\" tests=\"6\" skipped=\"0\" failures=\"1\""),
        "{xml}"
    );
    assert!(fs::read_to_string(markdown).unwrap().starts_with("### dfrsim check: regression\n"));

    stdout(check(&folder, "results").args(["--tolerance", "12%"]));
    stdout(check(&folder, "results").args(["--tolerance-for", "degradation=0.12"]));
    let single = ["--tolerance", "12%", "--tolerance-for", "degradation.mean=11%"];
    stderr(check(&folder, "results").args(single), 1);
    stderr(check(&folder, "results").args(["--tolerance-for", "degradation.worst=50%"]), 1);
}

#[test]
fn a_value_that_is_better_is_a_failure_only_if_strict() {
    let folder = checked();
    alter(&folder, "EASY", "degradation.mean", degradation(1.1));
    let table = stdout(&mut check(&folder, "results"));
    assert!(table.contains("better"), "{table}");
    let message = stderr(check(&folder, "results").arg("--strict"), 1);
    assert!(message.contains("better"), "{message}");
}

#[test]
fn a_wrong_line_is_reported_with_its_place() {
    for (line, expected) in [
        ("degradation.mean = \"12\"", "\"12\" is not a finite number"),
        ("degradation.mean = inf", "inf is not a finite number"),
        ("degredation.mean = 12", "did you mean `degradation.mean`?"),
        ("degradation.mean = ", ""),
    ] {
        let folder = checked();
        let (_, number) = alter(&folder, "EASY", "degradation.mean", |_| line.to_owned());
        let message = stderr(&mut check(&folder, "results"), 2);
        assert!(message.contains(&format!("baseline.toml:{number}:")), "{message}");
        assert!(message.contains(expected) && message.contains(line.trim_end()), "{message}");
    }
}

/// Rejects results with a journal, which an interrupted run leaves.
#[test]
fn unfinished_runs_are_refused_and_leave_the_baseline_alone() {
    let folder = checked();
    let baseline = fs::read(folder.path("baseline.toml")).unwrap();
    fs::write(folder.path("results/rows.journal"), "").unwrap();
    for update in [&[][..], &["--update"]] {
        let message = stderr(check(&folder, "results").args(update), 2);
        assert!(message.contains("unfinished"), "{message}");
    }
    assert_eq!(fs::read(folder.path("baseline.toml")).unwrap(), baseline);
}
