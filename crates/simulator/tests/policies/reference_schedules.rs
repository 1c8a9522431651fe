//! Tests that the schedules of FCFS, EASY and CONS equal those of established simulators, job by
//! job.

use crate::support::schedule;
use dfrsim_cluster::{EstimateModel, Options, Overrun};
use dfrsim_model::{Job, SimTime};
use dfrsim_workload::cut::Selection;
use dfrsim_workload::prepare::{self, Rule, Rules, SizeField};
use dfrsim_workload::traces;
use flate2::read::GzDecoder;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A log whose first 1,000 jobs were scheduled by other simulators.
#[derive(Clone, Copy)]
enum Log {
    /// A synthetic log, which is therefore part of the repository.
    Lublin,
    Hpc2n,
    Ctc,
}

const REAL: [Log; 2] = [Log::Hpc2n, Log::Ctc];

#[derive(serde::Deserialize)]
struct ReferenceRow {
    job_id: u64,
    submit: u64,
    start: u64,
    end: u64,
    procs: u32,
}

fn reference_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("policies/reference").join(name)
}

fn reference(name: &str) -> Vec<ReferenceRow> {
    let file = GzDecoder::new(File::open(reference_file(&format!("{name}.csv.gz"))).unwrap());
    csv::Reader::from_reader(file).deserialize().collect::<Result<_, _>>().unwrap()
}

impl Log {
    fn name(self) -> &'static str {
        match self {
            Log::Lublin => "lublin",
            Log::Hpc2n => "hpc2n",
            Log::Ctc => "ctc",
        }
    }

    fn path(self) -> PathBuf {
        let file = match self {
            Log::Lublin => return reference_file("lublin-1k.swf.gz"),
            Log::Hpc2n => "HPC2N-2002-2.1-cln.swf.gz",
            Log::Ctc => "CTC-SP2-1996-3.1-cln.swf.gz",
        };
        let base = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."));
        traces::locate_from(base, file).unwrap_or_else(|missing| panic!("{missing}"))
    }

    fn processors(self) -> u32 {
        match self {
            Log::Lublin => 128,
            Log::Hpc2n => 240,
            Log::Ctc => 338,
        }
    }

    /// Reads the first 1,000 jobs with the rules of the reference simulators.
    fn jobs(self) -> Vec<Job> {
        let skip = if matches!(self, Log::Hpc2n) { 5 } else { 0 };
        let options = prepare::Options {
            size: SizeField::Allocated,
            rules: Rules { zero_run: Rule::Clamp, ..Rules::default() },
            select: Selection { skip, first: Some(1000), ..Selection::default() },
            units: Some(self.processors()),
            ..prepare::Options::default()
        };
        prepare::read_jobs(&self.path(), &options).unwrap().0
    }
}

fn compare(policies: &[&str], logs: &[Log], estimates: &str, options: &Options) {
    for log in logs {
        let jobs = log.jobs();
        for policy in policies {
            let name = format!("{}-{}-1k-{estimates}", policy.to_lowercase(), log.name());
            let expected = reference(&name);
            assert_eq!(expected.len(), jobs.len());
            let records = schedule(policy, log.processors(), options, jobs.clone());
            for (row, record) in expected.iter().zip(&records) {
                let ours = (record.id.0, record.submit, record.start, record.end, record.tasks);
                let second = SimTime::from_secs;
                let theirs = (row.job_id, second(row.submit), second(row.start), second(row.end), row.procs);
                assert_eq!(ours, theirs, "{name}");
            }
        }
    }
}

fn exact_estimates(logs: &[Log]) {
    compare(&["FCFS", "EASY", "CONS"], logs, "exact", &Options::default());
}

fn requested_times_and_killed_there(logs: &[Log]) {
    let options =
        Options { estimates: EstimateModel::Requested, overrun: Overrun::Kill, ..Options::default() };
    compare(&["FCFS", "EASY"], logs, "requested-kill", &options);
}

#[test]
fn exact_estimates_on_a_synthetic_log() {
    exact_estimates(&[Log::Lublin]);
}

#[test]
fn requested_times_and_killed_there_on_a_synthetic_log() {
    requested_times_and_killed_there(&[Log::Lublin]);
}

/// Every job ends before its estimate, so that conservative schedules are compressed at every job
/// end.
#[test]
fn estimates_of_twice_the_run_time_on_a_synthetic_log() {
    let options = Options { estimates: EstimateModel::Factor(2.0), ..Options::default() };
    compare(&["EASY", "CONS"], &[Log::Lublin], "doubled", &options);
}

#[test]
#[ignore = "needs logs: HPC2N and CTC"]
fn exact_estimates_on_real_logs() {
    exact_estimates(&REAL);
}

#[test]
#[ignore = "needs logs: HPC2N and CTC"]
fn requested_times_and_killed_there_on_real_logs() {
    requested_times_and_killed_there(&REAL);
}
