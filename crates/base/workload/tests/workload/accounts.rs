//! Tests that no line of a log is lost: each is a job, or was rejected or left out.

use dfrsim_workload::log::Fate;
use dfrsim_workload::prepare::{Options, read_jobs};
use std::fs;
use std::path::{Path, PathBuf};

const ENDINGS: [&str; 5] = ["swf", "gwf", "sacct", "pbs", "gz"];

/// Collects the logs below a folder.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let has_ending = path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
        if path.is_dir() {
            collect(&path, found);
        } else if has_ending {
            found.push(path);
        }
    }
}

/// The number of jobs that the account gives is that of the jobs, in each log of the repository.
#[test]
fn lines_are_jobs_or_rejected_or_left_out() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut logs = Vec::new();
    collect(&crates, &mut logs);
    assert!(logs.len() > 20, "{logs:?}");
    let mut read = 0;
    for log in &logs {
        // Some logs are broken on purpose.
        let Ok((jobs, report)) = read_jobs(log, &Options::default()) else {
            continue;
        };
        let account = report.account();
        let lost = account.total(Fate::Rejected) + account.total(Fate::LeftOut);
        assert_eq!(account.lines, jobs.len() as u64 + lost, "{}: {account:?}", log.display());
        read += 1;
    }
    assert!(read > 15, "only {read} of {} logs can be read", logs.len());
}
