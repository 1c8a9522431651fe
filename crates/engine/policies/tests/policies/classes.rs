//! Nodes that differ: schedules derived by hand, and properties.

use crate::support::{jobs, schedule, starts_and_ends};
use dfrsim_audit::{CheckedPolicy, audit_policy};
use dfrsim_bound::max_stretch_bound_on;
use dfrsim_cluster::{EventLog, Metrics, Options, SummaryOptions, simulate};
use dfrsim_model::{Job, JobId, Seed, Share, SimSpan};
use dfrsim_platform::classes::{ClassFields, Demands, NodeClasses, PlatformFields, Request, UnequalNodes};
use dfrsim_platform::{FailureModel, Outages};
use dfrsim_policies::{Policy, PolicyOptions, catalogue};
use dfrsim_workload::load;
use dfrsim_workload::lublin::{LublinParameters, generate};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;

pub(crate) fn options(platform: &str, given: &[(u64, &str, u32)]) -> Options {
    let classes = PlatformFields::parse(platform).and_then(|fields| fields.classes()).unwrap();
    let given =
        given.iter().map(|&(job, name, count)| (JobId(job), vec![(name.to_owned(), count)])).collect();
    let demands = Demands { given, ..Demands::default() };
    Options {
        unequal: Some(Arc::new(UnequalNodes { classes, demands })),
        estimates: "requested".parse().unwrap(),
        ..Options::default()
    }
}

fn times(policy: &str, nodes: u32, options: &Options, table: &[(u64, u32, u64, u64)]) -> Vec<(f64, f64)> {
    starts_and_ends(&schedule(policy, nodes, options, jobs(table)))
}

/// Node 0 is fast; nodes 1 and 2 have half its speed, and a GPU each.
const THREE: &str = "classes = [{ name = 'fast', nodes = 1, cores = 4, memory_gb = 8 },
    { name = 'gpu', nodes = 2, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 1 } }]";

/// A job of 10 s runs for 10 s on the fast node, 20 s on a slow one, and 20 s on one of each.
#[test]
fn a_job_is_as_fast_as_its_slowest_node() {
    for policy in ["FCFS", "EASY", "EASY/SPARE", "CONS"] {
        let options = options(THREE, &[]);
        let table = [(0, 1, 10, 10), (0, 2, 10, 10), (30, 2, 10, 10)];
        assert_eq!(times(policy, 3, &options, &table), [(0.0, 10.0), (0.0, 20.0), (30.0, 50.0)], "{policy}");
    }
}

/// The second job asks for a GPU, and waits for none of the fast node; the third for two nodes with GPUs, which are free at 20 s; the
/// fourth for more than there are.
#[test]
fn tasks_wait_for_their_gpus() {
    for policy in ["FCFS", "EASY", "EASY/SPARE", "CONS"] {
        let options = options(THREE, &[(2, "gpu", 1), (3, "gpu", 2), (4, "gpu", 4)]);
        let table = [(0, 1, 30, 30), (0, 1, 10, 10), (1, 2, 5, 5), (2, 2, 5, 5)];
        let expected = [(0.0, 30.0), (0.0, 20.0), (20.0, 30.0)];
        assert_eq!(times(policy, 3, &options, &table), expected, "{policy}");
    }
}

/// The head, the second job, needs both nodes with GPUs, and can start at 20 s. The fast node is of no use to it: the third job starts
/// there, whenever it ends. The fourth would last for 18 s on the slow node that is free at 3 s, beyond 20 s; so it waits for the fast
/// one, until 14 s.
#[test]
fn backfilling_knows_what_the_head_has_no_use_for() {
    let options = options(THREE, &[(1, "gpu", 1), (2, "gpu", 2)]);
    let table = [(0, 1, 10, 10), (1, 2, 5, 5), (2, 1, 12, 12), (3, 1, 9, 9)];
    for policy in ["EASY", "CONS"] {
        let expected = [(0.0, 20.0), (20.0, 30.0), (2.0, 14.0), (14.0, 23.0)];
        assert_eq!(times(policy, 3, &options, &table), expected, "{policy}");
    }
    assert_eq!(times("FCFS", 3, &options, &table)[2..], [(20.0, 32.0), (30.0, 48.0)], "in turn");
}

/// A task with the memory of the large node, and one with the feature of it: both run on node 1 only.
#[test]
fn memory_and_features_belong_to_a_class() {
    let platform = "classes = [{ name = 'small', nodes = 1, cores = 4, memory_gb = 4 },
        { name = 'large', nodes = 1, cores = 4, memory_gb = 8, features = ['bigmem'] }]
        reference = { cores = 4, memory_gb = 8 }";
    for policy in ["FCFS", "EASY", "EASY/SPARE", "CONS"] {
        let plain = options(platform, &[]);
        let mut table = jobs(&[(0, 1, 10, 10), (0, 1, 10, 10)]);
        table.iter_mut().for_each(|job| job.memory = Share::from_ratio(3, 4));
        let found = starts_and_ends(&schedule(policy, 2, &plain, table));
        assert_eq!(found, [(0.0, 10.0), (10.0, 20.0)], "{policy}");
        let demands = Demands { requests: vec!["@bigmem:1".parse().unwrap()], ..Demands::default() };
        let classes = plain.unequal.as_ref().unwrap().classes.clone();
        let unequal = Some(Arc::new(UnequalNodes { classes, demands }));
        let featured = Options { unequal, ..plain };
        let table = [(0, 1, 10, 10), (0, 1, 10, 10)];
        assert_eq!(times(policy, 2, &featured, &table), [(0.0, 10.0), (10.0, 20.0)], "{policy}");
    }
}

/// Work / capacity: 40 node-seconds of work on two nodes, one of half speed and twice the CPU, in 20 s.
#[test]
fn utilisation_counts_what_nodes_can_do() {
    let platform = "classes = [{ name = 'a', nodes = 1, cores = 4, memory_gb = 8 },
        { name = 'b', nodes = 1, cores = 8, memory_gb = 8, speed = 0.5 }]";
    let options = options(platform, &[]);
    let capacity = options.unequal.as_ref().map(|unequal| unequal.classes.capacity());
    let mut metrics = Metrics::new(SummaryOptions { capacity, ..SummaryOptions::new(2) });
    let mut scheduler = "FCFS".parse::<Policy>().unwrap().scheduler(2, &PolicyOptions::default());
    let table = jobs(&[(0, 1, 20, 20), (0, 1, 10, 10)]);
    simulate(2, &options, table, &mut *scheduler, &mut metrics).unwrap();
    assert_eq!(metrics.summary().unwrap().utilisation, 30.0 / 40.0);
}

pub(crate) fn synthetic(seed: u64, nodes: u32) -> Vec<Job> {
    let nodes_of = NonZeroU32::new(nodes).unwrap();
    let parameters = LublinParameters { nodes: nodes_of, jobs: 60, ..LublinParameters::default() };
    let mut jobs = generate(&parameters, Seed::new(seed));
    load::scale_to_load(&mut jobs, nodes, 0.9).unwrap();
    // Users ask for longer than that; a fifth of them for too short a time.
    for job in &mut jobs {
        let factor = if job.id.0 % 5 == 0 { 0.5 } else { 1.5 };
        job.requested_time = Some(job.run_time.scaled(factor));
    }
    jobs
}

/// The events of a simulation, with a summary.
pub(crate) fn events(policy: Policy, nodes: u32, options: &Options, jobs: &[Job]) -> Vec<u8> {
    events_with(&PolicyOptions::default(), policy, nodes, options, jobs)
}

/// The same of a policy with options.
pub(crate) fn events_with(
    parameters: &PolicyOptions,
    policy: Policy,
    nodes: u32,
    options: &Options,
    jobs: &[Job],
) -> Vec<u8> {
    let classes = options.unequal.as_ref().map(|unequal| &unequal.classes);
    let outages = options.outages.as_ref();
    let capacity = classes.map(NodeClasses::capacity);
    let figures = SummaryOptions { capacity, outages: outages.is_some(), ..SummaryOptions::new(nodes) };
    let mut log =
        EventLog::new(Vec::new(), &policy.to_string(), nodes, options.penalty, SimSpan::from_secs(10));
    log = outages.into_iter().fold(log, |log, outages| log.with_outages(outages.interruption));
    log = classes.into_iter().fold(log, EventLog::with_classes);
    let mut watchers = (Metrics::new(figures), log);
    let mut scheduler = policy.scheduler(nodes, parameters);
    simulate(nodes, options, jobs.iter().cloned(), &mut *scheduler, &mut watchers)
        .unwrap_or_else(|error| panic!("{policy}: {error}"));
    let (metrics, log) = watchers;
    log.finish(&metrics.summary().unwrap()).unwrap()
}

fn class() -> impl Strategy<Value = ClassFields> {
    let speed = prop::sample::select(vec![1.0, 0.75, 0.5]);
    let resources = prop::option::of(1..4_u32);
    (1..6_u32, 2..6_u32, 4..12_u32, speed, resources, any::<bool>()).prop_map(
        |(nodes, cores, memory, speed, gpus, featured)| ClassFields {
            name: String::new(),
            nodes,
            cores,
            memory_gb: memory.into(),
            speed,
            resources: gpus.map(|gpus| ("gpu".to_owned(), gpus)).into_iter().collect::<BTreeMap<_, _>>(),
            features: featured.then(|| "x".to_owned()).into_iter().collect::<BTreeSet<_>>(),
        },
    )
}

pub(crate) fn platform() -> impl Strategy<Value = PlatformFields> {
    (prop::collection::vec(class(), 1..4), any::<bool>()).prop_map(|(mut classes, shared)| {
        classes.iter_mut().zip(0..).for_each(|(class, number)| class.name = format!("c{number}"));
        classes[0].resources.insert("gpu".into(), 2);
        classes[0].features.insert("x".into());
        (classes[0].speed, classes[0].memory_gb) = (1.0, 12.0);
        let shared = if shared { vec!["gpu".to_owned()] } else { Vec::new() };
        PlatformFields { reference: None, shared, classes }
    })
}

pub(crate) fn requests() -> Vec<Request> {
    ["gpu:0.4:1+2:0.3-1", "@x:0.2"].map(|text| text.parse().unwrap()).to_vec()
}

/// Policies that can decide where nodes differ.
fn aware() -> impl Iterator<Item = Policy> {
    let placed = ["FCFS/PLACE=BEST", "EASY/PLACE=BEST", "EASY/PLACE=CONTIGUOUS", "CONS/PLACE=BEST"];
    let placed = placed.map(|name| name.parse::<Policy>().unwrap());
    listed().chain(placed)
}
fn listed() -> impl Iterator<Item = Policy> {
    catalogue().into_iter().map(|info| info.policy)
}

#[test]
fn all_policies_know_classes() {
    let fractional = listed().filter(|policy| policy.fractional().is_some()).count();
    assert_eq!((listed().count() - fractional, fractional), (15, 116));
}

/// Nodes 0 and 1 have two GPUs that are shared, which both jobs could use in full: on one node each has half of them. So Greedy spreads
/// them, though the CPU has room; a third job joins the first one, and both go on at half of their speed from 5 s on. MCB puts the first
/// two together then, and the third one on the other node.
#[test]
fn shared_gpus_are_divided() {
    let platform = "shared = ['gpu']
        classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8, resources = { gpu = 2 } }]";
    let options = options(platform, &[(1, "gpu", 2), (2, "gpu", 2), (3, "gpu", 2)]);
    let mut table = jobs(&[(0, 1, 10, 10), (0, 1, 10, 10), (5, 1, 10, 10)]);
    table.iter_mut().for_each(|job| job.cpu_need = Share::from_ratio(1, 4));
    for policy in ["Greedy*/OPT=MIN", "GreedyP*/OPT=MIN", "GreedyPM*/OPT=MIN"] {
        let found = starts_and_ends(&schedule(policy, 2, &options, table.clone()));
        assert_eq!(found, [(0.0, 15.0), (0.0, 10.0), (5.0, 20.0)], "{policy}");
    }
    let found = starts_and_ends(&schedule("MCB*/OPT=MIN", 2, &options, table.clone()));
    assert_eq!(found, [(0.0, 15.0), (0.0, 15.0), (5.0, 15.0)]);
    assert_eq!(
        starts_and_ends(&schedule("EASY", 2, &options, table)),
        [(0.0, 10.0), (0.0, 10.0), (10.0, 20.0)]
    );
}

/// Three jobs hold a GPU each, of which there are two: GreedyP pauses the second one, which has the priority of the first and a
/// lower rank, and lets it go on when the first one has ended, at 10 s. With 2 s done it ends at 18 s.
#[test]
fn held_gpus_are_freed_by_pauses() {
    let platform = "classes = [{ name = 'a', nodes = 1, cores = 4, memory_gb = 8, resources = { gpu = 2 } }]";
    let options = options(platform, &[(1, "gpu", 1), (2, "gpu", 1), (3, "gpu", 1)]);
    let mut table = jobs(&[(0, 1, 10, 10), (0, 1, 10, 10), (2, 1, 20, 20)]);
    table.iter_mut().for_each(|job| job.cpu_need = Share::from_ratio(1, 4));
    let found = starts_and_ends(&schedule("GreedyP*/OPT=MIN", 1, &options, table));
    assert_eq!(found, [(0.0, 10.0), (0.0, 18.0), (2.0, 22.0)]);
}

/// A fast node that is busy and a slow one: Greedy puts a second job on the fast one while it gets no less there than on the slow one,
/// at 1/4 of full speed.
#[test]
fn greedy_knows_the_speed_of_nodes() {
    let platform = "classes = [{ name = 'slow', nodes = 1, cores = 4, memory_gb = 8, speed = 0.25 },
        { name = 'fast', nodes = 1, cores = 4, memory_gb = 8 }]";
    let found = times("Greedy*/OPT=MIN", 2, &options(platform, &[]), &[(0, 1, 10, 10), (0, 1, 10, 10)]);
    assert_eq!(found, [(0.0, 20.0), (0.0, 20.0)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Neither CPU nor GPUs allow a smaller largest stretch, whichever policy completes all jobs.
    #[test]
    fn no_policy_beats_the_bound(seed in 0..1000_u64, platform in platform()) {
        let classes = platform.classes().unwrap();
        let (nodes, tau) = (classes.nodes(), SimSpan::from_secs(10));
        let demands = Demands { requests: requests(), seed: Seed::new(seed), ..Demands::default() };
        let unequal = Arc::new(UnequalNodes { classes, demands });
        let jobs = synthetic(seed, nodes);
        let bound = max_stretch_bound_on(&jobs, &unequal, tau);
        for policy in aware() {
            let options = Options { unequal: Some(Arc::clone(&unequal)), ..Options::default() };
            let mut metrics = Metrics::new(SummaryOptions { taus: vec![tau], ..SummaryOptions::new(nodes) });
            let mut scheduler = policy.scheduler(nodes, &PolicyOptions::default());
            simulate(nodes, &options, jobs.iter().cloned(), &mut *scheduler, &mut metrics).unwrap();
            let Some(summary) = metrics.summary().filter(|summary| summary.rejected == 0) else { continue };
            let found = summary.bounded_stretch[0].1.max;
            prop_assert!(found >= bound * (1.0 - 1e-9), "{}: {} is below {}", policy, found, bound);
        }
    }

    /// With one class, of the reference node, all policies decide as on equal nodes.
    #[test]
    fn one_class_is_the_plain_case(seed in 0..1000_u64, nodes in 4..20_u32) {
        let text = format!("classes = [{{ name = 'a', nodes = {nodes}, cores = 4, memory_gb = 8 }}]");
        let jobs = synthetic(seed, nodes);
        for policy in aware() {
            let classed = options(&text, &[]);
            let plain = Options { unequal: None, ..classed.clone() };
            let records = |options: &Options| {
                let text = String::from_utf8(events(policy, nodes, options, &jobs)).unwrap();
                text.lines().filter(|line| !line.contains(r#""event":"classes""#)).map(str::to_owned).collect::<Vec<_>>()
            };
            prop_assert_eq!(records(&classed), records(&plain), "{}", policy);
        }
    }

    /// Random platforms, demands and failures: the audit finds no fault.
    #[test]
    fn random_platforms_pass_the_audit(seed in 0..1000_u64, platform in platform(), fails: bool) {
        let classes = platform.classes().unwrap();
        let nodes = classes.nodes();
        let jobs = synthetic(seed, nodes);
        let last = jobs.last().unwrap().submit;
        let model = FailureModel { between: "exponential:40000".parse().unwrap(), repair: "exponential:4000".parse().unwrap(), rack: None };
        let outages = Outages { failures: model.draw(nodes, last, Seed::new(seed)), ..Outages::default() };
        let demands = Demands { requests: requests(), seed: Seed::new(seed), ..Demands::default() };
        for policy in aware() {
            let options = Options {
                unequal: Some(Arc::new(UnequalNodes { classes: classes.clone(), demands: demands.clone() })),
                outages: fails.then(|| Arc::new(outages.clone())),
                estimates: "requested".parse().unwrap(),
                penalty: SimSpan::from_secs(300),
                ..Options::default()
            };
            let events = events(policy, nodes, &options, &jobs);
            let checked = CheckedPolicy::parse(&policy.to_string(), PolicyOptions::default().period).unwrap();
            let report = audit_policy(&events[..], checked);
            prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
        }
    }
}
