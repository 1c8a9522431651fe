//! Tests that every invalid decision is rejected, with the job, the time and the violated rule.

use crate::support::{Do, Script, Steps, ends, half, job};
use dfrsim_cluster::{JobState, Options, Rule, SimulationError, Violation};
use dfrsim_model::{JobId, NodeId, SimTime, Yield};

/// Returns the violation of a script for two jobs on two nodes: job 70 has two tasks (submitted at 0
/// s, 10 s long) and job 80 has four (1 s, 20 s).
fn violation(steps: Steps) -> Violation {
    let jobs = vec![job(70, 0, 2, 10), job(80, 1, 4, 20)];
    match ends(&Options::default(), jobs, &mut Script::new(steps)) {
        Err(SimulationError::Violation(violation)) => violation,
        other => panic!("no violation but {other:?}"),
    }
}

fn assert_refused(steps: Steps, second: u64, job: Option<u64>, rule: Rule) {
    let expected = Violation { time: SimTime::from_secs(second), job: job.map(JobId), rule };
    assert_eq!(violation(steps), expected);
}

fn first_starts() -> (u64, Vec<Do>) {
    (0, vec![Do::Start(0, vec![(0, 2)], Yield::ONE)])
}

#[test]
fn a_job_may_be_named_once() {
    let twice = vec![Do::SetYield(0, half()), Do::SetYield(0, half())];
    assert_refused(vec![first_starts(), (2, twice)], 2, Some(70), Rule::NamedOnce);
}

#[test]
fn a_job_must_be_in_the_state_for_what_is_asked() {
    use JobState::{Completed, Paused, Rejected, Running, Waiting};
    let on = || vec![(0, 2)];
    let start = || Do::Start(0, on(), half());
    let running = || vec![first_starts()];
    let paused = || vec![first_starts(), (3, vec![Do::Pause(0)])];
    let completed = || vec![first_starts()];
    let rejected = || vec![(0, vec![Do::Reject(0)])];
    let wrong: [(Steps, u64, Do, &str, JobState); 15] = [
        (running(), 5, start(), "start", Running),
        (running(), 5, Do::Reject(0), "be rejected", Running),
        (running(), 5, Do::Resume(0, on(), half()), "resume", Running),
        (paused(), 5, start(), "start", Paused),
        (paused(), 5, Do::Pause(0), "pause", Paused),
        (paused(), 5, Do::SetYield(0, half()), "change its yield", Paused),
        (paused(), 5, Do::Migrate(0, on(), half()), "migrate", Paused),
        (paused(), 5, Do::Kill(0), "be killed", Paused),
        (Vec::new(), 0, Do::Kill(0), "be killed", Waiting),
        (paused(), 5, Do::Requeue(0), "be requeued", Paused),
        (Vec::new(), 0, Do::Lose(0), "be lost", Waiting),
        (Vec::new(), 0, Do::Pause(0), "pause", Waiting),
        (Vec::new(), 0, Do::Migrate(0, on(), half()), "migrate", Waiting),
        // A job can still be examined at the time of its completion.
        (completed(), 10, Do::SetYield(0, half()), "change its yield", Completed),
        (rejected(), 5, start(), "start", Rejected),
    ];
    for (mut steps, second, action, verb, state) in wrong {
        steps.push((second, vec![action]));
        // The handle of a rejected job is reused for the next one, so no job may arrive in between.
        if state == Rejected {
            let mut script = Script::new(steps);
            let found = ends(&Options::default(), vec![job(70, 0, 2, 10)], &mut script).unwrap_err();
            let rule = Rule::State(verb, state);
            let violation = Violation { time: SimTime::from_secs(second), job: Some(JobId(70)), rule };
            assert_eq!(found, SimulationError::Violation(violation));
        } else {
            assert_refused(steps, second, Some(70), Rule::State(verb, state));
        }
    }
}

#[test]
fn all_tasks_must_be_placed_and_no_more() {
    for (on, placed) in [(vec![], 0), (vec![(0, 1)], 1), (vec![(0, 2), (1, 1)], 3)] {
        let steps = vec![(0, vec![Do::Start(0, on, half())])];
        assert_refused(steps, 0, Some(70), Rule::TaskCount(placed, 2));
    }
    let steps = vec![(0, vec![Do::Start(0, vec![(0, u32::MAX), (1, u32::MAX)], half())])];
    assert_refused(steps, 0, Some(70), Rule::TaskCount(2 * u64::from(u32::MAX), 2));
}

#[test]
fn the_nodes_of_a_placement_must_rise_with_tasks_on_each() {
    for on in [vec![(1, 1), (0, 1)], vec![(0, 1), (0, 1)], vec![(0, 2), (1, 0)]] {
        let steps = vec![first_starts(), (2, vec![Do::Migrate(0, on, half())])];
        assert_refused(steps, 2, Some(70), Rule::AscendingNodes);
    }
}

#[test]
fn nodes_must_exist() {
    let steps = vec![(0, vec![Do::Start(0, vec![(1, 1), (2, 1)], half())])];
    assert_refused(steps, 0, Some(70), Rule::KnownNode(NodeId(2)));
}

/// Rejects twelve tasks that need a tenth of a node's memory each. The CPU would suffice, at a tenth
/// of half a node per task.
#[test]
fn memory_must_suffice() {
    let slow = Yield::from_ratio(1, 10);
    let jobs = vec![job(70, 0, 10, 10), job(80, 1, 2, 20)];
    let steps = |node| {
        let second = Do::Start(1, vec![(node, 2)], slow);
        Script::new(vec![(0, vec![Do::Start(0, vec![(0, 10)], slow)]), (1, vec![second])])
    };
    let found = ends(&Options::default(), jobs.clone(), &mut steps(0)).unwrap_err();
    let expected =
        Violation { time: SimTime::from_secs(1), job: Some(JobId(80)), rule: Rule::Memory(NodeId(0)) };
    assert_eq!(found, SimulationError::Violation(expected));
    assert!(ends(&Options::default(), jobs, &mut steps(1)).is_ok());
}

/// Fills node 0 with two tasks of half a node at full speed. A third task is too much at any yield,
/// started or migrated there, and so is a yield that is raised too far.
#[test]
fn cpu_must_suffice() {
    let smallest = Yield::try_from_units(1).unwrap();
    let start = (1, vec![Do::Start(1, vec![(0, 1), (1, 3)], smallest)]);
    assert_refused(vec![first_starts(), start], 1, Some(80), Rule::Cpu(NodeId(0)));
    let elsewhere = (1, vec![Do::Start(1, vec![(1, 4)], half())]);
    let faster = (2, vec![Do::SetYield(1, Yield::try_from_units(half().units() + 1).unwrap())]);
    assert_refused(vec![first_starts(), elsewhere.clone(), faster], 2, Some(80), Rule::Cpu(NodeId(1)));
    let join = (2, vec![Do::Migrate(1, vec![(0, 1), (1, 3)], smallest)]);
    assert_refused(vec![first_starts(), elsewhere, join], 2, Some(80), Rule::Cpu(NodeId(0)));
}

/// A decision is one net change: two jobs may swap nodes although neither could move first.
#[test]
fn only_what_comes_of_the_whole_decision_counts() {
    let steps = vec![
        (0, vec![Do::Start(0, vec![(0, 2)], Yield::ONE)]),
        (1, vec![Do::Start(1, vec![(1, 2)], Yield::ONE)]),
        (2, vec![Do::Migrate(0, vec![(1, 2)], Yield::ONE), Do::Migrate(1, vec![(0, 2)], Yield::ONE)]),
    ];
    let jobs = vec![job(70, 0, 2, 10), job(80, 1, 2, 20)];
    assert_eq!(ends(&Options::default(), jobs, &mut Script::new(steps)), Ok(vec![10.0, 21.0]));
}

#[test]
fn a_wake_up_must_lie_in_the_future() {
    let now = SimTime::from_secs(0);
    let jobs = vec![job(70, 0, 2, 10)];
    let mut script = Script::sleepy(vec![(0, vec![Do::WakeAt(now)])]);
    let found = ends(&Options::default(), jobs, &mut script).unwrap_err();
    let expected = Violation { time: now, job: None, rule: Rule::FutureWakeUp(now) };
    assert_eq!(found, SimulationError::Violation(expected.clone()));
    assert_eq!(expected.to_string(), "invalid decision at 0 s: a wake-up at 0 s is not in the future");
}

#[test]
fn a_violation_says_what_is_wrong() {
    let steps = vec![first_starts(), (2, vec![Do::Migrate(0, vec![(0, 1)], half())])];
    let message = violation(steps).to_string();
    assert_eq!(message, "invalid decision at 2 s for job 70: placed 1 tasks of a job with 2");
}
