//! Tests the lower bounds of the dissertation on non-clairvoyant scheduling (section 5.1.2, theorems
//! 3 and 4, and its statement on FCFS) in simulations.
//!
//! The proofs divide a node exactly. Here a share is rounded down to k / 2^20, so with n jobs it is
//! too small by at most n / 2^20 of itself. A job takes longer by as much, and by a microsecond
//! where a completion is rounded up. Jobs that end too late delay others, so the errors of n
//! completions may add up: figures are compared with a relative tolerance of n^2 / 2^20.

use crate::support::{job, schedule};
use dfrsim_bound::max_stretch_bound;
use dfrsim_cluster::Options;
use dfrsim_model::{Job, SimSpan, SimTime, stretch};
use proptest::prelude::*;

fn serial_jobs(releases_and_run_times: &[(f64, f64)]) -> Vec<Job> {
    let micros = |seconds: f64| SimSpan::try_from_secs_f64(seconds).unwrap();
    let jobs = releases_and_run_times.iter().zip(1..).map(|(&(release, run), id)| Job {
        submit: SimTime::ZERO + micros(release),
        run_time: micros(run),
        ..job(id, (0, 1, 1, 0))
    });
    jobs.collect()
}

/// Returns the stretch of each job under EQUIPARTITION on one node.
fn stretches(jobs: &[Job]) -> Vec<f64> {
    let records = schedule("EQUIPARTITION", 1, &Options::default(), jobs.to_vec());
    records.iter().map(|record| stretch::stretch(record.turnaround(), record.run_time)).collect()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn assert_near(found: f64, expected: f64, jobs: usize) {
    let tolerance = (jobs * jobs) as f64 / f64::from(1 << 20);
    assert!((found / expected - 1.0).abs() <= tolerance, "{found} is not {expected} for {jobs} jobs");
}

fn lower_bound(jobs: &[Job]) -> f64 {
    max_stretch_bound(jobs, 1, SimSpan::ZERO).value
}

/// Theorem 3: n jobs arrive together, with run times 1, L, L^2, ... A non-clairvoyant algorithm
/// cannot distinguish them before time n. EQUIPARTITION ends the shortest at n, with stretch n. In
/// the order of length, the i-th job ends at (L^i - 1) / (L - 1), which is hardly more than its own
/// run time for large L.
#[test]
fn theorem_3_no_algorithm_is_better_than_n_times_the_optimum() {
    for n in 2..=6_usize {
        let ratio = 100.0_f64;
        let run_times: Vec<f64> = (0..n).map(|power| ratio.powi(power as i32)).collect();
        let jobs = serial_jobs(&run_times.iter().map(|&run| (0.0, run)).collect::<Vec<_>>());
        let found = stretches(&jobs);
        assert_near(found[0], n as f64, n);
        assert_near(largest(&found), n as f64, n);
        let mut end = 0.0;
        let stretch_of = |run: &f64| {
            end += run;
            end / run
        };
        let alternative = run_times.iter().map(stretch_of).fold(0.0, f64::max);
        assert!(alternative <= ratio / (ratio - 1.0));
        assert!(lower_bound(&jobs) <= alternative * (1.0 + 1e-9));
        assert!(largest(&found) / alternative >= n as f64 * (1.0 - 2.0 / ratio));
    }
}

/// Creates the instance of theorem 4: two jobs of n - 1 at 0, then each job i of (n - 1) / (i - 1)
/// when its predecessor could have ended: r(i) = r(i - 1) + p(i - 1). All jobs end together under
/// EQUIPARTITION, at r(n) + n, which is returned too.
fn theorem_4(n: usize) -> (Vec<(f64, f64)>, f64) {
    let run_time = |i: usize| (n - 1) as f64 / (i.max(2) - 1) as f64;
    let mut rows = vec![(0.0, run_time(1)), (0.0, run_time(2))];
    for i in 3..=n {
        let (release, run) = rows[i - 2];
        rows.push((release + run, run_time(i)));
    }
    let end = rows[n - 1].0 + n as f64;
    (rows, end)
}

#[test]
fn theorem_4_equipartition_against_the_spread_of_run_times() {
    for n in [2, 3, 4, 5, 8, 16, 40] {
        let (rows, end) = theorem_4(n);
        let jobs = serial_jobs(&rows);
        let records = schedule("EQUIPARTITION", 1, &Options::default(), jobs.clone());
        for record in &records {
            assert_near(record.end.as_secs_f64(), end, n);
        }
        let found = stretches(&jobs);
        assert_near(found[n - 1], n as f64, n);
        assert_near(largest(&found), n as f64, n);

        // The other schedule runs jobs 2 to n as they arrive, each at full speed, and job 1 last.
        let total: f64 = rows.iter().map(|(_, run)| run).sum();
        let alternative = total / rows[0].1;
        let harmonic: f64 = (2..n).map(|i| 1.0 / i as f64).sum();
        assert!((alternative - (2.0 + harmonic)).abs() < 1e-9);
        assert!(lower_bound(&jobs) <= alternative * (1.0 + 1e-6));

        let delta = rows[0].1 / rows[n - 1].1;
        let ratio = (delta + 1.0) / (2.0 + delta.ln());
        assert!(largest(&found) / alternative >= ratio * (1.0 - (n * n) as f64 / f64::from(1 << 20)));
    }
}

/// The converse of theorem 4: EQUIPARTITION never gives a job less than 1/n, so no stretch is above
/// n.
#[test]
fn theorem_4_no_stretch_is_above_the_number_of_jobs() {
    for n in [3, 7, 20] {
        // Pairs of jobs arrive each second while others run; run times spread over three decades.
        let rows: Vec<(f64, f64)> = (0..n).map(|i| (f64::from(i / 2), 1.3_f64.powi(i * 7 % 26))).collect();
        let most = largest(&stretches(&serial_jobs(&rows)));
        assert!(most <= f64::from(n) * (1.0 + f64::from(n * n) / f64::from(1 << 20)), "{most}");
    }
}

/// Returns the largest stretch under FCFS on one node.
fn fcfs(jobs: &[Job]) -> f64 {
    let records = schedule("FCFS", 1, &Options::default(), jobs.to_vec());
    let stretches = records.iter().map(|it| stretch::stretch(it.turnaround(), it.run_time));
    stretches.fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(1000)))]

    /// FCFS is Delta-competitive: never worse than the optimum times the ratio of the longest to the
    /// shortest run time. On one shared node the bound is the optimum; it is computed to one
    /// ten-thousandth.
    #[test]
    fn fcfs_is_never_worse_than_delta_times_the_optimum(
        rows in proptest::collection::vec((0_u32..200, 1_u32..100), 1..12),
    ) {
        let rows: Vec<(f64, f64)> = rows.iter().map(|&(release, run)| (release.into(), run.into())).collect();
        let mut rows = rows;
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let jobs = serial_jobs(&rows);
        let runs = || rows.iter().map(|(_, run)| *run);
        let delta = runs().fold(0.0, f64::max) / runs().fold(f64::INFINITY, f64::min);
        let (found, optimum) = (fcfs(&jobs), lower_bound(&jobs));
        prop_assert!(found <= delta * optimum * 1.0001, "{} > {} * {}", found, delta, optimum);
    }
}

/// The factor Delta is tight: a short job that arrives just after a job that is Delta times as long
/// waits for it, while the optimum runs it first.
#[test]
fn fcfs_comes_as_near_to_delta_as_one_likes() {
    for delta in [2.0, 10.0, 1000.0] {
        let jobs = serial_jobs(&[(0.0, delta), (0.0001, 1.0)]);
        let ratio = fcfs(&jobs) / lower_bound(&jobs);
        assert!((ratio / delta - 1.0).abs() < 0.001, "{ratio} is not {delta}");
    }
}
