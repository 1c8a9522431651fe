//! Benchmarks of complete simulations under batch policies: `cargo bench -p dfrsim-policies`.
//!
//! The logs are read once, outside the timed section. If a log is missing, the benchmark reports
//! this and is skipped. Throughput is given in jobs.

use dfrsim_cluster::{EstimateModel, JobRecord, NeedModel, Observer, Occurrence, Options, Overrun, simulate};
use dfrsim_model::{Job, Seed, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions};
use dfrsim_workload::cut::Selection;
use dfrsim_workload::prepare::{self, Rule, Rules};
use dfrsim_workload::traces;
use divan::Bencher;
use divan::counter::ItemsCount;
use std::path::Path;
use std::sync::LazyLock;

fn main() {
    divan::main();
}

const HPC2N_PROCESSORS: u32 = 240;
static HPC2N: LazyLock<Option<Vec<Job>>> =
    LazyLock::new(|| read("HPC2N-2002-2.1-cln.swf.gz", HPC2N_PROCESSORS, None));

const CTC_PROCESSORS: u32 = 338;
static CTC: LazyLock<Option<Vec<Job>>> =
    LazyLock::new(|| read("CTC-SP2-1996-3.1-cln.swf.gz", CTC_PROCESSORS, Some(10_000)));

const EXACT: Options = options(EstimateModel::Exact, Overrun::Extend);
const REQUESTED_KILL: Options = options(EstimateModel::Requested, Overrun::Kill);
const REQUESTED_EXTEND: Options = options(EstimateModel::Requested, Overrun::Extend);

const fn options(estimates: EstimateModel, overrun: Overrun) -> Options {
    let (needs, discovery) = (NeedModel::Exact, None);
    let (seed, penalty, epilog) = (Seed::new(1), SimSpan::ZERO, SimSpan::ZERO);
    Options {
        penalty,
        estimates,
        overrun,
        epilog,
        seed,
        needs,
        discovery,
        clock: None,
        outages: None,
        unequal: None,
        weights: None,
        texts: None,
        beginning: None,
    }
}

fn read(log: &str, processors: u32, first: Option<u64>) -> Option<Vec<Job>> {
    let base = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."));
    let Ok(path) = traces::locate_from(base, log) else {
        println!("skipped: no trace {log}");
        return None;
    };
    let options = prepare::Options {
        rules: Rules { zero_run: Rule::Clamp, ..Rules::default() },
        select: Selection { first, ..Selection::default() },
        units: Some(processors),
        ..prepare::Options::default()
    };
    Some(prepare::read_jobs(&path, &options).unwrap().0)
}

/// Sum of the wait times of all jobs in seconds, so that the simulation has a result.
#[derive(Default)]
struct Waits(f64);

impl Observer for Waits {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Completed(record) = occurrence {
            self.0 += JobRecord::wait(record).as_secs_f64();
        }
    }
}

fn run(
    bencher: Bencher<'_, '_>,
    policy: &str,
    options: &Options,
    processors: u32,
    jobs: &(impl Iterator<Item = Job> + Clone + Sync),
) {
    let policy: Policy = policy.parse().unwrap();
    bencher.counter(ItemsCount::new(jobs.clone().count())).bench(|| {
        let mut waits = Waits::default();
        simulate(
            processors,
            options,
            jobs.clone(),
            &mut *policy.scheduler(processors, &PolicyOptions::default()),
            &mut waits,
        )
        .unwrap();
        waits.0
    });
}

/// Simulates the complete HPC2N log: 202,876 jobs over 3.5 years.
#[divan::bench(args = ["FCFS", "EASY", "EASY/ORDER=SJF"])]
fn whole_hpc2n(bencher: Bencher<'_, '_>, policy: &str) {
    let Some(jobs) = &*HPC2N else { return };
    run(bencher, policy, &REQUESTED_EXTEND, HPC2N_PROCESSORS, &jobs.iter().cloned());
}

/// Simulates ten copies of the HPC2N log in succession: the time per job must not grow with the
/// length of the log.
#[divan::bench(args = ["EASY"], sample_count = 10)]
fn ten_times_hpc2n(bencher: Bencher<'_, '_>, policy: &str) {
    let Some(jobs) = &*HPC2N else { return };
    let length = jobs[jobs.len() - 1].submit.micros();
    let shifted = (0..10).flat_map(|time| {
        let later = SimSpan::from_micros(time * length);
        jobs.iter().map(move |job| Job { submit: job.submit + later, ..job.clone() })
    });
    run(bencher, policy, &REQUESTED_EXTEND, HPC2N_PROCESSORS, &shifted);
}

#[divan::bench_group(sample_count = 10)]
mod ten_thousand_jobs_of_ctc {
    use super::*;

    fn ctc(bencher: Bencher<'_, '_>, policy: &str, options: &Options) {
        let Some(jobs) = &*CTC else { return };
        run(bencher, policy, options, CTC_PROCESSORS, &jobs.iter().cloned());
    }

    #[divan::bench(args = ["CONS", "CONS/REPLAN"])]
    fn exact(bencher: Bencher<'_, '_>, policy: &str) {
        ctc(bencher, policy, &EXACT);
    }

    #[divan::bench(args = ["CONS", "CONS/REPLAN"])]
    fn requested_kill(bencher: Bencher<'_, '_>, policy: &str) {
        ctc(bencher, policy, &REQUESTED_KILL);
    }

    #[divan::bench(args = ["CONS", "CONS/REPLAN"])]
    fn requested_extend(bencher: Bencher<'_, '_>, policy: &str) {
        ctc(bencher, policy, &REQUESTED_EXTEND);
    }
}
