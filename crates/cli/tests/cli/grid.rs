//! Tests the events of the grid study, and `dfrsim audit` on them.

use crate::support::{Folder, dfrsim, scenario, stderr, stdout};
use std::fs;

#[test]
fn the_events_of_a_simulation_can_be_written_and_checked() {
    let folder = Folder::with(&[]);
    let records = folder.path("out/records");
    let mut run =
        dfrsim(["run", "--set", "local=[\"CONS\"]", "--set", "meta.heuristics=[\"minmin\"]", "--out"]);
    run.arg(folder.path("out")).arg(scenario("grid_quick"));
    run.args(["--set", "events=records"]);
    run.assert().success();
    // Two platforms, each without reallocation and with both algorithms.
    assert_eq!(fs::read_dir(&records).unwrap().count(), 6);
    let path = records.join("days-heterogeneous-CONS-0-with-minmin.jsonl");
    let report = stdout(dfrsim(["audit"]).arg(&path));
    assert!(report.starts_with("2 clusters with CONS: no violations"), "{report}");

    // A job that ends a microsecond late.
    let text = fs::read_to_string(&path).unwrap();
    let at = text.find("\"event\":\"complete\",\"at_us\":").unwrap() + 28;
    let end = at + text[at..].find(',').unwrap();
    let later = text[at..end].parse::<u64>().unwrap() + 1;
    fs::write(&path, format!("{}{later}{}", &text[..at], &text[end..])).unwrap();
    let message = stderr(dfrsim(["audit"]).arg(&path), 1);
    assert!(message.contains("it should have completed at"), "{message}");
}

/// Both clusters are stacked in one picture, with the jobs that moved and those that were lost with
/// their cluster.
#[test]
fn the_events_of_a_simulation_can_be_drawn() {
    let folder = Folder::with(&[]);
    let records = folder.path("out/records");
    let mut run = dfrsim(["run", "--set", "local=FCFS", "--set", "meta.heuristics=minmin", "--out"]);
    run.arg(folder.path("out")).arg(scenario("grid_quick")).arg("--set");
    run.arg("clusters.1.outages=[{ from_s = 90000, until_s = 100000 }]");
    run.args(["--set", "events=records"]);
    run.assert().success();
    let events = records.join("days-homogeneous-FCFS-0-without-minmin.jsonl");
    let picture = folder.path("gantt.svg");
    dfrsim(["draw", "gantt", "--out"]).arg(&picture).arg(&events).assert().success();
    assert!(fs::read_to_string(&picture).unwrap().starts_with("<svg"));
    let text = fs::read_to_string(&events).unwrap();
    let count = |event: &str| text.matches(&format!("\"event\":\"{event}\"")).count();
    let csv = fs::read_to_string(folder.path("gantt.csv")).unwrap();
    let ends = |how: &str| {
        let rows = csv.lines().filter(|line| line.ends_with(how)).map(|line| {
            let mut cells = line.split(',');
            (cells.next().unwrap(), cells.nth(2).unwrap())
        });
        rows.collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!((ends("complete"), ends("pause")), (count("complete"), count("lose")));
    assert!(count("lose") > 0 && csv.contains(",migrate,complete\n"));
    // The cores of the second cluster are numbered from 64 on.
    let nodes = csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse::<u32>().unwrap());
    assert!(nodes.max().is_some_and(|last| (64..64 + 48).contains(&last)));
}
