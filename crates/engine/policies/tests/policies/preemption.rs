//! Jobs that make room for others: properties.

use crate::priorities::{Row, of, requested, rows, run};
use crate::support::{Recorded, starts_and_ends};
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
    starts_and_ends(&run(policy, nodes, settings, &options, &of(rows)).records)
}

const POLICIES: [&str; 3] = ["FCFS", "EASY", "CONS"];

/// Two low jobs of 2 nodes, and a high one that comes at 20 s: the second low job started last.
pub(crate) const TWO: [Row; 3] = [(0, 2, 100, 0, 1, 1), (10, 2, 100, 0, 1, 1), (20, 2, 30, 0, 2, 2)];

/// Cancelled, it leaves for good, and 2 * 10 node-seconds are lost at the need that jobs have here.
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
        let found = run("FCFS", 8, &of_low, &Options::default(), &of(&rows));
        let ends: Vec<u64> = found.records.iter().map(|record| record.end.micros() / 1_000_000).collect();
        prop_assert_eq!(ends, ends_by_the_second(8, &rows));
    }

    /// What happens to jobs that make room, and when, does not matter without a list: the same bytes, but for the settings.
    #[test]
    fn without_lists_schedules_are_the_same(rows in rows(), policy in 0_usize..3) {
        let mut plain = settings(PreemptMode::Requeue);
        plain.qos[1].preempt.clear();
        let other = Priorities { preempt_mode: PreemptMode::Suspend, preempt_exempt_time_s: 9, ..plain.clone() };
        let events = |settings| run(POLICIES[policy], 8, settings, &requested(), &of(&rows)).events;
        let behind_settings = |text: String| text.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(behind_settings(events(&plain)), behind_settings(events(&other)));
    }
}
