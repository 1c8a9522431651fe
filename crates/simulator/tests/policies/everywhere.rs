//! Tests fractional policies with all of their parts, under all conditions: schedules derived by
//! hand, and properties.

use crate::classes::{self, synthetic};
use crate::support::{Records, jobs, recorded, schedule, schedule_with, starts_and_ends};
use dfrsim_audit::audit;
use dfrsim_cluster::{NeedModel, Options, ShareWeights, simulate};
use dfrsim_model::platform::classes::{Demands, UnequalNodes};
use dfrsim_model::platform::{FailureModel, NodeSpan, Outage, Outages, Window};
use dfrsim_model::site::{JobClass, SiteSettings};
use dfrsim_model::{Job, Origin, Seed, Share, SimSpan, SimTime};
use dfrsim_policies::fractional::{
    ArrivalsAtTicks, Balanced, DropRule, FractionalScheduler, McbOptions, McbProbe, Opportunism, Packing,
    Probes, Readings, StretchYields, TickOrigin, Ties, Unmarking,
};
use dfrsim_policies::{Policy, PolicyOptions, catalogue};
use proptest::prelude::*;
use std::sync::Arc;

/// Policies that together use each part that is not in the paper.
const EXTENDED: [&str; 9] = [
    "MCB*/per/BUDGET=20/OPT=MIN/MVT=600",
    "/per/BUDGET=5/RELABEL/OPT=AVG",
    "MCB*/RELABEL/OPT=MIN",
    "/stretch-per/RELABEL/OPT=AVG",
    "/stretch-per/RELABEL/OPT=MAX/MFT=600",
    "GreedyP/per/OPT=MIN/RETRY=30/SWAP=1/LAS=300/AHEAD=2700",
    "GreedyP*/OPT=AVG/PAY=2/SPREAD/RETRY=60",
    "GreedyPM*/OPT=MIN/PAY=100/SPREAD/LAS=60",
    "GreedyPM*/per/OPT=MIN/MVT=2700/PERIOD=10800/BELOW=100/PAY=15/SPREAD/RETRY=60/SWAP=2/LAS=1200/AHEAD=2700",
];

/// Returns all policies of the paper, those of [`EXTENDED`], and EQUIPARTITION.
fn all() -> impl Iterator<Item = Policy> {
    let of_shares = |policy: &Policy| policy.fractional().is_some() || *policy == Policy::Equipartition;
    let listed = catalogue().into_iter().map(|info| info.policy).filter(of_shares);
    listed.chain(EXTENDED.map(|name| name.parse().unwrap()))
}

/// Returns the default options, and options in which as many choices as possible differ from them.
fn choices() -> [PolicyOptions; 2] {
    let mcb = McbOptions {
        packing: Packing::TwoLists,
        drop: DropRule::Skip,
        balanced: Balanced::Cpu,
        ties: Ties::LaterFirst,
        probes: Probes::Bisection,
        ..McbOptions::default()
    };
    let readings = Readings {
        opportunism: Opportunism::EveryEvent,
        unmarking: Unmarking::AfterPlacing,
        stretch_yields: StretchYields::Recomputed,
        tick_origin: TickOrigin::Zero,
        arrivals_at_ticks: ArrivalsAtTicks::LeftToTick,
        clock: None,
    };
    [PolicyOptions::default(), PolicyOptions { mcb, readings, ..PolicyOptions::default() }]
}

/// Creates a QOS with these weights for queue 0, queue 1 and all others.
fn settings(weights: [u32; 3]) -> SiteSettings {
    let class = |(queue, weight): (u32, u32)| JobClass {
        name: format!("class {queue}"),
        weight: Some(weight),
        queues: if queue < 2 { vec![queue] } else { Vec::new() },
        ..JobClass::default()
    };
    SiteSettings { qos: (0..).zip(weights).map(class).collect(), ..SiteSettings::default() }
}

/// Assigns jobs to queues 0 to 2, in turn.
fn queued(jobs: Vec<Job>) -> Vec<Job> {
    let queued = |(job, place): (Job, u32)| Job { origin: Origin::new(None, Some(place % 3), None), ..job };
    jobs.into_iter().zip(0..).map(queued).collect()
}

/// Draws failures, and adds a maintenance window of half of the nodes.
fn outages(seed: u64, nodes: u32, last: SimTime) -> Outages {
    let times = ["exponential:40000", "exponential:4000"].map(|text| text.parse().unwrap());
    let [between, repair] = times;
    let failures = FailureModel { between, repair, rack: None }.draw(nodes, last, Seed::new(seed));
    let at = |part: u64| SimTime::from_micros(last.micros() / 4 * part);
    let half = NodeSpan { first: 0, nodes: nodes.div_ceil(2) };
    let window =
        Window { announced: SimTime::ZERO, outage: Outage { from: at(1), until: at(2), nodes: half } };
    Outages { failures, windows: vec![window], ..Outages::default() }
}

/// Returns the events without the records that describe the platform.
fn events(
    parameters: &PolicyOptions,
    policy: Policy,
    nodes: u32,
    options: &Options,
    jobs: &[Job],
) -> Vec<String> {
    let text = recorded::<()>(parameters, &policy.to_string(), nodes, options, None, jobs).events;
    text.lines().filter(|line| !line.contains(r#""event":"classes""#)).map(str::to_owned).collect()
}

/// Two jobs need a whole node each, and one of them has weight 3: their yields are 3/4 and 1/4 until
/// it ends at 75 / (3/4). The other one has done 25 of its 75 s by then. Equal weights change
/// nothing.
#[test]
fn equipartition_shares_by_weight() {
    let run = |weights: [u32; 3]| {
        let weights = ShareWeights::new(&settings(weights)).map(Arc::new);
        let options = Options { weights, ..Options::default() };
        let table = queued(jobs(&[(0, 1, 75, 75), (0, 1, 75, 75)]));
        starts_and_ends(&schedule("EQUIPARTITION", 1, &options, table))
    };
    assert_eq!(run([3, 1, 1]), [(0.0, 100.0), (0.0, 150.0)]);
    assert_eq!(run([2, 2, 2]), [(0.0, 150.0), (0.0, 150.0)]);
}

/// Two nodes. Job 3 has weight 2, so that jobs 2, 4 and 5 are on node 1 with a third each, and job 3
/// is with job 1. The weighted average is maximal if job 3 has everything above a third. Without
/// weights it shares a node with two others.
#[test]
fn the_average_counts_by_weight() {
    let run = |weights: [u32; 3]| {
        let weights = ShareWeights::new(&settings(weights)).map(Arc::new);
        let options = Options { weights, ..Options::default() };
        let table =
            queued(jobs(&[(0, 1, 999, 0), (0, 1, 999, 0), (0, 1, 100, 0), (0, 1, 999, 0), (0, 1, 999, 0)]));
        let (_, end) = starts_and_ends(&schedule("Greedy*/OPT=AVG", 2, &options, table))[2];
        end.round()
    };
    assert_eq!((run([1, 1, 1]), run([1, 1, 2])), (300.0, 150.0));
}

/// A tick at 600 s maps both jobs to the only node; job 2 counts three times as much. Both have
/// waited for 600 s: the inverse of the stretch at the next tick is y / 2, so that 3 (1 / y) = 1 /
/// (1 - y) on one node, and y = 3/4. Job 2 ends at 600 + 60 / (3/4).
#[test]
fn stretches_count_by_weight() {
    let weights = ShareWeights::new(&settings([1, 3, 1])).map(Arc::new);
    let options = Options { weights, ..Options::default() };
    let table = queued(jobs(&[(0, 1, 60, 60), (0, 1, 60, 60)]));
    let found = starts_and_ends(&schedule("/stretch-per/OPT=MAX", 1, &options, table));
    assert_eq!(found[1], (600.0, 680.0));
}

/// Rounds CPU down to steps of a quarter on a cluster with classes: three jobs get a quarter each
/// instead of a third.
#[test]
fn steps_are_rounded_where_nodes_differ() {
    let step = Some(Share::from_ratio(1, 4));
    let mcb = McbOptions { cpu_step: step, ..McbOptions::default() };
    let parameters = PolicyOptions { mcb, ..PolicyOptions::default() };
    let platform = "classes = [{ name = 'a', nodes = 1, cores = 4, memory_gb = 8, resources = { gpu = 1 } }]";
    let options = classes::options(platform, &[]);
    let table = [(0, 1, 30, 30), (0, 1, 30, 30), (0, 1, 30, 30)];
    for policy in ["Greedy*/OPT=MIN", "Greedy*/OPT=AVG", "MCB*/OPT=MIN"] {
        let found = schedule_with(&parameters, policy, 1, &options, jobs(&table));
        assert_eq!(starts_and_ends(&found), [(0.0, 120.0); 3], "{policy}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Compares classes of the reference node, and classes that differ only in what no job requests,
    /// with a cluster without classes, also with weights or failures.
    #[test]
    fn classes_of_alike_nodes_are_the_plain_case(
        seed in 0..1000_u64, nodes in 4..20_u32, fails: bool, weights in prop::option::of([1..4_u32, 1..4, 1..4]), choice in 0..2_usize,
    ) {
        let jobs = queued(synthetic(seed, nodes));
        let first = nodes / 2;
        let platforms = [
            format!("classes = [{{ name = 'a', nodes = {nodes}, cores = 4, memory_gb = 8 }}]"),
            format!(
                "shared = ['gpu']
                 classes = [{{ name = 'a', nodes = {first}, cores = 4, memory_gb = 8, resources = {{ gpu = 3 }} }},
                 {{ name = 'b', nodes = {}, cores = 4, memory_gb = 8, features = ['x'] }}]", nodes - first
            ),
        ];
        let weights = weights.and_then(|weights| ShareWeights::new(&settings(weights))).map(Arc::new);
        let outages = fails.then(|| Arc::new(outages(seed, nodes, jobs.last().unwrap().submit)));
        let parameters = &choices()[choice];
        for policy in all() {
            let run = |unequal: Option<Arc<UnequalNodes>>| {
                let options = Options { unequal, outages: outages.clone(), weights: weights.clone(), penalty: SimSpan::from_secs(300), ..Options::default() };
                events(parameters, policy, nodes, &options, &jobs)
            };
            let plain = run(None);
            for platform in &platforms {
                // Relabelling permutes nodes within their class only.
                let renames = policy.fractional().is_some_and(|parts| parts.relabel || parts.budget_gb.is_some());
                if renames && platform.contains("name = 'b'") {
                    continue;
                }
                let found = run(classes::options(platform, &[]).unequal);
                let difference = found.iter().zip(&plain).find(|(one, other)| one != other);
                prop_assert_eq!(difference, None, "{} {}", policy, platform);
            }
        }
    }

    /// Simulates nodes of all kinds, failures, a maintenance window and weights together. Every job
    /// ends or is rejected, no rule is violated, and scaling all weights leaves the schedule
    /// unchanged.
    #[test]
    fn all_conditions_together(
        seed in 0..1000_u64, platform in classes::platform(), weights in [1..9_u32, 1..9, 1..9], factor in 2..9_u32, choice in 0..2_usize,
    ) {
        let classes = platform.classes().unwrap();
        let nodes = classes.nodes();
        let jobs = queued(synthetic(seed, nodes));
        let demands = Demands { requests: classes::requests(), seed: Seed::new(seed), ..Demands::default() };
        let options = |factor: u32| Options {
            unequal: Some(Arc::new(UnequalNodes { classes: classes.clone(), demands: demands.clone() })),
            outages: Some(Arc::new(outages(seed, nodes, jobs.last().unwrap().submit))),
            weights: ShareWeights::new(&settings(weights.map(|weight| weight * factor))).map(Arc::new),
            penalty: SimSpan::from_secs(300),
            estimates: "requested".parse().unwrap(),
            ..Options::default()
        };
        for policy in all() {
            let run = |factor: u32| recorded::<()>(&choices()[choice], &policy.to_string(), nodes, &options(factor), None, &jobs).events;
            let found = run(1);
            prop_assert!(found == run(factor), "{policy}");
            let report = audit(found.as_bytes());
            prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
        }
    }
}

/// Empty probe. With a probe, the scheduler calls MCB even if the mapping would be the previous one.
#[derive(Debug)]
struct Probe;

impl McbProbe for Probe {
    fn begin(&mut self, _: usize) {}
    fn end(&mut self) {}
}

/// A tick that skips MCB is one at which no task would move, even if jobs cease to be pinned, nodes
/// fail or needs are discovered.
#[test]
fn what_ticks_leave_out_changes_no_schedule() {
    for seed in 0..6 {
        let nodes = 2 + seed as u32 % 7;
        let jobs = synthetic(seed, nodes);
        let last = jobs.iter().map(|job| job.submit).max().unwrap();
        let plain = Options { penalty: SimSpan::from_secs(300), ..Options::default() };
        let harder = Options {
            outages: Some(Arc::new(outages(seed, nodes, last))),
            needs: NeedModel::Factor(0.5),
            discovery: Some(SimSpan::from_secs(60)),
            ..plain.clone()
        };
        for options in [plain, harder] {
            for (policy, parameters) in all().flat_map(|policy| choices().map(|it| (policy, it))) {
                let Some(parts) = policy.fractional() else { continue };
                let run = |scheduler: &mut FractionalScheduler| {
                    let mut records = Records::default();
                    simulate(nodes, &options, jobs.clone(), scheduler, &mut records).unwrap();
                    records.sorted()
                };
                let scheduler = || FractionalScheduler::new(parts, nodes, parameters, None);
                let always = run(&mut scheduler().with_probe(Box::new(Probe)));
                assert!(run(&mut scheduler()) == always, "{policy}, seed {seed}");
            }
        }
    }
}
