//! Tests `dfrsim run` as a user runs it: errors in scenarios, interruption, full disks, identical
//! bytes.

use crate::support::{Folder, dfrsim, files, stdout};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

const SCENARIO: &str = include_str!("fixtures/run_scenario.toml");

#[test]
fn one_thread_two_threads_and_a_killed_run_give_the_same_bytes() {
    let folder = Folder::with(&[("scenario.toml", SCENARIO)]);
    let run = |out: &str, threads: &str| {
        let mut command = dfrsim(["run", "--threads", threads, "--out"]);
        command.arg(folder.path(out)).arg(folder.path("scenario.toml"));
        command
    };
    run("one", "1").assert().success();
    run("two", "2").assert().success();
    assert_eq!(files(&folder.path("one")), files(&folder.path("two")));

    for wait in [5, 10, 20, 40] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"))
            .args(["run", "--threads", "1", "--out"])
            .arg(folder.path("killed"))
            .arg(folder.path("scenario.toml"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        // The run may have finished by then; the bytes must be identical in any case.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    run("killed", "2").assert().success();
    assert_eq!(files(&folder.path("one")), files(&folder.path("killed")));
}

/// Times a sample where there are no earlier results, and keeps nothing of it; after a run its times
/// are used.
#[test]
fn a_dry_run_estimates_its_time_and_writes_nothing() {
    let folder = Folder::with(&[("scenario.toml", SCENARIO)]);
    let run = |options: &[&str]| {
        let mut command = dfrsim(["run", "--threads", "1", "--quiet", "--out"]);
        command.arg(folder.path("out")).args(options).arg(folder.path("scenario.toml"));
        stdout(&mut command)
    };
    let before = files(&folder.path("."));
    let sampled = run(&["--dry-run"]);
    assert_eq!(files(&folder.path(".")), before);
    assert!(sampled.starts_with("dry run: study online, 240 rows\n"), "{sampled}");
    let time = sampled.lines().last().unwrap();
    assert!(time.starts_with("time: a sample of ") && time.contains(" of 240 rows took "), "{time}");
    assert!(time.ends_with(" s on 1 thread"), "{time}");
    run(&[]);
    let known = run(&["--dry-run"]);
    assert!(known.lines().last().unwrap().starts_with("time: 240 rows of an earlier run in "), "{known}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_with_a_message_and_the_run_goes_on_later() {
    let folder =
        Folder::with(&[("scenario.toml", &SCENARIO.replace("replications = 40", "replications = 200"))]);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"))
        .args(["run", "--threads", "1", "--out"])
        .arg(folder.path("out"))
        .arg(folder.path("scenario.toml"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first row shows that the simulations have begun.
    while fs::metadata(folder.path("out/rows.journal")).map_or(0, |file| file.len()) < 1000 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
        std::thread::sleep(Duration::from_millis(1));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("interrupted after") && message.contains("run it again"), "{message}");
    assert!(!folder.path("out/rows.csv").exists());

    let finished = |out: &str| {
        stdout(dfrsim(["run", "--out"]).arg(folder.path(out)).arg(folder.path("scenario.toml")));
        files(&folder.path(out))
    };
    assert_eq!(finished("out"), finished("undisturbed"));
}
