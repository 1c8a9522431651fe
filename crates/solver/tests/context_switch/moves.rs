//! Limits of simultaneous moves, actions that slow each other down, and transfers among constraints.

use crate::common::*;
use crate::random_constraints::{ALL, constrained};
use dfrsim_context_switch::check::check_plan;
use dfrsim_context_switch::file::{PlanFigures, plan_to_json};
use dfrsim_context_switch::*;
use dfrsim_model::{NodeId, Seed};
use rand::RngExt;
use std::num::NonZeroU32;

fn limits(per_node: u32, in_cluster: u32) -> MoveLimits {
    MoveLimits { per_node: NonZeroU32::new(per_node), in_cluster: NonZeroU32::new(in_cluster) }
}

/// Four VMs leave node 1 for node 2, and a fifth one goes from node 3 to node 4.
fn evacuation() -> (Cluster, Configuration, Configuration) {
    let vms = [(0, 0, 1_024), (1, 0, 1_024), (2, 0, 1_024), (3, 0, 1_024), (4, 0, 1_024)];
    let cluster = cluster(&[(1, 8_192), (1, 8_192), (1, 8_192), (1, 8_192)], &vms);
    let current = Configuration::new([0, 0, 0, 0, 2].map(running).to_vec());
    let wanted = Configuration::new([1, 1, 1, 1, 3].map(running).to_vec());
    (cluster, current, wanted)
}

#[test]
fn no_more_moves_begin_than_the_limits_allow() {
    let (cluster, current, wanted) = evacuation();
    let pools = |limits: MoveLimits| {
        let cluster = cluster.clone().with_move_limits(limits);
        let plan = plan(&cluster, &current, &wanted).unwrap();
        checked(&cluster, &current, &wanted, &plan);
        checked_early(&cluster, &current, &wanted, &plan);
        let mut sizes: Vec<usize> = plan.pools().iter().map(Vec::len).collect();
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(pools(MoveLimits::default()), [5]);
    // The fifth VM moves beside one of the others.
    assert_eq!(pools(limits(1, 0)), [1, 1, 1, 2]);
    assert_eq!(pools(limits(2, 0)), [2, 3]);
    assert_eq!(pools(limits(0, 1)), [1, 1, 1, 1, 1]);
    assert_eq!(pools(limits(2, 2)).iter().sum::<usize>(), 5);
}

#[test]
fn the_checker_counts_moves() {
    let (cluster, current, wanted) = evacuation();
    for (starts, limit, message) in [
        (Starts::Pools, "\"moves_per_node\": 3", "4 moves at once on node `N1`, but at most 3 are allowed"),
        (Starts::Pools, "\"moves\": 4", "5 moves at once in the cluster, but at most 4 are allowed"),
        (Starts::Asap, "\"moves\": 4", "5 moves at once in the cluster, but at most 4 are allowed"),
    ] {
        let cluster = cluster.clone().with_starts(starts);
        let plan = plan(&cluster, &current, &wanted).unwrap();
        let times = timetable(&cluster, &plan, &wanted, cluster.durations());
        let figures = PlanFigures { cost: plan.cost(&cluster), bound: None, proven: false };
        let text = plan_to_json(&cluster, &current, &wanted, &times, &figures);
        check_plan(&text).unwrap();
        let faults = check_plan(&text.replacen("\"nodes\"", &format!("{limit},\n\"nodes\""), 1)).unwrap_err();
        assert!(faults.to_string().contains(message), "{faults}");
    }
}

#[test]
fn actions_on_a_node_slow_each_other_down() {
    let (cluster, current, wanted) = evacuation();
    let durations = Durations { contention: 0.5, ..Durations::default() };
    let ends = |starts: Starts, limits: MoveLimits| {
        let cluster = cluster.clone().with_durations(durations.clone()).with_starts(starts);
        let cluster = cluster.with_move_limits(limits);
        let plan = plan_early(&cluster, &current, &wanted).unwrap();
        let times = timetable(&cluster, &plan, &wanted, &durations);
        times.pools.iter().flatten().map(|timed| timed.end.as_secs_f64()).collect::<Vec<_>>()
    };
    // A migration of 1 GB takes 19 s alone, and 2.5 times as long beside three others on its node.
    assert_eq!(ends(Starts::Pools, MoveLimits::default()), [47.5, 47.5, 47.5, 47.5, 19.0]);
    assert_eq!(ends(Starts::Asap, MoveLimits::default()), [47.5, 47.5, 47.5, 47.5, 19.0]);
    // Two at a time take 28.5 s; the lone one ends with the first pair or before it.
    assert_eq!(ends(Starts::Pools, limits(2, 0)), [28.5, 28.5, 19.0, 57.0, 57.0]);
    assert_eq!(ends(Starts::Asap, limits(2, 0)), [28.5, 28.5, 19.0, 57.0, 57.0]);
}

/// One of two migrations from a node begins when the other one is halfway.
#[test]
fn progress_is_kept_when_the_load_changes() {
    let vms = [(0, 0, 1_024), (1, 0, 1_024), (2, 1, 1_024)];
    let cluster = cluster(&[(1, 4_096), (1, 4_096), (1, 1_024)], &vms);
    let durations = Durations { contention: 1.0, stop_s: 9.5, ..Durations::default() };
    let cluster = cluster.with_durations(durations.clone()).with_starts(Starts::Asap);
    let current = Configuration::new(vec![running(0), running(0), running(2)]);
    let wanted = Configuration::new(vec![running(1), running(2), TERMINATED]);
    let plan = plan_early(&cluster, &current, &wanted).unwrap();
    let times = timetable(&cluster, &plan, &wanted, &durations);
    let ends: Vec<_> = times
        .pools
        .iter()
        .flatten()
        .map(|timed| (timed.begin.as_secs_f64(), timed.end.as_secs_f64()))
        .collect();
    // The first has 9.5 of its 19 s left when the second begins, and needs 19 s for them. The second
    // has half of its work left then, which it does alone.
    assert_eq!(ends, [(0.0, 28.5), (0.0, 9.5), (9.5, 38.0)]);
}

/// Random reconfigurations in which images go to other disks, under constraints of all kinds and
/// limits of moves: no plan is wrong.
#[test]
fn plans_with_transfers_keep_all_constraints() {
    let (mut planned, mut transfers) = (0, 0);
    for number in 0..dfrsim_testing::cases(1_200_u64) {
        let mut rng = Seed::new(6929).fork("transfers").numbered(number).rng();
        let mut case = random(&Size { nodes: 4, vms: 6, cpu: 1, constraints: false }, &mut rng);
        let nodes = case.cluster.nodes().len() as u32;
        for &vm in case.cluster.by_name() {
            if let Place::Sleeping(_) = case.wanted.place(vm) {
                case.wanted.set(vm, Place::Sleeping(NodeId(rng.random_range(0..nodes))));
            }
        }
        let cluster = constrained(case.cluster, &case.current, &case.wanted, ALL, 4, &mut rng);
        let cluster = cluster.with_move_limits(limits(rng.random_range(0..3), rng.random_range(0..3)));
        let Ok(plan) = plan(&cluster, &case.current, &case.wanted) else { continue };
        checked(&cluster, &case.current, &case.wanted, &plan);
        checked(&cluster.with_starts(Starts::Asap), &case.current, &case.wanted, &plan);
        planned += 1;
        transfers += u32::from(plan.actions().any(|action| action.kind() == Kind::Transfer));
    }
    assert!(planned > 100 && transfers > 10, "{planned} plans, {transfers} with transfers");
}
