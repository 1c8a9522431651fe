//! Tests workloads of Batsim: run times by hand, all errors at once, and that no file makes the
//! reader panic.

use dfrsim_workload::formats::batsim::read_text;
use dfrsim_workload::log::{Account, LogError, ReadReport, Reason, Record, Source as _, Status, Strictness};
use dfrsim_workload::prepare::{self, Anomaly, Format, JobStream, Options, Rule, Rules};
use proptest::prelude::*;
use std::fs;
use std::num::NonZeroU64;

/// Workload with a profile of each type, under the names of different versions of Batsim.
const WORKLOAD: &str = include_str!("reference/types.json");

fn records(text: &str, strictness: Strictness, flops: u64) -> (Vec<Record>, ReadReport) {
    let mut whole = read_text(text, "w.json", strictness, NonZeroU64::new(flops)).unwrap();
    (whole.by_ref().map(|line| line.record).collect(), whole.finish().unwrap())
}

fn faults(text: &str) -> Vec<String> {
    let error = read_text(text, "w.json", Strictness::Strict, None).unwrap_err();
    assert!(matches!(error, LogError::Faults(_)), "{error}");
    error.to_string().lines().map(str::to_owned).collect()
}

/// Checks run times at 2,000,000 flop/s: 10e6 flop take 5 s, spread over 2 nodes 2.5 s, and over 4
/// nodes 1.25 s. The busiest of the four nodes has 7e6 flop, 3.5 s; twice (20.2 + 5 + 20.2) is 90.8
/// s. The job at 10 s is below three later ones in the file and is sorted to its position. Four jobs
/// communicate: `each`, `per node`, `sequence`, `silent`.
#[test]
fn run_times_by_type() {
    let (records, report) = records(WORKLOAD, Strictness::Strict, 2_000_000);
    let seen: Vec<_> = records
        .iter()
        .map(|record| {
            let run_time = record.run_time.unwrap().to_string();
            (record.job, record.submit.to_string(), record.requested_processors.unwrap(), run_time)
        })
        .collect();
    let expected = [
        (1, "0", 1, "20.2"),
        (5, "10", 4, "3.5"),
        (2, "10.5", 4, "5"),
        (3, "15", 2, "2.5"),
        (4, "15", 4, "1.25"),
        (6, "32", 4, "90.8"),
        (7, "33", 2, "0"),
    ];
    assert_eq!(seen, expected.map(|(job, at, nodes, run)| (job, at.to_owned(), nodes, run.to_owned())));
    let requested: Vec<_> =
        records.iter().map(|record| record.requested_time.map_or(-1, |span| span.micros() as i64)).collect();
    assert_eq!(requested, [30_000_000, -1, 100_000_000, -1, -1, -1, -1]);
    let statuses: Vec<Status> = records.iter().map(|record| record.status).collect();
    let (failed, fine) = (Status::Failed, Status::Completed);
    assert_eq!(statuses, [failed, fine, fine, fine, fine, failed, fine], "what returns 1 fails");
    let mut account = Account::of_lines(7);
    account.add(Reason::COMMUNICATION, 4);
    assert_eq!(report, ReadReport { records: 7, out_of_order: 1, account, ..ReadReport::default() });
}

/// Applies the rules for logs: the job that only sends runs for 0 s, so it is dropped.
#[test]
fn a_file_is_prepared_like_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.json");
    fs::write(&path, WORKLOAD).unwrap();
    let options = Options { flops: NonZeroU64::new(2_000_000), units: Some(4), ..Options::default() };
    let (jobs, report) = prepare::read_jobs(&path, &options).unwrap();
    assert_eq!(jobs.iter().map(|job| job.tasks).collect::<Vec<_>>(), [1, 4, 4, 2, 4, 4]);
    assert_eq!(report.counts.of(Anomaly::ZeroRun).dropped, 1);
    assert_eq!(
        report.to_string(),
        "7 records, 6 jobs; failed: 2 kept; zero_run: 1 dropped; jobs without requested time: 4; \
         lines out of order: 1 (log read completely and sorted); jobs whose communication is not simulated: 4"
    );
    let whole = prepare::read_whole(&path, &options).unwrap();
    assert_eq!(whole.header().max_nodes(), Some(4));

    let narrow = Options { units: Some(3), ..options.clone() };
    let (jobs_left, report) = prepare::read_jobs(&path, &narrow).unwrap();
    assert_eq!((jobs_left.len(), report.counts.of(Anomaly::TooWide).dropped), (2, 4));
    let rules = Rules { too_wide: Rule::Error, ..Rules::default() };
    let wide = prepare::read_jobs(&path, &Options { rules, ..narrow }).unwrap_err().to_string();
    assert!(wide.contains("w.json:5: job 2: it has 4 tasks, but the machine has only 3 units"), "{wide}");
    assert_eq!(wide.lines().count(), 4, "{wide}");

    let other = folder.path().join("workload");
    fs::write(&other, WORKLOAD).unwrap();
    for format in [Format::ByContent, Format::Batsim] {
        let (named, _) = prepare::read_jobs(&other, &Options { format, ..options.clone() }).unwrap();
        assert_eq!(named, jobs);
    }
    assert!(prepare::read_jobs(&path, &Options { format: Format::Swf, ..options }).is_err());
}

fn delays(ids: &[&str]) -> String {
    let job = |id: &&str| format!(r#"{{"id": {id}, "subtime": 0, "res": 1, "profile": "p"}}"#);
    let jobs: Vec<String> = ids.iter().map(job).collect();
    let jobs = jobs.join(",\n");
    format!(
        "{{\"nb_res\": 1, \"jobs\": [\n{jobs}],\n\"profiles\": {{\"p\": {{\"type\": \"delay\", \"delay\": 1}}}}}}"
    )
}

#[test]
fn ids_that_are_numbers_stay() {
    let numbers = |ids: &[&str]| -> Vec<u64> {
        let (records, _) = records(&delays(ids), Strictness::Strict, 1);
        records.iter().map(|record| record.job).collect()
    };
    assert_eq!(numbers(&["7", "\"3\"", "\"w0!12\""]), [7, 3, 12]);
    assert_eq!(numbers(&["7", "\"w0!7\"", "2"]), [1, 2, 3], "twice the same number");
    assert_eq!(numbers(&["7", "\"+8\"", "9"]), [1, 2, 3], "not a number");
}

/// Keeps the valid jobs if broken ones may be dropped. The profile `fine` is a delay of 2 s, as it
/// is the only one of this name here.
#[test]
fn jobs_without_a_fault_remain() {
    let text = include_str!("faults/batsim.json");
    let one = text.replace("  \"fine\": {\"type\": \"delay\", \"delay\": 1},\n", "");
    let one = one.replace("{\"type\": \"smpi\"}", "{\"type\": \"delay\", \"delay\": 1}");
    let one = one.replace("\"profile\": \"four\"", "\"profile\": \"fine\"");
    let (records, report) = records(&one, Strictness::Lenient, 2);
    let runs: Vec<String> = records.iter().map(|record| record.run_time.unwrap().to_string()).collect();
    assert_eq!(runs, ["2", "3", "3", "1"], "at 2 flop/s, those of 6 flop run too");
    assert_eq!((report.records, report.broken), (4, 9));
}

/// Creates a workload of one job with a profile.
fn with_profile(profile: &str) -> String {
    format!(
        "{{\"nb_res\": 2, \"jobs\": [\n{{\"id\": \"a\", \"subtime\": 0, \"res\": 2, \"profile\": \"p\"}}],\n\"profiles\": {{\n\
         \"p\": {profile}}}}}"
    )
}

#[test]
fn what_cannot_be_simulated_is_refused_by_type_and_line_by_any_reading() {
    for kind in ["smpi", "usage_trace", "forkjoin", "sequential_composition"] {
        let text = with_profile(&format!("{{\"type\": \"{kind}\", \"seq\": []}}"));
        let found =
            read_text(&text, "w.json", Strictness::Lenient, None).map(|_| ()).unwrap_err().to_string();
        let expected =
            format!("w.json:4: profile `p`: field `type`: found `\"{kind}\"`, expected a supported type");
        assert!(found.contains(&expected), "{found}");
    }
}

#[test]
fn a_field_that_is_there_twice_is_a_fault() {
    for (profile, field, second) in [
        (r#"{"type": "delay", "delay": 1, "delay": 2}"#, "delay", "2"),
        (r#"{"type": "parallel_homogeneous", "cpu": 1, "computation_vector": 3}"#, "cpu", "3"),
    ] {
        let fault = format!(
            "w.json:4: profile `p`: field `{field}`: found `{second}`, expected a single value for this field"
        );
        assert_eq!(faults(&with_profile(profile)), [fault]);
    }
    let text =
        with_profile(r#"{"type": "delay", "delay": 1}"#).replace("\"res\": 2", "\"res\": 2, \"res\": 1");
    let fault = "w.json:2: job `a`: field `res`: found `1`, expected a single value for this field";
    assert_eq!(faults(&text), [fault]);
}

#[test]
fn amounts_have_other_names_in_batsim_5_and_a_wrong_name_is_a_fault() {
    for profile in [
        r#"{"type": "parallel_homogeneous", "computation_amount_per_host": 10}"#,
        r#"{"type": "parallel", "computation_vector": [4, 10]}"#,
    ] {
        let (records, _) = records(&with_profile(profile), Strictness::Strict, 2);
        assert_eq!(records[0].run_time.unwrap().to_string(), "5", "{profile}");
    }
    let found = faults(&with_profile(r#"{"type": "parallel_homogeneous", "cpus": 10}"#));
    let fault = "w.json:4: profile `p`: field `cpu`: found no value, expected a number of at least 0";
    assert_eq!(found, [fault]);
    let found = faults(&with_profile(r#"{"type": "parallel_homogeneous", "cpuu": 10, "com": 0}"#));
    assert_eq!(found, [format!("{fault}; did you mean `cpu` instead of `cpuu`?")]);
}

#[test]
fn files_without_a_workload_are_reported() {
    for text in ["", "[]", "1", "null", "{}", "\u{feff}{}"] {
        assert!(!faults(text).is_empty(), "{text:?}");
    }
}

#[test]
fn unreadable_files_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.json");
    assert!(matches!(prepare::read_jobs(&path, &Options::default()), Err(LogError::Open { .. })));
    fs::write(&path, b"{\"nb_res\": \xff}").unwrap();
    let message = prepare::read_jobs(&path, &Options::default()).unwrap_err().to_string();
    assert!(message.contains("w.json:1: cannot read further: invalid utf-8"), "{message}");
    fs::write(&path, b"\x1f\x8b\x08damaged").unwrap();
    let message = prepare::read_jobs(&path, &Options::default()).unwrap_err().to_string();
    assert!(message.contains("w.json:1: cannot read further: "), "{message}");
}

proptest! {
    /// Delays are exact to the microsecond, and records are read as they were written.
    #[test]
    fn delays_survive(
        shapes in prop::collection::vec((0_u64..1 << 50, 1_u64..1 << 50, 1_u32..5000, any::<bool>()), 0..20),
    ) {
        let decimals = |micros: u64| format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
        let (mut jobs, mut profiles) = (Vec::new(), Vec::new());
        for (id, (submit, run, res, named)) in (1..).zip(&shapes) {
            let id = if *named { format!("\"w!{id}\"") } else { format!("{id}") };
            let at = decimals(*submit);
            jobs.push(format!(r#"{{"id":{id},"subtime":{at},"res":{res},"profile":"{run}"}}"#));
            let profile = format!(r#""{run}":{{"type":"delay","delay":{}}}"#, decimals(*run));
            if !profiles.contains(&profile) {
                profiles.push(profile);
            }
        }
        let text =
            format!(r#"{{"nb_res":1,"jobs":[{}],"profiles":{{{}}}}}"#, jobs.join(","), profiles.join(","));
        let (records, _) = records(&text, Strictness::Strict, 1);
        let mut expected: Vec<_> = (1..).zip(&shapes).collect();
        expected.sort_by_key(|(_, shape)| shape.0);
        prop_assert_eq!(records.len(), expected.len());
        for (record, (id, (submit, run, res, _))) in records.iter().zip(expected) {
            prop_assert_eq!(record.job, id);
            prop_assert_eq!(record.submit.micros(), *submit);
            prop_assert_eq!(record.run_time.unwrap().micros(), *run);
            prop_assert_eq!(record.requested_processors, Some(*res));
        }
    }

    /// Reads files with a few replaced bytes without a panic; lenient reading accepts everything
    /// that strict reading accepts.
    #[test]
    fn damage_is_survived(changes in prop::collection::vec((0..WORKLOAD.len(), 32_u8..127), 0..6)) {
        let mut bytes = WORKLOAD.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        let text = String::from_utf8(bytes).unwrap();
        let read = |strictness| read_text(&text, "w.json", strictness, NonZeroU64::new(1_000_000));
        if let Ok(strict) = read(Strictness::Strict) {
            let lenient = read(Strictness::Lenient).unwrap();
            let strict: Vec<_> = strict.collect();
            prop_assert_eq!(lenient.collect::<Vec<_>>(), strict);
        }
        if let Ok(lenient) = read(Strictness::Lenient) {
            let mut stream = JobStream::new(lenient, &Options::default());
            prop_assert!(stream.by_ref().all(|job| job.tasks > 0 && !job.run_time.is_zero()));
            stream.finish().unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(500)))]
    /// Reads every file, or rejects it with an error.
    #[test]
    fn no_text_makes_it_panic(
        from: prop::sample::Index,
        to: prop::sample::Index,
        patch in "[-0-9.,:{}\\[\\]a-z\"\\\\é]{0,8}",
        any in "\\PC{0,100}",
    ) {
        let mut text = WORKLOAD.to_owned();
        let (from, to) = (from.index(text.len()), to.index(text.len()));
        text.replace_range(from.min(to)..from.max(to), &patch);
        for text in [&text, &any] {
            for &strictness in Strictness::ALL {
                for flops in [None, NonZeroU64::new(1_000_000)] {
                    if let Err(error) = read_text(text, "file.json", strictness, flops) {
                        prop_assert!(error.to_string().starts_with("file.json:"), "{error}");
                    }
                }
            }
        }
    }
}
