//! Tests the simulation loop: progress, penalties, wake-ups, the order of events, and termination.

use crate::support::{Do, Records, Script, ends, half, job, penalty};
use dfrsim_cluster::{
    Decision, EstimateModel, JobRecord, Metrics, Options, Overrun, Scheduler, SimulationError, Situation,
    SummaryOptions, simulate,
};
use dfrsim_model::{JobId, NodeId, NodeTasks, Share, SimSpan, SimTime, Yield};

const FULL: Yield = Yield::ONE;

fn on(node: u32) -> Vec<(u32, u32)> {
    vec![(node, 2)]
}

/// Adds up 10 s of work: 4 s at full speed, 3 s at yield 1/2 from 4 s to 10 s, paused until 12 s,
/// then 3 s at full speed until 15 s.
#[test]
fn virtual_time_grows_at_the_yield() {
    let mut script = Script::new(vec![
        (0, vec![Do::Start(0, on(0), FULL)]),
        (4, vec![Do::SetYield(0, half())]),
        (10, vec![Do::Pause(0)]),
        (12, vec![Do::Resume(0, on(1), FULL)]),
    ]);
    assert_eq!(ends(&penalty(0), vec![job(1, 0, 2, 10)], &mut script), Ok(vec![15.0]));
    let seen: Vec<_> =
        script.diary.iter().map(|moment| (moment.second, moment.virtual_times.clone())).collect();
    let expected = [(0.0, vec![0.0]), (4.0, vec![4.0]), (10.0, vec![7.0]), (12.0, vec![7.0]), (15.0, vec![])];
    assert_eq!(seen, expected);
}

/// Rounds a yield of one third down to 349,525 / 2^20, so that 1 s of work takes 2^20 / 349,525 s,
/// rounded up: 3.000003 s.
#[test]
fn completions_are_rounded_up_to_the_microsecond() {
    let mut script = Script::new(vec![(0, vec![Do::Start(0, on(0), Yield::from_ratio(1, 3))])]);
    assert_eq!(ends(&penalty(0), vec![job(1, 0, 2, 1)], &mut script), Ok(vec![3.000_003]));
}

/// The first start has no penalty. Paused at 4 s and resumed at 6 s, the job makes no progress until
/// 9 s (3 s of penalty); its remaining 6 s end at 15 s.
#[test]
fn a_resumed_job_makes_no_progress_during_the_penalty() {
    let mut script = Script::new(vec![
        (0, vec![Do::Start(0, on(0), FULL)]),
        (4, vec![Do::Pause(0)]),
        (6, vec![Do::Resume(0, on(0), FULL)]),
        (8, vec![]),
        (10, vec![]),
    ]);
    assert_eq!(ends(&penalty(3), vec![job(1, 0, 2, 10)], &mut script), Ok(vec![15.0]));
    let seen: Vec<f64> = script.diary.iter().flat_map(|moment| moment.virtual_times.clone()).collect();
    assert_eq!(seen, [0.0, 4.0, 4.0, 4.0, 5.0]);
}

/// Moved at 2 s, the job would resume at 5 s; moved again at 4 s, it resumes at 7 s with 8 s left
/// and ends at 15 s. A new yield at 5 s neither ends nor restarts the penalty: at yield 1/2 the 8 s
/// take 16 s, until 23 s.
#[test]
fn a_second_move_restarts_the_penalty_and_a_new_yield_does_not() {
    let moves = || {
        vec![
            (0, vec![Do::Start(0, on(0), FULL)]),
            (2, vec![Do::Migrate(0, on(1), FULL)]),
            (4, vec![Do::Migrate(0, vec![(0, 1), (1, 1)], FULL)]),
        ]
    };
    assert_eq!(ends(&penalty(3), vec![job(1, 0, 2, 10)], &mut Script::new(moves())), Ok(vec![15.0]));
    let mut slower = moves();
    slower.push((5, vec![Do::SetYield(0, half())]));
    assert_eq!(ends(&penalty(3), vec![job(1, 0, 2, 10)], &mut Script::new(slower)), Ok(vec![23.0]));
}

/// Pauses the job at 3 s, within the penalty of its migration at 2 s, and resumes it at 4 s. The
/// rest of the first penalty is void, the second one lasts until 7 s, and 8 s are left.
#[test]
fn a_pause_ends_the_penalty_and_the_resume_begins_another() {
    let mut script = Script::new(vec![
        (0, vec![Do::Start(0, on(0), FULL)]),
        (2, vec![Do::Migrate(0, on(1), FULL)]),
        (3, vec![Do::Pause(0)]),
        (4, vec![Do::Resume(0, on(1), FULL)]),
    ]);
    assert_eq!(ends(&penalty(3), vec![job(1, 0, 2, 10)], &mut script), Ok(vec![15.0]));
}

/// A migration to the current nodes only sets a new yield: 2 s of work are done at 2 s, the other 8
/// s at yield 1/2.
#[test]
fn a_migration_that_moves_no_task_is_free() {
    let steps = vec![(0, vec![Do::Start(0, on(0), FULL)]), (2, vec![Do::Migrate(0, on(0), half())])];
    let mut metrics = Metrics::new(SummaryOptions::new(2));
    let jobs = vec![job(1, 0, 2, 10)];
    simulate(2, &penalty(3), jobs, &mut Script::new(steps), &mut metrics).unwrap();
    let summary = metrics.summary().unwrap();
    assert_eq!((summary.makespan, summary.migrations), (SimSpan::from_secs(18), 0));
}

/// Requests a wake-up at 0 s for 3 s, and none at 3 s: one tick. A wake-up requested at 0 s for 8 s
/// is withdrawn when another job arrives at 5 s: no tick. The jobs complete at 10 s and 15 s.
#[test]
fn a_decision_that_asks_for_no_wake_up_leaves_none() {
    let wake = |second| Do::WakeAt(SimTime::from_secs(second));
    let first = Do::Start(0, on(0), FULL);
    let second = (5, vec![Do::Start(1, on(1), FULL)]);
    let jobs = vec![job(1, 0, 2, 10), job(2, 5, 2, 10)];
    for (asked, seconds) in [(3, vec![0.0, 3.0, 5.0, 10.0, 15.0]), (8, vec![0.0, 5.0, 10.0, 15.0])] {
        let mut script = Script::sleepy(vec![(0, vec![first.clone(), wake(asked)]), second.clone()]);
        ends(&penalty(0), jobs.clone(), &mut script).unwrap();
        assert_eq!(script.diary.iter().map(|moment| moment.second).collect::<Vec<_>>(), seconds);
        let ticks: Vec<f64> =
            script.diary.iter().filter(|moment| moment.tick).map(|moment| moment.second).collect();
        assert_eq!(ticks, if asked == 3 { vec![3.0] } else { vec![] });
    }
}

/// Merges simultaneous events into one call: at 10 s two jobs complete, two arrive and the clock
/// ticks. Each list is in the order of submission.
#[test]
fn the_events_of_a_moment_make_one_call() {
    let jobs = vec![job(1, 0, 1, 10), job(2, 2, 1, 8), job(3, 10, 1, 1), job(4, 10, 1, 1)];
    let start = |job, node| Do::Start(job, vec![(node, 1)], FULL);
    let mut script = Script::new(vec![
        (0, vec![start(0, 0)]),
        (2, vec![start(1, 1)]),
        (10, vec![start(3, 0), start(2, 0)]),
    ]);
    assert_eq!(ends(&penalty(0), jobs, &mut script), Ok(vec![10.0, 10.0, 11.0, 11.0]));
    let moment = &script.diary[2];
    assert_eq!((moment.second, moment.tick), (10.0, true));
    assert_eq!((moment.completed.as_slice(), moment.submitted.as_slice()), (&[0, 1][..], &[2, 3][..]));
    assert_eq!(script.diary.len(), 4);
    assert_eq!(script.diary[3].completed, [2, 3], "by submission, not by start");
}

#[test]
fn a_policy_that_waits_for_ever_is_reported() {
    let jobs = vec![job(7, 0, 2, 10), job(8, 3, 2, 10), job(9, 4, 2, 10)];
    let mut script = Script::new(vec![(0, vec![Do::Start(0, on(0), FULL)])]);
    let stuck = SimulationError::Stuck { time: SimTime::from_secs(10), jobs: 2, first: JobId(8) };
    assert_eq!(ends(&penalty(0), jobs, &mut script), Err(stuck.clone()));
    assert_eq!(
        stuck.to_string(),
        "simulation stalled at 10 s: 2 jobs remain, the first of them job 8, and the policy started none"
    );
    // A running job at yield 0 never ends either.
    let mut script = Script::new(vec![(0, vec![Do::Start(0, on(0), Yield::ZERO)])]);
    let stuck = SimulationError::Stuck { time: SimTime::ZERO, jobs: 1, first: JobId(7) };
    assert_eq!(ends(&penalty(0), vec![job(7, 0, 2, 10)], &mut script), Err(stuck));
}

#[test]
fn jobs_that_are_not_valid_are_refused() {
    let early = vec![job(1, 5, 1, 10), job(2, 4, 1, 10)];
    for (jobs, id) in [(vec![job(1, 0, 0, 10)], 1), (vec![job(1, 0, 1, 0)], 1), (early, 2)] {
        let found = ends(&penalty(0), jobs, &mut Script::default());
        assert_eq!(found, Err(SimulationError::InvalidJob(JobId(id))));
    }
}

#[test]
fn no_jobs_are_no_trouble() {
    assert_eq!(ends(&penalty(0), Vec::new(), &mut Script::default()), Ok(Vec::new()));
}

/// Kills the job once it has done as much work as its estimate. The run time in its record is the
/// estimate.
#[test]
fn a_job_is_killed_at_its_estimate() {
    let mut long = job(1, 0, 2, 10);
    long.requested_time = Some(SimSpan::from_secs(4));
    let options =
        Options { estimates: EstimateModel::Requested, overrun: Overrun::Kill, ..Options::default() };
    let mut records = Records::default();
    let mut script = Script::new(vec![(0, vec![Do::Start(0, on(0), half())])]);
    simulate(2, &options, [long], &mut script, &mut records).unwrap();
    let record = &records.0[0];
    assert_eq!((record.end, record.run_time), (SimTime::from_secs(8), SimSpan::from_secs(4)));
    assert!(record.killed);
}

/// Starts every job on node 0 on arrival, or rejects it, and records the largest number of handles.
#[derive(Default)]
struct Immediate {
    handles: usize,
}

impl Scheduler for Immediate {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        self.handles = self.handles.max(situation.view.handles());
        for &job in situation.submitted {
            if situation.view.job(job).id().0 % 5 == 4 {
                decision.reject(job);
            } else {
                decision.start(job, [NodeTasks { node: NodeId(0), tasks: 1 }], FULL);
            }
        }
    }
}

/// Submits one job per second, each of 3 s, so that at most three run at once. A handle is free for
/// reuse after the decision at the job's end, so that at most four exist, however long the log is.
/// Rejected jobs free their handles, too.
#[test]
fn handles_are_reused() {
    let jobs = (0..50_000).map(|id| {
        let mut short = job(id, id, 1, 3);
        (short.cpu_need, short.memory) = (Share::from_ratio(1, 4), Share::ZERO);
        short
    });
    let mut scheduler = Immediate::default();
    let mut records = Records::default();
    simulate(1, &Options::default(), jobs, &mut scheduler, &mut records).unwrap();
    assert_eq!(records.0.len(), 40_000);
    assert!(scheduler.handles <= 4, "{}", scheduler.handles);
}

/// Detects a policy that wakes up forever and starts no job.
#[test]
fn waking_up_without_a_change_counts_as_stalled() {
    struct Dreamer;
    impl Scheduler for Dreamer {
        fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
            decision.wake_at(situation.view.now() + SimSpan::from_secs(600));
        }
    }
    let error = simulate(1, &Options::default(), [job(7, 0, 1, 10)], &mut Dreamer, &mut ()).unwrap_err();
    assert!(matches!(error, SimulationError::Stuck { jobs: 1, first: JobId(7), .. }), "{error}");
}

/// Detects a policy that asks for the next microsecond each time, while a job runs. One that looks
/// every millisecond is slow, but ends.
#[test]
fn a_policy_that_wakes_itself_without_end_is_stopped() {
    struct Sleepless(SimSpan);
    impl Scheduler for Sleepless {
        fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
            for &job in situation.submitted {
                decision.start(job, [NodeTasks { node: NodeId(0), tasks: 1 }], FULL);
            }
            decision.wake_at(situation.view.now() + self.0);
        }
    }
    let run = |micros| {
        let mut scheduler = Sleepless(SimSpan::from_micros(micros));
        simulate(1, &Options::default(), [job(7, 0, 1, 10)], &mut scheduler, &mut ())
    };
    let error = run(1).unwrap_err();
    assert!(matches!(error, SimulationError::WakesItself { count: 10_001, .. }), "{error}");
    assert_eq!(run(1_000), Ok(()));
}

/// Requeues a job of 10 s after 4 s at yield 1/2, with no work kept: it ends 20 s after its second
/// start. A lost job does not end.
#[test]
fn a_policy_requeues_and_loses_jobs() {
    let half_of_it = |job, second| (second, vec![Do::Start(job, on(job as u32), half())]);
    let steps = vec![
        half_of_it(0, 0),
        half_of_it(1, 1),
        (4, vec![Do::Requeue(0)]),
        (5, vec![Do::Lose(1)]),
        half_of_it(0, 6),
    ];
    let metrics = Metrics::new(SummaryOptions { outages: true, ..SummaryOptions::new(2) });
    let mut watchers = (Records::default(), metrics);
    let jobs = [job(1, 0, 2, 10), job(2, 1, 2, 10)];
    simulate(2, &Options::default(), jobs, &mut Script::new(steps), &mut watchers).unwrap();
    let (records, metrics) = watchers;
    assert_eq!(records.0.len(), 1);
    let JobRecord { start, end, interruptions, .. } = records.0[0];
    assert_eq!((start, end, interruptions), (SimTime::ZERO, SimTime::from_secs(26), 1));
    // Each job has lost two seconds of work, with two tasks at a CPU need of one half.
    let figures = metrics.summary().unwrap().platform.unwrap();
    assert_eq!((figures.interruptions, figures.lost, figures.lost_work), (2, 1, 4.0));
}
