//! The events of the grid study, and `dfrsim audit` on them.

use crate::support::{Folder, dfrsim, scenario, stderr, stdout};
use std::fs;

#[test]
fn the_events_of_a_simulation_can_be_written_and_checked() {
    let folder = Folder::with(&[]);
    let records = folder.path("records");
    let mut run =
        dfrsim(["run", "--set", "local=[\"CONS\"]", "--set", "meta.heuristics=[\"minmin\"]", "--out"]);
    run.arg(folder.path("out")).arg(scenario("grid_quick"));
    run.arg("--set").arg(format!("events={}", records.display()));
    run.assert().success();
    // Two platforms, each without reallocation and with both algorithms.
    assert_eq!(fs::read_dir(&records).unwrap().count(), 6);
    let path = records.join("days-heterogeneous-CONS-0-with-minmin.jsonl");
    let report = stdout(dfrsim(["audit"]).arg(&path));
    assert!(report.starts_with("2 clusters with CONS: no fault"), "{report}");

    // A job that ends a microsecond later than it must.
    let text = fs::read_to_string(&path).unwrap();
    let at = text.find("\"event\":\"complete\",\"at_us\":").unwrap() + 28;
    let end = at + text[at..].find(',').unwrap();
    let later = text[at..end].parse::<u64>().unwrap() + 1;
    fs::write(&path, format!("{}{later}{}", &text[..at], &text[end..])).unwrap();
    let message = stderr(dfrsim(["audit"]).arg(&path), 1);
    assert!(message.contains("its end is due at"), "{message}");
}
