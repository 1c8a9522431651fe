//! Tests the conversion of files to and from the formats of other tools.

use crate::support::{Folder, dfrsim, stderr};
use std::fs;

#[test]
fn rows_are_exported_as_lines_of_json() {
    let scenario = "study = 'online'\npolicies = ['FCFS', 'EASY']\n\
        [[workloads]]\nname = 'model'\nnodes = 8\nlublin = { replications = 1, jobs = 20 }\n";
    let folder = Folder::with(&[("few.toml", scenario)]);
    let (results, rows) = (folder.path("results"), folder.path("rows.jsonl"));
    dfrsim(["run"]).arg(folder.path("few.toml")).arg("--out").arg(&results).assert().success();
    dfrsim(["results", "export"]).arg(&results).arg("--jsonl").arg(&rows).assert().success();
    let text = fs::read_to_string(rows).unwrap();
    let policies: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["policy"].clone())
        .collect();
    assert_eq!(policies, ["FCFS", "EASY"]);
    stderr(dfrsim(["results", "export"]).arg(&results), 2);
    let printed = stderr(dfrsim(["results", "export", "--jsonl", "rows"]).arg(folder.path("nowhere")), 2);
    assert!(printed.contains("nowhere: no results in this folder"), "{printed}");

    let table = folder.path("rows.parquet");
    let mut command = dfrsim(["results", "export"]);
    command.arg(&results).arg("--parquet").arg(&table);
    if dfrsim_commands::HAS_PARQUET {
        command.assert().success();
        assert!(fs::read(table).unwrap().starts_with(b"PAR1"));
    } else {
        let printed = stderr(&mut command, 2);
        assert!(printed.contains("--features parquet"), "{printed}");
        assert!(!table.exists());
    }
}
