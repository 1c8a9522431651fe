//! Tests preemption where it costs more than it gains: memory forbids sharing, and no job is longer
//! than a penalty.

use crate::support::schedule;
use dfrsim_cluster::Options;
use dfrsim_model::{Job, JobId, Seed, Share, SimSpan, SimTime};
use dfrsim_policies::fractional::Fractional;
use rand::RngExt;

/// Draws 2,000 jobs of this many seconds, no two of which fit on a node, in a Poisson stream that
/// loads one node to seven tenths.
fn poisson(run: u64) -> Vec<Job> {
    let rng = &mut Seed::new(1).fork("arrivals").rng();
    let (mean, mut submit) = (run as f64 / 0.7, 0.0);
    let jobs = (1..=2_000).map(|id| {
        submit -= mean * rng.random_range(f64::MIN_POSITIVE..1.0).ln();
        Job {
            id: JobId(id),
            submit: SimTime::from_micros((submit * 1e6) as u64),
            memory: Share::from_ratio(6, 10),
            run_time: SimSpan::from_secs(run),
            ..Job::default()
        }
    });
    jobs.collect()
}

/// Returns the mean stretch under a policy, with a penalty of 300 s.
fn mean_stretch(policy: &str, run: u64) -> f64 {
    let options = Options { penalty: SimSpan::from_secs(300), ..Options::default() };
    let records = schedule(policy, 1, &options, poisson(run));
    let stretch = records.iter().map(|it| it.end.since(it.submit).as_secs_f64() / run as f64);
    stretch.sum::<f64>() / records.len() as f64
}

/// Compares the recommended policy with FCFS. The published policy and the recommended one without
/// `/PAY` have mean stretches of hundreds to thousands, FCFS has 2.
#[test]
fn the_recommended_policy_is_near_fcfs_where_giving_way_does_not_pay() {
    let recommended = Fractional::recommended().to_string();
    for run in [50, 70, 300] {
        let [fcfs, own] = ["FCFS", &recommended].map(|policy| mean_stretch(policy, run));
        assert!((2.0..3.0).contains(&fcfs), "{run} s: FCFS {fcfs}");
        assert!(own <= 2.0 * fcfs, "{run} s: {own}, FCFS {fcfs}");
    }
    // Without `/PAY` the limit is exceeded, so the test can fail.
    assert!(mean_stretch(&recommended.replace("/PAY=15", ""), 70) > 1_000.0);
}
