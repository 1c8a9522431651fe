//! Tests runs that are killed with SIGKILL: the small form of `scripts/check/faults`.

use crate::support::Folder;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SCENARIO: &str = include_str!("fixtures/kills_scenario.toml");
/// 10 replications, 2 loads, 4 policies.
const ROWS: usize = 80;

fn begin(folder: &Folder, out: &str) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
    command.args(["run", "--quiet", "--threads", "2", "--out"]).arg(folder.path(out));
    command.arg(folder.path("scenario.toml")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn files(folder: &Path) -> Vec<(String, String)> {
    let names = ["rows.csv", "scenario.toml", "tables/degradation.csv", "tables/metrics.csv"];
    names.map(|name| (name.to_owned(), fs::read_to_string(folder.join(name)).unwrap())).to_vec()
}

/// Stops a simulation by signals soon. It has a tick per second for 500 years, too many to complete
/// in a test.
#[cfg(unix)]
#[test]
fn a_long_run_ends_soon_when_it_is_asked_to() {
    let endless = "study = \"online\"\npolicies = [\"EASY\", \"/per/OPT=MIN\"]\n[simulation]\nperiod_s = 1\n[[workloads]]\n\
        name = \"log\"\nnodes = 1\nswf = { file = \"log.swf\" }\n";
    let job = "1 0 -1 15000000000 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n";
    let folder = Folder::with(&[("scenario.toml", endless), ("log.swf", job)]);
    for (signals, most) in [(1, 15), (2, 3)] {
        let mut run = begin(&folder, "out");
        let journal = folder.path("out/rows.journal");
        while !journal.exists() && run.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(200));
        let asked = Instant::now();
        for _ in 0..signals {
            let id = run.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
            std::thread::sleep(Duration::from_millis(200));
        }
        assert_eq!(run.wait().unwrap().code(), Some(130));
        assert!(asked.elapsed() < Duration::from_secs(most), "{signals} signals: {:?}", asked.elapsed());
    }
}

#[test]
fn killed_runs_go_on_to_the_same_bytes() {
    let folder = Folder::with(&[("scenario.toml", SCENARIO)]);
    assert!(begin(&folder, "whole").wait().unwrap().success());
    let whole = files(&folder.path("whole"));
    for records in [0, 1, 7, ROWS / 2, ROWS - 1, ROWS] {
        let mut run = begin(&folder, "out");
        let journal = folder.path("out/rows.journal");
        let lines =
            || fs::read(&journal).map_or(0, |text| text.iter().filter(|&&byte| byte == b'\n').count());
        while lines() < records && run.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        run.kill().unwrap();
        run.wait().unwrap();
        assert!(begin(&folder, "out").wait().unwrap().success(), "after {records} records");
        assert_eq!(files(&folder.path("out")), whole, "after {records} records");
        assert!(!journal.exists());
        let left = |folder: std::path::PathBuf| fs::read_dir(folder).unwrap().count();
        assert_eq!(left(folder.path("out")), left(folder.path("whole")), "no other file is left");
        fs::remove_dir_all(folder.path("out")).unwrap();
    }
}
