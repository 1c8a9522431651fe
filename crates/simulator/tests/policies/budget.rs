//! Tests the migration budget of a tick, and relabelling of nodes.

use crate::support;
use dfrsim_cluster::{Observer, Occurrence, Options};
use dfrsim_model::{Job, Seed, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions};
use std::collections::BTreeMap;

const NODES: u32 = 32;
const PERIOD: u64 = 600;

/// Memory that migrations move at each time, in nodes' memories, except at submissions and
/// completions.
#[derive(Default)]
struct Moves {
    first: Option<SimTime>,
    at: BTreeMap<SimTime, f64>,
    preemptions: u32,
}

impl Observer for Moves {
    fn observe(&mut self, now: SimTime, _: u64, occurrence: Occurrence<'_>) {
        let first = *self.first.get_or_insert(now);
        let tick = (now.since(first).micros()).is_multiple_of(SimSpan::from_secs(PERIOD).micros());
        match occurrence {
            Occurrence::Migrated(_, _, _, memory) if tick => *self.at.entry(now).or_default() += memory,
            Occurrence::Paused(_) => self.preemptions += 1,
            _ => {}
        }
    }
}

fn jobs(trace: u64) -> Vec<Job> {
    support::lublin(NODES, 150, Seed::new(1).numbered(trace), 0.9)
}

/// Returns the maximum and the sum that the ticks of an audited simulation move, in GB, with nodes
/// of 8 GB.
fn moved(name: &str, trace: u64) -> (f64, f64) {
    let options = Options { penalty: SimSpan::from_secs(300), ..Options::default() };
    let found = support::recorded(&PolicyOptions::default(), name, NODES, &options, None, &jobs(trace));
    let moves: Moves = found.watcher;
    support::assert_judged(&found.events, name);
    assert_eq!(found.summary.jobs as u64 + found.summary.rejected, 150, "{name}");
    let gigabytes = |nodes: f64| 8.0 * nodes;
    let most = moves.at.values().copied().fold(0.0, f64::max);
    (gigabytes(most), gigabytes(moves.at.values().sum()))
}

/// Tolerance in GB: units are rounded down, and sums of memories are not exact.
const TOLERANCE: f64 = 1e-6;

#[test]
fn no_tick_moves_more_than_its_budget() {
    let mut without = 0.0_f64;
    for base in ["", "Greedy*", "GreedyPM*", "MCB"] {
        for trace in 0..2 {
            for limit in ["", "/MVT=600"] {
                let (most, _) = moved(&format!("{base}/per/OPT=MIN{limit}"), trace);
                without = without.max(most);
                for budget in [0, 5, 20] {
                    for label in ["", "/RELABEL"] {
                        let name = format!("{base}/per/BUDGET={budget}{label}/OPT=MIN{limit}");
                        let (most, _) = moved(&name, trace);
                        assert!(most <= f64::from(budget) + TOLERANCE, "{name}: {most} GB");
                    }
                }
            }
        }
    }
    assert!(without > 40.0, "without budgets ticks move more than the largest of them: {without} GB");
}

#[test]
fn a_budget_that_is_never_reached_has_no_effect() {
    let name = |budget: &str| format!("GreedyPM*/per{budget}/OPT=MIN/MVT=600");
    let options = Options { penalty: SimSpan::from_secs(300), ..Options::default() };
    let records = |name: &str| support::schedule(name, NODES, &options, jobs(0));
    assert_eq!(records(&name("/BUDGET=1000000")), records(&name("")));
}

/// Compares the moved memory over many ticks. Each tick is relabelled exactly, so only the following
/// states differ.
#[test]
fn relabelling_moves_less() {
    let sum = |name: &str| (0..6).map(|trace| moved(name, trace).1).sum::<f64>();
    let (plain, relabelled) = (sum("/per/OPT=MIN"), sum("/per/RELABEL/OPT=MIN"));
    println!("{plain} GB, {relabelled} GB relabelled");
    assert!(relabelled < 0.9 * plain, "{plain} GB, {relabelled} GB relabelled");
}

#[test]
fn names_are_read_as_they_are_printed() {
    for name in [
        "/per/BUDGET=0/OPT=MIN",
        "GreedyPM*/per/BUDGET=100/RELABEL/OPT=MIN/MVT=600",
        "MCB*/RELABEL/OPT=AVG",
        "/stretch-per/RELABEL/OPT=MAX/MFT=300",
    ] {
        let policy: Policy = name.parse().unwrap();
        assert_eq!(policy.to_string(), name);
        let bare = name.replace("/RELABEL", "").replace("/BUDGET=100", "").replace("/BUDGET=0", "");
        assert_ne!(policy, bare.parse().unwrap());
    }
    for (wrong, nearest) in [
        ("/stretch-per/BUDGET=5/OPT=MAX", "/stretch-per/OPT=MAX"),
        ("MCB*/per/BUDGT=100/OPT=MIN", "MCB*/per/BUDGET=100/OPT=MIN"),
        ("/per/BUDGET=x/OPT=MIN", "/per/BUDGET=100/OPT=MIN"),
        ("/per/BUDGET=0100/OPT=MIN", "/per/BUDGET=100/OPT=MIN"),
        ("/per/RELABLE/OPT=MIN", "/per/RELABEL/OPT=MIN"),
        ("/per/OPT=MINN", "/per/OPT=MIN"),
    ] {
        assert_eq!(wrong.parse::<Policy>().unwrap_err().nearest.as_deref(), Some(nearest), "{wrong}");
    }
    for senseless in ["Greedy*/RELABEL/OPT=MIN", "MCB*/BUDGET=5/OPT=MIN", "/per/RELABEL/BUDGET=5/OPT=MIN"] {
        assert!(senseless.parse::<Policy>().is_err(), "{senseless}");
    }
}
