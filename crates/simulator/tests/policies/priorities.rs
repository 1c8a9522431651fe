//! Tests priorities and limits: properties, and schedules with rejections.

use crate::support::{Recorded, assert_judged, job, recorded, schedule, starts_and_ends};
use dfrsim_cluster::{Metrics, Options, SummaryOptions, simulate};
use dfrsim_model::site::{
    Account, BackfillSettings, JobClass, Limits, PreemptMode, PriorityWeights, SiteSettings, Unlisted,
};
use dfrsim_model::{Job, Origin, SimSpan, UserId};
use dfrsim_policies::{Policy, PolicyOptions};
use proptest::prelude::*;
use std::sync::Arc;

/// Submit time, nodes, run time and estimate in seconds; group and user.
pub(crate) type Row = (u64, u32, u64, u64, u32, u32);

pub(crate) fn of(rows: &[Row]) -> Vec<Job> {
    let of = |(&(submit, width, run, requested, group, user), id): (&Row, u64)| Job {
        user: UserId::new(user),
        origin: Origin::new(Some(group), Some(group), Some(user)),
        ..job(id, (submit, width, run, requested))
    };
    rows.iter().zip(1..).map(of).collect()
}

pub(crate) fn requested() -> Options {
    Options { estimates: "requested".parse().unwrap(), ..Options::default() }
}

/// Simulates with priorities, and audits the events.
pub(crate) fn run(
    policy: &str,
    nodes: u32,
    settings: &SiteSettings,
    options: &Options,
    jobs: &[Job],
) -> Recorded<()> {
    settings.check().unwrap();
    let found = recorded(&PolicyOptions::default(), policy, nodes, options, Some(settings), jobs);
    assert_judged(&found.events, policy);
    found
}

fn starts(policy: &str, nodes: u32, settings: &SiteSettings, rows: &[Row]) -> Vec<f64> {
    let found = run(policy, nodes, settings, &requested(), &of(rows));
    starts_and_ends(&found.records).into_iter().map(|(start, _)| start).collect()
}

fn weights(age: u32, size: u32, fair_share: u32) -> PriorityWeights {
    PriorityWeights { age, size, fair_share, ..PriorityWeights::default() }
}

/// The cycles of SLURM continue while no job waits. The backfill cycle ran shortly after the first
/// job was rejected, as priorities were computed at 300 s, and it considers the second job at 541.5
/// s. The main scheduler tried the whole queue at 540 s, and runs again 3 s later.
#[test]
fn clocks_go_on_where_the_first_job_is_rejected() {
    let rows = [(302, 3, 50, 50, 1, 1), (541, 2, 60, 60, 1, 1)];
    let class = JobClass { name: "all".to_owned(), max_nodes: Some(2), ..JobClass::default() };
    let site = SiteSettings { weights: weights(1, 0, 0), partitions: vec![class], ..SiteSettings::default() };
    assert_eq!(starts("SLURM", 4, &site, &rows), [541.5]);
}

/// The main scheduler saw at 54 s that the first job had ended. It therefore considers the second
/// job at 101 s, and not 3 s after its arrival. The job end at 119 s was seen in the pass over the
/// whole queue at 120 s, so the next cycle is at 125 s, for the third job.
#[test]
fn clocks_go_on_while_no_job_waits() {
    let rows = [(0, 2, 50, 50, 1, 1), (100, 2, 18, 18, 1, 1), (124, 2, 60, 60, 1, 1)];
    let backfill = BackfillSettings { interval_s: 1_000, ..BackfillSettings::default() };
    let site = SiteSettings { backfill, ..SiteSettings::default() };
    assert_eq!(starts("SLURM", 4, &site, &rows), [3.0, 101.0, 125.0]);
}

/// Two jobs wait from 1 s on, and the QOS gives the second one a fifth of a unit more. That is a
/// whole unit at 10 s, and none at 50 s, when both have one unit by age: the first one starts.
#[test]
fn a_part_of_a_unit_of_priority_does_not_count_for_good() {
    let rows = [(0, 1, 50, 50, 1, 1), (1, 1, 5, 5, 1, 1), (1, 1, 5, 5, 2, 1)];
    let class = |name: &str, queue, priority| JobClass {
        name: name.to_owned(),
        queues: vec![queue],
        priority,
        ..JobClass::default()
    };
    let qos = vec![class("low", 1, 8), class("high", 2, 10)];
    let weights = PriorityWeights { qos: 1, ..weights(1, 0, 0) };
    let site = SiteSettings { weights, qos, max_age_s: 100, calc_period_s: 10, ..SiteSettings::default() };
    assert_eq!(starts("EASY", 1, &site, &rows), [0.0, 50.0, 55.0]);
}

/// Rejects jobs that are too large or too long for their partition, and jobs without an estimate in
/// a partition with a time limit.
#[test]
fn jobs_that_can_never_run_are_rejected() {
    let rows = [(0, 3, 50, 50, 1, 1), (0, 2, 50, 90, 1, 1), (0, 2, 50, 60, 1, 1)];
    let class = |max_nodes, max_time_s| {
        let class = JobClass { name: "all".to_owned(), max_nodes, max_time_s, ..JobClass::default() };
        SiteSettings { partitions: vec![class], ..SiteSettings::default() }
    };
    for policy in ["FCFS", "EASY", "CONS"] {
        let rejected = |settings: &SiteSettings, options: &Options| {
            run(policy, 4, settings, options, &of(&rows)).summary.rejected
        };
        assert_eq!(rejected(&class(Some(2), None), &requested()), 1, "{policy}");
        assert_eq!(rejected(&class(Some(2), Some(60)), &requested()), 2, "{policy}");
        let unknown = Options { estimates: "none".parse().unwrap(), ..Options::default() };
        let settings = class(None, Some(60));
        let parsed: Policy = policy.parse().unwrap();
        let mut scheduler = parsed.scheduler_at(4, &PolicyOptions::default(), Some(&Arc::new(settings)));
        let mut metrics = Metrics::new(SummaryOptions::new(4));
        simulate(4, &unknown, of(&rows), &mut *scheduler, &mut metrics).unwrap();
        assert!(metrics.summary().is_none(), "{policy}");
    }
}

/// Draws the class that preempts the other one, if any, the preemption mode of each class, and the
/// exempt time.
fn preempting() -> impl Strategy<Value = (usize, [PreemptMode; 2], u64)> {
    let mode = || {
        let modes = [PreemptMode::Requeue, PreemptMode::Cancel, PreemptMode::Suspend, PreemptMode::Off];
        prop::sample::select(modes.to_vec())
    };
    // Zero in half of the cases.
    (0_usize..4, [mode(), mode()], 0_u64..200)
        .prop_map(|(preempt, modes, exempt)| (preempt, modes, exempt.saturating_sub(100)))
}

fn with_preemption(mut classes: Vec<JobClass>, preempt: usize, modes: [PreemptMode; 2]) -> Vec<JobClass> {
    let names: Vec<String> = classes.iter().map(|class| class.name.clone()).collect();
    for (class, mode) in classes.iter_mut().zip(modes) {
        class.preempt_mode = Some(mode);
    }
    if preempt < classes.len() {
        classes[preempt].preempt.push(names[1 - preempt].clone());
    }
    classes
}

/// Draws settings of a cluster of 8 nodes.
pub(crate) fn settings() -> impl Strategy<Value = SiteSettings> {
    let weights = [0_u32..1_000, 0..1_000, 0..1_000, 0..1_000, 0..1_000];
    let limit = || prop::option::of(1_u32..6);
    let class = |name: &'static str| {
        let lists = (prop::collection::vec(0_u32..3, 0..2), prop::collection::vec(0_u32..3, 0..2));
        (0_u32..4, lists, limit(), limit(), limit(), prop::option::of(50_u64..400)).prop_map(
            move |(priority, (queues, users), max_nodes, total_nodes, max_running_per_user, max_time_s)| {
                JobClass {
                    name: name.to_owned(),
                    priority,
                    queues,
                    users,
                    max_nodes,
                    total_nodes,
                    max_running_per_user,
                    max_time_s,
                    ..JobClass::default()
                }
            },
        )
    };
    let accounts = (0_u32..4, 0_u32..4, prop::bool::ANY).prop_map(|(above, below, nested)| {
        let account = |name: &str, shares, parent: Option<&str>, groups, users| Account {
            name: name.to_owned(),
            parent: parent.map(str::to_owned),
            shares,
            groups,
            users,
            is_user: false,
            usage_s: 0,
            limits: Limits::default(),
        };
        vec![
            account("below", below, nested.then_some("above"), vec![0], vec![]),
            account("above", above, None, vec![1], vec![]),
            account("of a user", 1, Some("above"), vec![], vec![2]),
        ]
    });
    let backfill = (limit(), 0_u64..60, 0_u64..200, 0_u64..40).prop_map(
        |(max_job_test, interval_s, window_s, resolution_s)| {
            // Each of them is often missing.
            let some = |value: u64, least: u64| if value < least { 0 } else { value };
            BackfillSettings {
                max_job_test,
                interval_s: some(interval_s, 30),
                window_s: some(window_s, 100),
                resolution_s: some(resolution_s, 20),
                ..BackfillSettings::default()
            }
        },
    );
    let times = (1_u64..500, 0_u64..2_000, 1_u64..120, prop::bool::ANY);
    let unlisted = prop::sample::select(vec![Unlisted::Group, Unlisted::User, Unlisted::Together]);
    (
        weights,
        times,
        accounts,
        unlisted,
        (class("q"), class("r"), preempting()),
        class("p"),
        limit(),
        backfill,
    )
        .prop_map(
            |(
                weights,
                (max_age_s, half_life_s, calc_period_s, favor_small),
                accounts,
                unlisted,
                (q, r, (preempt, modes, exempt)),
                p,
                most,
                backfill,
            )| {
                let [age, size, fair_share, qos, partition] = weights;
                SiteSettings {
                    weights: PriorityWeights { age, size, fair_share, qos, partition },
                    max_age_s,
                    favor_small,
                    half_life_s,
                    calc_period_s,
                    accounts,
                    unlisted,
                    qos: with_preemption(vec![q, r], preempt, modes),
                    partitions: vec![p],
                    max_running_per_user: most,
                    backfill,
                    preempt_exempt_time_s: exempt,
                    ..SiteSettings::default()
                }
            },
        )
}

pub(crate) fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0_u64..40, 1_u32..9, 1_u64..200, 1_u64..300, 0_u32..4, 0_u32..4);
    prop::collection::vec(row, 1..60).prop_map(|mut rows| {
        // Converts gaps to submit times.
        let mut second = 0;
        for row in &mut rows {
            second += row.0;
            row.0 = second;
        }
        rows
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(256)))]

    /// Every job ends or is rejected, and the independent checker, which computes usage and
    /// priorities itself, agrees with every start.
    #[test]
    fn schedules_by_priority_pass_the_audit(
        settings in settings(), rows in rows(), policy in 0_usize..3, estimates in 0_usize..3,
    ) {
        let estimates = ["exact", "requested", "factor:1.5"][estimates].parse().unwrap();
        let options = Options { estimates, ..Options::default() };
        let count = rows.len();
        let mut jobs = of(&rows);
        // The first job completes, so that there is a summary.
        jobs[0].run_time = SimSpan::from_secs(1);
        jobs[0].requested_time = None;
        jobs[0].tasks = 1;
        let policy = ["FCFS", "EASY", "CONS"][policy];
        let Recorded { records, summary, .. } = run(policy, 8, &settings, &options, &jobs);
        let lost = summary.platform.map_or(0, |it| it.lost);
        prop_assert_eq!(records.len() as u64 + summary.rejected + lost, count as u64);
    }

    /// Without weights and limits the queue order is that of the submissions, so the policies decide
    /// as without settings. CONS replans all jobs, which changes no plan with exact estimates.
    #[test]
    fn without_weights_the_schedules_are_the_usual_ones(rows in rows(), estimates in 0_usize..3) {
        let text = ["exact", "requested", "factor:1.5"][estimates];
        let options = Options { estimates: text.parse().unwrap(), ..Options::default() };
        for policy in ["FCFS", "EASY", "CONS"] {
            if policy == "CONS" && text != "exact" {
                continue;
            }
            let with = run(policy, 8, &SiteSettings::default(), &options, &of(&rows));
            prop_assert!(with.records == schedule(policy, 8, &options, of(&rows)), "{}", policy);
        }
    }
}

/// Checks that node selection does not change the starts; the audit checks the nodes too.
#[test]
fn places_change_no_start_under_priorities() {
    let rows: Vec<Row> = (0..40_u64)
        .map(|at| (3 * at, 1 + (7 * at % 5) as u32, 5 + 11 * at % 37, 0, (at % 3) as u32, 1))
        .collect();
    let settings = SiteSettings { weights: weights(10, 100, 1_000), ..SiteSettings::default() };
    for base in ["FCFS", "EASY", "CONS"] {
        let first = starts(base, 8, &settings, &rows);
        for place in ["/PLACE=CONTIGUOUS", "/PLACE=BEST"] {
            assert_eq!(starts(&format!("{base}{place}"), 8, &settings, &rows), first, "{base}{place}");
        }
    }
}
