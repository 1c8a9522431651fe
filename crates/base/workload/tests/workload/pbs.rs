//! Tests accounting lines as in the manuals of Torque and PBS Professional, and broken files.
//!
//! | job | description |
//! |---|---|
//! | 100 | 8 processors, 20 minutes, of which it was suspended for 5 |
//! | 101 | deleted before it started |
//! | 102[1], 102[2] | tasks of an array: one completes, one fails |
//! | 103 | after 100; 8 processors and 2 GPUs; its first run ends in a requeue, its second one is deleted |
//! | 104 | aborted by the server |
//! | 105 | still running |

use dfrsim_workload::formats::pbs;
use dfrsim_workload::log::{Fate, Line, Reason, Source as _, Status, Strictness, Whole};
use dfrsim_workload::prepare::{self, Options};
use std::fs;
use std::path::Path;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/workload/reference/documented.pbs");

fn documented() -> Whole {
    pbs::read(Path::new(FILE), Strictness::Strict).unwrap()
}

#[test]
fn all_lines_are_accounted_for() {
    let lines = fs::read_to_string(FILE).unwrap().lines().count() as u64;
    let report = documented().finish().unwrap();
    let account = &report.account;
    for (reason, count) in [
        (Reason::UNENDED_JOB, 1),
        (Reason::UNSTARTED, 2),
        (Reason::REQUEUED, 1),
        (Reason::SUSPENDED, 1),
        (Reason::ARRAY_TASK, 2),
        (Reason::EVENT, 10),
        (Reason::NOT_OF_JOB, 3),
        (Reason::GUESSED_TIME, 2),
        (Reason::GUESSED_SIZE, 2),
        (Reason::DEPENDENT, 2),
        (Reason::WITH_GPUS, 2),
    ] {
        assert_eq!(account.of(reason), count, "{}", reason.text);
    }
    assert_eq!((report.records, report.broken), (7, 0));
    assert_eq!(account.lines, lines);
    assert_eq!(report.records + account.total(Fate::LeftOut) + report.broken, lines);
}

/// Reads each kind of job. Seconds count from 9:00, and the server's clock is UTC.
#[test]
fn each_kind_of_job_is_read_as_it_ran() {
    let mut lines: Vec<Line> = documented().collect();
    // The order of the file, which is that of the job ends.
    lines.sort_by_key(|line| line.number);
    let seconds = |span: Option<dfrsim_model::SimSpan>| span.map(|span| span.micros() / 1_000_000);
    let of = |line: &Line| {
        let record = &line.record;
        let times = (record.submit.micros() / 1_000_000, seconds(record.wait), seconds(record.run_time));
        let processors = (record.requested_processors, record.allocated_processors);
        (times, processors, seconds(record.requested_time), record.status)
    };
    let expected = [
        // Job 101, whose size is unknown.
        ((20, Some(40), Some(0)), (Some(1), None), None, Status::Cancelled),
        ((30, Some(1), Some(60)), (Some(1), Some(1)), Some(600), Status::Completed),
        ((30, Some(1), Some(120)), (Some(1), Some(1)), Some(600), Status::Failed),
        // Job 103 waits from 9:00 to 9:03, runs until 9:05, and waits again until 9:06.
        ((0, Some(180), Some(120)), (Some(8), Some(8)), Some(3_600), Status::Failed),
        ((300, Some(60), Some(65)), (Some(8), None), Some(3_600), Status::Cancelled),
        ((480, Some(0), Some(0)), (Some(1), None), None, Status::Failed),
        ((0, Some(10), Some(900)), (Some(8), Some(8)), Some(7_200), Status::Completed),
    ];
    assert_eq!(lines.iter().map(of).collect::<Vec<_>>(), expected);

    let [task, long] = [&lines[1].record, &lines[6].record];
    assert_eq!((seconds(task.cpu_time), seconds(long.cpu_time)), (Some(50), Some(900)));
    let memory = [task.used_memory, long.used_memory, lines[3].record.requested_memory];
    let memory = memory.map(|memory| memory.unwrap().to_string());
    assert_eq!(memory, ["204800", "2097152", "2097152"], "of each processor, in kilobytes");
    // Names are numbered by their first record: ben, eve, anna; accounts take precedence over
    // groups.
    let names: Vec<_> =
        lines.iter().map(|line| (line.record.user, line.record.group, line.record.queue)).collect();
    let (ben, eve, anna) =
        ((Some(1), Some(1), Some(1)), (Some(2), Some(2), Some(2)), (Some(3), Some(3), Some(1)));
    assert_eq!(names[1..], [ben, ben, eve, eve, (None, None, None), anna]);
    assert!(documented().header().to_string().contains("; Queue: 1 batch\n; Queue: 2 gpu\n"));
}

/// Task 102[1] requires renumbering. Job 103 depends on job 100, which has the number of the last
/// line. Job 100 ended after both runs of job 103 had begun, so job 103 did not wait for it.
#[test]
fn jobs_are_numbered_and_dependencies_follow_the_numbers() {
    let mut lines: Vec<Line> = documented().collect();
    lines.sort_by_key(|line| line.number);
    assert!((1..).zip(&lines).all(|(number, line)| line.record.job == number));
    assert!(lines.iter().all(|line| line.record.preceding_job.is_none()));
    let text = "03/02/2026 09:00:00;E;7.head;ctime=1772438400 start=1772438400 end=1772438400 Exit_status=0\n\
                03/02/2026 09:00:00;E;9.head;ctime=1772438430 start=1772438440 end=1772438450 depend=afterany:7.head\n";
    let lines: Vec<Line> = pbs::read_text(text, "log", Strictness::Strict).unwrap().collect();
    let record = &lines[1].record;
    assert_eq!((record.job, record.preceding_job, record.status), (9, Some(7), Status::Unknown));
    assert_eq!(record.think_time.unwrap().to_string(), "30");
}

/// The local time is an hour and a half ahead of UTC, and the line of the deletion has local time
/// only.
#[test]
fn local_times_are_compared_with_those_of_attributes() {
    let text = "03/02/2026 10:30:00;Q;1.head;queue=batch\n03/02/2026 10:30:01;Q;2.head;queue=batch\n\
                03/02/2026 10:30:03;S;1.head;ctime=1772438400 start=1772438402\n\
                03/02/2026 10:31:00;D;2.head;requestor=anna\n\
                03/02/2026 10:32:03;E;1.head;ctime=1772438400 start=1772438402 end=1772438522 Exit_status=0\n";
    let log = pbs::read_text(text, "log", Strictness::Strict).unwrap();
    assert_eq!(log.header().unix_start_time(), Some(1_772_438_400));
    let times =
        |line: Line| (line.record.job, line.record.submit.to_string(), line.record.wait.unwrap().to_string());
    let times: Vec<_> = log.map(times).collect();
    assert_eq!(times, [(1, "0".to_owned(), "2".to_owned()), (2, "1".to_owned(), "59".to_owned())]);
}

#[test]
fn jobs_without_a_fault_remain() {
    let text = include_str!("faults/pbs.pbs");
    let report = pbs::read_text(text, "log", Strictness::Lenient).unwrap().finish().unwrap();
    assert_eq!((report.records, report.broken), (1, 3));
    let refused = pbs::read_text("no accounting\n", "log", Strictness::Lenient).unwrap_err().to_string();
    assert!(refused.starts_with("log:1: not a line of PBS accounting"), "{refused}");
}

#[test]
fn accounting_is_recognised_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["20260302", "march.log"] {
        let path = folder.path().join(name);
        fs::copy(FILE, &path).unwrap();
        let (jobs, report) = prepare::read_jobs(&path, &Options::default()).unwrap();
        assert_eq!((jobs.len(), report.read.records), (5, 7), "{name}");
    }
}

#[test]
fn a_used_wall_time_of_zero_is_no_suspension() {
    let line = |used: &str, end| {
        format!(
            "03/01/2026 10:00:00;E;12.head;user=u0 queue=q ctime=1772355600 start=1772355620 end={end} resources_used.walltime={used} Resource_List.ncpus=2 Exit_status=0\n"
        )
    };
    let read = |text: &str| {
        let mut log = pbs::read_text(text, "zero.pbs", Strictness::Strict).unwrap();
        let run = log.next().unwrap().record.run_time.unwrap().to_string();
        let account = log.finish().unwrap().account;
        (run, account.of(Reason::UNMEASURED), account.of(Reason::SUSPENDED))
    };
    assert_eq!(read(&line("00:00:00", 1_772_355_920)), ("300".to_owned(), 1, 0));
    assert_eq!(read(&line("00:01:00", 1_772_355_920)), ("60".to_owned(), 0, 1));
    assert_eq!(read(&line("00:00:00", 1_772_355_620)), ("0".to_owned(), 0, 0));
}
