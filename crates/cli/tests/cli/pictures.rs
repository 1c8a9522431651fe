//! `dfrsim results figures` and `dfrsim draw` as a user runs them.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;
use std::path::Path;

const SCENARIO: &str = r#"
study = "online"
policies = ["FCFS", "EASY"]
[[workloads]]
name = "model"
nodes = 8
lublin = { replications = 2, jobs = 30, loads = [0.5, 0.9] }
"#;

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

/// A folder with the events of `LOG` under EASY.
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
    let mut expected: Vec<String> = ["boxes", "by-load", "distribution"]
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
fn missing_results_are_reported() {
    let folder = Folder::with(&[]);
    let message = stderr(dfrsim(["results", "figures"]).arg(folder.path("nowhere")), 2);
    assert!(message.contains("nowhere: there are no results here"), "{message}");
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
    // Job 1 on both processors, then 2 and 3 side by side.
    let expected = "job_id,node,tasks,from_s,to_s,cpu_from,cpu_to,yield,begin,end\n\
        1,0,1,0,100,0,1,1,start,complete\n1,1,1,0,100,0,1,1,start,complete\n\
        2,0,1,100,150,0,1,1,start,complete\n3,1,1,100,140,0,1,1,start,complete\n";
    assert_eq!(fs::read_to_string(folder.path("gantt.csv")).unwrap(), expected);
    let part = folder.path("part.svg");
    dfrsim(["draw", "gantt", "--from", "120", "--out"]).arg(&part).arg(&events).assert().success();
    let left = fs::read_to_string(folder.path("part.csv")).unwrap();
    assert_eq!(left.lines().count(), 3, "{left}");
}

#[test]
fn wrong_events_and_wrong_arguments_write_no_file() {
    let folder = simulated();
    let events = folder.path("easy.jsonl");
    let broken = fs::read_to_string(&events).unwrap().replacen("\"start\"", "\"begin\"", 1);
    fs::write(folder.path("broken.jsonl"), broken).unwrap();
    let before = folder.names();
    let draw = |events: &str, out: &str, more: &[&str]| {
        let mut command = dfrsim(["draw", "gantt"]);
        stderr(command.arg(folder.path(events)).arg("--out").arg(folder.path(out)).args(more), 2)
    };
    let printed = draw("broken.jsonl", "gantt.svg", &[]);
    assert!(printed.contains("broken.jsonl:3: not an event: unknown variant `begin`"), "{printed}");
    assert!(draw("easy.jsonl", "gantt.pdf", &[]).contains("expected a name that ends in .svg or .png"));
    assert!(
        draw("easy.jsonl", "gantt.svg", &["--from", "9", "--to", "9"])
            .contains("--from: expected a time before --to")
    );
    assert!(draw("easy.jsonl", "gantt.svg", &["--from", "900"]).contains("no job runs in the time"));
    assert!(draw("missing.jsonl", "gantt.svg", &[]).contains("cannot be read"));
    assert_eq!(folder.names(), before);
}
