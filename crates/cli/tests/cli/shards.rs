//! Tests `dfrsim run --shard`, `status` and `merge`: several machines give the results of one.

use crate::support::{Folder, dfrsim, files, stderr, stdout};
use std::fs;

const ONLINE: &str = include_str!("fixtures/shards_online.toml");

fn run(folder: &Folder, out: &str, rest: &[&str]) -> assert_cmd::Command {
    let mut command = dfrsim(["run", "--threads", "1", "--out"]);
    command.arg(folder.path(out)).arg(folder.path("scenario.toml")).args(rest);
    command
}

fn merge(folder: &Folder, from: &[&str], out: &str) -> assert_cmd::Command {
    let mut command = dfrsim(["results", "merge", "--out"]);
    command.arg(folder.path(out)).args(from.iter().map(|name| folder.path(name)));
    command
}

#[test]
fn shards_of_several_folders_are_merged() {
    let folder = Folder::with(&[("scenario.toml", ONLINE)]);
    stdout(&mut run(&folder, "whole", &[]));
    let mut audited = run(&folder, "3", &["--shard", "3/3", "--audit"]);
    stdout(&mut audited);
    for shard in ["1/3", "2/3"] {
        assert_eq!(stdout(&mut run(&folder, &shard[..1], &["--shard", shard])), "");
    }
    stdout(&mut merge(&folder, &["1", "2", "3"], "merged"));
    assert_eq!(files(&folder.path("merged")), files(&folder.path("whole")));
    assert!(!folder.path("1/rows.csv").exists() && folder.path("1/rows-1-of-3.journal").exists());
    // Not all of the shards were audited.
    let manifest = fs::read_to_string(folder.path("merged/manifest.toml")).unwrap();
    assert!(manifest.contains("audit = \"off\""), "{manifest}");
}

#[test]
fn parts_that_are_missing_or_of_other_runs_are_reported() {
    let folder = Folder::with(&[("scenario.toml", ONLINE)]);
    for shard in ["1/3", "3/3"] {
        stdout(&mut run(&folder, "some", &["--shard", shard]));
    }
    let status = |rest: &[&str]| stdout(dfrsim(["results", "status"]).arg(folder.path("some")).args(rest));
    let message = status(&[]);
    assert!(
        message.contains("shard 1/3") && message.contains("(100.0 %)") && message.ends_with("unfinished\n"),
        "{message}"
    );
    assert_eq!(status(&["--missing", "3"]), "2\n");
    let error = stderr(&mut merge(&folder, &["some"], "some"), 2);
    assert!(error.contains("27 of 80 rows are missing"), "{error}");
    assert!(!folder.path("some/rows.csv").exists());

    // The second shard has another seed.
    stdout(&mut run(&folder, "other", &["--shard", "2/3", "--set", "seed=2"]));
    let error = stderr(&mut merge(&folder, &["some", "other"], "some"), 2);
    assert!(
        error.contains("the scenario differs: `seed = 1` in this run, `seed = 2` in the journal"),
        "{error}"
    );

    // The matching shard, after it was killed: its journal lost its last line.
    stdout(&mut run(&folder, "some", &["--shard", "2/3"]));
    let journal = folder.path("some/rows-2-of-3.journal");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, &text[..text.len() - 10]).unwrap();
    assert_eq!(status(&["--missing", "3"]), "2\n");
    stderr(&mut merge(&folder, &["some"], "some"), 2);
    stdout(&mut run(&folder, "some", &["--shard", "2/3"]));
    assert_eq!(status(&["--missing", "3"]), "\n");
    stdout(&mut merge(&folder, &["some"], "some"));
    assert_eq!(status(&[]), "finished; the results are complete\n");
    assert_eq!(status(&["--missing", "3"]), "\n");
    let error = stderr(&mut merge(&folder, &["some"], "some"), 2);
    assert!(error.contains("no unfinished run in"), "{error}");
}
