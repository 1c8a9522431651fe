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
    // Two jobs of a licence on nodes that are free, under a cap for one of them.
    let write = |name: &str, text: &str| std::fs::write(folder.path(name), text).unwrap();
    write(
        "cap.toml",
        "[power]\ncap_w = 1850\n\n[common.cae]\namount = 1\n\n[[classes]]\nname = \"n\"\nnodes = 16\ncores = 4\nmemory_gb = 8\npower = { idle_w = 100, busy_w = 200 }\n",
    );
    write(
        "two.swf",
        "1 0 -1 50 2 -1 -1 2 50 -1 1 1 1 -1 1 -1 -1 -1\n2 0 -1 9 2 -1 -1 2 9 -1 1 1 1 -1 1 -1 -1 -1\n",
    );
    at(
        "simulate --workload two.swf --platform cap.toml --policy EASY --request cae:1:1 --events-out two.jsonl",
    );
    let text = at("explain two.jsonl");
    let lacks = "; it needs 1 of cae, of which 0 are free; it needs 200 W of power, of which 50 W are free\n";
    assert!(text.contains(lacks), "{text}");
    let none = stderr(&mut folder.dfrsim("explain week.jsonl --job 60"), 2);
    assert!(none.contains("week.jsonl: job 60 does not complete or does not exist"), "{none}");
}
