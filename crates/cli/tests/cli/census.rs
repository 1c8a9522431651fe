//! Tests `dfrsim census` as a user runs it.

use crate::support::{Folder, dfrsim, stdout};
use std::fs;

const SMALL: [&str; 5] = ["census", "--replications", "2", "--jobs", "100"];

#[test]
fn calls_are_counted_timed_drawn_and_judged() {
    let folder = Folder::with(&[]);
    let mut command = dfrsim(SMALL);
    command.arg("--out").arg(folder.path("calls.csv")).arg("--picture").arg(folder.path("census.svg"));
    let printed = stdout(&mut command);
    assert_eq!(printed.lines().count(), 10, "{printed}");
    assert!(printed.contains("fails: About 200,000 calls"), "{printed}");

    let table = fs::read_to_string(folder.path("calls.csv")).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("jobs,calls,percent_up_to,mean_us,max_us,calls_from_1_ms"));
    let calls: u64 = lines.map(|line| line.split(',').nth(1).unwrap().parse::<u64>().unwrap()).sum();
    // One call per submission and completion, except where several coincide or the last job has
    // left.
    assert!((350..=398).contains(&calls), "{calls}");
    let all = printed.lines().find(|line| line.trim_start().starts_with("all")).unwrap();
    assert_eq!(all.split_whitespace().nth(1), Some(calls.to_string().as_str()));
    assert_eq!(folder.names(), ["calls.csv", "census.csv", "census.svg"]);
}
