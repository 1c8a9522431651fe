//! Tests properties of clusters with different nodes.

use crate::support::{jobs, lublin, recorded, schedule, starts_and_ends};
use dfrsim_bound::max_stretch_bound_on;
use dfrsim_cluster::{Metrics, Options, SummaryOptions, simulate};
use dfrsim_model::platform::classes::{ClassFields, Demands, PlatformFields, Request, UnequalNodes};
use dfrsim_model::{Job, JobId, Seed, Share, SimSpan};
use dfrsim_policies::{Policy, PolicyOptions, catalogue};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) fn options(platform: &str, given: &[(u64, &str, u32)]) -> Options {
    let classes = PlatformFields::parse("platform.toml", platform).unwrap().classes().unwrap();
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

/// A task that needs the memory of the large node and a task that needs its feature both run on node
/// 1 only.
#[test]
fn memory_and_features_belong_to_a_class() {
    let platform = "classes = [{ name = 'small', nodes = 1, cores = 4, memory_gb = 4 },
        { name = 'large', nodes = 1, cores = 4, memory_gb = 8, features = ['bigmem'] }]
        reference = { cores = 4, memory_gb = 8 }";
    for policy in ["FCFS", "EASY", "CONS"] {
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

/// Utilisation is work / capacity: 30 node-seconds of work in 20 s on two nodes, one of them with
/// half the speed and twice the CPU.
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
    let mut jobs = lublin(nodes, 60, Seed::new(seed), 0.9);
    // Users request more time than the jobs run; for a fifth of the jobs they request too little.
    for job in &mut jobs {
        let factor = if job.id.0 % 5 == 0 { 0.5 } else { 1.5 };
        job.requested_time = Some(job.run_time.scaled(factor));
    }
    jobs
}

/// Returns the events of a simulation, with a summary.
pub(crate) fn events(policy: Policy, nodes: u32, options: &Options, jobs: &[Job]) -> String {
    recorded::<()>(&PolicyOptions::default(), &policy.to_string(), nodes, options, None, jobs).events
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
            hosts: String::new(),
            device_groups: Vec::new(),
            power: None,
            sleep: None,
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
        PlatformFields { shared, classes, ..PlatformFields::default() }
    })
}

pub(crate) fn requests() -> Vec<Request> {
    ["gpu:0.4:1+2:0.3-1", "@x:0.2"].map(|text| text.parse().unwrap()).to_vec()
}

/// Returns the policies that support different nodes.
fn aware() -> impl Iterator<Item = Policy> {
    let placed = ["FCFS/PLACE=BEST", "EASY/PLACE=BEST", "EASY/PLACE=CONTIGUOUS", "CONS/PLACE=BEST"];
    let placed = placed.map(|name| name.parse::<Policy>().unwrap());
    listed().chain(placed)
}
/// Returns the listed policies without ranked preemption and gang scheduling, which are for equal nodes.
fn listed() -> impl Iterator<Item = Policy> {
    let all = catalogue().into_iter().map(|info| info.policy);
    all.filter(|policy| !matches!(policy, Policy::Ranked(_) | Policy::EarliestDue(_) | Policy::Gang))
}

#[test]
fn all_policies_know_classes() {
    let fractional = listed().filter(|policy| policy.fractional().is_some()).count();
    assert_eq!((listed().count() - fractional, fractional), (17, 116));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Checks that no policy that completes all jobs has a maximum stretch below the bound from CPU
    /// and GPUs.
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
            let found = summary.bounded_stretch[0].distribution.max;
            prop_assert!(found >= bound * (1.0 - 1e-9), "{}: {} is below {}", policy, found, bound);
        }
    }

    /// All policies decide on one class that equals the reference node as on equal nodes.
    #[test]
    fn one_class_is_the_plain_case(seed in 0..1000_u64, nodes in 4..20_u32) {
        let text = format!("classes = [{{ name = 'a', nodes = {nodes}, cores = 4, memory_gb = 8 }}]");
        let jobs = synthetic(seed, nodes);
        for policy in aware() {
            let classed = options(&text, &[]);
            let plain = Options { unequal: None, ..classed.clone() };
            let records = |options: &Options| {
                let text = events(policy, nodes, options, &jobs);
                text.lines().filter(|line| !line.contains(r#""event":"classes""#)).map(str::to_owned).collect::<Vec<_>>()
            };
            prop_assert_eq!(records(&classed), records(&plain), "{}", policy);
        }
    }
}
