//! Tests broken logs: every kind of error is found and reported with its position, without a panic.

use dfrsim_model::{Job, SimSpan, SimTime};
use dfrsim_workload::cut::Selection;
use dfrsim_workload::formats::{gwf, swf};
use dfrsim_workload::log::{
    Account, Effect, Faults, Header, Kilobytes, Line, LogError, ReadReport, Reason, Record, Source as _,
    Status, Strictness,
};
use dfrsim_workload::prepare::{
    Anomaly, Counts, JobStream, Opened, Options, Rule, Rules, StatusRule, Survey, read_jobs_from, with_jobs,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};
use std::path::Path;

/// Creates a valid line.
fn line(job: u64, submit: u64) -> String {
    format!("{job} {submit} 5 60 4 50.25 -1 4 100 -1 1 7 1 -1 1 1 -1 -1")
}

/// Creates a valid line with another text in one field.
fn line_with(field: usize, text: &str) -> String {
    let line = line(1, 0);
    let mut fields: Vec<&str> = line.split(' ').collect();
    fields[field - 1] = text;
    fields.join(" ")
}

fn read(input: &[u8], strictness: Strictness) -> (Vec<Line>, Result<ReadReport, LogError>) {
    let mut reader = swf::read(input, "log.swf", strictness).unwrap();
    let lines = reader.by_ref().collect();
    (lines, reader.finish())
}

fn faults_of(input: &[u8]) -> Faults {
    match read(input, Strictness::Strict).1 {
        Err(LogError::Faults(faults)) => faults,
        other => panic!("faults expected, not {other:?}"),
    }
}

fn message(input: &str) -> String {
    faults_of(input.as_bytes()).to_string()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_wrong_field_is_reported_with_its_place_and_what_was_expected() {
    let text = format!("; Note: x\n\n{}\n", line_with(4, "abc"));
    assert_eq!(
        message(&text),
        "log.swf:3: field 4 (run time): found `abc`, expected a number of seconds (at most 16,000,000,000) or -1"
    );
}

#[test]
fn every_field_refuses_what_it_cannot_hold() {
    for row in include_str!("wrong_fields.txt").lines() {
        let (field, bad) = row.split_once(' ').unwrap();
        let field = field.parse().unwrap();
        let faults = faults_of(line_with(field, bad).as_bytes());
        assert_eq!(faults.count(), 1, "{field} {bad}");
        let message = faults.to_string();
        assert!(message.starts_with(&format!("log.swf:1: field {field} (")), "{message}");
        assert!(message.contains(&format!("found `{}`, expected ", bad.escape_debug())), "{message}");
    }
}

#[test]
fn all_faults_of_a_line_are_reported() {
    let text = line(1, 0).replace("60", "x").replace("100", "y");
    assert_eq!(faults_of(text.as_bytes()).count(), 2);
}

#[test]
fn too_few_and_too_many_fields() {
    assert_eq!(message("1 2 3"), "log.swf:1: found 3 fields, expected 18");
    assert_eq!(message(&format!("{} 9 x", line(1, 0))), "log.swf:1: found 20 fields, expected 18");
}

#[test]
fn garbage_is_shown_readably_and_shortened() {
    let mut text = line(1, 0).into_bytes();
    text.extend(b"\n\xff\x00\x1b".iter().chain(&[b'x'; 1000]));
    let message = faults_of(&text).to_string();
    assert!(
        message.starts_with("log.swf:2: field 1 (job number): found `\u{fffd}\\0\\u{1b}xxx"),
        "{message}"
    );
    assert!(message.lines().all(|line| line.len() < 200), "{message}");
}

#[test]
fn twenty_faults_are_shown_and_the_others_counted() {
    let mut text = String::new();
    for number in 0..50 {
        writeln!(text, "{}", if number % 2 == 0 { line(number, number) } else { "x".to_owned() }).unwrap();
    }
    // Each broken line has a wrong field and a wrong number of fields.
    let faults = faults_of(text.as_bytes());
    assert_eq!((faults.shown().len(), faults.count()), (20, 50));
    let message = faults.to_string();
    assert_eq!(message.lines().count(), 21);
    assert!(message.ends_with("\nlog.swf: 30 more errors"), "{message}");
}

#[test]
fn behind_a_fault_no_record_is_given_out() {
    let text = format!("{}\nx\n{}\ny\n", line(1, 0), line(2, 1));
    let (lines, result) = read(text.as_bytes(), Strictness::Strict);
    assert_eq!(lines.len(), 1);
    assert!(
        result.unwrap_err().to_string().contains("log.swf:4: field 1"),
        "the rest was read for its faults"
    );
}

#[test]
fn a_fault_behind_the_last_used_record_is_found_too() {
    let text = format!("{}\n{}\nx\n", line(1, 0), line(2, 1));
    let mut reader = swf::read(text.as_bytes(), "log.swf", Strictness::Strict).unwrap();
    assert_eq!(reader.next().unwrap().record.job, 1);
    assert!(matches!(reader.finish(), Err(LogError::Faults(_))));
}

#[test]
fn lenient_reading_leaves_broken_lines_out() {
    let text =
        format!("{}\nx\n{}\n{}\n{}\n", line(1, 0), "z".repeat(100_000), line_with(4, "-9"), line(2, 1));
    let (lines, report) = read(text.as_bytes(), Strictness::Lenient);
    let numbers: Vec<u64> = lines.iter().map(|line| line.number).collect();
    assert_eq!(numbers, [1, 5]);
    let report = report.unwrap();
    assert_eq!((report.records, report.broken), (2, 3));
    assert_eq!(
        report.reasons.to_string(),
        "1 with an invalid job number, 1 with an invalid run time, 1 with an invalid length; first on line 2"
    );
}

#[test]
fn absurdly_long_lines_are_faults() {
    let text = format!("{}\n{}\n", line(1, 0), "1 ".repeat(1_000_000));
    assert_eq!(message(&text), "log.swf:2: found more than 65536 bytes without an end of line");
    let header = format!(";{}\n{}\n", "x".repeat(1_000_000), line(1, 0));
    assert_eq!(message(&header), "log.swf:1: found more than 65536 bytes without an end of line");
}

#[test]
fn layout_does_not_matter() {
    let plain = format!("; Note: a\n{}\n{}\n", line(1, 0), line(2, 1));
    let odd = format!(
        "; Note: a\r\n\r\n \t {} \t\r\n; a comment between lines\n\t\n{}",
        line(1, 0).replace(' ', "\t  "),
        line(2, 1)
    );
    let records = |text: &str| {
        let (lines, report) = read(text.as_bytes(), Strictness::Strict);
        assert_eq!(report.unwrap().records, 2);
        lines.into_iter().map(|line| line.record).collect::<Vec<_>>()
    };
    assert_eq!(records(&odd), records(&plain));
    let header = |text: &str| swf::read(text.as_bytes(), "", Strictness::Strict).unwrap().header().clone();
    assert_eq!(header(&odd), header(&plain));
}

#[test]
fn an_empty_log_is_no_fault() {
    for text in ["", "\n", "; only\n; a header\n"] {
        let (lines, report) = read(text.as_bytes(), Strictness::Strict);
        assert!(lines.is_empty());
        assert_eq!(report.unwrap(), ReadReport::default());
    }
}

#[test]
fn gzip_is_known_by_its_content_also_in_several_members() {
    let (first, second) = (format!("; Note: a\n{}\n", line(1, 0)), format!("{}\n", line(2, 1)));
    let joined = [gzip(first.as_bytes()), gzip(second.as_bytes())].concat();
    assert_eq!(read(&joined, Strictness::Strict).0, read((first + &second).as_bytes(), Strictness::Strict).0);
    assert_eq!(read(&joined, Strictness::Strict).0.len(), 2);
}

#[test]
fn a_damaged_gzip_stream_is_a_fault_even_when_lenient() {
    let mut text = String::new();
    (0..5_000).for_each(|job| writeln!(text, "{}", line(job, job)).unwrap());
    let whole = gzip(text.as_bytes());
    for length in [2, 9, whole.len() / 2, whole.len() - 1] {
        for &strictness in Strictness::ALL {
            let error = read(&whole[..length], strictness).1.unwrap_err().to_string();
            assert!(error.contains("cannot read further"), "{length} bytes: {error}");
        }
    }
    let mut flipped = whole.clone();
    let checksum = flipped.len() - 6;
    flipped[checksum] ^= 1;
    assert!(faults_of(&flipped).to_string().contains("cannot read further"));
}

#[test]
fn a_failing_disk_is_a_fault_at_its_line() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let text = format!("{}\n{}\n", line(1, 0), line(2, 1));
    let mut reader = swf::read(text.as_bytes().chain(Failing), "log.swf", Strictness::Strict).unwrap();
    assert_eq!(reader.by_ref().count(), 2);
    let error = reader.finish().unwrap_err().to_string();
    assert_eq!(error, "log.swf:3: cannot read further: the disk is gone");
    assert!(matches!(swf::read(Failing, "log.swf", Strictness::Strict), Err(LogError::Open { .. })));
}

#[test]
fn the_first_18_of_more_fields_are_read_and_the_others_counted() {
    let text = format!("{} {{7,7}} q_long 1:ppn=4\n{}\n{} 1 2\n", line(1, 0), line(2, 5), line(3, 9));
    let reader = swf::read(text.as_bytes(), "more.swf", Strictness::Lenient).unwrap();
    let mut jobs = JobStream::new(reader, &Options::default());
    assert_eq!(jobs.by_ref().map(|job| job.id.0).collect::<Vec<_>>(), [1, 2, 3]);
    let account = jobs.finish().unwrap().account();
    assert_eq!((account.lines, account.of(Reason::SURPLUS_FIELDS)), (3, 2));
    let strict = swf::read(text.as_bytes(), "more.swf", Strictness::Strict).unwrap().finish().unwrap_err();
    assert_eq!(
        strict.to_string(),
        "more.swf:1: found 21 fields, expected 18\nmore.swf:3: found 20 fields, expected 18"
    );
}

#[test]
fn two_lines_without_a_line_end_between_them_are_no_record() {
    let text = format!("{}\n{} {}\n", line(1, 0), line(2, 5), line(3, 6));
    let report = swf::read(text.as_bytes(), "joined.swf", Strictness::Lenient).unwrap().finish().unwrap();
    assert_eq!((report.records, report.broken), (1, 1));
}

#[test]
fn a_line_of_names_is_no_job() {
    let names = "job submit wait run procs cpu mem rprocs rtime rmem status user group app queue part prev think gpus";
    let text = format!("; MaxProcs:8\n{names}\n{} 2\n", line(1, 0));
    let mut reader = swf::read(text.as_bytes(), "names.swf", Strictness::Lenient).unwrap();
    assert_eq!(reader.header().max_procs(), Some(8));
    assert_eq!(reader.by_ref().count(), 1);
    let report = reader.finish().unwrap();
    assert_eq!((report.broken, report.account.lines), (0, 1));
    let last = report.account.fields.last().unwrap();
    assert_eq!((last.name.as_str(), &last.effect), ("gpus", &Effect::NoEffect));
    assert!(swf::read(text.as_bytes(), "names.swf", Strictness::Strict).unwrap().finish().is_err());
}

#[test]
fn a_log_out_of_order_ends_the_stream_and_can_be_read_whole() {
    let text: String =
        [(1, 10), (2, 5), (3, 10), (4, 5), (5, 20)].map(|(job, at)| line(job, at) + "\n").concat();
    let (lines, result) = read(text.as_bytes(), Strictness::Strict);
    assert_eq!(lines.len(), 1);
    let error = result.unwrap_err();
    assert!(matches!(error, LogError::Unsorted { line: 2, .. }));
    assert_eq!(
        error.to_string(),
        "log.swf:2: not sorted by submit time: submitted at 5 s, the job before it at 10 s"
    );

    let mut whole = swf::read_all_from(text.as_bytes(), "log.swf", Strictness::Strict).unwrap();
    let jobs: Vec<u64> = whole.by_ref().map(|line| line.record.job).collect();
    assert_eq!(jobs, [2, 4, 1, 3, 5], "equal submit times keep the order of the file");
    let account = Account::of_lines(5);
    let expected = ReadReport { records: 5, out_of_order: 2, account, ..ReadReport::default() };
    assert_eq!(whole.finish().unwrap(), expected);
}

/// A file of a test, deleted at its end.
struct Scratch(std::path::PathBuf);
impl Scratch {
    fn new(name: &str, text: &str) -> Scratch {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, text).unwrap();
        Scratch(path)
    }
}
impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn work_on_a_log_out_of_order_is_done_again_on_the_sorted_one() {
    let text: String = [(1, 10), (2, 20), (3, 5)].map(|(job, at)| line(job, at) + "\n").concat();
    let file = Scratch::new("unsorted.swf", &text);
    let mut attempts = Vec::new();
    let (last, report) = with_jobs(&file.0, &Options::default(), |jobs| {
        let ids: Vec<u64> = jobs.map(|job| job.id.0).collect();
        attempts.push(ids.clone());
        ids
    })
    .unwrap();
    assert_eq!(last, [3, 1, 2]);
    assert_eq!(attempts, [vec![1, 2], vec![3, 1, 2]]);
    assert_eq!(
        report.to_string(),
        "3 records, 3 jobs; lines out of order: 1 (log read completely and sorted)"
    );
}

fn survey(path: &Path, options: &Options) -> Survey {
    Opened::open(path, options).unwrap().survey().unwrap()
}

/// Knows the order of a file before it returns its jobs, in order, for the first time.
#[test]
fn a_survey_hands_out_sorted_jobs_once() {
    for (order, out_of_order) in [([10, 20, 5], 1), ([5, 10, 20], 0)] {
        let text: String = (1..).zip(order).map(|(job, at)| line(job, at) + "\n").collect();
        let file = Scratch::new(&format!("survey-{out_of_order}.swf"), &text);
        let mut survey = survey(&file.0, &Options::default());
        assert_eq!(survey.report().counts.jobs, 3);
        assert_eq!(survey.report().read.out_of_order, out_of_order);
        assert_eq!(survey.offered().span(), Some((SimTime::from_secs(5), SimTime::from_secs(20))));
        for _ in 0..2 {
            let mut jobs = survey.jobs().unwrap();
            let submitted: Vec<u64> = jobs.by_ref().map(|job| job.submit.micros() / 1_000_000).collect();
            assert_eq!(submitted, [5, 10, 20]);
            assert_eq!(jobs.finish().unwrap(), *survey.report());
        }
        let read: Vec<Job> = survey.jobs().unwrap().collect();
        let kept: Vec<Job> = survey.take_kept().unwrap().collect();
        assert_eq!(kept, read);
        assert!(survey.take_kept().is_none(), "they are handed out once");
    }
}

/// Reads a pipe only once: a second opening would find only the remaining data.
#[cfg(unix)]
#[test]
fn a_log_out_of_order_comes_whole_through_a_pipe() {
    let mut text: String = (1..=2_000).map(|job| line(job, 10_000 - job) + "\n").collect();
    text.push_str(&(line(2_001, 20_000) + "\n"));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unsorted.fifo");
    let _ = std::fs::remove_file(&path);
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let through_pipe = |read: &dyn Fn() -> u64| {
        let (path, text) = (path.clone(), text.clone());
        let writer = std::thread::spawn(move || std::fs::write(path, text));
        let jobs = read();
        writer.join().unwrap().unwrap();
        jobs
    };
    let options = Options::default();
    assert_eq!(through_pipe(&|| survey(&path, &options).jobs().unwrap().count() as u64), 2_001);
    assert_eq!(through_pipe(&|| with_jobs(&path, &options, |jobs| jobs.count()).unwrap().0 as u64), 2_001);
    std::fs::remove_file(&path).unwrap();
}

/// Counts the lines of the file for `first` and `skip`, regardless of their contents.
#[test]
fn the_first_lines_of_an_unsorted_log_are_those_of_the_file() {
    let text: String = [(1, 30), (2, 10), (3, 20), (4, 5)].map(|(job, at)| line(job, at) + "\n").concat();
    let file = Scratch::new("first-unsorted.swf", &text);
    let ids = |skip, first| {
        let select = Selection { skip, first: Some(first), ..Selection::default() };
        let options = Options { select, ..Options::default() };
        let (ids, _) =
            with_jobs(&file.0, &options, |jobs| jobs.map(|job| job.id.0).collect::<Vec<_>>()).unwrap();
        assert_eq!(survey(&file.0, &options).jobs().unwrap().map(|job| job.id.0).collect::<Vec<_>>(), ids);
        ids
    };
    assert_eq!(ids(0, 3), [2, 3, 1]);
    assert_eq!(ids(1, 2), [2, 3]);
    assert_eq!(ids(0, 1), [1]);
}

#[test]
fn a_byte_order_mark_does_not_matter() {
    let text = format!("; MaxProcs: 7\n{}\n", line(1, 0));
    let marked = format!("\u{feff}{text}");
    for input in [marked.clone().into_bytes(), gzip(marked.as_bytes())] {
        let reader = swf::read(&input[..], "log.swf", Strictness::Strict).unwrap();
        assert_eq!(reader.header().max_procs(), Some(7));
        assert_eq!(reader.finish().unwrap().records, 1);
    }
}

/// Limits the memory for comments of a small file.
#[test]
fn endless_headers_are_refused() {
    let comments = format!(";{}\n", "x".repeat(60_000)).repeat(75);
    let message = message(&(comments + &line(1, 0)));
    assert_eq!(message, "log.swf:70: found more than 4194304 bytes of comments above the first job");
}

/// A checkpointed job as the format defines it: a summary line, and a line for each part, of which
/// only the first has a submit time.
#[test]
fn parts_of_checkpointed_jobs_are_left_out() {
    let part = |submit: &str, status: &str| {
        line_with(11, status).replacen("1 0 5 60 ", &format!("1 {submit} 5 20 "), 1)
    };
    let text = [line(1, 0), part("0", "2"), part("-1", "2"), part("-1", "3"), line(2, 9)].join("\n");
    let (ids, counts) = prepare(&text, &Options::default()).unwrap();
    assert_eq!(ids, [1, 2]);
    assert_eq!(counts.to_string(), "5 records, 2 jobs; partial: 3 dropped");
    let rules = Rules { partial: StatusRule::Keep, ..Rules::default() };
    let (ids, counts) = prepare(&text, &Options { rules, ..Options::default() }).unwrap();
    assert_eq!(ids, [1, 1, 2]);
    assert_eq!(counts.to_string(), "5 records, 3 jobs; partial: 3 kept; no_submit: 2 dropped");
    let strict = Options { lines: Strictness::Strict, ..Options::default() };
    let message = prepare(&text, &strict).unwrap_err().to_string();
    assert!(message.starts_with("log.swf:3: field 2 (submit time): found `-1`, expected "), "{message}");
}

/// Keeps all jobs of logs whose statuses are exit codes. A status of 2, 3 or 4 is an exit code too
/// if no previous line has the number of the job.
#[test]
fn exit_codes_are_kept_and_counted() {
    let with_status = |job: u64, status: i32| line(job, job).replace(" -1 1 7 ", &format!(" -1 {status} 7 "));
    let statuses = [(1, 1), (2, 265), (3, 2), (4, -9), (5, 4)];
    let text: String = statuses.map(|(job, status)| with_status(job, status) + "\n").concat();
    let (ids, counts) = prepare(&text, &Options::default()).unwrap();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    assert_eq!(counts.to_string(), "5 records, 5 jobs; lone_partial: 2 kept; unknown_status: 2 kept");
    let rules =
        Rules { unknown_status: StatusRule::Drop, lone_partial: StatusRule::Drop, ..Rules::default() };
    assert_eq!(prepare(&text, &Options { rules, ..Options::default() }).unwrap().0, [1]);
}

#[test]
fn double_lines_are_kept_and_counted() {
    let text = [line(1, 0), line(2, 1), line(2, 1), line(1, 7)].join("\n");
    let (ids, counts) = prepare(&text, &Options::default()).unwrap();
    assert_eq!(ids, [1, 2, 2, 1]);
    assert_eq!(counts.of(Anomaly::RepeatedNumber).kept, 2);
    let rules = Rules { repeated_number: StatusRule::Drop, ..Rules::default() };
    assert_eq!(prepare(&text, &Options { rules, ..Options::default() }).unwrap().0, [1, 2]);
}

/// A job was cancelled before it ran, without any time, as in LLNL-Thunder.
#[test]
fn lines_without_submit_time_follow_their_own_rule() {
    let cancelled = "9 -1 -1 60 4 -1 -1 4 -1 -1 5 -1 -1 -1 -1 -1 -1 -1";
    let text = format!("{}\n{cancelled}\n{}\n", line(1, 5), line(2, 6));
    let (ids, counts) = prepare(&text, &Options::default()).unwrap();
    assert_eq!(ids, [1, 2]);
    assert_eq!(counts.to_string(), "3 records, 2 jobs; cancelled: 1 kept; no_submit: 1 dropped");
    let rules = Rules { no_submit: Rule::Clamp, ..Rules::default() };
    let reader = swf::read(text.as_bytes(), "log.swf", Strictness::Lenient).unwrap();
    let jobs: Vec<_> = JobStream::new(reader, &Options { rules, ..Options::default() }).collect();
    assert_eq!((jobs[1].id.0, jobs[1].submit, jobs[1].requested_time), (9, SimTime::from_secs(5), None));
}

#[test]
fn a_missing_file_is_reported_by_name() {
    let error = with_jobs("no/such.swf".as_ref(), &Options::default(), |_| ()).unwrap_err();
    assert!(error.to_string().starts_with("no/such.swf: cannot be opened: "), "{error}");
}

fn prepare(text: &str, options: &Options) -> Result<(Vec<u64>, Counts), LogError> {
    let reader = swf::read(text.as_bytes(), "log.swf", options.lines)?;
    let mut stream = JobStream::new(reader, options);
    let ids = stream.by_ref().map(|job| job.id.0).collect();
    stream.finish().map(|report| (ids, report.counts))
}

#[test]
fn faults_of_rules_and_of_the_file_are_reported_together() {
    let cancelled = line_with(11, "5");
    let text = format!("{cancelled}\n{}\nx\n{cancelled}\n", line(2, 0));
    let rules = Rules { cancelled: StatusRule::Error, ..Rules::default() };
    let options = Options { rules, lines: Strictness::Strict, ..Options::default() };
    let message = prepare(&text, &options).unwrap_err().to_string();
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines[0], "log.swf:1: job 1: it is cancelled, which the rule `cancelled = \"error\"` forbids");
    assert!(lines[1].starts_with("log.swf:3: field 1"), "{message}");
}

/// Applies every rule to one line of each anomaly.
#[test]
fn every_rule_does_what_it_says() {
    for (anomaly, bad) in [
        (Anomaly::Failed, line_with(11, "0")),
        (Anomaly::Cancelled, line_with(11, "5")),
        (Anomaly::LonePartial, line_with(11, "3")),
        (Anomaly::UnknownStatus, line_with(11, "265")),
        (Anomaly::NoSubmit, line_with(2, "-1")),
        (Anomaly::ZeroSize, line_with(8, "0").replace(" 60 4 ", " 60 -1 ")),
        (Anomaly::TooWide, line_with(8, "400")),
        (Anomaly::ZeroRun, line_with(4, "-1")),
    ] {
        let text = format!("{}\n{}\n", bad, line(2, 0));
        for (rule, status) in [
            (Rule::Drop, StatusRule::Drop),
            (Rule::Clamp, StatusRule::Keep),
            (Rule::Error, StatusRule::Error),
        ] {
            let rules = Rules {
                failed: status,
                cancelled: status,
                partial: status,
                lone_partial: status,
                unknown_status: status,
                repeated_number: status,
                no_submit: rule,
                zero_size: rule,
                too_wide: rule,
                zero_run: rule,
                short_run: rule,
            };
            let result = prepare(&text, &Options { rules, units: Some(64), ..Options::default() });
            if rule == Rule::Error {
                let message = result.unwrap_err().to_string();
                assert!(message.starts_with("log.swf:1: job 1: "), "{message}");
                assert!(message.contains(&format!("`{anomaly} = \"error\"`")), "{message}");
                continue;
            }
            let (ids, counts) = result.unwrap();
            let hits = counts.of(anomaly);
            if rule == Rule::Drop {
                assert_eq!((ids, hits.dropped), (vec![2], 1), "{anomaly}");
            } else {
                assert_eq!((ids, hits.kept + hits.clamped), (vec![1, 2], 1), "{anomaly}");
            }
        }
    }
}

#[test]
fn clamped_jobs_have_the_nearest_possible_numbers() {
    let text = format!("{}\n", line_with(8, "400").replace(" 60 4 ", " 0 4 "));
    let rules = Rules { too_wide: Rule::Clamp, zero_run: Rule::Clamp, ..Rules::default() };
    let reader = swf::read(text.as_bytes(), "log.swf", Strictness::Strict).unwrap();
    let job =
        JobStream::new(reader, &Options { rules, units: Some(64), ..Options::default() }).next().unwrap();
    assert_eq!((job.tasks, job.run_time), (64, SimSpan::from_secs(1)));
}

#[test]
fn a_selection_counts_lines_before_the_rules() {
    let mut text = String::new();
    for job in 1..=6 {
        let run_time = if job == 3 { "0" } else { "60" };
        writeln!(text, "{}", line(job, job * 10).replace(" 60 ", &format!(" {run_time} "))).unwrap();
    }
    let select = Selection { skip: 1, first: Some(3), ..Selection::default() };
    let (ids, counts) = prepare(&text, &Options { select, ..Options::default() }).unwrap();
    assert_eq!(ids, [2, 4], "lines 2 to 4, of which the rule drops one");
    assert_eq!(counts.of(Anomaly::ZeroRun).dropped, 1);
    text.push_str("x\n");
    let strict = Options { select, lines: Strictness::Strict, ..Options::default() };
    assert_eq!(prepare(&text, &strict).unwrap().1.records, 4, "what follows the first lines is not read");
}

#[test]
fn options_read_from_toml() {
    let text = include_str!("options.toml");
    let options: Options = toml::from_str(text).unwrap();
    assert_eq!(options.rules.zero_run, Rule::Clamp);
    assert_eq!(options.rules.zero_size, Rule::Drop);
    assert_eq!(toml::from_str::<Options>(&toml::to_string(&options).unwrap()).unwrap(), options);
    assert!(toml::from_str::<Options>("rules = { zero_run = \"keep\" }").is_err());
    assert!(toml::from_str::<Options>("annotation = \"none\"").is_ok());
    assert!(toml::from_str::<Options>("rulez = {}").is_err());
}

fn span() -> impl Strategy<Value = Option<SimSpan>> {
    prop::option::of((0_u64..=16_000_000_000_000_000).prop_map(SimSpan::from_micros))
}
fn kilobytes() -> impl Strategy<Value = Option<Kilobytes>> {
    prop::option::of(any::<u64>().prop_map(Kilobytes::from_millionths))
}

prop_compose! {
    fn record()(
        job: u64, submit in 0_u64..=16_000_000_000_000_000, times in prop::array::uniform5(span()),
        memory in prop::array::uniform2(kilobytes()), processors: [Option<u32>; 2], status: i32,
        who: [Option<u32>; 5], preceding_job: Option<u64>,
    ) -> Record {
        Record {
            job, submit: SimTime::from_micros(submit), wait: times[0], run_time: times[1],
            allocated_processors: processors[0], cpu_time: times[2], used_memory: memory[0],
            requested_processors: processors[1], requested_time: times[3], requested_memory: memory[1],
            status: Status::from_number(status), user: who[0], group: who[1], executable: who[2],
            queue: who[3], partition: who[4], preceding_job, think_time: times[4], also_preceding: Vec::new(), nodes: None,
            has_short_run: false,
            is_sized_by_allocation: false,
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(
        mut records in prop::collection::vec(record(), 0..20),
        notes in prop::collection::vec("[ -~äé]{0,30}", 0..5),
    ) {
        records.sort_by_key(|record| record.submit);
        let mut header = Header::default();
        notes.iter().for_each(|note| header.comment(note));
        let mut written = Vec::new();
        swf::write(&mut written, &header, &records).unwrap();
        for input in [&written, &gzip(&written)] {
            let mut reader = swf::read(&input[..], "log.swf", Strictness::Lenient).unwrap();
            prop_assert_eq!(reader.header(), &header);
            let read: Vec<Record> = reader.by_ref().map(|line| line.record).collect();
            prop_assert_eq!(&read, &records);
            prop_assert_eq!(reader.finish().unwrap().records, records.len() as u64);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..2_000),
            "([-0-9.;x \t\r\n]{0,3}[ \n]){0,200}".prop_map(String::into_bytes),
            prop::collection::vec(any::<u8>(), 0..200).prop_map(|tail| [vec![0x1f, 0x8b, 8], tail].concat()),
        ],
    ) {
        for &strictness in Strictness::ALL {
            let (_, result) = read(&bytes, strictness);
            if let Err(error) = result {
                prop_assert!(error.to_string().starts_with("log.swf:"));
            }
            let _ = swf::read_all_from(&bytes[..], "log.swf", strictness).map(Iterator::count);
        }
    }

    /// Reads logs of both formats, plain or compressed, with some bytes replaced.
    #[test]
    fn no_damage_makes_it_panic(
        submits in prop::collection::vec(0_u64..100, 1..20),
        from: prop::sample::Index,
        length in 0_usize..8,
        patch in prop::collection::vec(any::<u8>(), 0..8),
        compressed: bool,
        of_grid: bool,
    ) {
        let rest = if of_grid { " S1 UNITARY -1 -1 -1 -1 -1 -1 -1 -1 -1\n" } else { "\n" };
        let text: String = (1..).zip(&submits).map(|(job, &at)| line(job, at) + rest).collect();
        let mut bytes = if compressed { gzip(text.as_bytes()) } else { text.into_bytes() };
        let from = from.index(bytes.len());
        let to = (from + length).min(bytes.len());
        bytes.splice(from..to, patch);
        for &strictness in Strictness::ALL {
            if let (_, Err(error)) = read(&bytes, strictness) {
                prop_assert!(error.to_string().starts_with("log.swf:"), "{error}");
            }
            let _ = swf::read_all_from(&bytes[..], "log.swf", strictness).map(Iterator::count);
            let mut reader = gwf::read(&bytes[..], "log.gwf", strictness).unwrap();
            reader.by_ref().for_each(drop);
            if let Err(error) = reader.finish() {
                prop_assert!(error.to_string().starts_with("log.gwf:"), "{error}");
            }
        }
    }

    /// Compares with a reference implementation that parses the lines with the standard library.
    #[test]
    fn whole_numbers_are_read_as_the_standard_library_reads_them(
        fields in prop::collection::vec(-1_i64..100_000, 18), status in -1_i64..=5,
    ) {
        let mut fields = fields;
        fields[0] = fields[0].max(0);
        fields[1] = fields[1].max(0);
        fields[10] = status;
        let text = fields.iter().map(i64::to_string).collect::<Vec<_>>().join("  ");
        let (lines, _) = read(text.as_bytes(), Strictness::Lenient);
        prop_assert_eq!(lines.len(), 1);
        let parsed: Vec<i64> =
            lines[0].record.to_string().split_whitespace().map(|field| field.parse().unwrap()).collect();
        prop_assert_eq!(parsed, fields);
    }

    /// Compares streaming with reading the whole log: the records of a sorted log are equal.
    #[test]
    fn streaming_and_reading_whole_agree(mut submits in prop::collection::vec(0_u64..100, 0..50), sorted: bool) {
        if sorted {
            submits.sort_unstable();
        }
        let text: String = (1..).zip(&submits).map(|(job, &at)| line(job, at) + "\n").collect();
        let (streamed, result) = read(text.as_bytes(), Strictness::Lenient);
        let whole = swf::read_all_from(text.as_bytes(), "log.swf", Strictness::Lenient).unwrap();
        if submits.is_sorted() {
            prop_assert!(result.is_ok() && whole.eq(streamed));
        } else {
            let unsorted = matches!(result, Err(LogError::Unsorted { .. }));
            prop_assert!(unsorted);
            let mut expected: Vec<(u64, u64)> = submits.iter().copied().zip(1..).collect();
            expected.sort_unstable();
            let found = whole.map(|line| (line.record.submit.micros() / 1_000_000, line.record.job));
            prop_assert!(found.eq(expected));
        }
    }
}

/// Jobs of two sites, unsorted, and a broken line; job 4 ran on another site than its origin.
#[test]
fn the_jobs_of_one_site() {
    let line = |job: u64, submit: i64, origin: &str, ran: &str| {
        let end = "UNITARY -1 -1 -1 -1 -1 -1 -1 -1 -1 -1";
        format!("{job} {submit} -1 60 4 -1 -1 4 100 -1 1 U7 G1 -1 -1 -1  {origin}\t{ran} {end}\n")
    };
    let lines = [
        (1, 100, "S1", "S1"),
        (2, 50, "S2", "S2"),
        (3, 90, "S1", "S1"),
        (4, 120, "S1", "S2"),
        (5, 10, "S12", "S1"),
    ];
    let text: String =
        lines.into_iter().map(|(job, submit, origin, ran)| line(job, submit, origin, ran)).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.log");
    std::fs::write(&path, format!("# a grid\n{text}broken\n")).unwrap();
    let of = |site: &str| read_jobs_from(&path, &Options::default(), site);
    let (jobs, report) = of("S1").unwrap();
    assert_eq!(
        jobs.iter().map(|job| (job.id.0, job.submit.micros() / 1_000_000)).collect::<Vec<_>>(),
        [(3, 90), (1, 100), (4, 120)]
    );
    assert_eq!(
        (report.read.account.of(Reason::OTHER_SITE), report.read.first_elsewhere),
        (2, Some(SimTime::from_secs(10)))
    );
    assert!(report.to_string().contains("lines of other sites, left out: 2"), "{report}");
    assert_eq!(of("S2").unwrap().0.len(), 1);
    let none = of("S3").unwrap_err().to_string();
    assert!(none.ends_with("two.log: no job is from site `S3`; there are jobs from S1, S12, S2"), "{none}");
}
