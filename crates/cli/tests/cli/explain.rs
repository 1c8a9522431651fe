//! Tests `dfrsim explain` as a user runs it.

use crate::support::{Folder, stderr, stdout};

#[test]
fn the_job_with_the_largest_stretch_is_explained() {
    let folder = Folder::with(&[]);
    let at = |line: &str| stdout(&mut folder.dfrsim(line));
    at("log generate --jobs 60 --nodes 16 --seed 1 --load 0.9 --out week.swf");
    at(
        "simulate --workload week.swf --nodes 16 --policy GreedyPM*/per/OPT=MIN/MVT=600 --events-out week.jsonl --annotate lublin",
    );
    let text = at("explain week.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("job ") && lines[1].contains("bounded stretch "), "{text}");
    // The line of a job that starts when it arrives is named after its start.
    let begins = [" s: submit", " s: start"].iter().any(|event| lines[2].contains(event));
    assert!(begins && lines.last().unwrap().ends_with(" s: complete"), "{text}");
    let other = at("explain week.jsonl --job 3");
    assert!(other.starts_with("job 3 (number 4 of its log): "), "{other}");
    let none = stderr(&mut folder.dfrsim("explain week.jsonl --job 60"), 2);
    assert!(none.contains("week.jsonl: job 60 does not complete or does not exist"), "{none}");
}
