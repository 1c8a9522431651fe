//! Starts of CONS with priorities beside those of a real Slurm (`scripts/record-slurm`), which ran 200 jobs on eight nodes under
//! sched/backfill with priority/multifactor.
//!
//! Run times are those that Slurm recorded, estimates its time limits, and all settings come from its `slurm.conf`. None is fitted: what
//! is taken from the recording beside them is the second in which Slurm computed priorities and began to backfill.

use crate::support::Records;
use dfrsim_cluster::{Options, simulate};
use dfrsim_model::{Job, SimSpan, SimTime};
use dfrsim_policies::Policy;
use dfrsim_workload::formats::{slurm, slurm_conf};
use dfrsim_workload::log::Strictness;
use dfrsim_workload::prepare::{self, Opened};
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
    /// Whether submissions and ends are seen one pass later.
    next_pass: bool,
}

impl Model {
    /// The starts, in seconds after the first submission, in the order of submission.
    fn starts(self) -> Vec<f64> {
        let options =
            prepare::Options { units: Some(NODES), origins: true, ..prepare::Options::default() };
        let log = Opened::open(&recorded("jobs.sacct"), &options).unwrap();
        let text = std::fs::read_to_string(recorded("slurm.conf")).unwrap();
        let mut settings = slurm_conf::read(&text).unwrap().of_log(log.header()).settings;
        if !self.by_priority {
            settings.weights = Default::default();
        }
        // Slurm computed priorities each minute and began to backfill every five seconds from second 1 on, so that this is second 60 here.
        let begin = SimSpan::from_secs(59);
        let seen = if self.next_pass { PASS } else { SimSpan::ZERO };
        let (jobs, _) = log.with_jobs(|jobs| jobs.collect::<Vec<Job>>()).unwrap();
        let jobs = jobs.into_iter().map(|job| Job {
            submit: job.submit + begin + seen,
            run_time: job.run_time + seen,
            ..job
        });
        let options = Options { estimates: "requested".parse().unwrap(), ..Options::default() };
        let policy: Policy = self.policy.parse().unwrap();
        let mut scheduler = policy.scheduler_by_priority(NODES, &Arc::new(settings)).unwrap();
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
    mean_s: f64,
    largest_s: f64,
    /// Of the pairs of jobs that start at different times in both, how many do so in another order.
    inversions: f64,
}

fn differences(real: &[f64], simulated: &[f64]) -> Differences {
    assert_eq!(real.len(), simulated.len());
    let count = real.len() as f64;
    let apart: Vec<f64> = real.iter().zip(simulated).map(|(a, b)| (a - b).abs()).collect();
    let (mut pairs, mut inverted) = (0_u32, 0_u32);
    for one in 0..real.len() {
        for other in 0..one {
            let order = (real[one] - real[other]) * (simulated[one] - simulated[other]);
            pairs += u32::from(order != 0.0);
            inverted += u32::from(order < 0.0);
        }
    }
    Differences {
        within: apart.iter().filter(|it| **it <= INTERVAL_S).count() as f64 / count,
        mean_s: apart.iter().sum::<f64>() / count,
        largest_s: apart.iter().copied().fold(0.0, f64::max),
        inversions: f64::from(inverted) / f64::from(pairs),
    }
}

#[test]
fn starts_are_those_of_a_real_slurm() {
    let real = starts_of_slurm();
    assert_eq!(real.len(), 200);
    for policy in ["FCFS", "EASY", "CONS"] {
        for (by_priority, next_pass) in [(true, true), (true, false), (false, true), (false, false)] {
            let model = Model { policy, by_priority, next_pass };
            let found = model.starts();
            println!("{policy} priority {by_priority} pass {next_pass}: {:?}", differences(&real, &found));
        }
    }
    let found = Model { policy: "CONS", by_priority: true, next_pass: true }.starts();
    for (job, (a, b)) in real.iter().zip(&found).enumerate() {
        println!("{} {a} {b} {}", job + 1, b - a);
    }
}
