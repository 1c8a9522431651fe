//! Tests that long logs need no more memory than short ones: the small form of `scripts/bench/soak`.

use crate::support::{Folder, dfrsim, stdout};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Returns the peak memory of a simulation of a log, in KB.
fn peak(folder: &Folder, log: &str, policy: &str) -> u64 {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
    command.args("simulate --nodes 128 --annotate lublin --penalty 300 --policy".split(' ')).arg(policy);
    command.arg("--workload").arg(folder.path(log)).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(peak);
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(child.wait().unwrap().success() && peak > 0);
    peak
}

#[test]
fn memory_stays_flat() {
    let folder = Folder::with(&[]);
    let log = |jobs: u64, name: &str| {
        let mut command =
            dfrsim(["log", "generate", "--nodes", "128", "--seed", "1", "--load", "0.7", "--jobs"]);
        stdout(command.arg(jobs.to_string()).arg("--out").arg(folder.path(name)));
    };
    for (policy, short, long) in [("EASY", 4_000, 150_000), ("GreedyPM*/OPT=MIN", 2_000, 20_000)] {
        log(short, "short.swf");
        log(long, "long.swf");
        let (few, many) = (peak(&folder, "short.swf", policy), peak(&folder, "long.swf", policy));
        // The values of a completed job take 40 bytes, in a vector that doubles when it grows; a job
        // in the system takes many times that.
        let figures = 2 * 40 * (long - short) / 1024;
        assert!(many <= few + figures + 2_048, "{policy}: {few} KB for {short} jobs, {many} KB for {long}");
    }
}

#[test]
fn a_sample_passes_the_audit() {
    let folder = Folder::with(&[]);
    stdout(
        dfrsim([
            "log", "generate", "--nodes", "128", "--seed", "1", "--load", "0.7", "--jobs", "3000", "--out",
        ])
        .arg(folder.path("log.swf")),
    );
    for policy in ["EASY", "GreedyPM*/OPT=MIN"] {
        let mut command = dfrsim(["simulate", "--nodes", "128", "--annotate", "lublin", "--penalty", "300"]);
        command.args(["--skip", "1500", "--first", "500", "--policy", policy, "--workload"]);
        command.arg(folder.path("log.swf")).arg("--events-out").arg(folder.path("events.jsonl"));
        stdout(&mut command);
        let printed = stdout(dfrsim(["audit"]).arg(folder.path("events.jsonl")));
        assert!(printed.contains("500 "), "{printed}");
    }
}
