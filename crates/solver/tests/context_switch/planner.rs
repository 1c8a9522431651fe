//! Tests the planner: random reconfigurations, and complete search.

use crate::common::*;
use dfrsim_context_switch::check::check_plan;
use dfrsim_context_switch::file::{PlanFigures, plan_to_json};
use dfrsim_context_switch::*;
use dfrsim_model::{NodeId, Seed};
use rayon::prelude::*;
use std::collections::{BTreeSet, VecDeque};

#[test]
fn what_the_life_cycle_does_not_have_is_refused() {
    let cluster = cluster(&[(2, 4), (2, 4)], &[(0, 1, 2)]);
    for (from, to) in [
        (WAITING, sleeping(0)),
        (WAITING, TERMINATED),
        (sleeping(0), WAITING),
        (sleeping(0), TERMINATED),
        (sleeping(0), dozing(0)),
        (running(0), WAITING),
        (dozing(0), dozing(1)),
        (TERMINATED, running(0)),
    ] {
        let error =
            plan(&cluster, &Configuration::new(vec![from]), &Configuration::new(vec![to])).unwrap_err();
        assert!(matches!(error, PlanError::Illegal(_)), "{from:?} to {to:?}: {error}");
    }
    let crowded = Configuration::new(vec![running(0)]);
    let small = crate::common::cluster(&[(2, 1)], &[(0, 1, 2)]);
    let error = plan(&small, &Configuration::new(vec![WAITING]), &crowded).unwrap_err().to_string();
    assert_eq!(
        error,
        "the target configuration is not viable: node `N1` has 2 units of CPU and 1 MB, but VMs take 1 units and 2 MB"
    );
}

/// Transfers an image that must leave its disk to another one.
#[test]
fn images_are_transferred() {
    let cluster = cluster(&[(2, 4), (2, 4)], &[(0, 1, 2), (0, 1, 1), (1, 1, 1)]);
    let from = Configuration::new(vec![running(0), sleeping(0), dozing(1)]);
    let mut wanted = from.clone();
    clear_disks(&cluster, &from, &mut wanted, &[NodeId(0)]);
    assert_eq!(wanted.places(), [running(0), sleeping(1), dozing(1)]);
    let found = solve(&cluster, &from, &wanted, &Limits::default(), Seed::new(1)).unwrap();
    assert_eq!((found.cost, found.bound, found.proven), (1, 1, true));
    checked(&cluster, &from, &found.configuration, &found.plan);
}

/// Nodes are each filled by one VM, and all VMs move to the next node: by a pivot if a node is free,
/// otherwise by a disk.
#[test]
fn cycles_of_any_length_are_broken() {
    for length in 2..=40 {
        for pivots in 0..2 {
            let nodes = vec![(1, 4); length + pivots];
            let vms: Vec<(u32, i64, i64)> =
                (0..length).map(|vm| (vm as u32, 1, 4 - i64::from(vm == length / 2))).collect();
            let cluster = cluster(&nodes, &vms);
            let place = |vm: usize| running((vm % length) as u32);
            let from = Configuration::new((0..length).map(place).collect());
            let to = Configuration::new((1..=length).map(place).collect());
            let plan = plan(&cluster, &from, &to).unwrap();
            let report = checked(&cluster, &from, &to, &plan);
            assert_eq!((report.actions, report.detours_by_pivot), (length + 1, pivots));
            assert_eq!(report.detours_by_disk, 1 - pivots);
            let first = plan.pools()[0][0].vm();
            assert_eq!(first.index(), length / 2, "the smallest VM makes room");
            assert_eq!(plan.pools().len(), length + 1);
        }
    }
}

/// Swaps with their own pivots cost 2,048, then 2,048 + 3,072, then 2,048 + 3,072 + 2,048 each.
#[test]
fn independent_cycles_are_broken_at_once() {
    for swaps in [1, 2, 10] {
        let nodes = vec![(2, 4_096); 3 * swaps];
        let vms: Vec<(u32, i64, i64)> =
            (0..2 * swaps).map(|vm| (vm as u32, 1, if vm % 2 == 0 { 2_048 } else { 3_072 })).collect();
        let cluster = cluster(&nodes, &vms);
        let from: Vec<Place> = (0..2 * swaps as u32).map(running).collect();
        let to: Vec<Place> = (0..2 * swaps as u32).map(|vm| running(vm ^ 1)).collect();
        let (from, to) = (Configuration::new(from), Configuration::new(to));
        let plan = plan(&cluster, &from, &to).unwrap();
        checked(&cluster, &from, &to, &plan);
        let figures = (plan.pools().len(), plan.cost(&cluster));
        assert_eq!(figures, (3, 14_336 * swaps as u64), "{}", words(&cluster, &plan));
    }
}

/// Checks 100,000 plans (a quarter of them unless the run is full), among which there are cycles of
/// both kinds.
#[test]
fn a_hundred_thousand_random_reconfigurations() {
    let figures = |number| {
        let mut rng = Seed::new(6929).fork("reconfigurations").numbered(number).rng();
        let size = [
            Size { nodes: 3, vms: 8, cpu: 2, constraints: false },
            Size { nodes: 6, vms: 16, cpu: 1, constraints: number % 4 == 1 },
            Size { nodes: 12, vms: 40, cpu: 1, constraints: number % 4 == 2 },
        ];
        let case = random(&size[(number % 3) as usize], &mut rng);
        let plan = plan(&case.cluster, &case.current, &case.wanted).unwrap();
        let report = checked(&case.cluster, &case.current, &case.wanted, &plan);
        (report.detours_by_pivot, report.detours_by_disk, report.pools)
    };
    let (by_pivot, by_disk, most_pools) = (0..dfrsim_testing::cases(100_000_u64))
        .into_par_iter()
        .map(figures)
        .reduce(|| (0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2.max(b.2)));
    let enough = dfrsim_testing::cases(1_000_u32) as usize;
    println!("{by_pivot} VMs by a pivot, {by_disk} by a disk, at most {most_pools} pools");
    assert!(by_pivot > enough && by_disk > enough, "{by_pivot} and {by_disk}");
}

/// Returns whether the wanted configuration is reachable by single feasible actions.
fn reachable(cluster: &Cluster, current: &Configuration, wanted: &Configuration) -> bool {
    let key = |configuration: &Configuration| format!("{:?}", configuration.places());
    let mut seen = BTreeSet::from([key(current)]);
    let mut queue = VecDeque::from([current.clone()]);
    while let Some(configuration) = queue.pop_front() {
        if configuration == *wanted {
            return true;
        }
        let room = configuration.free_resources(cluster);
        for &vm in cluster.by_name() {
            let place = configuration.place(vm);
            let mut next = vec![WAITING, TERMINATED];
            for NodeId(node) in cluster.node_ids() {
                next.extend([running(node), sleeping(node), dozing(node)]);
            }
            for to in next {
                if !matches!(Action::between(cluster, vm, place, to), Ok(Some(_))) {
                    continue;
                }
                let fits = to.host().is_none_or(|host| {
                    let here =
                        if place.host() == Some(host) { place.usage(cluster.vm(vm)) } else { Amount::NONE };
                    (to.usage(cluster.vm(vm)) - here).fits(room[host.index()])
                });
                let mut after = configuration.clone();
                after.set(vm, to);
                if fits && seen.insert(key(&after)) {
                    queue.push_back(after);
                }
            }
        }
    }
    false
}

/// Draws places that need not fit or be legal. If the wanted configuration is viable and each VM can
/// change to its state, there is a plan exactly if complete search finds a path; otherwise there is
/// none.
#[test]
fn there_is_a_plan_whenever_complete_search_finds_one() {
    use rand::RngExt;
    let (mut with, mut without) = (0, 0);
    for number in 0..600 {
        let mut rng = Seed::new(6929).fork("complete").numbered(number).rng();
        let size = Size { nodes: 3, vms: 4, cpu: 1, constraints: false };
        let mut case = random(&size, &mut rng);
        if number % 2 == 0 {
            let nodes = case.cluster.nodes().len() as u32;
            for &vm in case.cluster.by_name() {
                let node = rng.random_range(0..nodes);
                let place = case.wanted.place(vm);
                case.wanted.set(vm, Place::of(place.state(), Some(NodeId(node))).unwrap());
            }
        }
        let found = plan(&case.cluster, &case.current, &case.wanted);
        let is_legal = |vm: &VmId| {
            let (from, to) = (case.current.place(*vm), case.wanted.place(*vm));
            // Another disk is reached by a suspend and a transfer.
            let is_transferred = from.host().is_some() && to.state() == VmState::Sleeping;
            is_transferred || Action::between(&case.cluster, *vm, from, to).is_ok()
        };
        let is_asked =
            case.wanted.check(&case.cluster).is_ok() && case.cluster.by_name().iter().all(is_legal);
        assert_eq!(
            found.is_ok(),
            is_asked && reachable(&case.cluster, &case.current, &case.wanted),
            "{number}: {found:?}"
        );
        if found.is_ok() { with += 1 } else { without += 1 }
    }
    assert!(with > 200 && without > 50, "{with} and {without}");
}

/// A VM that waits for a short suspend does not wait for a long one elsewhere, and the checker knows
/// when a node has free resources.
#[test]
fn actions_begin_as_soon_as_there_is_room() {
    let vms = [(0, 1, 512), (1, 1, 2_048), (2, 1, 512), (3, 1, 512)];
    let cluster = cluster(&[(1, 4_096), (1, 4_096)], &vms).with_starts(Starts::Asap);
    let current = Configuration::new(vec![running(0), running(1), WAITING, WAITING]);
    let wanted = Configuration::new(vec![sleeping(0), sleeping(1), running(0), running(1)]);
    let plan = plan_early(&cluster, &current, &wanted).unwrap();
    assert_eq!(words(&cluster, &plan), "suspend VM1 N1>N1, suspend VM2 N2>N2 | run VM3 N1, run VM4 N2");
    checked_early(&cluster, &current, &wanted, &plan);
    let times = timetable(&cluster, &plan, &wanted, cluster.durations());
    let [suspends, runs] = &times.pools[..] else { panic!("two pools") };
    let ends = |timed: &[TimedAction]| timed.iter().map(|timed| timed.end).collect::<Vec<_>>();
    assert_eq!(runs.iter().map(|timed| timed.begin).collect::<Vec<_>>(), ends(suspends));
    assert!(runs[0].begin < runs[1].begin);
    let figures = PlanFigures { cost: plan.cost(&cluster), bound: None, proven: false };
    let text = plan_to_json(&cluster, &current, &wanted, &times, &figures);
    let begin = format!("\"begin_s\":{:.1}", runs[0].begin.as_secs_f64());
    assert!(text.contains(&begin), "{begin} in {text}");
    let faults = check_plan(&text.replace(&begin, "\"begin_s\":0.5")).unwrap_err().to_string();
    assert!(faults.contains("node `N1`"), "{faults}");
    let [makespan, ends] = [Aim::Makespan, Aim::Ends].map(|aim| {
        let cluster = cluster.clone().with_aim(aim);
        solve(&cluster, &current, &wanted, &Limits::default(), Seed::new(1)).unwrap().cost
    });
    let all = times.pools.iter().flatten().map(|timed| timed.end.micros());
    assert_eq!((makespan, ends), (all.clone().max().unwrap(), all.sum()));
}
