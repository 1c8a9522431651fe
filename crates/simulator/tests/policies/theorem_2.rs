//! Tests theorem 2 of the dissertation (section 5.1.2): with three processing times, no preemptive
//! time-sharing on-line algorithm is better than Delta^(sqrt 2 - 1) / 2 times the optimum,
//! clairvoyant or not.
//!
//! The adversary of the proof (Theorem 14 of the dissertation's reference 91, reconstructed here) is
//! run against each policy on one node. A long job of length P arrives at 0. From P - d on a job of
//! length d arrives whenever the previous one could have ended.
//! * Phase 1. While the long job is running, the optimum is at most 2: the long job first, each of
//!   the others d late. A policy that has not ended it by P * (P/d)^a, with a = sqrt 2 - 1,
//!   therefore has (P/d)^a / 2 times the optimum. That suffices, as P/d is the Delta of this
//!   instance.
//! * Phase 2. If the long job has ended by then, work of d is left, all of it in jobs of length d;
//!   then jobs of length 1 arrive each second for d^2 seconds. If all work of the jobs of length d
//!   is done before these end, work of d is left in jobs of length 1, the last of which is d late;
//!   otherwise one job of length d waits for d^2. In both cases some stretch is at least d. The
//!   optimum lets the long job wait for all others: at most (end of the jobs of length 1 + d) / P.
//!
//! With d = P^(1 - a) the ratio of phase 2 is P^a / 2, except that d is rounded to an integer.

use crate::support::{job, schedule};
use dfrsim_bound::max_stretch_bound;
use dfrsim_cluster::Options;
use dfrsim_model::{Job, SimSpan, stretch};
use proptest::prelude::*;

fn exponent() -> f64 {
    2.0_f64.sqrt() - 1.0
}

/// Creates a job of one task for the only node, with times in seconds.
fn serial(id: u64, submit: u64, run_time: u64) -> Job {
    job(id, (submit, 1, run_time, run_time))
}

/// Returns the largest stretch, and the end of the first job.
fn run(policy: &str, jobs: &[Job]) -> (f64, f64) {
    let records = schedule(policy, 1, &Options::default(), jobs.to_vec());
    let stretches = records.iter().map(|it| stretch::stretch(it.turnaround(), it.run_time));
    (stretches.fold(0.0, f64::max), records[0].end.as_secs_f64())
}

/// Creates the long job, and this many of the middle ones.
fn phase_1(long: u64, middle: u64, count: u64) -> Vec<Job> {
    let mut jobs = vec![serial(0, 0, long)];
    jobs.extend((0..count).map(|number| serial(number + 1, long - middle + number * middle, middle)));
    jobs
}

/// Result of the adversary: the stretch of the policy, the stretch of another schedule, the Delta of
/// the instance, and its jobs.
struct Reached {
    policy: f64,
    other: f64,
    delta: f64,
    jobs: Vec<Job>,
}

fn adversary(policy: &str, long: u64) -> Reached {
    let middle = (long as f64).powf(1.0 - exponent()).round() as u64;
    let delta = long as f64 / middle as f64;
    let limit = long as f64 * delta.powf(exponent());
    // Middle jobs arrive as long as the long job may run.
    let count = (limit / middle as f64) as u64 + 2;
    let jobs = phase_1(long, middle, count);
    let (worst, end) = run(policy, &jobs);
    if end >= limit {
        return Reached { policy: worst, other: 2.0, delta, jobs };
    }
    // The middle jobs that arrived before the long one ended, and the time at which the next would
    // have arrived.
    let came = ((end - (long - middle) as f64) / middle as f64) as u64 + 1;
    let begin = long - middle + came * middle;
    let short = middle * middle;
    let mut jobs = phase_1(long, middle, came);
    jobs.extend((0..short).map(|number| serial(came + 1 + number, begin + number, 1)));
    let (worst, _) = run(policy, &jobs);
    let other = (begin + short + middle) as f64 / long as f64;
    Reached { policy: worst, other, delta: long as f64, jobs }
}

/// Batch policies, equal shares, and fractional policies of each kind of reaction.
const POLICIES: [&str; 9] = [
    "FCFS",
    "EASY",
    "CONS",
    "EQUIPARTITION",
    "Greedy*/OPT=MIN",
    "GreedyPM*/per/OPT=MIN/MVT=600",
    "MCB*/OPT=AVG",
    "/per/OPT=MIN",
    "/stretch-per/OPT=MAX",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn theorem_2_the_adversary_reaches_its_bound_with_every_policy(
        policy in prop::sample::select(POLICIES.to_vec()),
        long in 30_u64..600,
    ) {
        let reached = adversary(policy, long);
        let bound = reached.delta.powf(exponent()) / 2.0;
        // A middle job is running in the other schedule when the long one ends, and d is rounded;
        // both change the ratio by less than this.
        let rounding = 1.0 + 3.0 / (long as f64).powf(1.0 - exponent());
        let ratio = reached.policy / reached.other;
        prop_assert!(ratio * rounding >= bound, "{}: {} and {}, not {}", policy, reached.policy, reached.other, bound);
        // The other schedule exists: the optimum is no larger.
        if reached.jobs.len() < 200 {
            let optimum = max_stretch_bound(&reached.jobs, 1, SimSpan::ZERO).value;
            prop_assert!(optimum <= reached.other * (1.0 + 1e-6), "{} is above {}", optimum, reached.other);
        }
    }
}
