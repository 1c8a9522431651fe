//! Tests the generator against values measured with the authors' reference program (128 nodes).
//!
//! A value is a mean with its own standard deviation, over 1,000 workloads there and some hundred
//! here. The two may differ by four standard deviations of their difference, plus half of the last
//! printed digit.

use dfrsim_model::Seed;
use dfrsim_workload::lublin::{Arrival, Class, LublinParameters, Mode, arrivals};

const NODES: f64 = 128.0;

fn seconds(arrival: &Arrival) -> f64 {
    arrival.run_time.as_secs_f64()
}
fn size(arrival: &Arrival) -> f64 {
    f64::from(arrival.size)
}
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}
/// Returns the standard deviation of a sample.
fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values.iter().copied());
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}
fn fraction(jobs: &[Arrival], holds: impl Fn(&Arrival) -> bool) -> f64 {
    jobs.iter().filter(|job| holds(job)).count() as f64 / jobs.len() as f64
}

/// A statistic of one workload, with the reference program's mean, standard deviation and last
/// digit.
type Statistic = (&'static str, fn(&[Arrival]) -> f64, f64, f64, f64);

fn days(jobs: &[Arrival]) -> f64 {
    jobs[jobs.len() - 1].submit.as_secs_f64() / 86_400.0
}
fn load(jobs: &[Arrival]) -> f64 {
    jobs.iter().map(|job| size(job) * seconds(job)).sum::<f64>() / (NODES * days(jobs) * 86_400.0)
}
fn mean_size(jobs: &[Arrival]) -> f64 {
    mean(jobs.iter().map(size))
}
fn mean_run_time(jobs: &[Arrival]) -> f64 {
    mean(jobs.iter().map(seconds))
}
fn serial(jobs: &[Arrival]) -> f64 {
    fraction(jobs, |job| job.size == 1)
}
fn batch(jobs: &[Arrival]) -> f64 {
    fraction(jobs, |job| job.class == Class::Batch)
}

fn check(mode: Mode, statistics: &[Statistic]) {
    const SEEDS: u64 = 500;
    let parameters = LublinParameters { mode, ..LublinParameters::default() };
    let workloads: Vec<Vec<Arrival>> = (0..SEEDS)
        .map(|number| {
            let seed = Seed::new(2003).fork("statistics").numbered(number);
            arrivals(&parameters, seed).take(1_000).collect()
        })
        .collect();
    for &(name, statistic, expected, spread, digit) in statistics {
        let values: Vec<f64> = workloads.iter().map(|jobs| statistic(jobs)).collect();
        let found = mean(values.iter().copied());
        let found_spread = deviation(&values);
        let tolerance = 4.0 * spread * (1.0 / SEEDS as f64 + 1e-3).sqrt() + digit / 2.0;
        println!(
            "{mode} {name}: {found:.4} +- {found_spread:.4}, expected {expected} +- {spread} ({tolerance:.4})"
        );
        assert!((found - expected).abs() < tolerance, "{mode} {name}: {found}, expected {expected}");
        assert!(
            (found_spread / spread - 1.0).abs() < 0.25,
            "{mode} {name}: deviation {found_spread}, expected {spread}"
        );
    }
}

#[test]
fn typed_workloads() {
    check(
        Mode::Typed,
        &[
            ("span, days", days, 6.07, 1.78, 0.01),
            ("load", load, 0.450, 0.221, 0.001),
            ("mean size", mean_size, 8.98, 0.59, 0.01),
            ("mean run time", mean_run_time, 1_717.0, 686.0, 1.0),
            ("serial fraction", serial, 0.177, 0.016, 0.001),
            ("batch fraction", batch, 0.160, 0.071, 0.001),
        ],
    );
}

#[test]
fn typeless_workloads() {
    check(
        Mode::Typeless,
        &[
            ("span, days", days, 10.6, 2.37, 0.1),
            ("load", load, 0.751, 0.178, 0.001),
            ("mean size", mean_size, 12.14, 0.67, 0.01),
            ("mean run time", mean_run_time, 4_370.0, 262.0, 1.0),
            ("serial fraction", serial, 0.244, 0.014, 0.001),
        ],
    );
}

/// Compares a mean of `values` with that of `reference` draws of the reference program, printed to
/// `digit`.
fn check_mean(name: &str, values: &[f64], expected: f64, reference: f64, digit: f64) {
    let found = mean(values.iter().copied());
    let tolerance =
        4.0 * deviation(values) * (1.0 / values.len() as f64 + 1.0 / reference).sqrt() + digit / 2.0;
    println!("{name}: {found:.4}, expected {expected} ({tolerance:.4})");
    assert!((found - expected).abs() < tolerance, "{name}: {found}, expected {expected}");
}

/// Compares a fraction of `count` jobs with that of the reference program's long runs, printed to
/// `digit`.
fn check_share(name: &str, found: f64, expected: f64, count: usize, digit: f64) {
    let tolerance =
        4.0 * (expected * (1.0 - expected) * (1.0 / count as f64 + 1.0 / MILLIONS)).sqrt() + digit / 2.0;
    println!("{name}: {found:.6}, expected {expected} ({tolerance:.6})");
    assert!((found - expected).abs() < tolerance, "{name}: {found}, expected {expected}");
}

/// Number of jobs in the reference program's long runs.
const MILLIONS: f64 = 4e6;

fn gaps(jobs: &[Arrival]) -> Vec<f64> {
    let starts = [0.0].into_iter().chain(jobs.iter().map(|job| job.submit.as_secs_f64()));
    jobs.iter().zip(starts).map(|(job, last)| job.submit.as_secs_f64() - last).collect()
}

#[test]
fn two_million_typeless_jobs() {
    const JOBS: usize = 2_000_000;
    let parameters = LublinParameters { mode: Mode::Typeless, ..LublinParameters::default() };
    let jobs: Vec<Arrival> = arrivals(&parameters, Seed::new(2003).fork("millions")).take(JOBS).collect();
    check_mean("size", &jobs.iter().map(size).collect::<Vec<_>>(), 12.150, MILLIONS, 0.001);
    check_mean("run time", &jobs.iter().map(seconds).collect::<Vec<_>>(), 4_353.8, MILLIONS, 0.1);
    check_mean("inter-arrival time", &gaps(&jobs), 911.8, MILLIONS, 0.1);
    for (size, percent) in
        [(1, 24.40), (2, 11.54), (4, 14.93), (8, 14.12), (16, 13.76), (32, 3.27), (64, 3.25), (128, 1.63)]
    {
        let found = fraction(&jobs, |job| job.size == size);
        check_share(&format!("P(size = {size})"), found, percent / 100.0, JOBS, 1e-4);
    }
    // Quantiles are in whole seconds: the fraction of shorter jobs is below the quantile's, that of
    // jobs that are at most as long is not.
    for (share, quantile) in [(0.10, 7.0), (0.50, 107.0), (0.90, 14_623.0), (0.99, 33_901.0)] {
        let tolerance = 4.0 * (share * (1.0 - share) * (1.0 / JOBS as f64 + 1.0 / MILLIONS)).sqrt();
        let shorter = fraction(&jobs, |job| seconds(job) < quantile);
        let at_most = fraction(&jobs, |job| seconds(job) <= quantile);
        println!("{share} lies between {shorter:.6} and {at_most:.6} ({tolerance:.6})");
        assert!(shorter - tolerance < share && share < at_most + tolerance, "quantile {share}");
    }
}

#[test]
fn the_two_streams_of_the_typed_mode() {
    let jobs: Vec<Arrival> =
        arrivals(&LublinParameters::default(), Seed::new(2003).fork("streams")).take(2_000_000).collect();
    for (class, mean_size, size_digit, run_time, gap) in [
        (Class::Batch, 13.92, 0.01, (9_521.0, 1.0), (3_538.0, 1.0)),
        (Class::Interactive, 8.05, 0.01, (240.5, 0.1), (621.1, 0.1)),
    ] {
        let jobs: Vec<Arrival> = jobs.iter().filter(|job| job.class == class).cloned().collect();
        // The number of jobs behind the reference values is not known; it is assumed to equal the
        // number here.
        let reference = jobs.len() as f64;
        check_mean(
            &format!("{class} size"),
            &jobs.iter().map(size).collect::<Vec<_>>(),
            mean_size,
            reference,
            size_digit,
        );
        check_mean(
            &format!("{class} run time"),
            &jobs.iter().map(seconds).collect::<Vec<_>>(),
            run_time.0,
            reference,
            run_time.1,
        );
        check_mean(&format!("{class} inter-arrival time"), &gaps(&jobs), gap.0, reference, gap.1);
    }
}
