//! Tests the output of Slurm 22.05 (`scripts/record/sacct`), and broken listings.

use dfrsim_workload::formats::slurm;
use dfrsim_workload::log::{Fate, Line, Reason, Source as _, Status, Strictness, Whole};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const LISTING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/workload/reference/slurm-22.05.sacct");

fn reference(name: &str) -> PathBuf {
    Path::new(LISTING).with_file_name(format!("{name}.sacct"))
}

fn recorded() -> Whole {
    slurm::read(Path::new(LISTING), Strictness::Strict).unwrap()
}

#[test]
fn all_lines_of_a_recorded_listing_are_accounted_for() {
    let lines = std::fs::read_to_string(LISTING).unwrap().lines().count() as u64 - 1;
    let report = recorded().finish().unwrap();
    let account = &report.account;
    assert_eq!(account.lines, lines);
    assert_eq!(report.records + account.total(Fate::LeftOut) + report.broken, lines);
    assert_eq!((report.records, report.broken), (21, 0));
    for (reason, count) in [
        (Reason::STEP, 26),
        (Reason::UNENDED, 1),
        (Reason::UNSTARTED, 1),
        (Reason::REQUEUED, 1),
        (Reason::SUSPENDED, 1),
        (Reason::ARRAY_TASK, 5),
        (Reason::COMPONENT, 2),
        (Reason::WITH_GPUS, 2),
        (Reason::DEPENDENT, 0),
    ] {
        assert_eq!(account.of(reason), count, "{}", reason.text);
    }
}

fn asked(path: &Path, strictness: Strictness) -> BTreeMap<u64, Vec<(String, u32)>> {
    let all = slurm::read(path, strictness).unwrap().resource_requests();
    all.iter().map(|(job, asked)| (job.0, asked.clone())).collect()
}

/// Two jobs of the listing had one and two GPUs, in lines 23 and 25. Jobs are numbered in the order
/// of the listing, since the runs of a requeued job have equal numbers. GPUs of a requested type
/// also count for that type. All jobs have a partition, and two are components of a heterogeneous
/// job.
#[test]
fn gpus_are_those_of_the_listing() {
    let gpus_of = |path: &Path| {
        let mut found = asked(path, Strictness::Strict);
        let mut components = 0;
        for asked in found.values_mut() {
            components += asked.extract_if(.., |(name, _)| name.starts_with('+')).count();
            let partition = asked.pop().map(|(name, _)| name);
            assert!(["@partition-main", "@partition-gpu"].map(str::to_owned).map(Some).contains(&partition));
        }
        assert_eq!(components, 2);
        found.retain(|_, asked| !asked.is_empty());
        found
    };
    let found = gpus_of(Path::new(LISTING));
    let gpus = |count| vec![("gpu".to_owned(), count)];
    assert_eq!(found.values().cloned().collect::<Vec<_>>(), [gpus(1), gpus(2)]);
    let lines: Vec<Line> = recorded().collect();
    let line_of = |job: &u64| lines.iter().find(|line| line.record.job == *job).map(|line| line.number);
    assert_eq!(found.keys().map(line_of).collect::<Vec<_>>(), [Some(23), Some(25)]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("typed.sacct");
    let text = std::fs::read_to_string(LISTING).unwrap().replace("gres/gpu=2", "gres/gpu=2,gres/gpu:a100=2");
    std::fs::write(&path, text).unwrap();
    let typed: Vec<_> = gpus_of(&path).into_values().collect();
    assert_eq!(typed, [gpus(1), vec![("gpu".to_owned(), 2), ("gpu_a100".to_owned(), 2)]]);
}

#[test]
fn types_requests_and_constraints_are_understood() {
    let path = reference("types");
    let found = asked(&path, Strictness::Lenient);
    let of =
        |all: &[(&str, u32)]| all.iter().map(|&(name, count)| (name.to_owned(), count)).collect::<Vec<_>>();
    assert_eq!(found[&1], of(&[("gpu", 3), ("@partition-big_mem", 1)]));
    assert_eq!(found[&2], of(&[("gpu", 4), ("gpu_k80", 4), ("@IB", 1), ("@BigMem", 1)]));
    assert!(!found.contains_key(&3), "the line has a column too many, as alternatives have the delimiter");
    let nodes: Vec<_> =
        slurm::read(&path, Strictness::Lenient).unwrap().map(|line| line.record.nodes).collect();
    assert_eq!(nodes, [Some(1), Some(2)]);
}

/// Array 4 has its limit of running tasks in a line that still waits, array 6 in the submission;
/// array 5 has no limit.
#[test]
fn arrays_have_limits() {
    let found = asked(&reference("arrays"), Strictness::Strict);
    let of = |name: &str, running| vec![(name.to_owned(), running)];
    assert_eq!(found, [(4, of("%4", 2)), (6, of("%6", 3))].into());
}

/// Job 10 ended at 9:10, job 11 failed at 9:20, array 12 ended at 9:05 and 9:30, and each job below
/// began at 9:30:
///
/// | job | dependency | waits for |
/// |---|---|---|
/// | 20 | `afterok:10,afternotok:11,afterany:12` | all four, array 12 last |
/// | 21 | `afterok:11` | none: job 11 failed, so the dependency was lifted |
/// | 22 | `afterok:11?afterany:12?afterany:10` | job 10, before all of array 12 had ended; job 11 does not count |
/// | 23 | `singleton`, with the name and user of 10 and 20 | job 10, since 20 ended after it began |
/// | 24 | `after:10+29,after:11+31,after:12` | the starts of job 10 and of array 12; waiting for job 11 would have delayed it further |
#[test]
fn dependencies_are_the_jobs_that_held_one() {
    let mut log = slurm::read(&reference("dependencies"), Strictness::Strict).unwrap();
    let jobs: Vec<_> = log.by_ref().map(|line| line.record).collect();
    let held = |job: u64| {
        let record = jobs.iter().find(|record| record.job == job).unwrap();
        (record.preceding_job, record.also_preceding.clone())
    };
    assert_eq!(held(20), (Some(13), vec![(12, None), (10, None), (11, None)]));
    assert_eq!(held(21), (None, vec![]));
    assert_eq!(held(22), (Some(10), vec![]));
    assert_eq!(held(23), (Some(10), vec![]));
    let minutes = |minutes: u64| Some(dfrsim_model::SimSpan::from_secs(60 * minutes));
    assert_eq!(held(24), (None, vec![(12, minutes(0)), (13, minutes(0)), (10, minutes(29))]));
    assert_eq!(log.finish().unwrap().account.of(Reason::DEPENDENT), 5);
}

#[test]
fn each_kind_of_job_is_read_as_it_ran() {
    let lines: Vec<Line> = recorded().collect();
    // Submit time, wait, run time, allocated and requested processors, requested time, status.
    let job = |name: u32| {
        let found: Vec<_> = lines.iter().filter(|line| line.record.executable == Some(name)).collect();
        let of = |line: &&Line| {
            let record = &line.record;
            let seconds = |span: Option<dfrsim_model::SimSpan>| span.map(|span| span.micros() / 1_000_000);
            let processors = (record.allocated_processors, record.requested_processors);
            let times = (record.submit.micros() / 1_000_000, seconds(record.wait), seconds(record.run_time));
            (times, processors, seconds(record.requested_time), record.status)
        };
        found.iter().map(of).collect::<Vec<_>>()
    };
    let (hold, steps, fails, named) = (1, 2, 3, 4);
    assert_eq!(job(hold), [((0, Some(0), Some(8)), (Some(12), Some(3)), Some(300), Status::Completed)]);
    assert_eq!(job(steps), [((0, Some(9), Some(3)), (Some(4), Some(4)), Some(60), Status::Completed)]);
    assert_eq!(job(fails)[0].3, Status::Failed);
    // The name of this job contains a delimiter.
    assert_eq!(job(named), [((0, Some(9), Some(4)), (Some(2), Some(2)), Some(86_400), Status::Completed)]);
    let waited: Vec<_> = lines.iter().filter(|line| line.record.allocated_processors.is_none()).collect();
    let [never] = waited[..] else { panic!("{waited:?}") };
    assert_eq!((never.record.status, never.record.run_time.unwrap().micros()), (Status::Cancelled, 0));
    assert_eq!(never.record.requested_memory.unwrap().to_string(), "921600");
    // The queue is the QOS.
    let header = recorded().header().to_string();
    assert!(header.contains("; Queue: 1 normal\n; Partition: 1 main\n; Partition: 2 gpu\n"), "{header}");
}

/// Numbers all jobs consecutively if a requeued job has two lines, as job numbers are not unique
/// then.
#[test]
fn jobs_are_numbered_if_a_number_comes_twice() {
    let numbers: Vec<u64> = recorded().map(|line| line.record.job).collect();
    assert_eq!(numbers.len(), 21);
    assert!(numbers.iter().all(|number| (1..=21).contains(number)));
    let text =
        "JobID|State|Submit|Start|Elapsed\n70|COMPLETED|1000|1001|00:05\n90_1|FAILED|1000|1001|00:05\n";
    let numbers = |text: &str| {
        let lines = slurm::read_text(text, "log", Strictness::Strict).unwrap();
        lines.map(|line| line.record.job).collect::<Vec<_>>()
    };
    assert_eq!(numbers(text), [1, 2]);
    assert_eq!(numbers(&text.replace("90_1", "90")), [70, 90]);
}

#[test]
fn times_begin_with_the_first_submission() {
    let text = "Start,JobID,Submit,End,State,NCPUS\n\
        2026-03-01T00:01:00,2,2026-03-01T00:00:30,2026-03-01T00:02:00,TIMEOUT,2\n\
        2026-03-01T00:01:00,1,2026-02-28T23:59:30,2026-03-01T00:01:00,NODE_FAIL,4\n";
    let log = slurm::read_text(text, "log", Strictness::Strict).unwrap();
    assert_eq!(log.header().unix_start_time(), Some(1_772_323_170));
    let times = |line: Line| {
        let Line { number, record, .. } = line;
        (
            number,
            record.submit.to_string(),
            record.wait.unwrap().to_string(),
            record.run_time.unwrap().to_string(),
        )
    };
    let expected = |number, submit: &str, wait: &str, run: &str| {
        (number, submit.to_owned(), wait.to_owned(), run.to_owned())
    };
    let lines: Vec<_> = log.map(times).collect();
    assert_eq!(lines, [expected(3, "0", "90", "0"), expected(2, "60", "30", "60")]);
}

#[test]
fn jobs_without_a_fault_remain() {
    let text = include_str!("faults/slurm.sacct");
    let report = slurm::read_text(text, "log", Strictness::Lenient).unwrap().finish().unwrap();
    assert_eq!((report.records, report.broken), (1, 3));
    assert_eq!(report.notices()[0], "invalid lines skipped: 3");
}

#[test]
fn a_listing_needs_a_job_without_a_fault() {
    let text = "JobID|State|Submit|Start|End\n1|COMPLETED|x|y|z\n";
    assert!(slurm::read_text(text, "log", Strictness::Lenient).is_err());
}
