//! Priorities and limits: schedules derived by hand, and properties.

use crate::support::{Records, job, jobs, schedule, starts_and_ends};
use dfrsim_audit::{CheckedPolicy, audit_policy};
use dfrsim_cluster::{EventLog, JobRecord, Metrics, Options, Summary, SummaryOptions, simulate};
use dfrsim_model::priority::{
    Account, BackfillSettings, FairShare, JobClass, Limits, PreemptMode, Priorities, PriorityWeights,
    Unlisted,
};
use dfrsim_model::{Job, Origin, SimSpan, UserId};
use dfrsim_policies::{Policy, PolicyOptions};
use proptest::prelude::*;
use std::sync::Arc;

/// Submission, nodes, run time and estimate in seconds; group and user.
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

/// Simulates with priorities, has the events audited, and gives the completed jobs by submission, with how many were rejected.
pub(crate) fn run(
    policy: &str,
    nodes: u32,
    settings: &Priorities,
    options: &Options,
    jobs: Vec<Job>,
) -> (Vec<JobRecord>, u64) {
    let (records, summary, _) = run_with_events(policy, nodes, settings, options, jobs);
    (records, summary.rejected)
}

/// The same with all figures, and the audited events file.
pub(crate) fn run_with_events(
    policy: &str,
    nodes: u32,
    settings: &Priorities,
    options: &Options,
    jobs: Vec<Job>,
) -> (Vec<JobRecord>, Summary, String) {
    settings.check().unwrap();
    let parsed: Policy = policy.parse().unwrap();
    let mut scheduler =
        parsed.scheduler_at(nodes, &PolicyOptions::default(), Some(&Arc::new(settings.clone())));
    let tau = SimSpan::from_secs(10);
    let mut log = EventLog::new(Vec::new(), policy, nodes, options.penalty, tau);
    if let Some(outages) = &options.outages {
        log = log.with_outages(outages.interruption);
    }
    if let Some(unequal) = &options.unequal {
        log = log.with_classes(&unequal.classes);
    }
    let log = log.with_priorities(settings);
    let metrics = Metrics::new(SummaryOptions {
        outages: options.outages.is_some() || settings.preempting().is_some(),
        capacity: options.unequal.as_ref().map(|unequal| unequal.classes.capacity()),
        ..SummaryOptions::new(nodes)
    });
    let mut watchers = ((metrics, log), Records::default());
    let options = &Options { weights: parsed.share_weights(settings), ..options.clone() };
    simulate(nodes, options, jobs, &mut *scheduler, &mut watchers)
        .unwrap_or_else(|error| panic!("{policy}: {error}"));
    let ((metrics, log), records) = watchers;
    let summary = metrics.summary().unwrap();
    let events = log.finish(&summary).unwrap();
    let checked = CheckedPolicy::parse(policy, PolicyOptions::default().period).unwrap();
    audit_policy(events.as_slice(), checked)
        .unwrap_or_else(|error| panic!("{policy}: {error}\n{}", String::from_utf8_lossy(&events)));
    (records.sorted(), summary, String::from_utf8(events).unwrap())
}

fn starts(policy: &str, nodes: u32, settings: &Priorities, rows: &[Row]) -> Vec<f64> {
    let (records, _) = run(policy, nodes, settings, &requested(), of(rows));
    starts_and_ends(&records).into_iter().map(|(start, _)| start).collect()
}

fn weights(age: u32, size: u32, fair_share: u32) -> PriorityWeights {
    PriorityWeights { age, size, fair_share, ..PriorityWeights::default() }
}

/// Both nodes are in use until 100 s. The wide job comes at 10 s, the narrow ones at 0 and 20 s. By size the wide one is first: it has
/// a factor of 1, they have 1/2. By age, computed at 50 s and 100 s, each has (wait / 1000 s): those of 0 and 10 s are ahead.
#[test]
fn size_beats_age_and_age_beats_size() {
    let rows = [(0, 2, 100, 0, 1, 1), (0, 1, 100, 0, 1, 1), (10, 2, 100, 0, 1, 1), (20, 1, 100, 0, 1, 1)];
    let settings =
        |weights| Priorities { weights, calc_period_s: 50, max_age_s: 1_000, ..Priorities::default() };
    // The wide one at 100 s, both others at 200 s.
    assert_eq!(starts("FCFS", 2, &settings(weights(0, 100, 0)), &rows), [0.0, 200.0, 100.0, 200.0]);
    // In the order of submission: one at 100 s, the wide one when it is done, the last after that.
    assert_eq!(starts("FCFS", 2, &settings(weights(100_000, 0, 0)), &rows), [0.0, 100.0, 200.0, 300.0]);
    // Together: at 100 s the ages are 100, 90 and 80 of 1,000. A weight of 4,000 gives 400, 360 and 320, and the size adds 50, 100 and 50;
    // one of 6,000 gives 600, 540 and 480, so that 60 points of age are more than 50 of size.
    assert_eq!(starts("FCFS", 2, &settings(weights(4_000, 100, 0)), &rows)[2], 100.0);
    assert_eq!(starts("FCFS", 2, &settings(weights(6_000, 100, 0)), &rows)[1], 100.0);
}

/// With equal shares, group 1 has used the node for 100 s when the jobs of 10 s wait: the one of group 2, which came later, is first.
/// With a half life and a period of 100 s, group 1 has 2^(-1 / (1/2)) = 1/4 at 100 s. After that job, at 200 s, both have used 50 and
/// 100 node-seconds: factors 2^(-2/3) and 2^(-4/3), so group 1 goes on.
#[test]
fn fair_share_after_a_half_life() {
    let rows = [(0, 1, 100, 0, 1, 1), (10, 1, 100, 0, 1, 1), (20, 1, 100, 0, 2, 2), (30, 1, 100, 0, 2, 2)];
    let settings = Priorities {
        weights: weights(0, 0, 1_000),
        calc_period_s: 100,
        half_life_s: 100,
        ..Priorities::default()
    };
    assert_eq!(starts("FCFS", 1, &settings, &rows), [0.0, 200.0, 100.0, 300.0]);
    // Without a half life: at 200 s both have used 100 node-seconds, and the earlier submission is first.
    let for_ever = Priorities { half_life_s: 0, ..settings.clone() };
    assert_eq!(starts("FCFS", 1, &for_ever, &rows), [0.0, 200.0, 100.0, 300.0]);
    // With three shares of four, group 2 goes first twice: at 200 s it has 2^(-(1/2) / (3/4)), group 1 has 2^(-(1/2) / (1/4)).
    let account = |name: &str, shares, group| Account {
        name: name.to_owned(),
        parent: None,
        shares,
        groups: vec![group],
        users: Vec::new(),
        is_user: false,
        limits: Limits::default(),
    };
    let accounts = vec![account("one", 1, 1), account("two", 3, 2)];
    let shared = Priorities { accounts, half_life_s: 0, ..settings };
    assert_eq!(starts("FCFS", 1, &shared, &rows), [0.0, 300.0, 100.0, 200.0]);
}

/// Jobs of group 2 may have one node together: the third job waits for the second, and the fourth, of group 1, does not wait for it.
#[test]
fn the_limit_of_a_partition_holds_a_job_back() {
    let rows = [(0, 1, 50, 0, 1, 1), (0, 1, 100, 0, 2, 1), (0, 1, 30, 0, 2, 1), (0, 1, 30, 0, 1, 1)];
    let class =
        |name: &str, group| JobClass { name: name.to_owned(), groups: vec![group], ..JobClass::default() };
    let small = JobClass { total_nodes: Some(1), ..class("small", 2) };
    let settings = Priorities { partitions: vec![class("large", 1), small], ..Priorities::default() };
    for policy in ["FCFS", "EASY", "CONS"] {
        assert_eq!(starts(policy, 4, &settings, &rows), [0.0, 0.0, 100.0, 0.0], "{policy}");
    }
}

/// User 1 may run one job at a time; user 2 is not affected. Jobs of no known user have no such limit.
#[test]
fn a_user_runs_one_job_at_a_time() {
    let rows = [(0, 1, 50, 0, 1, 1), (0, 1, 20, 0, 1, 1), (0, 1, 30, 0, 1, 2), (5, 1, 10, 0, 1, 1)];
    let settings = Priorities { max_running_per_user: Some(1), ..Priorities::default() };
    for policy in ["FCFS", "EASY", "CONS"] {
        assert_eq!(starts(policy, 4, &settings, &rows), [0.0, 50.0, 0.0, 70.0], "{policy}");
    }
    let (records, _) = run("EASY", 4, &settings, &requested(), jobs(&[(0, 1, 50, 0), (0, 1, 20, 0)]));
    assert_eq!(starts_and_ends(&records), [(0.0, 50.0), (0.0, 20.0)]);
}

/// Jobs that are too wide or too long for their partition are rejected, as are those of no estimate where that has a limit.
#[test]
fn jobs_that_can_never_run_are_rejected() {
    let rows = [(0, 3, 50, 50, 1, 1), (0, 2, 50, 90, 1, 1), (0, 2, 50, 60, 1, 1)];
    let class = |max_nodes, max_time_s| {
        let class = JobClass { name: "all".to_owned(), max_nodes, max_time_s, ..JobClass::default() };
        Priorities { partitions: vec![class], ..Priorities::default() }
    };
    for policy in ["FCFS", "EASY", "CONS"] {
        let rejected =
            |settings: &Priorities, options: &Options| run(policy, 4, settings, options, of(&rows)).1;
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

/// Priorities of partitions and qualities of service, as parts of the largest one.
#[test]
fn classes_have_priorities() {
    let rows = [(0, 1, 10, 0, 9, 9), (1, 1, 10, 0, 1, 1), (2, 1, 10, 0, 2, 2), (3, 1, 10, 0, 1, 2)];
    let class = |name: &str, priority| JobClass { name: name.to_owned(), priority, ..JobClass::default() };
    let qos = vec![JobClass { queues: vec![2], ..class("high", 4) }, class("normal", 1)];
    let partitions = vec![JobClass { partitions: vec![2], ..class("short", 10) }];
    let weights = |qos, partition| PriorityWeights { qos, partition, ..PriorityWeights::default() };
    let settings = |weights| Priorities {
        weights,
        qos: qos.clone(),
        partitions: partitions.clone(),
        ..Priorities::default()
    };
    // Of 100: 25 for the second job, 100 for the third, 25 for the fourth.
    assert_eq!(starts("FCFS", 1, &settings(weights(100, 0)), &rows), [0.0, 20.0, 10.0, 30.0]);
    // The third and the fourth are in the partition.
    assert_eq!(starts("FCFS", 1, &settings(weights(0, 100)), &rows), [0.0, 30.0, 10.0, 20.0]);
}

/// Two of four nodes are in use until 100 s, and the second job needs four. Of the three behind it, all of which would end before, only
/// those within the depth start: with a depth of 1 none, with 2 the first of them, without a depth the two that fit, then the last.
#[test]
fn backfilling_has_a_depth() {
    let rows = [
        (0, 2, 100, 0, 1, 1),
        (1, 4, 10, 0, 1, 1),
        (2, 1, 50, 0, 1, 1),
        (2, 1, 60, 0, 1, 1),
        (2, 1, 20, 0, 1, 1),
    ];
    let depth = |max_job_test| {
        let backfill = BackfillSettings { max_job_test, ..BackfillSettings::default() };
        Priorities { backfill, ..Priorities::default() }
    };
    for policy in ["EASY", "CONS"] {
        let starts = |settings| starts(policy, 4, &settings, &rows)[2..].to_vec();
        assert_eq!(starts(depth(None)), [2.0, 2.0, 52.0], "{policy}");
        assert_eq!(starts(depth(Some(1))), [110.0, 110.0, 110.0], "{policy}");
        // The one that is tried at 52 s would end after 100 s, and the last one is not tried.
        assert_eq!(starts(depth(Some(2))), [2.0, 110.0, 110.0], "{policy}");
    }
}

/// With an interval of 30 s the job that could be backfilled at 2 s starts at 30 s; without a head that waits, jobs start at once.
#[test]
fn backfilling_has_an_interval() {
    let rows = [(0, 2, 100, 0, 1, 1), (1, 4, 10, 0, 1, 1), (2, 1, 50, 0, 1, 1), (115, 1, 5, 0, 1, 1)];
    let backfill = BackfillSettings { interval_s: 30, ..BackfillSettings::default() };
    let settings = Priorities { backfill, ..Priorities::default() };
    for policy in ["EASY", "CONS"] {
        assert_eq!(starts(policy, 4, &settings, &rows), [0.0, 100.0, 30.0, 115.0], "{policy}");
    }
}

/// The head can start at 100 s. A job of 98 s that comes at 2 s ends then; with ends in whole minutes both would be at 120 s, and one of 99 s
/// may start too, which delays the head by a second. With a window of 50 s CONS has no reservation for the head, and a job of 200 s
/// starts.
#[test]
fn backfilling_has_a_resolution_and_a_window() {
    let rows = |run| [(0, 2, 100, 0, 1, 1), (1, 4, 10, 0, 1, 1), (2, 1, run, 0, 1, 1)];
    let settings = |resolution_s, window_s| {
        let backfill = BackfillSettings { resolution_s, window_s, ..BackfillSettings::default() };
        Priorities { backfill, ..Priorities::default() }
    };
    for policy in ["EASY", "CONS"] {
        assert_eq!(starts(policy, 4, &settings(0, 0), &rows(98))[1..], [100.0, 2.0], "{policy}");
        assert_eq!(starts(policy, 4, &settings(0, 0), &rows(99))[1..], [100.0, 110.0], "{policy}");
        assert_eq!(starts(policy, 4, &settings(60, 0), &rows(99))[1..], [101.0, 2.0], "{policy}");
    }
    assert_eq!(starts("CONS", 4, &settings(0, 50), &rows(200))[1..], [202.0, 2.0]);
}

/// Which of two classes preempts the other one, if any, what happens to jobs of each, and how long they are exempt.
fn preempting() -> impl Strategy<Value = (usize, [PreemptMode; 2], u64)> {
    let mode = || {
        let modes = [PreemptMode::Requeue, PreemptMode::Cancel, PreemptMode::Suspend, PreemptMode::Off];
        prop::sample::select(modes.to_vec())
    };
    // Often no time.
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

/// Random settings of a cluster of 8 nodes.
pub(crate) fn settings() -> impl Strategy<Value = Priorities> {
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
                Priorities {
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
                    ..Priorities::default()
                }
            },
        )
}

pub(crate) fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0_u64..40, 1_u32..9, 1_u64..200, 1_u64..300, 0_u32..4, 0_u32..4);
    prop::collection::vec(row, 1..60).prop_map(|mut rows| {
        // From gaps to moments.
        let mut second = 0;
        for row in &mut rows {
            second += row.0;
            row.0 = second;
        }
        rows
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Every job ends or is rejected, and the independent checker, which computes usage and priorities by itself, agrees with every start.
    #[test]
    fn schedules_by_priority_pass_the_audit(
        settings in settings(), rows in rows(), policy in 0_usize..3, estimates in 0_usize..3,
    ) {
        let estimates = ["exact", "requested", "factor:1.5"][estimates].parse().unwrap();
        let options = Options { estimates, ..Options::default() };
        let count = rows.len();
        let mut jobs = of(&rows);
        // At least one completes, so that there are figures.
        jobs[0].run_time = SimSpan::from_secs(1);
        jobs[0].requested_time = None;
        jobs[0].tasks = 1;
        let policy = ["FCFS", "EASY", "CONS"][policy];
        let (records, summary, events) = run_with_events(policy, 8, &settings, &options, jobs);
        let lost = summary.platform.map_or(0, |it| it.lost);
        prop_assert_eq!(records.len() as u64 + summary.rejected + lost, count as u64);
        crate::preemption::each_has_a_reason(&events);
    }

    /// Without weights and limits the order is that of the submissions: the policies decide as they do without settings. CONS plans
    /// all again, which with exact estimates changes no plan.
    #[test]
    fn without_weights_the_schedules_are_the_usual_ones(rows in rows(), estimates in 0_usize..3) {
        let text = ["exact", "requested", "factor:1.5"][estimates];
        let options = Options { estimates: text.parse().unwrap(), ..Options::default() };
        for policy in ["FCFS", "EASY", "CONS"] {
            if policy == "CONS" && text != "exact" {
                continue;
            }
            let (with, _) = run(policy, 8, &Priorities::default(), &options, of(&rows));
            prop_assert!(with == schedule(policy, 8, &options, of(&rows)), "{}", policy);
        }
    }
}

/// Where jobs are placed does not change the order; the audit judges the nodes too.
#[test]
fn places_change_no_start_under_priorities() {
    let rows: Vec<Row> = (0..40_u64)
        .map(|at| (3 * at, 1 + (7 * at % 5) as u32, 5 + 11 * at % 37, 0, (at % 3) as u32, 1))
        .collect();
    let settings = Priorities { weights: weights(10, 100, 1_000), ..Priorities::default() };
    for base in ["FCFS", "EASY", "CONS"] {
        let first = starts(base, 8, &settings, &rows);
        for place in ["/PLACE=CONTIGUOUS", "/PLACE=BEST"] {
            assert_eq!(starts(&format!("{base}{place}"), 8, &settings, &rows), first, "{base}{place}");
        }
    }
}

/// One node: the job of the partition with the higher tier is first, though the others are older, wider in priority, and waited longer.
#[test]
fn tiers_are_before_priorities() {
    let class = |name: &str, partition, priority, tier| JobClass {
        name: name.to_owned(),
        partitions: vec![partition],
        priority,
        tier,
        ..JobClass::default()
    };
    let settings = Priorities {
        weights: PriorityWeights { partition: 1_000, age: 1_000, ..PriorityWeights::default() },
        max_age_s: 100,
        partitions: vec![class("low", 1, 9, None), class("high", 2, 0, Some(2))],
        ..Priorities::default()
    };
    let mut jobs = of(&[(0, 1, 100, 100, 1, 1), (1, 1, 50, 50, 1, 1), (2, 1, 50, 50, 1, 1)]);
    for (job, partition) in jobs.iter_mut().zip([1, 1, 2]) {
        job.origin = Origin::new(Some(1), Some(1), Some(partition));
    }
    for policy in ["FCFS", "EASY", "CONS"] {
        let records = run(policy, 1, &settings, &requested(), jobs.clone()).0;
        assert_eq!(starts_and_ends(&records), [(0.0, 100.0), (150.0, 200.0), (100.0, 150.0)], "{policy}");
    }
}

/// Fair Tree on one node. Until 200 s, account 1 has used 100 s by user 1 and account 2 100 s by user 3, so that the accounts are level and users
/// 2 and 4, who have used nothing, are first. At 200 s user 2's job starts, as it was submitted first. At 300 s account 1 has used twice
/// as much: user 4 is next. At 400 s all of them are level, and the job of user 1 was submitted first.
#[test]
fn users_are_ranked_in_their_accounts() {
    let settings = Priorities {
        weights: PriorityWeights { fair_share: 1_000, ..PriorityWeights::default() },
        fair_share: FairShare::FairTree,
        half_life_s: 0,
        calc_period_s: 100,
        ..Priorities::default()
    };
    let row = |submit, account, user| (submit, 1, 100, 100, account, user);
    let rows = [row(0, 1, 1), row(1, 2, 3), row(2, 1, 1), row(3, 2, 3), row(4, 1, 2), row(5, 2, 4)];
    for policy in ["FCFS", "EASY", "CONS"] {
        let starts = starts(policy, 1, &settings, &rows);
        assert_eq!(starts, [0.0, 100.0, 400.0, 500.0, 200.0, 300.0], "{policy}");
    }
}
