//! Benchmarks of the lower bound: `cargo bench -p dfrsim-bound`.

#[path = "../tests/bound/weeks.rs"]
mod weeks;

use dfrsim_bound::max_stretch_bound;
use dfrsim_model::{Job, JobId, Seed, Share, SimSpan, SimTime};
use divan::Bencher;
use rand::RngExt;

const TAU: SimSpan = SimSpan::from_secs(10);

fn main() {
    divan::main();
}

/// Returns the weeks of the log; prints a note and returns `None` if the log is missing.
fn weeks() -> Option<Vec<Vec<Job>>> {
    weeks::weeks().inspect_err(|missing| println!("skipped: {missing}")).ok()
}

/// Computes the bound of the week with the most jobs.
#[divan::bench]
fn largest_week(bencher: Bencher<'_, '_>) {
    let Some(week) = weeks().and_then(|weeks| weeks.into_iter().max_by_key(Vec::len)) else { return };
    bencher.bench(|| max_stretch_bound(&week, weeks::NODES, TAU));
}

#[divan::bench(sample_count = 1)]
fn all_weeks(bencher: Bencher<'_, '_>) {
    let Some(weeks) = weeks() else { return };
    bencher.bench(|| weeks.iter().map(|week| max_stretch_bound(week, weeks::NODES, TAU).value).sum::<f64>());
}

/// Computes the bound of `count` random jobs. Their run times span four decades, so that almost any
/// job can conflict with any other.
#[divan::bench(args = [1_000, 4_000])]
fn crowded(bencher: Bencher<'_, '_>, count: u64) {
    let mut rng = Seed::new(1).fork("crowded").rng();
    let mut jobs: Vec<Job> = (0..count)
        .map(|id| Job {
            id: JobId(id),
            submit: SimTime::from_secs(rng.random_range(0..count * 10)),
            tasks: rng.random_range(1..=32),
            cpu_need: Share::from_ratio(rng.random_range(1..=4), 4),
            run_time: SimSpan::from_secs(10_f64.powf(rng.random_range(1.0..5.0)) as u64),
            ..Job::default()
        })
        .collect();
    jobs.sort_by_key(|job| job.submit);
    bencher.bench(|| max_stretch_bound(&jobs, 128, TAU));
}
