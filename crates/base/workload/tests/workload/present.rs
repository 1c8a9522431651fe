//! Jobs in the system, read with a listing of those of the past.

use dfrsim_model::JobId;
use dfrsim_workload::formats::slurm::{PresentJob, read_with};
use dfrsim_workload::log::{Line, Source as _, Strictness, Whole};
use std::fs;

const PAST: &str = "\
JobID|User|State|Submit|Start|End|Timelimit|AllocCPUS|SubmitLine
7|ann|COMPLETED|2026-03-01T09:00:00|2026-03-01T09:00:30|2026-03-01T10:00:30|1-00:00:00|16|sbatch -C red|blue x.sh
9|ben|RUNNING|2026-03-01T10:00:00|2026-03-01T10:00:00|Unknown|02:00:00|4|sbatch x.sh
9.batch||RUNNING|2026-03-01T10:00:00|2026-03-01T10:00:00|Unknown||4|
";

fn present(id: &str, user: &str) -> PresentJob {
    vec![
        ("JobID", id.to_owned()),
        ("JobIDRaw", id.to_owned()),
        ("User", user.to_owned()),
        ("Partition", "gpu".to_owned()),
        ("State", "COMPLETED".to_owned()),
        ("Submit", "1772359200".to_owned()),
        ("Start", "1772361000".to_owned()),
        ("End", "1772368200".to_owned()),
        ("Timelimit", "0-02:00:00".to_owned()),
        ("AllocCPUS", "4".to_owned()),
        ("ReqTRES", "cpu=4,gres/gpu=2".to_owned()),
    ]
}

fn read(past: &str, jobs: &[PresentJob]) -> Result<(Whole, usize), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("past.sacct");
    fs::write(&path, past).unwrap();
    let place = format!("{}/", folder.path().display());
    read_with(&path, Strictness::Lenient, jobs).map_err(|error| error.to_string().replace(&place, ""))
}

/// The job that still runs is in the past, too, with a step; the listing lacks the partition and the
/// resources.
#[test]
fn jobs_in_the_system_are_read_as_those_of_the_past() {
    let (mut whole, same) = read(PAST, &[present("9", "ben"), present("11", "eve")]).unwrap();
    assert_eq!(same, 1);
    let requests = whole.resource_requests();
    let lines: Vec<Line> = whole.by_ref().collect();
    let jobs: Vec<_> = lines.iter().map(|line| (line.record.job, line.record.user)).collect();
    assert_eq!(jobs, [(7, Some(1)), (9, Some(2)), (11, Some(3))]);
    let asked = requests.get(&JobId(11)).unwrap();
    assert_eq!(asked[0], ("gpu".to_owned(), 2));
    assert!(asked.contains(&("@partition-gpu".to_owned(), 1)), "{asked:?}");
    assert_eq!(lines[1].record.requested_time.unwrap().to_string(), "7200");
    assert_eq!(whole.header().unix_start_time(), Some(1_772_355_600));
}

#[test]
fn other_files_than_listings_are_refused() {
    let error = read("1 0 0 60 1 -1 -1 1 60 -1 1 1 1 -1 -1 -1 -1 -1\n", &[present("9", "ben")]).unwrap_err();
    assert_eq!(error, "past.sacct:1: not a listing of `sacct --parsable2`: the first line has no `|`");
    let error = read("JobID|User\n", &[present("9", "ben")]).unwrap_err();
    assert!(error.contains("missing: State, Submit, Start, End"), "{error}");
}
