//! Tests `dfrsim simulate` where a page of `cmd/` does not suffice: many policies, devices, pipes and
//! long runs.

use crate::support::{Folder, dfrsim, stderr, stdout};

/// Three jobs on two processors: the first uses both for 100 s, the second waits for them, and the
/// third runs alongside it.
const LOG: &str = "\
; MaxProcs: 2
1  0 -1 100 2 -1 -1 2 100 -1 1 1 -1 -1 -1 -1 -1 -1
2 10 -1  50 1 -1 -1 1  60 -1 1 1 -1 -1 -1 -1 -1 -1
3 20 -1  40 1 -1 -1 1  40 -1 1 1 -1 -1 -1 -1 -1 -1
";

const ARGUMENTS: [&str; 8] =
    ["simulate", "--nodes", "2", "--unit", "processor", "--policy", "EASY", "--workload"];

/// Simulates every policy on an overloaded machine: its events satisfy its own rules, and violate
/// those of another policy.
#[test]
fn the_audit_knows_the_rules_of_all_policies() {
    let folder = Folder::with(&[]);
    let log = folder.path("log.swf");
    let generate = ["log", "generate", "--jobs", "60", "--nodes", "8", "--seed", "1", "--load", "2", "--out"];
    stdout(dfrsim(generate).arg(&log));
    let names = stdout(&mut dfrsim(["policies", "--names"]));
    let mut checked = 0;
    // Of this one the audit checks the schedules, but not the decisions.
    for policy in names.lines().filter(|name| *name != "EASY/SPARE") {
        let events = folder.path("events.jsonl");
        let mut simulate = dfrsim(["simulate", "--nodes", "8", "--annotate", "lublin", "--penalty", "60"]);
        simulate.args(["--period", "300", "--policy", policy, "--workload"]).arg(&log);
        stdout(simulate.arg("--events-out").arg(&events));
        let audit = |name: &str, period: &str| {
            let mut audit = dfrsim(["audit", "--policy", name, "--period", period]);
            audit.arg(&events).output().unwrap()
        };
        let fine = audit(policy, "300");
        assert!(fine.status.success(), "{policy}: {}", String::from_utf8_lossy(&fine.stderr));
        let other = if policy == "EQUIPARTITION" { "EASY" } else { "EQUIPARTITION" };
        assert_eq!(audit(other, "300").status.code(), Some(1), "{policy} as {other}");
        checked += 1;
    }
    assert!(checked > 120, "{checked} policies");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let folder = Folder::with(&[("log.swf", LOG)]);
    let mut command = dfrsim(ARGUMENTS);
    let printed = stderr(command.arg(folder.path("log.swf")).args(["--jobs-out", "/dev/full"]), 2);
    assert!(printed.contains("/dev/full: cannot be written"), "{printed}");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    use std::io::Read as _;
    use std::process::{Command, Stdio};
    let folder = Folder::with(&[("log.swf", LOG)]);
    let program = assert_cmd::cargo::cargo_bin!("dfrsim");
    let mut child = Command::new(program)
        .args(["policies"])
        .current_dir(folder.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut printed = String::new();
    child.stderr.take().unwrap().read_to_string(&mut printed).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(printed, "");
    // The list fits into a pipe's buffer, so it may be written before the closed pipe is detected.
    assert!(matches!(status.code(), Some(0 | 141)), "{status}");
}

/// Simulates a tick per second for 500 years.
#[test]
fn a_long_simulation_shows_its_progress() {
    let job = "1 0 -1 15000000000 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n";
    let folder = Folder::with(&[("log.swf", job)]);
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
    command.args(["simulate", "--nodes", "1", "--policy", "/per/OPT=MIN", "--period", "1", "--workload"]);
    command.arg(folder.path("log.swf")).stderr(std::process::Stdio::piped());
    let mut running = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(running.stderr.take().unwrap()));
    let progress = lines.map(Result::unwrap).find(|line| line.contains("0 of 1 jobs have left"));
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(progress.unwrap().contains("1 are in the system at second "));
}
