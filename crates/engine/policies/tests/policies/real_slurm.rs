//! Starts of CONS with priorities beside those of a real Slurm (`scripts/record-slurm`), which ran 200 jobs on eight nodes under
//! sched/backfill with priority/multifactor.
//!
//! Run times are those that Slurm recorded, estimates its time limits, and all settings come from its `slurm.conf`. None is fitted: what
//! is taken from the recording beside them is when Slurm computed priorities and backfilled.

use crate::support::Records;
use dfrsim_cluster::{Options, simulate};
use dfrsim_model::priority::PriorityWeights;
use dfrsim_model::{Job, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions};
use dfrsim_workload::formats::{slurm, slurm_conf};
use dfrsim_workload::log::Strictness;
use dfrsim_workload::prepare::{self, Opened};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NODES: u32 = 8;

/// `bf_interval` of the recording.
const INTERVAL_S: f64 = 5.0;

/// `sched_interval` of the recording: what changes is seen in the next pass of the main scheduler.
const PASS: SimSpan = SimSpan::from_secs(1);

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/policies/reference/slurm").join(name)
}

/// The starts that Slurm recorded, in seconds after the first submission, in the order of submission.
fn starts_of_slurm() -> Vec<f64> {
    let listing = slurm::read(&recorded("jobs.sacct"), Strictness::Strict).unwrap();
    listing.map(|line| line.record).map(|it| (it.submit + it.wait.unwrap()).as_secs_f64()).collect()
}

/// What a simulation is given.
#[derive(Clone, Copy)]
struct Model {
    policy: &'static str,
    /// Whether jobs are in the order of Slurm's priorities, and not in that of their submission.
    by_priority: bool,
    /// Whether submissions, and ends of jobs that the main scheduler started, are seen one second later, by its next pass. Ends of jobs
    /// that backfilling started are before that pass in the same second.
    next_pass: bool,
}

impl Model {
    /// The starts, in seconds after the first submission, in the order of submission.
    fn starts(self) -> Vec<f64> {
        let options = prepare::Options { units: Some(NODES), origins: true, ..prepare::Options::default() };
        let log = Opened::open(&recorded("jobs.sacct"), &options).unwrap();
        let text = std::fs::read_to_string(recorded("slurm.conf")).unwrap();
        let mut settings = slurm_conf::read(&text).unwrap().of_log(log.header()).settings;
        if !self.by_priority {
            settings.weights = PriorityWeights::default();
        }
        // Slurm computed priorities at second 58 and each minute after it, and backfilled at second 3 and each five seconds after it.
        let begin = SimSpan::from_secs(2);
        let seen = if self.next_pass { PASS } else { SimSpan::ZERO };
        let backfilled = std::fs::read_to_string(recorded("backfilled.txt")).unwrap();
        let backfilled: BTreeSet<u64> = backfilled.lines().map(|line| line.parse().unwrap()).collect();
        let (jobs, _) = log.with_jobs(|jobs| jobs.collect::<Vec<Job>>()).unwrap();
        let jobs = jobs.into_iter().map(|job| {
            let left = if backfilled.contains(&job.id.0) { SimSpan::ZERO } else { seen };
            Job { submit: job.submit + begin + seen, run_time: job.run_time + left, ..job }
        });
        let options = Options { estimates: "requested".parse().unwrap(), ..Options::default() };
        let policy: Policy = self.policy.parse().unwrap();
        let mut scheduler = policy.scheduler_at(NODES, &PolicyOptions::default(), Some(&Arc::new(settings)));
        let mut records = Records::default();
        simulate(NODES, &options, jobs, &mut *scheduler, &mut records).unwrap();
        let since = SimTime::ZERO + begin;
        records.sorted().iter().map(|it| it.start.since(since).as_secs_f64()).collect()
    }
}

/// How two lists of starts differ.
#[derive(Debug)]
struct Differences {
    /// The share of jobs that start within Slurm's interval of each other.
    within: f64,
    /// Within two intervals.
    within_two: f64,
    mean_s: f64,
    /// Of the mean start, simulated less recorded.
    of_mean_s: f64,
    /// Of the pairs of jobs that start at different times in both, how many do so in another order.
    inversions: f64,
}

fn differences(real: &[f64], simulated: &[f64]) -> Differences {
    assert_eq!(real.len(), simulated.len());
    let count = real.len() as f64;
    let apart: Vec<f64> = real.iter().zip(simulated).map(|(a, b)| b - a).collect();
    let (mut pairs, mut inverted) = (0_u32, 0_u32);
    for one in 0..real.len() {
        for other in 0..one {
            let order = (real[one] - real[other]) * (simulated[one] - simulated[other]);
            pairs += u32::from(order != 0.0);
            inverted += u32::from(order < 0.0);
        }
    }
    let within = |span: f64| apart.iter().filter(|it| it.abs() <= span).count() as f64 / count;
    Differences {
        within: within(INTERVAL_S),
        within_two: within(2.0 * INTERVAL_S),
        mean_s: apart.iter().map(|it| it.abs()).sum::<f64>() / count,
        of_mean_s: apart.iter().sum::<f64>() / count,
        inversions: f64::from(inverted) / f64::from(pairs),
    }
}

/// Of the 200 jobs, CONS starts 52 % within the interval of backfilling (EASY 55.5 %) and 85 % within two, and 2 % of the pairs of jobs in
/// another order; in the order of submission it would be 18 %. Most of the other jobs are small differences of a job that took the nodes
/// before them: `crates/VALIDATION.md` has the reasons.
#[test]
fn starts_are_close_to_those_of_a_real_slurm() {
    let real = starts_of_slurm();
    assert_eq!(real.len(), 200);
    for policy in ["EASY", "CONS"] {
        let found =
            |by_priority, next_pass| differences(&real, &Model { policy, by_priority, next_pass }.starts());
        let [model, at_once, unordered] = [found(true, true), found(true, false), found(false, true)];
        let all = format!("{policy}: {model:?}; seen at once: {at_once:?}; by submission: {unordered:?}");
        assert!(model.within >= 0.5 && model.within_two >= 0.8, "{all}");
        assert!(model.inversions <= 0.025 && model.mean_s <= 10.0, "{all}");
        assert!(model.of_mean_s.abs() < at_once.of_mean_s.abs() && model.mean_s < at_once.mean_s, "{all}");
        assert!(model.inversions < at_once.inversions, "{all}");
        assert!(unordered.inversions > 0.15 && unordered.within < 0.2, "{all}");
    }
}
