//! Tests preemption: properties.

use crate::priorities::{Row, of, requested, rows, run};
use crate::support::{Recorded, starts_and_ends};
use dfrsim_cluster::Options;
use dfrsim_model::SimSpan;
use dfrsim_model::site::{JobClass, PreemptMode, SiteSettings};
use proptest::prelude::*;

/// Creates settings in which jobs of queue 2 preempt those of queue 1, then those of queue 3; others
/// are not involved.
pub(crate) fn settings(mode: PreemptMode) -> SiteSettings {
    let class = |name: &str, queue, preempt: &[&str]| JobClass {
        name: name.to_owned(),
        queues: vec![queue],
        preempt: preempt.iter().map(|&name| name.to_owned()).collect(),
        ..JobClass::default()
    };
    let qos = vec![class("low", 1, &[]), class("high", 2, &["low", "middle"]), class("middle", 3, &[])];
    SiteSettings { qos, preempt_mode: mode, ..SiteSettings::default() }
}

fn times(policy: &str, nodes: u32, settings: &SiteSettings, rows: &[Row]) -> Vec<(f64, f64)> {
    let options = Options { penalty: SimSpan::from_secs(5), ..requested() };
    starts_and_ends(&run(policy, nodes, settings, &options, &of(rows)).records)
}

const POLICIES: [&str; 3] = ["FCFS", "EASY", "CONS"];

/// Two low jobs of 2 nodes, and a high one that arrives at 20 s. The second low job started last.
pub(crate) const TWO: [Row; 3] = [(0, 2, 100, 0, 1, 1), (10, 2, 100, 0, 1, 1), (20, 2, 30, 0, 2, 2)];

/// Cancels the second low job for good: 2 * 10 node-seconds are lost, times the CPU need of the jobs
/// here.
#[test]
fn it_may_be_cancelled() {
    for policy in POLICIES {
        let Recorded { records, summary, .. } =
            run(policy, 4, &settings(PreemptMode::Cancel), &requested(), &of(&TWO));
        assert_eq!(starts_and_ends(&records), [(0.0, 100.0), (20.0, 50.0)], "{policy}");
        let figures = summary.platform.unwrap();
        let lost = 20.0 * of(&TWO)[1].cpu_need.as_f64();
        assert_eq!((figures.lost, figures.interruptions, figures.lost_work), (1, 1, lost), "{policy}");
    }
    for policy in POLICIES {
        let expected = [(0.0, 100.0), (10.0, 110.0), (100.0, 130.0)];
        assert_eq!(times(policy, 4, &settings(PreemptMode::Off), &TWO), expected, "{policy}");
    }
}

/// A preempted low job has a higher priority than the high one. It waits until that one has started,
/// at 37 s, after the grace period.
#[test]
fn a_job_that_left_does_not_take_its_nodes_back() {
    let mut settings = settings(PreemptMode::Requeue);
    (settings.qos[0].grace_s, settings.qos[0].priority) = (Some(15), 9);
    settings.weights.qos = 1_000;
    let times = times("SLURM", 4, &settings, &TWO);
    assert_eq!((times[0], times[2]), ((3.0, 103.0), (37.0, 67.0)));
    assert!((68.0..70.0).contains(&(times[1].1 - 100.0)), "{times:?}");
}

/// Two low jobs of all nodes have higher priorities than the high one. The first starts at 3 s; the
/// backfill cycle at 30.5 s starts its grace period, and it is preempted at 90.5 s. The second
/// starts at 91 s, and its grace period begins at 91.5 s. Neither takes the nodes of the other until
/// the high job ends at 252 s. The backfill cycle sees that half a second later, and the main cycle
/// at 1253 s sees that the first job has ended.
#[test]
fn jobs_that_leave_in_turn_let_the_other_one_start() {
    let mut settings = settings(PreemptMode::Requeue);
    settings.qos[0].grace_s = Some(60);
    let rows = [(0, 4, 1_000, 1_000, 1, 1), (10, 4, 500, 500, 1, 1), (20, 2, 100, 100, 2, 2)];
    let expected = [(3.0, 1_252.5), (91.0, 1_753.0), (152.0, 252.0)];
    assert_eq!(times("SLURM", 4, &settings, &rows), expected);
}

/// A SLURM cycle at 21 s considers the high job. It starts the grace period of the second low job,
/// which is preempted 15 s later if it has not ended at 31 s.
#[test]
fn it_may_have_time_to_leave() {
    let short = [TWO[0], (10, 2, 20, 0, 1, 1), TWO[2]];
    for (grace_s, rows, expected) in [
        (None, TWO, vec![(3.0, 103.0), (21.0, 51.0)]),
        (Some(15), TWO, vec![(3.0, 103.0), (37.0, 67.0)]),
        (Some(15), short, vec![(3.0, 103.0), (11.0, 31.0), (32.0, 62.0)]),
    ] {
        let mut settings = settings(PreemptMode::Cancel);
        settings.qos[0].grace_s = grace_s;
        assert_eq!(times("SLURM", 4, &settings, &rows), expected, "{grace_s:?}");
    }
}

/// A low job waits for two of three nodes, which are free when a middle one ends. A high job would
/// use one of these for longer. It can preempt a running low job, which leaves a node to the waiting
/// one in time. The high job therefore starts immediately, on the free node.
#[test]
fn room_that_others_leave_later_is_enough_for_reservations() {
    let rows = [
        (0, 1, 10_000, 10_000, 1, 1),
        (0, 1, 300, 300, 3, 2),
        (0, 1, 100, 100, 3, 2),
        (10, 2, 100, 100, 1, 1),
        (20, 1, 400, 400, 2, 3),
    ];
    let mut settings = settings(PreemptMode::Requeue);
    settings.qos[0].grace_s = Some(60);
    let found = run("SLURM/NODES=WHOLE", 3, &settings, &requested(), &of(&rows));
    let start = |id| found.records.iter().find(|record| record.id.0 == id).map(|it| it.start.as_secs_f64());
    assert!(start(5).is_some_and(|start| start < 150.0), "{:?}", start(5));
}

/// A rejected high job waits for no preemption. There is no decision at 500 s, when the first low
/// job could be paused, and yields by service do not change.
#[test]
fn no_job_leaves_for_a_rejected_one() {
    let mut settings = settings(PreemptMode::Suspend);
    (settings.qos[1].total_nodes, settings.preempt_exempt_time_s) = (Some(1), 500);
    let rows = [(0, 1, 900, 0, 1, 1), (100, 1, 900, 0, 1, 1), (150, 2, 30, 0, 2, 2)];
    let found = run("Greedy*/OPT=MIN/LAS=300", 1, &settings, &requested(), &of(&rows));
    assert!(found.summary.rejected == 1 && !found.events.contains("\"at_us\":500000000"), "{}", found.events);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(128)))]

    /// Without preemption lists, the preemption mode and the exempt time do not change the events,
    /// except for the settings.
    #[test]
    fn without_lists_schedules_are_the_same(rows in rows(), policy in 0_usize..3) {
        let mut plain = settings(PreemptMode::Requeue);
        plain.qos[1].preempt.clear();
        let other = SiteSettings { preempt_mode: PreemptMode::Suspend, preempt_exempt_time_s: 9, ..plain.clone() };
        let events = |settings| run(POLICIES[policy], 8, settings, &requested(), &of(&rows)).events;
        let behind_settings = |text: String| text.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(behind_settings(events(&plain)), behind_settings(events(&other)));
    }
}
