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
        (Reason::UNENDED, 0),
        (Reason::UNSTARTED, 1),
        (Reason::REQUEUED, 0),
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
            asked.retain(|(name, _)| !name.starts_with('#'));
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
    assert_eq!(found[&2], of(&[("gpu", 4), ("gpu_k80", 4), ("@IB", 1), ("@BigMem", 1), ("#nodes", 2)]));
    assert!(!found.contains_key(&3), "alternatives, which have the delimiter, are no request");
    let nodes: Vec<_> =
        slurm::read(&path, Strictness::Lenient).unwrap().map(|line| line.record.nodes).collect();
    assert_eq!(nodes, [Some(1), Some(2), Some(1)]);
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

/// Jobs keep the numbers of the listing. Numbers that do not tell jobs apart are replaced.
#[test]
fn jobs_keep_their_numbers() {
    let raw: Vec<u64> = {
        let text = std::fs::read_to_string(LISTING).unwrap();
        text.lines().filter_map(|line| line.split('|').nth(1)?.parse().ok()).collect()
    };
    let numbers: Vec<u64> = recorded().map(|line| line.record.job).collect();
    assert_eq!(numbers.len(), 21);
    assert!(numbers.iter().all(|number| raw.contains(number)), "{numbers:?}");
    let text =
        "JobID|State|Submit|Start|Elapsed\n70|COMPLETED|1000|1001|00:05\n90_1|FAILED|1000|1001|00:05\n";
    let numbers = |text: &str| {
        let lines = slurm::read_text(text, "log", Strictness::Strict).unwrap();
        lines.map(|line| line.record.job).collect::<Vec<_>>()
    };
    assert_eq!(numbers(text), [1, 2]);
    assert_eq!(numbers(&text.replace("90_1", "90")), [70, 90]);
    assert_eq!(numbers(&text.replace("90_1", "70")), [70, 71], "jobs of different databases");
}

/// Job 7 was preempted after 300 s, lost its node after 60 s, and ran for 600 s; job 8 was requeued
/// and cancelled while it waited; job 9 was preempted and is not in the listing again.
#[test]
fn runs_of_a_requeued_job_are_one_job() {
    let text = "\
JobIDRaw|JobID|User|State|Submit|Eligible|Start|End|AllocCPUS
7|7|anna|PREEMPTED|1000|1000|1010|1310|4
7|7|anna|NODE_FAIL|1310|1430|1500|1560|4
8|8|anna|REQUEUED|1100|1100|1110|1210|2
9|9|ben|PREEMPTED|1200|1200|1210|1310|1
7|7|anna|COMPLETED|1560|1680|1700|2300|4
8|8|anna|CANCELLED by 0|1210|1330|None|1400|0
";
    let mut log = slurm::read_text(text, "log", Strictness::Strict).unwrap();
    let seconds = |span: dfrsim_model::SimSpan| span.micros() / 1_000_000;
    let jobs: Vec<_> = log
        .by_ref()
        .map(|Line { record, .. }| {
            let times = (record.wait.map(seconds), record.run_time.map(seconds));
            (record.job, record.submit.to_string(), times, record.status)
        })
        .collect();
    let job = |number, submit: &str, wait, run, status| {
        (number, submit.to_owned(), (Some(wait), Some(run)), status)
    };
    assert_eq!(
        jobs,
        [
            job(7, "0", 700, 600, Status::Completed),
            job(8, "100", 10, 100, Status::Cancelled),
            job(9, "200", 10, 100, Status::Failed),
        ]
    );
    let report = log.finish().unwrap();
    assert_eq!(report.account.lines, report.records + report.account.total(Fate::LeftOut));
    let notices = report.notices();
    assert!(
        notices
            .contains(&"earlier runs of requeued jobs, whose last run is simulated, left out: 3".to_owned())
    );
    assert!(notices.contains(&"seconds of earlier runs of requeued jobs: 360".to_owned()), "{notices:?}");
}

/// Job 1 is deferred by three hours; job 2 depends on job 3, which explains its later time; the job
/// of which job 4 depends is not in the listing.
#[test]
fn jobs_arrive_when_they_are_eligible() {
    let text = "\
JobID|State|Submit|Eligible|Start|End|AllocCPUS|SubmitLine
1|COMPLETED|1000|11800|11805|12000|1|sbatch --begin=now+3hours x.sh
3|COMPLETED|1000|1000|1010|1500|1|sbatch x.sh
2|COMPLETED|1100|1500|1510|1600|1|sbatch -d afterok:3 x.sh
4|COMPLETED|1100|1300|1320|1600|1|sbatch -d afterok:33 x.sh
5|CANCELLED|1200|Unknown|None|1300|0|sbatch -H x.sh
";
    let mut log = slurm::read_text(text, "log", Strictness::Strict).unwrap();
    let times: Vec<_> = log
        .by_ref()
        .map(|line| (line.record.job, line.record.submit.to_string(), line.record.wait.unwrap().to_string()))
        .collect();
    let job = |number, submit: &str, wait: &str| (number, submit.to_owned(), wait.to_owned());
    assert_eq!(
        times,
        [
            job(3, "0", "10"),
            job(2, "100", "410"),
            job(5, "200", "100"),
            job(4, "300", "20"),
            job(1, "10800", "5")
        ]
    );
    let notices = log.finish().unwrap().notices();
    let deferred =
        "jobs that became eligible after their submission (--begin, --hold), submitted at that time: 2";
    assert!(notices.contains(&deferred.to_owned()), "{notices:?}");
}

/// Jobs 1 and 2 wait for one another, and job 3 for itself, but all ran; job 4 requires that job 5
/// fails, but it completed; job 6 depends on a job that is not in the listing. Job 7 needs either of
/// two jobs, of which one was in time.
#[test]
fn dependencies_that_cannot_have_held_are_counted() {
    let text = "\
JobID|State|Submit|Eligible|Start|End|AllocCPUS|SubmitLine
1|COMPLETED|1000|1000|1010|1500|1|sbatch -d afterok:2 x.sh
2|COMPLETED|1000|1000|1010|1500|1|sbatch -d afterok:1 x.sh
3|COMPLETED|1000|1000|1010|1500|1|sbatch -d afterok:3 x.sh
5|COMPLETED|1000|1000|1010|1500|1|sbatch x.sh
4|COMPLETED|1000|1500|1510|1600|1|sbatch -d afternotok:5 x.sh
6|COMPLETED|1000|1000|1010|1500|1|sbatch -d afterok:66 x.sh
7|COMPLETED|1000|1500|1510|1600|1|sbatch -d afterok:5?afterok:4 x.sh
";
    let mut log = slurm::read_text(text, "log", Strictness::Strict).unwrap();
    let preceding: Vec<_> = log.by_ref().map(|line| (line.record.job, line.record.preceding_job)).collect();
    assert_eq!(preceding.iter().filter(|it| it.1.is_some()).collect::<Vec<_>>(), [&(7, Some(5))]);
    let notices = log.finish().unwrap().notices();
    for expected in [
        "dependencies that the times and outcomes of the listing contradict: 4",
        "dependencies on jobs that are not in the listing: 1",
    ] {
        assert!(notices.contains(&expected.to_owned()), "{expected}: {notices:?}");
    }
}

/// Job 1 ran for less than a second, job 2 never.
#[test]
fn jobs_that_ran_for_less_than_a_second_are_kept() {
    use dfrsim_workload::prepare::{Anomaly, JobStream, Options, Rule, Rules};
    let text = "\
JobID|State|Submit|Start|End|AllocCPUS
1|COMPLETED|1000|1010|1010|1
2|CANCELLED by 7|1000|1010|1010|0
3|COMPLETED|1000|1010|1015|1
";
    let run_times = |rules: Rules| {
        let log = slurm::read_text(text, "log", Strictness::Strict).unwrap();
        let mut jobs = JobStream::new(log, &Options { rules, ..Options::default() });
        let found: Vec<String> = jobs.by_ref().map(|job| job.run_time.to_string()).collect();
        (found, jobs.finish().unwrap().counts.of(Anomaly::ShortRun).clamped)
    };
    assert_eq!(run_times(Rules::default()), (vec!["1".to_owned(), "5".to_owned()], 1));
    let dropped = Rules { short_run: Rule::Drop, ..Rules::default() };
    assert_eq!(run_times(dropped), (vec!["5".to_owned()], 0));
    assert!(!serde_json::to_string(&Rules::default()).unwrap().contains("short"));
    assert!(serde_json::to_string(&dropped).unwrap().contains("\"short_run\":\"drop\""));
}

/// Memory is that of `AllocTRES`, then of `ReqTRES`, then of `ReqMem`.
#[test]
fn memory_is_what_the_job_was_allocated() {
    let text = "\
JobID|State|Submit|Start|End|NNodes|AllocCPUS|ReqCPUS|ReqMem|ReqTRES|AllocTRES
1|COMPLETED|1000|1010|1500|1|8|8|2147486648Mn|cpu=8|cpu=8,mem=24000M,node=1
2|COMPLETED|1000|1010|1500|1|2|2|0|cpu=2,mem=1M|cpu=2,mem=16000M,node=1
3|COMPLETED|1000|1010|1500|1|2|2|2147486648Mn|cpu=2,mem=500M|cpu=2,node=1
4|COMPLETED|1000|1010|1500|2|4|4|2147486648Mn||
5|COMPLETED|1000|1010|1500|2|4|4|8Gn||cpu=4,mem=0
6|CANCELLED|1000|None|1500|1|0|4|4G|cpu=4,mem=8G|
";
    let mut log = slurm::read_text(text, "log", Strictness::Strict).unwrap();
    let memory: Vec<_> =
        log.by_ref().map(|line| line.record.requested_memory.map(|it| it.to_string())).collect();
    let kilobytes = |megabytes: u64| Some((megabytes * 1024).to_string());
    assert_eq!(
        memory,
        [kilobytes(3000), kilobytes(8000), kilobytes(250), kilobytes(3000), kilobytes(4096), kilobytes(2048)]
    );
    let notices = log.finish().unwrap().notices();
    assert!(notices.contains(
        &"jobs whose ReqMem has Slurm's flag for memory per processor, which is removed: 1".to_owned()
    ));
}

/// The use of each column is told, and each option that is not simulated is counted.
#[test]
fn columns_and_options_are_accounted_for() {
    use dfrsim_workload::log::Effect;
    let text = "\
JobID|State|Submit|Start|End|AllocCPUS|MaxRSS|Suspended|Constraints|ReqTRES|Partition|SubmitLine
1|COMPLETED|1000|1010|1500|2||00:00:00||cpu=2,license/matlab=1|cpu|sbatch --licenses=matlab:1 --nice=1000 x.sh
2|COMPLETED|1000|1010|1500|2||00:00:00|a|b|cpu=2,license/matlab=1|cpu,gpu|sbatch -w n2 -x n1 --exclusive --begin=16:00 x.sh
3|COMPLETED|1000|1010|1500|2||00:01:00|a||cpu|sbatch -t 5 --mail-type=ALL -L idl|matlab:2 x.sh --nice
";
    let mut log = slurm::read_text(text, "log", Strictness::Strict).unwrap();
    log.by_ref().for_each(drop);
    let account = log.finish().unwrap().account;
    let counts: Vec<(String, u64)> = account
        .entries()
        .into_iter()
        .filter(|entry| entry.fate == Fate::NotSimulated)
        .map(|entry| (entry.reason.to_string(), entry.count))
        .collect();
    let expected = [
        ("jobs that were suspended; their run times exclude the suspension", 1),
        ("jobs of several partitions, simulated in the first one", 1),
        ("jobs with alternatives or numbers of nodes in Constraints, simulated without features", 1),
        ("jobs with --begin", 1),
        ("jobs with --exclusive", 1),
        ("jobs with --licenses", 1),
        ("jobs with --nice", 1),
    ];
    let expected = expected.map(|(text, count)| (text.to_owned(), count));
    let sorted = |mut all: Vec<(String, u64)>| {
        all.sort();
        all
    };
    assert_eq!(sorted(counts), sorted(expected.to_vec()));
    let uses: Vec<_> =
        account.fields.iter().map(|field| (field.name.as_str(), field.effect.clone())).collect();
    let would = Effect::WouldChange;
    assert_eq!(
        uses[5..],
        [
            ("AllocCPUS", Effect::Used),
            ("MaxRSS", Effect::NoEffect),
            ("Suspended", would(1)),
            ("Constraints", would(1)),
            ("ReqTRES", Effect::Used),
            ("Partition", Effect::Used),
            ("SubmitLine", would(3)),
        ]
    );
    // The licences of the batch script of job 2 are those of the accounting.
    let all = slurm::read_text(text, "log", Strictness::Strict).unwrap().resource_requests();
    let all: BTreeMap<u64, _> = all.iter().map(|(job, asked)| (job.0, asked.clone())).collect();
    let licences =
        |job: u64| all[&job].iter().filter(|(name, _)| name.starts_with('~')).cloned().collect::<Vec<_>>();
    assert_eq!([1, 2].map(licences), [(); 2].map(|()| vec![("~matlab".to_owned(), 1)]));
    assert_eq!(licences(3), []);
}

/// From second 200 on: job 1 runs, job 2 has ended, job 3 waits, job 4 is yet to come, and job 5
/// runs without a known end.
#[test]
fn jobs_that_run_at_the_begin_of_a_selection_go_on() {
    use dfrsim_workload::cut::Selection;
    use dfrsim_workload::prepare::{JobStream, Options, SizeField};
    let text = "\
JobID|State|Submit|Start|End|TimelimitRaw|ReqCPUS|AllocCPUS
1|COMPLETED|1000|1010|1500|20|1|4
2|COMPLETED|1000|1010|1100|20|1|4
3|COMPLETED|1050|1300|1500|20|1|4
4|COMPLETED|1210|1300|1500|20|1|4
5|RUNNING|1220|1300|Unknown|30|1|4
6|RUNNING|1220|1300|Unknown|UNLIMITED|1|4
";
    let jobs = |size| {
        let log = slurm::read_text(text, "log", Strictness::Strict).unwrap();
        let select = Selection { from: Some(200), ..Selection::default() };
        let mut stream = JobStream::new(log, &Options { select, size, ..Options::default() });
        let seconds = |span: dfrsim_model::SimSpan| span.micros() / 1_000_000;
        let jobs: Vec<_> = stream
            .by_ref()
            .map(|job| {
                let times = (seconds(job.run_time), job.requested_time.map(seconds));
                (job.id.0, job.submit.to_string(), times, job.tasks)
            })
            .collect();
        (jobs, stream.finish().unwrap())
    };
    let (found, report) = jobs(SizeField::default());
    let expected = [
        (1, "200".to_owned(), (300, Some(1010)), 4),
        (4, "210".to_owned(), (200, Some(1200)), 4),
        (5, "220".to_owned(), (1800, Some(1800)), 4),
    ];
    assert_eq!(found, expected);
    assert_eq!((report.counts.begun, report.counts.outside), (1, 2));
    let account = report.account();
    assert_eq!(
        account.lines,
        report.counts.jobs + account.total(Fate::LeftOut) + account.total(Fate::Rejected)
    );
    assert_eq!(jobs(SizeField::Requested).0[0].3, 1, "an option decides");
}

/// Returns the records of a listing, without the numbers of the lines.
fn records(text: &str) -> Vec<dfrsim_workload::log::Record> {
    slurm::read_text(text, "log", Strictness::Strict).unwrap().map(|line| line.record).collect()
}

/// The same two jobs in all layouts of `sacct`. The memory of the second one is that of
/// `AllocTRES`, or in JSON 512 MB with Slurm's bit of 64 bits.
#[test]
fn all_layouts_have_the_same_jobs() {
    let rows = "\
JobID|JobIDRaw|JobName|Account|Partition|AllocTRES|State|Submit|Eligible|Start|End|TimelimitRaw
7|7|sleep|lab|cpu|cpu=4,mem=2G,node=2|COMPLETED|2026-04-01T09:00:00|2026-04-01T09:00:00|2026-04-01T09:00:30|2026-04-01T10:00:30|90
9_2|11|x|lab|cpu|cpu=1,mem=512M,node=1|FAILED|2026-04-01T09:00:10|2026-04-01T09:00:10|2026-04-01T09:00:40|2026-04-01T10:00:30|
";
    let expected = records(rows);
    assert_eq!((expected.len(), expected[0].nodes, expected[1].job), (2, Some(2), 11));
    let quoted: String = rows
        .lines()
        .map(|line| line.split('|').map(|field| format!("\"{field}\"")).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    assert_eq!(records(&quoted), expected);
    assert_eq!(records(&rows.replace('|', "\t")), expected);
    let widths = [8, 8, 8, 8, 9, 22, 10, 19, 19, 19, 19, 12];
    let line = |fields: Vec<&str>| {
        let cells = fields.iter().zip(widths).map(|(field, width)| format!("{field:>width$}"));
        cells.collect::<Vec<_>>().join(" ") + "\n"
    };
    let mut lines = rows.lines().map(|row| line(row.split('|').collect()));
    let dashes = widths.map(|width| "-".repeat(width));
    let header = lines.next().unwrap() + &line(dashes.iter().map(String::as_str).collect());
    assert_eq!(records(&(header + &lines.collect::<String>())), expected);
    let json = r#"{"meta": {}, "errors": [], "jobs": [
        {"job_id": 7, "name": "sleep", "account": "lab", "partition": "cpu", "array": {"job_id": 0, "task_id": {"set": false, "infinite": false, "number": 0}, "task": ""},
         "state": {"current": ["COMPLETED"], "reason": "None"}, "allocation_nodes": 2, "steps": [{"any": 1}],
         "time": {"submission": 1775034000, "eligible": 1775034000, "start": 1775034030, "end": 1775037630, "elapsed": 3600, "suspended": 0, "limit": {"set": true, "infinite": false, "number": 90}},
         "tres": {"allocated": [{"type": "cpu", "name": "", "id": 1, "count": 4}, {"type": "mem", "name": "", "id": 2, "count": 2048}, {"type": "node", "name": "", "id": 4, "count": 2}], "requested": []}},
        {"job_id": 11, "name": "x", "account": "lab", "partition": "cpu", "array": {"job_id": 9, "task_id": 2},
         "state": {"current": "FAILED"}, "allocation_nodes": 1, "required": {"CPUs": 0, "memory": -9223372036854775296}, "reservation": {"id": 0, "name": 0},
         "time": {"submission": 1775034010, "eligible": 1775034010, "start": 1775034040, "end": 1775037630, "elapsed": 3590, "limit": {"set": false, "infinite": true, "number": 0}},
         "tres": {"allocated": [{"type": "cpu", "name": "", "count": 1}, {"type": "energy", "name": "", "count": -2}, {"type": "node", "count": 1}]}}
    ]}"#;
    assert_eq!(records(json), expected);
}

#[test]
fn other_layouts_are_refused_with_the_reason() {
    let error =
        |text: &str| slurm::read_text(text, "log", Strictness::Lenient).map(drop).unwrap_err().to_string();
    assert_eq!(
        error(r#"{"jobs": [{"job_id": 1, "submit_time": 5}]}"#),
        "log:1: not the output of `sacct --json`: jobs[0] has no member `time`; it is the output of squeue or scontrol"
    );
    assert!(error("{\"jobs\": [\n{]}").starts_with("log:2: not the output of `sacct --json`: "));
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
