//! Benchmark of the largest workload of the study, half a year of Bordeaux, CTC and SDSC: `cargo
//! bench -p dfrsim-paper-reallocation`.
//!
//! If the CTC or SDSC log is missing, the benchmark reports this and is skipped.

use dfrsim_cluster::EstimateModel;
use dfrsim_model::{Job, JobId, Seed, Share, SimSpan, SimTime};
use dfrsim_paper_reallocation::engine::month::{Month, merge};
use dfrsim_paper_reallocation::engine::{
    Algorithm, Backfilling, ClusterSpec, Compression, Conditions, GridJob, Heuristic, JobTraits, Options,
    Platform, Reallocation, Speed, simulate,
};
use dfrsim_workload::prepare::{self, Rule, Rules};
use dfrsim_workload::traces;
use divan::Bencher;
use divan::counter::ItemsCount;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::LazyLock;

fn main() {
    divan::main();
}

const CLUSTERS: [(&str, u32); 3] = [("bordeaux", 640), ("ctc", 430), ("sdsc", 128)];
const LOGS: [&str; 2] = ["CTC-SP2-1996-3.1-cln.swf.gz", "SDSC-SP2-1998-4.2-cln.swf.gz"];
/// Number of days and of jobs of Bordeaux per month, January to June.
const MONTHS: [(u64, usize); 6] =
    [(31, 13_084), (29, 5_822), (31, 11_673), (30, 33_250), (31, 6_765), (30, 4_094)];
const DAY: u64 = 86_400;

static JOBS: LazyLock<Option<Vec<GridJob>>> = LazyLock::new(|| {
    let mut jobs = Vec::new();
    let mut begin = SimTime::ZERO;
    for (number, (days, count)) in (0..).zip(MONTHS) {
        let length = SimSpan::from_secs(days * DAY);
        let cores = NonZeroU32::new(CLUSTERS[0].1).unwrap();
        let month = Month { cores, model_cores: None, jobs: count, length, max_load: 0.9 };
        let of_month = month.jobs(Seed::new(1).numbered(number)).into_iter();
        jobs.extend(of_month.map(|job| GridJob {
            id: JobId(0),
            submit: begin + job.submit,
            width: job.width,
            run: job.run,
            walltime: SimSpan::ZERO,
            home: None,
            site: None,
            traits: JobTraits::default(),
        }));
        begin = begin + length;
    }
    for log in LOGS {
        jobs.extend(read(log, begin)?);
    }
    let mut jobs = merge(jobs);
    for job in jobs.iter_mut().filter(|job| job.walltime.is_zero()) {
        job.walltime = walltime(job);
    }
    Some(jobs)
});

/// Reads the jobs of a log that are submitted before `end`, where the first job is submitted at time
/// 0. Returns `None` if the log is missing.
fn read(log: &str, end: SimTime) -> Option<Vec<GridJob>> {
    let base = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."));
    let Ok(path) = traces::locate_from(base, log) else {
        println!("skipped: no trace {log}");
        return None;
    };
    let rules = Rules { zero_run: Rule::Clamp, ..Rules::default() };
    let (jobs, _) =
        prepare::read_jobs(&path, &prepare::Options { rules, ..prepare::Options::default() }).unwrap();
    let first = jobs[0].submit;
    let of_log = jobs.iter().map(|job| GridJob {
        id: job.id,
        submit: SimTime::ZERO + job.submit.since(first),
        width: job.tasks,
        run: job.run_time,
        walltime: job.requested_time.unwrap_or(SimSpan::ZERO),
        home: None,
        site: None,
        traits: JobTraits::default(),
    });
    Some(of_log.take_while(|job| job.submit < end).collect())
}

fn walltime(job: &GridJob) -> SimSpan {
    let GridJob { id, submit, width, run, .. } = *job;
    let (need, memory) = (Share::ONE, Share::ZERO);
    let job = Job { id, submit, tasks: width, cpu_need: need, memory, run_time: run, ..Job::default() };
    EstimateModel::Random(5.0).estimate(&job, Seed::new(1)).unwrap()
}

/// Simulates reallocation with cancellation on homogeneous clusters.
#[divan::bench(args = [
    (Backfilling::Conservative(Compression::OneByOne), Heuristic::Mct),
    (Backfilling::Conservative(Compression::OneByOne), Heuristic::MaxRelGain),
    (Backfilling::Conservative(Compression::OneByOne), Heuristic::Sufferage),
    (Backfilling::Fcfs, Heuristic::MaxRelGain),
], sample_count = 3, sample_size = 1)]
fn half_a_year(bencher: Bencher<'_, '_>, (local, heuristic): (Backfilling, Heuristic)) {
    let Some(jobs) = &*JOBS else { return };
    let spec = |(name, cores): (&str, u32)| ClusterSpec {
        name: name.to_owned(),
        cores,
        speed: Speed::ONE,
        local: None,
        conditions: Conditions::default(),
    };
    let platform = Platform::new(CLUSTERS.map(spec).to_vec(), local).unwrap();
    let reallocation = Some(Reallocation::hourly(Algorithm::With, heuristic));
    let options = Options { reallocation, ..Options::default() };
    bencher.counter(ItemsCount::new(jobs.len())).bench(|| simulate(&platform, jobs, &options, ()).unwrap());
}
