//! Job by job, the schedules of FCFS, EASY and CONS are those of established simulators.

mod support;

use dfrsim_cluster::{EstimateModel, Options, Overrun};
use dfrsim_model::{Job, SimTime};
use dfrsim_workload::cut::Selection;
use dfrsim_workload::prepare::{self, Rule, Rules, SizeField};
use dfrsim_workload::traces;
use flate2::read::GzDecoder;
use std::fs::File;
use std::path::Path;
use support::schedule;

#[derive(serde::Deserialize)]
struct ReferenceRow {
    job_id: u64,
    submit: u64,
    start: u64,
    end: u64,
    procs: u32,
}

fn reference(name: &str) -> Vec<ReferenceRow> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(format!("{name}.csv.gz"));
    let file = GzDecoder::new(File::open(path).unwrap());
    csv::Reader::from_reader(file).deserialize().collect::<Result<_, _>>().unwrap()
}

/// The first 1,000 jobs as the references read them; nothing without the log.
fn log_jobs(log: &str) -> Option<(Vec<Job>, u32)> {
    let (file, skip, processors) = match log {
        "hpc2n" => ("HPC2N-2002-2.1-cln.swf.gz", 5, 240),
        _ => ("CTC-SP2-1996-3.1-cln.swf.gz", 0, 338),
    };
    let base = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."));
    let Ok(path) = traces::locate_from(base, file) else {
        println!("skipped: no trace {file}");
        return None;
    };
    let options = prepare::Options {
        size: SizeField::Allocated,
        rules: Rules { zero_run: Rule::Clamp, ..Rules::default() },
        select: Selection { skip, first: Some(1000), ..Selection::default() },
        units: Some(processors),
        ..prepare::Options::default()
    };
    Some((prepare::read_jobs(&path, &options).unwrap().0, processors))
}

fn compare(policy: &str, log: &str, estimates: &str, options: &Options) {
    let Some((jobs, processors)) = log_jobs(log) else { return };
    let name = format!("{}-{log}-1k-{estimates}", policy.to_lowercase());
    let expected = reference(&name);
    assert_eq!(expected.len(), jobs.len());
    let records = schedule(policy, processors, options, jobs);
    for (row, record) in expected.iter().zip(&records) {
        let ours = (record.id.0, record.submit, record.start, record.end, record.tasks);
        let second = SimTime::from_secs;
        let theirs = (row.job_id, second(row.submit), second(row.start), second(row.end), row.procs);
        assert_eq!(ours, theirs, "{name}");
    }
}

#[test]
fn exact_estimates() {
    for policy in ["FCFS", "EASY", "CONS"] {
        for log in ["hpc2n", "ctc"] {
            compare(policy, log, "exact", &Options::default());
        }
    }
}

#[test]
fn requested_times_and_killed_there() {
    let options =
        Options { estimates: EstimateModel::Requested, overrun: Overrun::Kill, ..Options::default() };
    for policy in ["FCFS", "EASY"] {
        for log in ["hpc2n", "ctc"] {
            compare(policy, log, "requested-kill", &options);
        }
    }
}
