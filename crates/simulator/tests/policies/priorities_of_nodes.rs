//! Tests priorities on nodes that fail or differ: properties.

use crate::priorities::{Row, of, requested, rows, run, settings};
use crate::support::starts_and_ends;
use dfrsim_cluster::Options;
use dfrsim_model::platform::classes::{Demands, PlatformFields, UnequalNodes};
use dfrsim_model::platform::{NodeSpan, Outage, Outages, Window};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{SimSpan, SimTime};
use proptest::prelude::*;
use std::sync::Arc;

const POLICIES: [&str; 3] = ["FCFS", "EASY", "CONS"];

/// First node, number of nodes, start and end in seconds.
type Down = (u32, u32, u64, u64);

fn outage(&(first, nodes, from, until): &Down) -> Outage {
    let nodes = NodeSpan { first, nodes };
    Outage { from: SimTime::from_secs(from), until: SimTime::from_secs(until), nodes }
}

/// Creates failures, and maintenance windows that are announced at time zero.
fn options(rule: &str, failures: &[Down], windows: &[Down]) -> Options {
    let window = |row: &Down| Window { announced: SimTime::ZERO, outage: outage(row) };
    let outages = Outages {
        interruption: rule.parse().unwrap(),
        failures: failures.iter().map(outage).collect(),
        windows: windows.iter().map(window).collect(),
        ..Outages::default()
    };
    Options { outages: Some(Arc::new(outages)), ..requested() }
}

fn unequal() -> Options {
    let platform = "classes = [{ name = 'fast', nodes = 1, cores = 4, memory_gb = 8 },
        { name = 'slow', nodes = 2, cores = 4, memory_gb = 8, speed = 0.5 }]";
    let classes = PlatformFields::parse("platform.toml", platform).unwrap().classes().unwrap();
    let unequal = Some(Arc::new(UnequalNodes { classes, demands: Demands::default() }));
    Options { unequal, ..requested() }
}

/// Draws settings without preemption.
fn peaceful() -> impl Strategy<Value = SiteSettings> {
    settings().prop_map(|mut settings| {
        settings.qos.iter_mut().for_each(|class| class.preempt.clear());
        settings
    })
}

/// Makes the first job short, so that at least one job completes and there is a summary.
fn with_a_short_job(rows: &[Row]) -> Vec<dfrsim_model::Job> {
    let mut jobs = of(rows);
    jobs[0].run_time = SimSpan::from_secs(1);
    jobs[0].requested_time = None;
    jobs[0].tasks = 1;
    jobs
}

fn downs() -> impl Strategy<Value = Vec<Down>> {
    let down = (0_u32..8, 1_u32..9, 2_u64..1_500, 1_u64..200);
    let down =
        down.prop_map(|(first, nodes, from, length)| (first, nodes.min(8 - first), from, from + length));
    prop::collection::vec(down, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(128)))]

    /// Without outages, the plan by groups of nodes equals the plan by node counts.
    #[test]
    fn without_outages_groups_are_numbers(settings in peaceful(), rows in rows(), policy in 0_usize..3) {
        let jobs = with_a_short_job(&rows);
        let plain = run(POLICIES[policy], 8, &settings, &requested(), &jobs).records;
        let grouped = run(POLICIES[policy], 8, &settings, &options("requeue", &[], &[]), &jobs).records;
        prop_assert!(plain == grouped, "{}: {:?} {:?}", POLICIES[policy], starts_and_ends(&plain), starts_and_ends(&grouped));
    }

    /// Every job ends, is lost or is rejected, and the independent checker agrees with every start
    /// of FCFS and EASY.
    #[test]
    fn schedules_on_failing_nodes_pass_the_audit(
        settings in peaceful(), rows in rows(), policy in 0_usize..3, rule in 0_usize..3,
        failures in downs(), windows in downs(),
    ) {
        let rule = ["requeue", "lose", "checkpoint:30:2:5"][rule];
        let options = options(rule, &failures, &windows);
        let count = rows.len() as u64;
        let found = run(POLICIES[policy], 8, &settings, &options, &with_a_short_job(&rows));
        let lost = found.summary.platform.map_or(0, |it| it.lost);
        prop_assert_eq!(found.records.len() as u64 + found.summary.rejected + lost, count);
    }

    /// Every job ends or is rejected on nodes that differ, and the independent checker agrees.
    #[test]
    fn schedules_on_unequal_nodes_pass_the_audit(settings in peaceful(), rows in rows(), policy in 0_usize..3) {
        let count = rows.len() as u64;
        let found = run(POLICIES[policy], 3, &settings, &unequal(), &with_a_short_job(&rows));
        prop_assert_eq!(found.records.len() as u64 + found.summary.rejected, count);
    }
}
