//! `dfrsim explain` as a user runs it.

use crate::support::{Folder, dfrsim, stderr, stdout};

const SIMULATE: [&str; 9] = [
    "simulate",
    "--workload",
    "week.swf",
    "--nodes",
    "16",
    "--policy",
    "GreedyPM*/per/OPT=MIN/MVT=600",
    "--events-out",
    "week.jsonl",
];

#[test]
fn the_job_with_the_largest_stretch_is_explained() {
    let folder = Folder::with(&[]);
    let generate = ["log", "generate", "--jobs", "60", "--nodes", "16", "--seed", "1", "--load", "0.9"];
    stdout(dfrsim(generate).args(["--out", "week.swf"]).current_dir(folder.path("")));
    stdout(dfrsim(SIMULATE).args(["--annotate", "lublin"]).current_dir(folder.path("")));
    let text = stdout(dfrsim(["explain", "week.jsonl"]).current_dir(folder.path("")));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("job ") && lines[1].contains("bounded stretch "), "{text}");
    // Of a job that starts when it arrives, that moment is named after its start.
    let begins = [" s: submit", " s: start"].iter().any(|event| lines[2].contains(event));
    assert!(begins && lines.last().unwrap().ends_with(" s: complete"), "{text}");
    let other = stdout(dfrsim(["explain", "week.jsonl", "--job", "3"]).current_dir(folder.path("")));
    assert!(other.starts_with("job 3 (number 4 of its log): "), "{other}");
    let none = stderr(dfrsim(["explain", "week.jsonl", "--job", "60"]).current_dir(folder.path("")), 2);
    assert!(none.contains("week.jsonl: no job 60 completes"), "{none}");
}
