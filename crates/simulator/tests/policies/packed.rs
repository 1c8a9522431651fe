//! Tests several tasks on a node.

use crate::classes::{options, synthetic};
use crate::places::nodes_of;
use crate::support::{jobs, schedule, starts_and_ends};
use dfrsim_cluster::Options;
use dfrsim_model::{Job, Share};
use dfrsim_policies::Policy;
use proptest::prelude::*;

/// Creates jobs from (submit time, tasks, run time, requested time, eighths of a node's CPU, eighths
/// of its memory).
fn with_needs(table: &[(u64, u32, u64, u64, u64, u64)]) -> Vec<Job> {
    let rows: Vec<_> =
        table.iter().map(|&(submit, tasks, run, requested, ..)| (submit, tasks, run, requested)).collect();
    let mut list = jobs(&rows);
    for (job, &(.., cpu, memory)) in list.iter_mut().zip(table) {
        (job.cpu_need, job.memory) = (Share::from_ratio(cpu, 8), Share::from_ratio(memory, 8));
    }
    list
}

fn starts(policy: &str, nodes: u32, options: &Options, jobs: &[Job]) -> Vec<f64> {
    let lives = starts_and_ends(&schedule(policy, nodes, options, jobs.to_vec()));
    lives.into_iter().map(|(start, _)| start).collect()
}

/// Two nodes of four cores. A has three tasks of two cores: two on node 0, one on node 1. B, of two
/// cores, fits on node 1 at 1 s; C, of one core, waits until A ends at 10 s. With exclusive nodes B
/// and C wait for A, and have a node each then. With one task per node A would be rejected.
#[test]
fn tasks_share_nodes_by_cores() {
    let options = options("classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8 }]", &[]);
    let list = with_needs(&[(0, 3, 10, 0, 4, 0), (1, 1, 10, 0, 4, 0), (2, 1, 10, 0, 2, 0)]);
    for base in ["FCFS", "EASY"] {
        let shared = format!("{base}/NODES=SHARED");
        assert_eq!(starts(&shared, 2, &options, &list), [0.0, 1.0, 10.0]);
        assert_eq!(nodes_of(&shared, 2, &options, list.clone()), [vec![0, 1], vec![1], vec![0]]);
        let exclusive = format!("{base}/NODES=EXCLUSIVE");
        assert_eq!(starts(&exclusive, 2, &options, &list), [0.0, 10.0, 10.0]);
        assert_eq!(nodes_of(&exclusive, 2, &options, list.clone()), [vec![0, 1], vec![0], vec![1]]);
        assert_eq!(starts(base, 2, &options, &list), [1.0, 2.0]);
    }
}

/// Five nodes of four cores and two GPUs. A task of half a core occupies a whole core, so four fit
/// on a node, as do four tasks without CPU need. Of tasks with three eighths of the memory two fit
/// on a node, and so do two that request a GPU.
#[test]
fn a_node_has_as_many_tasks_as_its_scarcest_resource_allows() {
    let platform = "classes = [{ name = 'a', nodes = 5, cores = 4, memory_gb = 8, resources = { gpu = 2 } }]";
    let options = options(platform, &[(4, "gpu", 1)]);
    for (at, tasks, cpu, memory, used) in [(1, 5, 1, 0, 2), (1, 9, 0, 0, 3), (1, 5, 1, 3, 3), (4, 5, 1, 0, 3)]
    {
        for how in ["SHARED", "EXCLUSIVE"] {
            let mut list = with_needs(&[(0, tasks, 10, 0, cpu, memory)]);
            list[0].id = dfrsim_model::JobId(at);
            let nodes = nodes_of(&format!("EASY/NODES={how}"), 5, &options, list);
            assert_eq!(nodes, [(0..used).collect::<Vec<u32>>()], "{tasks} tasks, {cpu}, {memory}, {how}");
        }
    }
}

/// Two nodes of four cores. A and B use three cores of one node each, until 10 s and 20 s. C needs
/// four cores: its reservation is at 10 s, on node 0. D, of one core for 30 s, would delay it on
/// node 0 and starts on node 1. E equals D and waits until C ends at 15 s. F, of 6 s, runs on node 0
/// until 10 s. Under FCFS no job starts before C; D then joins B, and the others wait for node 0.
#[test]
fn easy_reserves_by_node() {
    let options = options("classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8 }]", &[]);
    let list = with_needs(&[
        (0, 1, 10, 0, 6, 0),
        (0, 1, 20, 0, 6, 0),
        (1, 1, 5, 0, 8, 0),
        (2, 1, 30, 0, 2, 0),
        (3, 1, 30, 0, 2, 0),
        (4, 1, 6, 0, 2, 0),
    ]);
    assert_eq!(starts("EASY/NODES=SHARED", 2, &options, &list), [0.0, 0.0, 10.0, 2.0, 15.0, 4.0]);
    let nodes = nodes_of("EASY/NODES=SHARED", 2, &options, list.clone());
    assert_eq!(nodes, [vec![0], vec![1], vec![0], vec![1], vec![0], vec![0]]);
    assert_eq!(starts("FCFS/NODES=SHARED", 2, &options, &list), [0.0, 0.0, 10.0, 10.0, 15.0, 15.0]);
}

/// Node 0 has half the speed of node 1. The second job has three tasks of two cores, one of them on
/// the slow node: it takes 20 s. The first job runs on the fast node and takes 10 s.
#[test]
fn slow_nodes_make_packed_jobs_slow() {
    let platform = "classes = [{ name = 'slow', nodes = 1, cores = 4, memory_gb = 8, speed = 0.5 },
        { name = 'fast', nodes = 1, cores = 4, memory_gb = 8 }]";
    let options = options(platform, &[]);
    let list = with_needs(&[(0, 1, 10, 0, 4, 0), (0, 3, 10, 0, 4, 0)]);
    let found = starts_and_ends(&schedule("EASY/NODES=SHARED", 2, &options, list.clone()));
    assert_eq!(found, [(0.0, 10.0), (0.0, 20.0)]);
    assert_eq!(nodes_of("EASY/NODES=SHARED", 2, &options, list), [vec![1], vec![0, 1]]);
}

#[test]
fn parts_of_names_come_in_any_order() {
    for (name, printed) in [
        ("CONS/NODES=SHARED", "CONS/NODES=SHARED"),
        ("EASY/NODES=EXCLUSIVE/FILL=SJF", "EASY/FILL=SJF/NODES=EXCLUSIVE"),
        ("EASY/NODES=SHARED/PLACE=BEST/ORDER=SJF", "EASY/ORDER=SJF/PLACE=BEST/NODES=SHARED"),
        ("CONS/ORDER=SAF/REPLAN", "CONS/REPLAN/ORDER=SAF"),
    ] {
        assert_eq!(name.parse::<Policy>().unwrap().to_string(), printed);
    }
    for name in
        ["EASY/NODES=WHOLE", "EASY/REPLAN", "FCFS/REPLAN", "EASY/SPARE", "EASY/ORDER=SJF/ORDER=LJF", "EASY/"]
    {
        assert!(name.parse::<Policy>().is_err(), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Jobs whose tasks need a node each start at the times and nodes that they get if each task has
    /// a node by rule.
    #[test]
    fn tasks_of_whole_nodes_are_the_plain_case(seed in 0..1000_u64, nodes in 4..20_u32, cores in 1..9_u32) {
        let text = format!("classes = [{{ name = 'a', nodes = {nodes}, cores = {cores}, memory_gb = 8 }}]");
        let options = options(&text, &[]);
        let mut jobs = synthetic(seed, nodes);
        jobs.iter_mut().for_each(|job| job.cpu_need = Share::ONE);
        for base in ["FCFS", "EASY", "EASY/ORDER=WFP3"] {
            let plain = (starts(base, nodes, &options, &jobs), nodes_of(base, nodes, &options, jobs.clone()));
            for how in ["SHARED", "EXCLUSIVE"] {
                let name = format!("{base}/NODES={how}");
                let packed = (starts(&name, nodes, &options, &jobs), nodes_of(&name, nodes, &options, jobs.clone()));
                prop_assert!(packed == plain, "{}", name);
            }
        }
    }
}
