//! Tests metrics and events files of runs that are small enough to work out by hand.

use crate::support::{Do, Script, half, job, penalty};
use dfrsim_cluster::{
    ClassSummary, Distribution, EventLog, Fairness, JobRecord, LengthClass, Metrics, Observer, Occurrence,
    SizeClass, Summary, SummaryOptions, Weights, simulate,
};
use dfrsim_model::event::{FORMAT_VERSION, Objectives, Record};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime, UserId, WeightRule, Yield};
use proptest::prelude::*;
use std::collections::BTreeMap;

const FULL: Yield = Yield::ONE;

/// Simulates four jobs on two nodes with a penalty of 5 s; all tasks have a CPU need of 1/2 and a
/// memory need of 1/10.
/// * A (job 11, 2 tasks, 20 s) starts at 0 s on node 0, is paused at 10 s and resumed at 20 s on
///   node 1: it progresses from 25 s to 35 s.
/// * B (job 12, 2 tasks, 5 s) arrives at 10 s and runs on node 0 until 15 s.
/// * C (job 13, 1 task, 700 s) arrives at 30 s and starts on node 0 at yield 1/2. It is moved to
///   node 1 at 40 s at full speed, with 5 s done and no progress until 45 s, and ends at 740 s.
/// * D (job 14) arrives at 50 s and is rejected.
fn run(observer: &mut impl Observer) {
    let jobs: [Job; 4] = [job(11, 0, 2, 20), job(12, 10, 2, 5), job(13, 30, 1, 700), job(14, 50, 1, 9)];
    let mut script = Script::new(vec![
        (0, vec![Do::Start(0, vec![(0, 2)], FULL)]),
        (10, vec![Do::Pause(0), Do::Start(1, vec![(0, 2)], FULL)]),
        (20, vec![Do::Resume(0, vec![(1, 2)], FULL)]),
        (30, vec![Do::Start(2, vec![(0, 1)], half())]),
        (40, vec![Do::Migrate(2, vec![(1, 1)], FULL)]),
        (50, vec![Do::Reject(3)]),
        (60, vec![Do::SetYield(2, FULL)]),
    ]);
    simulate(2, &penalty(5), jobs, &mut script, observer).unwrap();
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

/// Checks the turnarounds (A 35 s, B 5 s, C 710 s) and the stretches (1.75, 1, 710/700); with tau =
/// 10 s the bounded stretch of B is 1.
#[test]
fn the_figures_of_a_run() {
    let mut metrics = Metrics::new(SummaryOptions::new(2));
    run(&mut metrics);
    let summary = metrics.summary().unwrap();
    assert_eq!((summary.jobs, summary.trimmed, summary.rejected, summary.killed), (3, 0, 1, 0));
    assert_eq!(summary.makespan, SimSpan::from_secs(740));
    near(summary.turnaround.mean, 750.0 / 3.0);
    near(summary.stretch.max, 1.75);
    near(summary.stretch.median, 710.0 / 700.0);
    near(summary.bounded_stretch[0].distribution.mean, (1.75 + 1.0 + 710.0 / 700.0) / 3.0);
    near(summary.wait.max, 0.0);
    // Work: A 2 * 0.5 * 20, B 2 * 0.5 * 5, C 0.5 * 700.
    near(summary.utilisation, 375.0 / (2.0 * 740.0));
    assert_eq!((summary.preemptions, summary.migrations, summary.migrated_tasks), (1, 1, 1));
    near(summary.paused_memory, 0.2);
    near(summary.migrated_memory, 0.1);
    let class = |size, length, jobs, mean: f64, max: f64| ClassSummary {
        size,
        length,
        jobs,
        mean_wait: 0.0,
        mean_bounded_stretch: mean,
        max_bounded_stretch: max,
    };
    let expected = [
        class(SizeClass::Serial, LengthClass::Medium, 1, 710.0 / 700.0, 710.0 / 700.0),
        class(SizeClass::Narrow, LengthClass::Short, 2, (1.75 + 1.0) / 2.0, 1.75),
    ];
    assert_eq!(summary.classes, expected);
}

/// Checks weighted means and fairness. A and B belong to user 3, C to user 8. With tau = 10 s the
/// stretches are A 1.75, B 1, C 710/700, and the users' means are 1.375 and 710/700.
#[test]
fn weights_and_users_by_hand() {
    let observe = |weights: Weights| {
        let mut metrics = Metrics::new(SummaryOptions { weights, ..SummaryOptions::new(2) });
        let life = |id, end, tasks, run, user| JobRecord {
            id: JobId(id),
            submit: SimTime::ZERO,
            start: SimTime::ZERO,
            end: SimTime::from_secs(end),
            tasks,
            cpu_need: Share::ONE,
            memory: Share::ZERO,
            run_time: SimSpan::from_secs(run),
            user: UserId::new(user),
            killed: false,
            preemptions: 0,
            migrations: 0,
            interruptions: 0,
        };
        metrics.observe(SimTime::ZERO, 0, Occurrence::Submitted(&job(1, 0, 1, 1), None));
        for record in [life(1, 35, 2, 20, 3), life(2, 5, 2, 5, 3), life(3, 710, 1, 700, 8)] {
            metrics.observe(record.end, record.id.0, Occurrence::Completed(&record));
        }
        metrics.summary().unwrap().bounded_stretch[0]
    };
    let (c, plain) = (710.0 / 700.0, observe(Weights::default()));
    // Node-seconds: 40, 10 and 700.
    near(plain.weighted_mean, (40.0 * 1.75 + 10.0 + 700.0 * c) / 750.0);
    let (sum, squares): (f64, f64) = (1.375 + c, 1.375_f64.powi(2) + c.powi(2));
    let Some(Fairness { users: 2, jain, max_mean }) = plain.fairness else { panic!("{plain:?}") };
    near(jain, sum.powi(2) / (2.0 * squares));
    near(max_mean, 1.375);
    let users = BTreeMap::from([(3, 4.0), (9, 100.0)]);
    let important = observe(Weights { users: users.clone(), ..Weights::default() });
    near(important.weighted_mean, (4.0 * (40.0 * 1.75 + 10.0) + 700.0 * c) / 900.0);
    let equal = observe(Weights { rule: WeightRule::Equal, users });
    near(equal.weighted_mean, (4.0 * 2.75 + c) / 9.0);
    assert_eq!(equal.fairness, plain.fairness, "weights do not matter to it");
}

/// Trims jobs by their submit times 0, 10, 30 and 50 s: a warm-up of 10 s excludes A but not B; a
/// cool-down of 20 s excludes no completed job, and one of 21 s excludes C.
#[test]
fn trimming_counts_from_the_first_and_the_last_submission() {
    let trimmed = |warm_up, cool_down| {
        let trimmed = SummaryOptions {
            warm_up: SimSpan::from_secs(warm_up),
            cool_down: SimSpan::from_secs(cool_down),
            ..SummaryOptions::new(2)
        };
        let figures = |exact_up_to| {
            let mut metrics = Metrics::new(trimmed.clone()).exact_up_to(exact_up_to);
            run(&mut metrics);
            let figures = |summary: Summary| (summary.jobs, summary.trimmed, summary.turnaround.max);
            metrics.summary().map(figures)
        };
        let exact = figures(3);
        assert!((0..3).all(|exact_up_to| figures(exact_up_to) == exact), "however few jobs are kept");
        exact
    };
    assert_eq!(trimmed(10, 0), Some((2, 1, 710.0)));
    assert_eq!(trimmed(0, 20), Some((3, 0, 710.0)));
    assert_eq!(trimmed(0, 21), Some((2, 1, 35.0)));
    assert_eq!(trimmed(11, 21), None);
}

/// Returns no summary if every job was rejected.
#[test]
fn a_run_without_a_completion_has_no_summary() {
    let mut metrics = Metrics::new(SummaryOptions::new(2));
    let mut script = Script::new(vec![(3, vec![Do::Reject(0)])]);
    simulate(2, &penalty(0), [job(1, 3, 1, 1)], &mut script, &mut metrics).unwrap();
    assert_eq!(metrics.summary(), None);
}

/// Reads the events file of the run above back line by line.
#[test]
fn an_events_file_says_what_happened() {
    let mut observer = (
        EventLog::new(Vec::new(), "SCRIPT", 2, SimSpan::from_secs(5), SimSpan::from_secs(10)),
        Metrics::new(SummaryOptions::new(2)),
    );
    run(&mut observer);
    let summary = observer.1.summary().unwrap();
    let bytes = observer.0.finish(&summary).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let found: Vec<Record<'_>> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    let us = |second| SimTime::from_secs(second).micros();
    let (need, memory) = (Share::from_ratio(1, 2).units(), Share::from_ratio(1, 10).units());
    let submit = |second, job, id, tasks, run| Record::Submit {
        at_us: us(second),
        job,
        id,
        tasks,
        cpu_need: need,
        memory,
        run_us: us(run),
        estimate_us: None,
        user: None,
        group: None,
        queue: None,
        partition: None,
    };
    let complete = |second, job| Record::Complete { at_us: us(second), job };
    let full = FULL.units();
    let expected = [
        Record::Run {
            format: FORMAT_VERSION,
            policy: "SCRIPT".into(),
            nodes: 2,
            penalty_us: us(5),
            tau_us: us(10),
            options: None,
            period_us: None,
            kills_at_estimates: false,
        },
        submit(0, 0, 11, 2, 20),
        Record::Start { at_us: 0, job: 0, on: vec![(0, 2)].into(), job_yield: full, level: None },
        submit(10, 1, 12, 2, 5),
        Record::Pause { at_us: us(10), job: 0 },
        Record::Start { at_us: us(10), job: 1, on: vec![(0, 2)].into(), job_yield: full, level: None },
        complete(15, 1),
        Record::Resume { at_us: us(20), job: 0, on: vec![(1, 2)].into(), job_yield: full, level: None },
        submit(30, 2, 13, 1, 700),
        Record::Start { at_us: us(30), job: 2, on: vec![(0, 1)].into(), job_yield: full / 2, level: None },
        complete(35, 0),
        Record::Migrate { at_us: us(40), job: 2, on: vec![(1, 1)].into(), job_yield: full, level: None },
        submit(50, 3, 14, 1, 9),
        Record::Reject { at_us: us(50), job: 3 },
        Record::Yield { at_us: us(60), job: 2, job_yield: full, level: None },
        complete(740, 2),
        Record::Summary {
            completed: 3,
            rejected: 1,
            makespan_us: us(740),
            max_stretch: 1.75,
            max_bounded_stretch: 1.75,
            mean_bounded_stretch: summary.bounded_stretch[0].distribution.mean,
            mean_turnaround_s: 250.0,
            utilisation: summary.utilisation,
            preemptions: 1,
            migrations: 1,
            migrated_tasks: 1,
            objectives: Some(Objectives {
                median_bounded_stretch: 710.0 / 700.0,
                p95_bounded_stretch: 1.75,
                p99_bounded_stretch: 1.75,
                weights: WeightRule::NodeSeconds,
                user_weights: Vec::new(),
                weighted_bounded_stretch: (40.0 * 1.75 + 10.0 + 700.0 * (710.0 / 700.0)) / 750.0,
                fairness: None,
                max_user_bounded_stretch: None,
            }),
            platform: None,
        },
    ];
    assert_eq!(found, expected);
}

proptest! {
    /// Compares folded figures with those of all jobs, for any number of jobs kept individually and
    /// any number trimmed. Quantiles are close, and everything else is equal.
    #[test]
    fn folded_figures_are_those_of_all_jobs(
        lives in prop::collection::vec((0_u64..50, 0_u64..5_000, 1_u64..20_000, 1_u32..50), 1..100),
        exact_up_to in 0_usize..20,
        warm_up in 0_u64..1_000,
        cool_down in 0_u64..1_000,
    ) {
        let options = SummaryOptions {
            warm_up: SimSpan::from_secs(warm_up),
            cool_down: SimSpan::from_secs(cool_down),
            taus: vec![SimSpan::from_secs(10), SimSpan::ZERO],
            ..SummaryOptions::new(2)
        };
        let mut all = Metrics::new(options.clone());
        let mut folding = Metrics::new(options).exact_up_to(exact_up_to);
        observe_lives(&lives, &mut (&mut all, &mut folding));
        let (all, folding) = (all.summary(), folding.summary());
        prop_assert_eq!(all.is_some(), folding.is_some());
        let (Some(all), Some(mut folding)) = (all, folding) else { return Ok(()) };
        let distributions = |summary: &Summary| -> Vec<Distribution> {
            let bounded = summary.bounded_stretch.iter().map(|it| it.distribution);
            [summary.wait, summary.turnaround, summary.stretch].into_iter().chain(bounded).collect()
        };
        let near = |found: f64, exact: f64, most: f64| (found - exact).abs() <= most * exact;
        for (found, exact) in distributions(&folding).into_iter().zip(distributions(&all)) {
            prop_assert_eq!(found.max, exact.max);
            // Sums differ by the order of their terms.
            prop_assert!(near(found.mean, exact.mean, 1e-12));
            prop_assert!(near(found.median, exact.median, 1e-3));
            prop_assert!(near(found.p95, exact.p95, 1e-3));
            prop_assert!(near(found.p99, exact.p99, 1e-3));
        }
        for (found, exact) in folding.classes.iter().zip(&all.classes) {
            prop_assert_eq!(found.jobs, exact.jobs);
            prop_assert_eq!(found.max_bounded_stretch, exact.max_bounded_stretch);
            prop_assert!(near(found.mean_bounded_stretch, exact.mean_bounded_stretch, 1e-12));
            prop_assert!(near(found.mean_wait, exact.mean_wait, 1e-12));
        }
        prop_assert_eq!(folding.classes.len(), all.classes.len());
        folding.classes.clone_from(&all.classes);
        (folding.wait, folding.turnaround, folding.stretch) = (all.wait, all.turnaround, all.stretch);
        for (found, exact) in folding.bounded_stretch.iter().zip(&all.bounded_stretch) {
            prop_assert!(near(found.weighted_mean, exact.weighted_mean, 1e-12));
            let (Some(found), Some(exact)) = (found.fairness, exact.fairness) else { panic!("users are known") };
            prop_assert_eq!(found.users, exact.users);
            prop_assert!(near(found.jain, exact.jain, 1e-12) && near(found.max_mean, exact.max_mean, 1e-12));
        }
        folding.bounded_stretch.clone_from(&all.bounded_stretch);
        prop_assert_eq!(folding, all);
    }
}

/// Reports jobs to an observer. Each job has the time since the previous submission, the wait, the
/// run time (all in seconds) and the number of tasks; all run at full speed.
fn observe_lives(lives: &[(u64, u64, u64, u32)], observer: &mut impl Observer) {
    let mut records = Vec::new();
    let mut submit = SimTime::from_secs(100);
    for (&(gap, wait, run, tasks), number) in lives.iter().zip(0..) {
        submit = submit + SimSpan::from_secs(gap);
        let Job { id, cpu_need: need, memory, run_time, .. } = job(number, 0, tasks, run);
        let start = submit + SimSpan::from_secs(wait);
        let end = start + run_time;
        let killed = number % 7 == 0;
        let (preemptions, migrations) = (0, 0);
        records.push(JobRecord {
            id,
            submit,
            start,
            end,
            tasks,
            cpu_need: need,
            memory,
            run_time,
            user: UserId::new(number as u32 % 5),
            killed,
            preemptions,
            migrations,
            interruptions: 0,
        });
    }
    // Events in order of time, completions first.
    let ends = records.iter().map(|record| (record.end, 0, record));
    let submissions = records.iter().map(|record| (record.submit, 1, record));
    let mut moments: Vec<(SimTime, u8, &JobRecord)> = ends.chain(submissions).collect();
    moments.sort_by_key(|&(time, rank, record)| (time, rank, record.id));
    for (time, rank, record) in moments {
        match rank {
            0 => observer.observe(time, record.id.0, Occurrence::Completed(record)),
            _ => {
                let submitted = Job {
                    submit: time,
                    ..job(record.id.0, 0, record.tasks, record.run_time.micros() / 1_000_000)
                };
                observer.observe(time, record.id.0, Occurrence::Submitted(&submitted, None));
            }
        }
    }
}
