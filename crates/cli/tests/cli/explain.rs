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

/// On four nodes job 0 has three from 0 to 40, so that job 1 with two waits from 10 on, as one node is free.
#[test]
fn what_a_policy_of_whole_nodes_lacks_are_nodes() {
    let line = |job, submit, run, tasks| {
        format!("{job} {submit} -1 {run} {tasks} -1 -1 {tasks} -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n")
    };
    let log = line(1, 0, 40, 3) + &line(2, 10, 10, 2);
    let folder = Folder::with(&[("two.swf", &log)]);
    let at = |words: &[&str]| stdout(dfrsim(words).current_dir(folder.path("")));
    at(&[
        "simulate",
        "--workload",
        "two.swf",
        "--nodes",
        "4",
        "--policy",
        "EASY",
        "--events-out",
        "two.jsonl",
    ]);
    let text = at(&["explain", "two.jsonl"]);
    let expected =
        "10 s: submit; 1 nodes are free for 2 tasks, the most are held by job 0 (3 tasks, arrived 10 s ago)";
    assert!(text.lines().any(|line| line == expected), "{text}");
}
