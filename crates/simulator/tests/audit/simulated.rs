//! Tests the audit with random simulations: whatever permitted decisions the policy makes, the
//! events file must be valid.

use dfrsim_audit::audit;
use dfrsim_cluster::{
    Decision, EventLog, Followers, JobState, Metrics, Observer, Occurrence, Options, Scheduler, Situation,
    SummaryOptions, simulate_with,
};
use dfrsim_model::{
    Dependencies, Job, JobId, NodeId, NodeTasks, Rng, Seed, Share, SimSpan, SimTime, UserId, Yield,
};
use proptest::prelude::*;
use rand::RngExt;

const NODES: u32 = 3;
const JOBS: u64 = 12;
const TASKS: u32 = 4;

/// A policy that starts, pauses, resumes, migrates, slows down and rejects jobs at random. Its
/// yields can never add up to more than one node.
struct Whim(Rng);

impl Whim {
    fn placement(&mut self, tasks: u32) -> Vec<NodeTasks> {
        let mut counts = [0; NODES as usize];
        for _ in 0..tasks {
            counts[self.0.random_range(0..counts.len())] += 1;
        }
        let parts = (0..NODES).zip(counts).filter(|&(_, tasks)| tasks > 0);
        parts.map(|(node, tasks)| NodeTasks { node: NodeId(node), tasks }).collect()
    }
}

impl Scheduler for Whim {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let most = u64::from(Yield::ONE.units()) / (JOBS * u64::from(TASKS));
        for &handle in situation.view.jobs() {
            let job = situation.view.job(handle);
            let on = self.placement(job.tasks());
            let job_yield = Yield::try_from_units(self.0.random_range(0..=most) as u32).unwrap();
            match (job.state(), self.0.random_range(0..10)) {
                (JobState::Waiting, 0) => decision.reject(handle),
                (JobState::Waiting, 1..5) => decision.start(handle, on, job_yield),
                (JobState::Paused, 0..5) => decision.resume(handle, on, job_yield),
                (JobState::Running, 0) => decision.pause(handle),
                (JobState::Running, 1..3) => decision.migrate(handle, on, job_yield),
                (JobState::Running, 3..5) => decision.set_yield(handle, job_yield),
                _ => {}
            }
        }
        if !situation.view.jobs().is_empty() {
            let nap = SimSpan::from_micros(self.0.random_range(1..20_000_000));
            decision.wake_at(situation.view.now() + nap);
        }
    }
}

/// Passes every event to both observers.
struct Both<'a>(EventLog<&'a mut Vec<u8>>, Metrics);

impl Observer for Both<'_> {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.0.observe(now, job, occurrence);
        self.1.observe(now, job, occurrence);
    }
}

proptest! {
    #[test]
    fn every_simulation_passes(seed in any::<u64>(), penalty in 0_u64..3_000_000, closed in any::<bool>()) {
        let mut rng = Seed::new(seed).rng();
        let mut jobs: Vec<Job> = (0..JOBS)
            .map(|id| Job {
                id: JobId(id),
                submit: SimTime::from_secs(rng.random_range(0..20)),
                tasks: rng.random_range(1..=TASKS),
                cpu_need: Share::from_ratio(rng.random_range(0..=7), 7),
                memory: Share::from_ratio(1, JOBS * u64::from(TASKS)),
                run_time: SimSpan::from_micros(rng.random_range(1..300_000)),
                user: UserId::new(id as u32 % 3),
                ..Job::default()
            })
            .collect();
        jobs.sort_by_key(|job| job.submit);
        // Some jobs depend on an earlier one, with a think time that may be 0.
        let mut links = Vec::new();
        for place in 0..jobs.len() {
            let follows = place > 0 && closed && rng.random_range(0..2) == 0;
            links.push(follows.then(|| {
                let job = jobs[rng.random_range(0..place)].id;
                Dependencies::after(job, SimSpan::from_micros(rng.random_range(0..3) * 400_000))
            }));
        }
        let (jobs, followers) = Followers::split(jobs.into_iter().zip(links));
        let penalty = SimSpan::from_micros(penalty);
        let mut file = Vec::new();
        let mut observer = Both(
            EventLog::new(&mut file, "whim", NODES, penalty, SimSpan::from_secs(10)),
            Metrics::new(SummaryOptions::new(NODES)),
        );
        let options = Options { penalty, ..Options::default() };
        simulate_with(NODES, &options, jobs, followers, &mut Whim(rng), &mut observer).unwrap();
        let Both(log, metrics) = observer;
        let summary = metrics.summary();
        prop_assume!(summary.is_some());
        let summary = summary.unwrap();
        log.finish(&summary).unwrap();
        let report = audit(&file[..]);
        prop_assert!(report.is_ok(), "{}", report.unwrap_err());
        prop_assert_eq!(report.unwrap().preemptions, summary.preemptions);
    }
}
