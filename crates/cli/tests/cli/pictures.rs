//! Tests `dfrsim results figures` and `dfrsim draw` as a user runs them.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;
use std::path::Path;

const SCENARIO: &str = include_str!("fixtures/pictures_scenario.toml");

const LOG: &str = "\
; MaxProcs: 2
1  0 -1 100 2 -1 -1 2 100 -1 1 1 -1 -1 -1 -1 -1 -1
2 10 -1  50 1 -1 -1 1  60 -1 1 1 -1 -1 -1 -1 -1 -1
3 20 -1  40 1 -1 -1 1  40 -1 1 1 -1 -1 -1 -1 -1 -1
";

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Creates a folder with the events of `LOG` under EASY.
fn simulated() -> Folder {
    let folder = Folder::with(&[("log.swf", LOG)]);
    let mut command = dfrsim(["simulate", "--nodes", "2", "--unit", "processor", "--policy", "EASY"]);
    command.arg("--workload").arg(folder.path("log.swf")).arg("--events-out").arg(folder.path("easy.jsonl"));
    command.assert().success();
    folder
}

#[test]
fn figures_of_a_run_are_listed_and_the_same_each_time() {
    let folder = Folder::with(&[("scenario.toml", SCENARIO)]);
    let results = folder.path("results");
    dfrsim(["run", "--out"]).arg(&results).arg(folder.path("scenario.toml")).assert().success();
    let listed = stdout(dfrsim(["results", "figures"]).arg(&results));
    let mut expected: Vec<String> = ["boxes", "by-load", "distribution", "means"]
        .iter()
        .flat_map(|kind| ["csv", "png", "svg"].map(|ending| format!("degradation-{kind}.{ending}")))
        .collect();
    expected.sort();
    let drawn = results.join("figures");
    let names_of_kinds: Vec<String> =
        names(&drawn).into_iter().filter(|name| expected.contains(name)).collect();
    assert_eq!(names_of_kinds, expected, "{listed}");
    assert_eq!(listed.lines().count(), names(&drawn).len());
    assert!(listed.lines().all(|path| Path::new(path).exists()), "{listed}");

    let again = folder.path("again");
    let mut command = dfrsim(["results", "figures", "--pictures", "svg", "--out"]);
    command.arg(&again).arg(&results).assert().success();
    for name in names(&again) {
        assert_eq!(fs::read(drawn.join(&name)).unwrap(), fs::read(again.join(&name)).unwrap(), "{name}");
    }
    assert_eq!(names(&again).len(), names(&drawn).len() / 3 * 2);
}

#[test]
fn a_simulation_is_drawn() {
    let folder = simulated();
    let events = folder.path("easy.jsonl");
    for (what, out) in [("gantt", "gantt.svg"), ("timeline", "timeline.png"), ("stretch", "stretch.svg")] {
        dfrsim(["draw", what]).arg(&events).arg("--out").arg(folder.path(out)).assert().success();
        assert!(fs::metadata(folder.path(out)).unwrap().len() > 1000);
    }
    dfrsim(["draw", "stretch", "--boxes"])
        .args([&events, &events])
        .arg("--out")
        .arg(folder.path("b.svg"))
        .assert()
        .success();
    // Job 1 on both processors, then jobs 2 and 3 in parallel.
    let expected = "job_id,node,tasks,from_s,to_s,cpu_from,cpu_to,yield,begin,end\n\
        1,0,1,0,100,0,1,1,start,complete\n1,1,1,0,100,0,1,1,start,complete\n\
        2,0,1,100,150,0,1,1,start,complete\n3,1,1,100,140,0,1,1,start,complete\n";
    assert_eq!(fs::read_to_string(folder.path("gantt.csv")).unwrap(), expected);
    let part = folder.path("part.svg");
    dfrsim(["draw", "gantt", "--from", "120", "--out"]).arg(&part).arg(&events).assert().success();
    let left = fs::read_to_string(folder.path("part.csv")).unwrap();
    assert_eq!(left.lines().count(), 3, "{left}");
}

/// Recognises events files and plans by their contents in `draw page`.
#[test]
fn a_plan_is_a_page_and_a_broken_one_is_not() {
    let folder = simulated();
    let given = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/plan").join(name);
    dfrsim(["solve", "plan", "--decide"])
        .arg(given("constrained.json"))
        .arg("--plan-out")
        .arg(folder.path("plan"))
        .assert()
        .success();
    let draw = |file: &str, more: &[&str]| {
        let mut command = dfrsim(["draw", "page"]);
        command.arg(folder.path(file)).arg("--out").arg(folder.path("page.html")).args(more);
        command
    };
    let printed = stderr(&mut draw("plan", &[]), 0);
    assert!(printed.contains("page.html: 5 VMs, "), "{printed}");
    let page = fs::read_to_string(folder.path("page.html")).unwrap();
    assert!(page.contains("<h1>5 actions in 2 pools, cost 14848 MB</h1>"), "{page}");
    assert!(
        page.contains("\"lanes\":[\"N1\",\"N2\",\"N3\",\"N4\",\"N5\"]") && !page.contains("src="),
        "{page}"
    );
    let printed = stderr(&mut draw("easy.jsonl", &[]), 0);
    assert!(printed.contains("page.html: 3 jobs, "), "{printed}");
    fs::remove_file(folder.path("page.html")).unwrap();

    let plan = fs::read_to_string(folder.path("plan")).unwrap();
    let wrong = plan.replacen("\"from\":\"N1\",\"to\":\"N5\"", "\"from\":\"N1\",\"to\":\"N6\"", 1);
    for (name, text) in [("wrong", wrong.as_str()), ("cut", &plan[..plan.len() / 2]), ("log", "1 2 3 4\n")] {
        fs::write(folder.path(name), text).unwrap();
    }
    fs::copy(given("current.json"), folder.path("current")).unwrap();
    let before = folder.names();
    for (file, expected) in [
        ("wrong", "wrong: the migrate of `web2` names an unknown node"),
        ("cut", "cut: not a plan: EOF while parsing"),
        ("log", "log: expected an events file, whose first line is a record `run`, or a plan"),
        ("current", "current: expected an events file"),
    ] {
        let printed = stderr(&mut draw(file, &[]), 2);
        assert!(printed.contains(expected), "{printed}");
    }
    let printed = stderr(&mut draw("plan", &["--from", "9"]), 2);
    assert!(
        printed.contains("--from and --to apply to events files only; a plan is always shown as a whole"),
        "{printed}"
    );
    assert_eq!(folder.names(), before);
}
