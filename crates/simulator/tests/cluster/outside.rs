//! Tests the decisions of policies that depend on an external process: killing jobs, submitting
//! jobs, and failing.

use crate::support::{Do, Records, Script, ends, job};
use dfrsim_cluster::{
    Decision, EventLog, Metrics, Options, Rule, Scheduler, SimulationError, Situation, SummaryOptions,
    simulate,
};
use dfrsim_model::{Job, JobId, NodeId, NodeTasks, SimSpan, SimTime, Yield};

#[test]
fn a_killed_job_leaves_its_nodes_and_does_not_count_as_completed() {
    // Job 1 occupies node 0 from 0 s and would end at 10 s. Job 2 arrives at 1 s and starts there
    // when job 1 is killed at 4 s.
    let jobs = || vec![job(1, 0, 2, 10), job(2, 1, 2, 5)];
    let steps = vec![
        (0, vec![Do::Start(0, vec![(0, 2)], Yield::ONE)]),
        (4, vec![Do::Kill(0), Do::Start(1, vec![(0, 2)], Yield::ONE)]),
    ];
    assert_eq!(ends(&Options::default(), jobs(), &mut Script::new(steps.clone())), Ok(vec![9.0]));

    let (penalty, tau) = (SimSpan::ZERO, SimSpan::from_secs(10));
    let log = EventLog::new(Vec::new(), "script", 2, penalty, tau);
    let mut watchers = (Metrics::new(SummaryOptions::new(2)), log);
    simulate(2, &Options::default(), jobs(), &mut Script::new(steps), &mut watchers).unwrap();
    let (metrics, log) = watchers;
    let summary = metrics.summary().unwrap();
    assert_eq!((summary.jobs, summary.rejected, summary.killed), (1, 1, 0));
    let events = String::from_utf8(log.finish(&summary).unwrap()).unwrap();
    assert!(events.contains(r#"{"event":"kill","at_us":4000000,"job":0}"#), "{events}");
}

/// Starts every job immediately on node 0, and submits its own jobs when it is first called.
struct Submits(Vec<Job>);

impl Scheduler for Submits {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        for &job in situation.submitted {
            let tasks = situation.view.job(job).tasks();
            decision.start(job, [NodeTasks { node: NodeId(0), tasks }], Yield::from_ratio(1, 4));
        }
        self.0.drain(..).for_each(|job| decision.submit(job));
    }
}

#[test]
fn jobs_of_the_policy_arrive_in_their_turn() {
    let jobs = [job(1, 0, 1, 1), job(2, 5, 1, 1), job(3, 9, 1, 1)];
    // One before the next job of the workload, one at the same time as it, and one after all of
    // them; not sorted.
    let more = vec![job(13, 20, 1, 1), job(11, 2, 1, 1), job(12, 5, 1, 1)];
    let mut records = Records::default();
    simulate(1, &Options::default(), jobs, &mut Submits(more), &mut records).unwrap();
    let order: Vec<(u64, f64)> = records.0.iter().map(|it| (it.id.0, it.end.as_secs_f64())).collect();
    assert_eq!(order, [(1, 4.0), (11, 6.0), (2, 9.0), (12, 9.0), (3, 13.0), (13, 24.0)]);
}

#[test]
fn a_job_of_the_policy_must_be_valid_and_arrive_in_the_future() {
    for wrong in [job(9, 0, 1, 1), job(9, 1, 0, 1), job(9, 1, 1, 0)] {
        let time = wrong.submit;
        let found = simulate(1, &Options::default(), [job(1, 0, 1, 1)], &mut Submits(vec![wrong]), &mut ());
        let Err(SimulationError::Violation(violation)) = found else { panic!("{found:?}") };
        assert_eq!((violation.job, violation.rule), (Some(JobId(9)), Rule::FutureSubmission(time)));
    }
}

/// Counts its calls, and fails once all jobs of the workload are submitted.
struct GivesUp(u32);

impl Scheduler for GivesUp {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        self.0 += 1;
        if situation.all_submitted {
            decision.fail("the process ended");
        }
    }
}

#[test]
fn a_policy_can_give_up() {
    let mut policy = GivesUp(0);
    let found = simulate(1, &Options::default(), [job(1, 0, 1, 1), job(2, 3, 1, 1)], &mut policy, &mut ());
    let expected =
        SimulationError::Policy { time: SimTime::from_secs(3), reason: "the process ended".into() };
    assert_eq!((found, policy.0), (Err(expected.clone()), 2));
    assert_eq!(expected.to_string(), "the policy failed at 3 s: the process ended");
}
