//! `dfrsim check` as CI runs it: each exit code, and what is told with it.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;
use std::path::Path;

const SCENARIO: &str = r#"
study = "online"
policies = ["EASY", "GreedyP*/OPT=MIN"]
[[workloads]]
name = "plain"
nodes = 16
lublin = { replications = 2, jobs = 60 }
[[workloads]]
name = "scaled"
nodes = 16
lublin = { replications = 2, jobs = 60, loads = [0.5, 0.9] }
"#;

/// Results of the scenario in `results`, their baseline in `baseline.toml`.
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
    let mut command = dfrsim(["check", "--baseline"]);
    command.arg(folder.path("baseline.toml")).arg(folder.path(results));
    command
}

/// Writes another value into the line of a figure of the first group of a policy, and gives its number.
fn spoil(folder: &Folder, policy: &str, figure: &str, change: impl Fn(&str) -> String) -> usize {
    let path = folder.path("baseline.toml");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let group = lines.iter().position(|line| *line == format!("policy = \"{policy}\"")).unwrap();
    let begin = format!("{figure} = ");
    let line = group + lines[group..].iter().position(|line| line.starts_with(&begin)).unwrap();
    lines[line] = change(&lines[line]);
    fs::write(&path, lines.join("\n")).unwrap();
    line + 1
}

/// A figure of a baseline line times a factor.
fn times(factor: f64) -> impl Fn(&str) -> String {
    move |line| {
        let (name, value) = line.split_once(" = ").unwrap();
        format!("{name} = {}", value.parse::<f64>().unwrap() * factor)
    }
}

#[test]
fn what_was_just_written_is_fine_and_comes_out_the_same() {
    let folder = checked();
    let baseline = fs::read(folder.path("baseline.toml")).unwrap();
    let told = stdout(check(&folder, "results").arg("--strict"));
    // Two workloads, the second at two loads and all together, two policies; 14 figures each.
    assert_eq!(told, "112 figures of 8 groups: 0 worse, 0 better, 112 within tolerance (0 %)\n");
    run(&folder, "again", &["title=\"another title\""]);
    stdout(&mut check(&folder, "again"));
    stdout(check(&folder, "results").arg("--update"));
    assert_eq!(fs::read(folder.path("baseline.toml")).unwrap(), baseline);
}

#[test]
fn a_figure_that_is_worse_is_exit_code_1_and_stands_in_all_reports() {
    let folder = checked();
    spoil(&folder, "EASY", "mean_degradation", times(0.9));
    let (xml, markdown) = (folder.path("check.xml"), folder.path("check.md"));
    let output = check(&folder, "results").args(["--junit".as_ref(), xml.as_os_str()]).assert().code(1);
    let table = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(table.contains("| worse ") && table.contains("| mean_degradation |"), "{table}");
    assert!(table.contains("+11.1 %"), "{table}");
    assert!(
        table.ends_with("112 figures of 8 groups: 1 worse, 0 better, 111 within tolerance (0 %)\n"),
        "{table}"
    );
    stderr(check(&folder, "results").args(["--markdown".as_ref(), markdown.as_os_str()]), 1);
    assert!(
        fs::read_to_string(xml)
            .unwrap()
            .contains("<testsuites name=\"dfrsim check\" tests=\"8\" failures=\"1\"")
    );
    assert!(fs::read_to_string(markdown).unwrap().starts_with("### dfrsim check: regression\n"));

    stdout(check(&folder, "results").args(["--tolerance", "12%"]));
    stdout(check(&folder, "results").args(["--tolerance-for", "mean_degradation=0.12"]));
    stderr(
        check(&folder, "results").args(["--tolerance", "12%", "--tolerance-for", "mean_degradation=11%"]),
        1,
    );
    stderr(check(&folder, "results").args(["--tolerance-for", "max_degradation=50%"]), 1);
}

#[test]
fn a_figure_that_is_better_is_told_and_a_failure_if_strict() {
    let folder = checked();
    spoil(&folder, "GreedyP*/OPT=MIN", "pauses", |_| "pauses = 1000000".to_owned());
    let told = stdout(&mut check(&folder, "results"));
    assert!(told.contains("| better "), "{told}");
    let told = stderr(check(&folder, "results").arg("--strict"), 1);
    assert!(told.contains("better"), "{told}");
}

#[test]
fn wrong_lines_are_told_with_their_place() {
    for (line, expected) in [
        ("mean_degradation = \"12\"", "invalid type: string \"12\""),
        ("mean_degradation = inf", "expected a finite number"),
        ("mean_degredation = 12", "did you mean `mean_degradation`?"),
        ("mean_degradation = ", ""),
    ] {
        let folder = checked();
        let number = spoil(&folder, "EASY", "mean_degradation", |_| line.to_owned());
        let told = stderr(&mut check(&folder, "results"), 2);
        assert!(told.contains(&format!("baseline.toml:{number}:")), "{told}");
        assert!(told.contains(expected) && told.contains(line.trim_end()), "{told}");
    }
}

#[test]
fn what_cannot_be_compared_is_exit_code_2() {
    let folder = checked();
    let told = |results: &str| stderr(&mut check(&folder, results), 2);
    for (set, expected) in [
        ("seed=2", "another scenario: `seed` is 2, the baseline has 1"),
        ("simulation.warm_up=10", "another scenario: `warm_up` is 10.0, the baseline has 0.0"),
        ("workloads.plain.nodes=32", "workload `plain`: has 32 nodes of 8 GB, the baseline 16 nodes of 8 GB"),
        ("workloads.scaled.lublin.loads=[0.5]", "workload `scaled`: has other jobs: 2 instances"),
        ("policies=[\"EASY\"]", "only in the baseline: plain, GreedyP*/OPT=MIN, penalty 300 s, tau 10 s;"),
        (
            "policies=[\"EASY\", \"CONS\", \"GreedyP*/OPT=MIN\"]",
            "only in the results: plain, CONS, penalty 300 s",
        ),
        ("policies=[\"CONS\"]", "no workload, policy and setting in common"),
        ("simulation.tau=1", "no workload, policy and setting in common"),
    ] {
        run(&folder, "other", &[set]);
        let told = told("other");
        assert!(told.contains(expected), "{set}: {told}");
    }
    assert!(told("none").contains("none/rows.csv"));

    let spoilt = |file: &str, text: &str| {
        run(&folder, "spoilt", &[]);
        fs::write(folder.path("spoilt").join(file), text).unwrap();
        let told = told("spoilt");
        assert!(told.contains(file), "{told}");
    };
    spoilt("rows.csv", "key\n");
    spoilt("manifest.toml", "semantics = \"one\"\n");
    spoilt("scenario.toml", "title = 1 2\n");

    let baseline = folder.path("baseline.toml");
    let text = fs::read_to_string(&baseline).unwrap();
    fs::write(&baseline, text.replace("format = 1", "format = 9\nnew = 1")).unwrap();
    assert!(told("results").contains("format 9"));
    fs::write(&baseline, text.replacen("jobs = \"", "jobs = \"0", 1)).unwrap();
    assert!(told("results").contains("workload `plain`: has other jobs: 2 instances"));
    fs::remove_file(&baseline).unwrap();
    assert!(told("results").contains("baseline.toml: cannot be read"));
}

#[test]
fn missing_policies_are_listed_on_request() {
    let folder = checked();
    run(&folder, "more", &["policies=[\"EASY\", \"CONS\"]"]);
    let (output, xml) =
        (check(&folder, "more").arg("--allow-missing").assert().success(), folder.path("check.xml"));
    let told = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(
        told.contains("notice: only in the baseline: scaled, all loads, GreedyP*/OPT=MIN, penalty 300 s"),
        "{told}"
    );
    assert!(told.contains("notice: only in the results: plain, CONS, penalty 300 s"), "{told}");
    stdout(check(&folder, "more").args(["--allow-missing", "--junit"]).arg(&xml));
    assert!(
        fs::read_to_string(xml).unwrap().contains("tests=\"12\" failures=\"0\" errors=\"0\" skipped=\"8\"")
    );
}

/// What an interrupted run leaves: a journal.
#[test]
fn unfinished_runs_are_refused_and_leave_the_baseline_alone() {
    let folder = checked();
    let baseline = fs::read(folder.path("baseline.toml")).unwrap();
    fs::write(folder.path("results/rows.journal"), "").unwrap();
    for update in [&[][..], &["--update"]] {
        let told = stderr(check(&folder, "results").args(update), 2);
        assert!(told.contains("unfinished"), "{told}");
    }
    assert_eq!(fs::read(folder.path("baseline.toml")).unwrap(), baseline);
}

#[test]
fn wrong_arguments_are_told() {
    let folder = checked();
    for (arguments, expected) in [
        (["--tolerance", "much"], "2% or 0.02"),
        (["--tolerance", "-1%"], "2% or 0.02"),
        (["--tolerance-for", "mean_degradation"], "mean_degradation=5%"),
        (["--tolerance-for", "migration=5%"], "did you mean `migrations`?"),
    ] {
        let told = stderr(check(&folder, "results").args([format!("{}={}", arguments[0], arguments[1])]), 2);
        assert!(told.contains(expected), "{told}");
    }
    let nowhere = Path::new("no/such/folder/check.xml");
    assert!(stderr(check(&folder, "results").arg("--junit").arg(nowhere), 2).contains("check.xml"));
}
