//! Jobs that make room for others: schedules derived by hand, and properties.

use crate::priorities::{Row, of, requested, rows, run, run_with_events};
use crate::support::starts_and_ends;
use dfrsim_cluster::Options;
use dfrsim_model::SimSpan;
use dfrsim_model::priority::{JobClass, PreemptMode, Priorities};
use proptest::prelude::*;
use std::cmp::Reverse;

/// Jobs of queue 2 preempt those of queue 1, then those of queue 3; others do not matter.
pub(crate) fn settings(mode: PreemptMode) -> Priorities {
    let class = |name: &str, queue, preempt: &[&str]| JobClass {
        name: name.to_owned(),
        queues: vec![queue],
        preempt: preempt.iter().map(|&name| name.to_owned()).collect(),
        ..JobClass::default()
    };
    let qos = vec![class("low", 1, &[]), class("high", 2, &["low", "middle"]), class("middle", 3, &[])];
    Priorities { qos, preempt_mode: mode, ..Priorities::default() }
}

fn times(policy: &str, nodes: u32, settings: &Priorities, rows: &[Row]) -> Vec<(f64, f64)> {
    let options = Options { penalty: SimSpan::from_secs(5), ..requested() };
    starts_and_ends(&run(policy, nodes, settings, &options, of(rows)).0)
}

const POLICIES: [&str; 3] = ["FCFS", "EASY", "CONS"];

/// Two low jobs of 2 nodes, and a high one that comes at 20 s: the second low job started last.
pub(crate) const TWO: [Row; 3] = [(0, 2, 100, 0, 1, 1), (10, 2, 100, 0, 1, 1), (20, 2, 30, 0, 2, 2)];

/// It has done 10 s, and begins again from zero at 50 s.
#[test]
fn the_youngest_is_requeued() {
    for policy in POLICIES {
        let expected = [(0.0, 100.0), (10.0, 150.0), (20.0, 50.0)];
        assert_eq!(times(policy, 4, &settings(PreemptMode::Requeue), &TWO), expected, "{policy}");
    }
}

/// After a delay of 60 s it begins at 80 s, though there is room from 50 s on; a job behind it does not wait for it.
#[test]
fn a_requeued_job_is_passed_over_for_a_time() {
    let delayed = Priorities { requeue_delay_s: 60, ..settings(PreemptMode::Requeue) };
    let rows = [TWO[0], TWO[1], TWO[2], (30, 2, 20, 0, 1, 1)];
    for policy in POLICIES {
        let expected = [(0.0, 100.0), (10.0, 180.0), (20.0, 50.0), (50.0, 70.0)];
        assert_eq!(times(policy, 4, &delayed, &rows), expected, "{policy}");
    }
}

/// It has done 10 s, and goes on at 50 s: the penalty of 5 s, and 90 s.
#[test]
fn it_may_be_suspended() {
    for policy in POLICIES {
        let expected = [(0.0, 100.0), (10.0, 145.0), (20.0, 50.0)];
        assert_eq!(times(policy, 4, &settings(PreemptMode::Suspend), &TWO), expected, "{policy}");
    }
}

/// Cancelled, it leaves for good, and 2 * 10 node-seconds are lost at the need that jobs have here.
#[test]
fn it_may_be_cancelled() {
    for policy in POLICIES {
        let (records, summary, _) =
            run_with_events(policy, 4, &settings(PreemptMode::Cancel), &requested(), of(&TWO));
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

/// Exempt for 30 s, the first low job can be preempted at 30 s, the second one not before 40 s: the first begins again at 60 s.
#[test]
fn jobs_are_exempt_for_a_time() {
    let exempt = Priorities { preempt_exempt_time_s: 30, ..settings(PreemptMode::Requeue) };
    for policy in POLICIES {
        let expected = [(0.0, 160.0), (10.0, 110.0), (30.0, 60.0)];
        assert_eq!(times(policy, 4, &exempt, &TWO), expected, "{policy}");
    }
    // Of its class: not at all before its end.
    let mut of_class = exempt;
    of_class.qos[0].preempt_exempt_time_s = Some(1_000);
    for policy in POLICIES {
        assert_eq!(times(policy, 4, &of_class, &TWO)[2], (100.0, 130.0), "{policy}");
    }
}

/// Low jobs of 8, 4 and 2 nodes, started in this order: to have 8, those of 2 and 4 would leave first, which is not enough, and with the
/// one of 8 it is enough without them.
#[test]
fn no_more_jobs_leave_than_needed() {
    let rows = [(0, 8, 100, 0, 1, 1), (1, 4, 100, 0, 1, 1), (2, 2, 100, 0, 1, 1), (10, 8, 30, 0, 2, 2)];
    for policy in POLICIES {
        let expected = [(0.0, 140.0), (1.0, 101.0), (2.0, 102.0), (10.0, 40.0)];
        assert_eq!(times(policy, 14, &settings(PreemptMode::Requeue), &rows), expected, "{policy}");
    }
}

/// The list says low first, though the job of the middle started later.
#[test]
fn the_list_has_an_order() {
    let rows = [(0, 1, 100, 0, 1, 1), (5, 1, 100, 0, 3, 3), (10, 1, 30, 0, 2, 2)];
    for policy in POLICIES {
        let expected = [(0.0, 140.0), (5.0, 105.0), (10.0, 40.0)];
        assert_eq!(times(policy, 2, &settings(PreemptMode::Requeue), &rows), expected, "{policy}");
    }
}

/// Half of the nodes are those of a job that stays: the low job stays, too, since the high one could not start.
#[test]
fn no_job_leaves_in_vain() {
    let rows = [(0, 2, 100, 0, 9, 9), (0, 2, 50, 0, 1, 1), (10, 4, 30, 0, 2, 2)];
    for policy in POLICIES {
        let expected = [(0.0, 100.0), (0.0, 50.0), (100.0, 130.0)];
        assert_eq!(times(policy, 4, &settings(PreemptMode::Requeue), &rows), expected, "{policy}");
    }
}

/// The third job, which has no list, waits for all four nodes, which are free at 200 s. The high job behind it takes those of the low one if
/// it ends by then; that begins again at 52 s, since it was submitted first. With FCFS no job goes before the head.
#[test]
fn the_head_of_the_queue_is_not_delayed() {
    let rows = |run| [(0, 2, 100, 0, 9, 9), (0, 2, 200, 0, 1, 1), (1, 4, 10, 0, 9, 9), (2, 2, run, 0, 2, 2)];
    let times = |policy, run| times(policy, 4, &settings(PreemptMode::Requeue), &rows(run));
    for policy in ["EASY", "CONS"] {
        let expected = [(0.0, 100.0), (0.0, 252.0), (252.0, 262.0), (2.0, 52.0)];
        assert_eq!(times(policy, 50), expected, "{policy}");
        let expected = [(0.0, 100.0), (0.0, 200.0), (200.0, 210.0), (210.0, 510.0)];
        assert_eq!(times(policy, 300), expected, "{policy}");
    }
    assert_eq!(times("FCFS", 50)[3], (210.0, 260.0));
}

/// Partitions preempt each other in the same way.
#[test]
fn partitions_preempt() {
    let mut by_partition = settings(PreemptMode::Requeue);
    by_partition.partitions = std::mem::take(&mut by_partition.qos);
    for class in &mut by_partition.partitions {
        class.partitions = std::mem::take(&mut class.queues);
    }
    for policy in POLICIES {
        let expected = [(0.0, 100.0), (10.0, 150.0), (20.0, 50.0)];
        assert_eq!(times(policy, 4, &by_partition, &TWO), expected, "{policy}");
    }
}

/// Whenever jobs make room, another one starts or goes on in the same moment.
pub(crate) fn each_has_a_reason(events: &str) {
    let (mut left, mut started) = (None, None);
    for line in events.lines() {
        let field = |name: &str| line.split(name).nth(1)?.split(['"', ',', '}']).find(|it| !it.is_empty());
        let at = field("\"at_us\":").and_then(|at| at.parse::<u64>().ok());
        match field("\"event\":") {
            Some("start" | "resume") => started = at,
            Some("interrupt" | "lose" | "pause") => {
                assert!(left.is_none() || left == at || started >= left, "{events}");
                left = at;
            }
            _ => {}
        }
    }
    assert!(left.is_none() || started >= left, "{events}");
}

/// The ends of jobs by FCFS, second by second: jobs of queue 2 preempt those of queue 1.
fn ends_by_the_second(nodes: u32, rows: &[Row]) -> Vec<u64> {
    let mut ends = vec![None; rows.len()];
    // When each job started, if it runs.
    let mut since: Vec<Option<u64>> = vec![None; rows.len()];
    for now in 0.. {
        let mut is_event = rows.iter().any(|row| row.0 == now);
        for job in 0..rows.len() {
            if since[job].is_some_and(|since| since + rows[job].2 == now) {
                (since[job], ends[job], is_event) = (None, Some(now), true);
            }
        }
        if ends.iter().all(Option::is_some) {
            break;
        }
        let waits: Vec<usize> = (0..rows.len())
            .filter(|&job| rows[job].0 <= now && ends[job].is_none() && since[job].is_none())
            .collect();
        for job in waits.into_iter().filter(|_| is_event) {
            let used = |since: &[Option<u64>]| {
                (0..rows.len()).filter(|&it| since[it].is_some()).map(|it| rows[it].1).sum::<u32>()
            };
            let fits = |since: &[Option<u64>]| used(since) + rows[job].1 <= nodes;
            let mut after = since.clone();
            if rows[job].4 == 2 {
                let mut order: Vec<usize> = (0..rows.len())
                    .filter(|&it| rows[it].4 == 1 && since[it].is_some_and(|since| since < now))
                    .collect();
                order.sort_by_key(|&it| Reverse((since[it], it)));
                let mut taken = Vec::new();
                for &other in &order {
                    if !fits(&after) {
                        after[other] = None;
                        taken.push(other);
                    }
                }
                for &other in taken.iter().rev() {
                    let mut spared = after.clone();
                    spared[other] = since[other];
                    if fits(&spared) {
                        after = spared;
                    }
                }
            }
            if !fits(&after) {
                break;
            }
            since = after;
            since[job] = Some(now);
        }
    }
    ends.into_iter().flatten().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn fcfs_agrees_with_the_slow_way(rows in rows()) {
        let mut of_low = settings(PreemptMode::Requeue);
        of_low.qos[1].preempt.truncate(1);
        let (records, _) = run("FCFS", 8, &of_low, &Options::default(), of(&rows));
        let ends: Vec<u64> = records.iter().map(|record| record.end.micros() / 1_000_000).collect();
        prop_assert_eq!(ends, ends_by_the_second(8, &rows));
    }

    /// What happens to jobs that make room, and when, does not matter without a list: the same bytes, but for the settings.
    #[test]
    fn without_lists_schedules_are_the_same(rows in rows(), policy in 0_usize..3) {
        let mut plain = settings(PreemptMode::Requeue);
        plain.qos[1].preempt.clear();
        let other = Priorities { preempt_mode: PreemptMode::Suspend, preempt_exempt_time_s: 9, ..plain.clone() };
        let events = |settings| run_with_events(POLICIES[policy], 8, settings, &requested(), of(&rows)).2;
        let behind_settings = |text: String| text.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(behind_settings(events(&plain)), behind_settings(events(&other)));
    }
}
