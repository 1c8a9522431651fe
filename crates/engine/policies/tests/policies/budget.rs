//! The budget of a tick and the names of nodes.

use crate::support;
use dfrsim_audit::audit;
use dfrsim_cluster::{EventLog, Metrics, Observer, Occurrence, Options, SummaryOptions, simulate};
use dfrsim_model::{Job, Seed, Share, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions};
use dfrsim_workload::load;
use dfrsim_workload::lublin::{LublinParameters, generate};
use std::collections::BTreeMap;
use std::num::NonZeroU32;

const NODES: u32 = 32;
const PERIOD: u64 = 600;

/// What migrations move at each moment, in nodes' memories, but for those at submissions and completions.
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
    let nodes = NonZeroU32::new(NODES).unwrap();
    let parameters = LublinParameters { nodes, jobs: 150, ..LublinParameters::default() };
    let mut jobs = generate(&parameters, Seed::new(1).numbered(trace));
    load::scale_to_load(&mut jobs, NODES, 0.9).unwrap();
    jobs
}

/// The most and the sum that ticks of an audited simulation move, in GB of nodes of 8 GB.
fn moved(name: &str, trace: u64) -> (f64, f64) {
    let policy: Policy = name.parse().unwrap();
    let options = Options { penalty: SimSpan::from_secs(300), ..Options::default() };
    let mut scheduler = policy.scheduler(NODES, &PolicyOptions::default());
    let log = EventLog::new(Vec::new(), name, NODES, options.penalty, SimSpan::from_secs(10));
    let mut watchers = (Metrics::new(SummaryOptions::new(NODES)), (log, Moves::default()));
    simulate(NODES, &options, jobs(trace), &mut *scheduler, &mut watchers)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let (metrics, (log, moves)) = watchers;
    let events = log.finish(&metrics.summary().unwrap()).unwrap();
    let report = audit(events.as_slice()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(report.completed + report.rejected, 150, "{name}");
    let gigabytes = |nodes: f64| 8.0 * nodes;
    let most = moves.at.values().copied().fold(0.0, f64::max);
    (gigabytes(most), gigabytes(moves.at.values().sum()))
}

/// Units are rounded down, and sums of memories are not exact.
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

/// Over many ticks: each is relabelled exactly, so that only the states that follow differ.
#[test]
fn relabelling_moves_less() {
    let sum = |name: &str| (0..6).map(|trace| moved(name, trace).1).sum::<f64>();
    let (plain, relabelled) = (sum("/per/OPT=MIN"), sum("/per/RELABEL/OPT=MIN"));
    println!("{plain} GB, {relabelled} GB relabelled");
    assert!(relabelled < 0.9 * plain, "{plain} GB, {relabelled} GB relabelled");
}

/// Two nodes. At the first tick, at 600, jobs 1 and 2 (need 1, memory 2/5) get one each. Job 3 (need 1/10, memory 7/10) comes at
/// 700. At the tick at 1,200 there is room for it if the others share a node, but no task may move: the one with the
/// lower priority is paused, job 3 starts, and ends at 1,200 + 100.
#[test]
fn what_cannot_be_moved_is_paused_for_higher_priorities() {
    let job = |id: u64, submit, need, memory, run| Job {
        id: dfrsim_model::JobId(id),
        submit: SimTime::from_secs(submit),
        tasks: 1,
        cpu_need: need,
        memory,
        run_time: SimSpan::from_secs(run),
        requested_time: None,
        user: None,
        origin: dfrsim_model::Origin::UNKNOWN,
    };
    let small = Share::from_ratio(2, 5);
    let jobs = vec![
        job(1, 0, Share::ONE, small, 9_000),
        job(2, 10, Share::ONE, small, 9_000),
        job(3, 700, Share::from_ratio(1, 10), Share::from_ratio(7, 10), 100),
    ];
    let records = support::schedule("/per/BUDGET=0/OPT=MIN", 2, &Options::default(), jobs);
    assert_eq!(records[2].end, SimTime::from_secs(1_300));
    assert_eq!(records.iter().map(|record| record.migrations).sum::<u32>(), 0);
}

/// Two nodes. At 0, jobs 1 (need 1) and 2 (need 1) are alone on nodes 0 and 1. At 10, job 3 (need 1/2) joins job 1, at 20
/// job 4 (need 1/2) job 2. When job 2 ends at 100, nodes have 3/2 and 1/2. At the tick at 600 the move of job 3 to node 1
/// brings all to full speed; its memory is a quarter of a node: 2 GB. Until then jobs 1 and 3 have 2/3 (max-min) from 10 on,
/// so that at 600 job 1 has done 10 + 590 * 2/3 = 403 1/3 of 1,000 s and ends at 600 + 596 2/3 with the move; without, at
/// 2/3, at 600 + 895.
#[test]
fn two_gigabytes_are_enough_for_a_quarter_of_a_node() {
    let job = |id: u64, submit, need, run| Job {
        id: dfrsim_model::JobId(id),
        submit: SimTime::from_secs(submit),
        tasks: 1,
        cpu_need: need,
        memory: Share::from_ratio(1, 4),
        run_time: SimSpan::from_secs(run),
        requested_time: None,
        user: None,
        origin: dfrsim_model::Origin::UNKNOWN,
    };
    let (one, half) = (Share::ONE, Share::from_ratio(1, 2));
    let jobs =
        || vec![job(1, 0, one, 1_000), job(2, 0, one, 75), job(3, 10, half, 9_000), job(4, 20, half, 9_000)];
    let end = |name: &str| {
        let records = support::schedule(name, 2, &Options::default(), jobs());
        (records[0].end.as_secs_f64(), records.iter().map(|record| record.migrations).sum::<u32>())
    };
    let (moved, moves) = end("Greedy/per/BUDGET=2/OPT=MIN");
    assert!((moved - 1_196.667).abs() < 0.01 && moves == 1, "{moved} {moves}");
    let (stayed, moves) = end("Greedy/per/BUDGET=1/OPT=MIN");
    assert!((stayed - 1_495.0).abs() < 0.01 && moves == 0, "{stayed} {moves}");
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
