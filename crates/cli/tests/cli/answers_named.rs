//! Tests that answers say what they answer: which file, which jobs, which lines.

use crate::support::{Folder, dfrsim, stderr, stdout};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;

/// Returns a log of jobs of one node each, a minute apart; the last line is broken.
fn log(jobs: u32) -> String {
    let mut text = String::from("; MaxNodes: 4\n");
    for job in 1..=jobs {
        let (submit, user) = (job * 60, job % 5);
        writeln!(text, "{job} {submit} 7 300 1 -1 -1 1 600 -1 1 {user} 1 1 1 1 -1 -1").unwrap();
    }
    text + "broken\n"
}

const SCENARIO: &str = "study = 'online'\npolicies = ['FCFS']\n[[workloads]]\nname = 'log'\nnodes = 4\n";

#[test]
fn names_in_a_scenario_are_relative_to_its_folder() {
    let scenario = format!("{SCENARIO}swf = {{ file = '../march.swf' }}\n");
    let folder = Folder::with(&[("march.swf", &log(20))]);
    for below in ["work", "work/site", "other"] {
        fs::create_dir(folder.path(below)).unwrap();
    }
    fs::write(folder.path("work/march.swf"), log(30)).unwrap();
    fs::write(folder.path("work/site/s.toml"), &scenario).unwrap();
    let printed = |from: &str, scenario: &str| {
        let mut run =
            folder.dfrsim(&format!("run {scenario} --out {} --format json", folder.path("out").display()));
        let printed: Value = serde_json::from_str(&stdout(run.current_dir(folder.path(from)))).unwrap();
        (printed["inputs"][0]["account"]["jobs"].clone(), printed["notices"].to_string())
    };
    // `../march.swf` of the current folder has 20 jobs.
    let (jobs, notices) = printed("work", "site/s.toml");
    assert_eq!(jobs, 30);
    assert!(notices.contains("../march.swf is another file and is not read"), "{notices}");
    let (jobs, notices) = printed("work/site", "s.toml");
    assert_eq!((jobs, notices.contains("not read")), (30.into(), false), "{notices}");

    // A bare name goes through the search path after that.
    fs::create_dir(folder.path("work/traces")).unwrap();
    fs::write(folder.path("work/traces/april.swf"), log(40)).unwrap();
    fs::write(folder.path("work/site/s.toml"), scenario.replace("../march", "april")).unwrap();
    assert_eq!(printed("work", "site/s.toml").0, 40);
    fs::write(folder.path("work/site/april.swf"), log(50)).unwrap();
    let (jobs, notices) = printed("work", "site/s.toml");
    assert_eq!(jobs, 50);
    assert!(notices.contains("traces/april.swf is another file and is not read"), "{notices}");

    // A file of the current folder alone is not the one that is named.
    fs::write(folder.path("other/s.toml"), scenario.replace("../march", "sub/../march")).unwrap();
    fs::create_dir(folder.path("sub")).unwrap();
    let said = stderr(&mut folder.dfrsim("run other/s.toml"), 2);
    assert!(said.contains("the current folder has such a file, but names in a scenario"), "{said}");
}

#[test]
fn a_table_that_leaves_lines_out_says_so_beside_its_other_notes() {
    let mut scenario = String::from(
        "study = 'online'\npolicies = ['FCFS', 'EASY', 'CONS', 'EQUIPARTITION', 'GreedyPM*/OPT=MIN', 'Greedy*/OPT=MIN', 'GreedyP*/OPT=MIN', '/per/OPT=MIN']\n\
         simulation = { penalty = 0 }\n",
    );
    for number in 1..=5 {
        // Workloads of the same size would be the same runs.
        let nodes = 3 + number;
        write!(
            scenario,
            "[[workloads]]\nname = 'w{number}'\nnodes = {nodes}\nswf = {{ file = 'log.swf' }}\n"
        )
        .unwrap();
    }
    let folder = Folder::with(&[("log.swf", &log(12)), ("s.toml", &scenario)]);
    let printed = stdout(&mut folder.dfrsim("run s.toml --out out"));
    let summary = fs::read_to_string(folder.path("out/tables/summary.md")).unwrap();
    for text in [&printed, &summary] {
        assert!(text.contains("15 of 40 lines; all of them: tables/degradation.csv"), "{text}");
        assert!(text.contains("invalid lines skipped: 1"), "{text}");
        assert_eq!(text.matches("| FCFS ").count(), 5, "{text}");
        assert_eq!(text.matches("| EASY ").count(), 5, "{text}");
    }
}

#[test]
fn the_account_is_printed_and_written() {
    let scenario = format!(
        "{SCENARIO}swf = {{ file = 'log.swf', select = {{ first = 8 }}, rules = {{ failed = 'drop' }} }}\n"
    );
    let folder = Folder::with(&[("log.swf", &log(12)), ("s.toml", &scenario)]);
    let printed = stdout(&mut folder.dfrsim("run s.toml --out out"));
    assert!(printed.starts_with("log.swf (sha256 "), "{printed}");
    for line in
        ["8 jobs, 0 rejected, 0 left out", "selected: {\"skip\":0,\"first\":8}", "\"failed\":\"drop\""]
    {
        assert!(printed.contains(line), "{line}{printed}");
    }
    let manifest: toml::Table =
        fs::read_to_string(folder.path("out/manifest.toml")).unwrap().parse().unwrap();
    let input = &manifest["inputs"][0];
    assert_eq!(input["path"].as_str(), Some("log.swf"));
    assert_eq!(input["account"]["jobs"].as_integer(), Some(8));
    stdout(&mut folder.dfrsim("results report out"));
    let report = fs::read_to_string(folder.path("out/report.html")).unwrap();
    assert!(report.contains("8 lines: 8 jobs, 0 rejected, 0 left out"), "the report has the account");

    let simulated =
        folder.dfrsim("simulate --workload log.swf --policy EASY --format json").output().unwrap();
    let said = String::from_utf8(simulated.stderr).unwrap();
    assert!(said.starts_with("log.swf: 13 lines: 12 jobs, 1 rejected, 0 left out\n"), "{said}");
    let figures: Value = serde_json::from_slice(&simulated.stdout).unwrap();
    assert_eq!(figures["account"]["rejected"], 1);
    let info = stdout(&mut folder.dfrsim("log info log.swf --from 300"));
    assert!(info.starts_with("log.swf: 13 lines: 8 jobs, 1 rejected, 4 left out\n"), "{info}");
}

#[test]
fn loads_of_a_log_are_a_label() {
    let scenario = format!("{SCENARIO}swf = {{ file = 'log.swf', loads = [0.5, 0.7] }}\n");
    let folder = Folder::with(&[("log.swf", &log(60)), ("s.toml", &scenario)]);
    stdout(&mut folder.dfrsim("run s.toml --out out"));
    let rows = fs::read_to_string(folder.path("out/rows.csv")).unwrap();
    for (instance, load) in [("whole-load-0.5", ",0.5,"), ("whole-load-0.7", ",0.7,")] {
        assert!(rows.lines().any(|line| line.contains(instance) && line.contains(load)), "{rows}");
    }
    let figures = stdout(&mut folder.dfrsim("results figures out"));
    assert!(figures.contains("load"), "{figures}");
    let said =
        stderr(dfrsim(["run"]).arg(folder.path("s.toml")).args(["--set", "workloads.log.swf.loads=[-1]"]), 2);
    assert!(said.contains("loads"), "{said}");
}
