//! Tests the search kernel under the constraints of a cluster: places for all VMs, and constraints
//! that cannot all hold.

use crate::common::*;
use crate::random_constraints::ALL;
use dfrsim_adaptation::Rules;
use dfrsim_context_switch::*;
use dfrsim_model::{NodeId, Seed};
use rand::RngExt;
use rand::seq::IndexedRandom;

fn spread(numbers: &[u32]) -> Constraint {
    let vms = numbers.iter().map(|&vm| VmId(vm)).collect();
    Constraint::new(ConstraintKind::Spread, vec![vms], Vec::new())
}

fn fence(numbers: &[u32], nodes: &[u32]) -> Constraint {
    let vms = numbers.iter().map(|&vm| VmId(vm)).collect();
    Constraint::new(ConstraintKind::Fence, vec![vms], vec![nodes.iter().map(|&node| NodeId(node)).collect()])
}

#[test]
fn a_vjob_runs_on_where_it_fits_in_another_way() {
    // First-fit decreasing in the order of the queue: 6 and 3 on the first node, 5 and 4 on the
    // second leave 1 and 1. The last vjob of 2 would fit with 6 + 4 and 5 + 3 + 2.
    let cluster = cluster(&[(9, 10), (9, 10)], &[(0, 1, 6), (1, 1, 5), (2, 1, 3), (3, 1, 4), (4, 1, 2)]);
    let current = Configuration::new(vec![running(0), running(1), running(1), running(0), running(1)]);
    assert!(current.check(&cluster).is_ok());
    let queue = first_come_first_served(&cluster);
    let decided = select_running(&cluster, &current, &queue, SuspendTo::Disk);
    assert_eq!(decided.place(VmId(4)), sleeping(1), "first-fit decreasing has no place for it");
    let kept = keep_running(&cluster, &current, decided, &queue);
    assert_eq!(kept, current);
}

#[test]
fn a_vjob_that_fits_in_no_way_is_suspended() {
    let cluster = cluster(&[(9, 10)], &[(0, 1, 6), (1, 1, 4), (2, 1, 2)]);
    let current = Configuration::new(vec![WAITING, running(0), running(0)]);
    let queue = first_come_first_served(&cluster);
    let decided = select_running(&cluster, &current, &queue, SuspendTo::Disk);
    let kept = keep_running(&cluster, &current, decided.clone(), &queue);
    assert_eq!(kept, decided);
    assert_eq!(kept.place(VmId(2)), sleeping(0));
}

/// Three VMs that are kept apart have two nodes; another rule on them and one on other VMs are not
/// to blame.
#[test]
fn the_constraints_that_contradict_each_other_are_found() {
    let cluster = cluster(&[(9, 9); 4], &[(0, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, 1), (4, 1, 1)]);
    let current = Configuration::new(vec![running(0), running(1), running(2), running(3), running(3)]);
    let list = vec![
        spread(&[3, 4]),
        fence(&[0, 1], &[0, 1]),
        fence(&[1, 2], &[0, 1, 2]),
        fence(&[2], &[0, 1]),
        spread(&[0, 1, 2]),
        fence(&[3], &[2, 3]),
    ];
    let cluster = cluster.with_constraints(list, &current);
    assert_eq!(contradiction(&cluster, &current, &current), Some(vec![1, 3, 4]));
    let without = cluster.constraints().list()[..4].to_vec();
    let cluster = cluster.with_constraints(without, &current);
    assert_eq!(contradiction(&cluster, &current, &current), None);
}

#[test]
fn vms_that_lack_resources_contradict_no_rule() {
    let cluster = cluster(&[(9, 9); 2], &[(0, 1, 10), (1, 1, 1)]);
    let current = Configuration::new(vec![WAITING, running(0)]);
    let wanted = Configuration::new(vec![running(0), running(0)]);
    let cluster = cluster.with_constraints(vec![spread(&[0, 1])], &current);
    assert_eq!(contradiction(&cluster, &current, &wanted), Some(vec![]));
}

/// The filter agrees with the check of whole configurations, for all kinds of constraints: a task
/// that it admits leaves the configuration without a violation.
#[test]
fn the_filter_admits_what_the_check_accepts() {
    let [mut admitted, mut refused] = [0, 0];
    for number in 0..2_000 {
        let mut rng = Seed::new(number).fork("filter").rng();
        let vms: Vec<(u32, i64, i64)> = (0..7).map(|vm| (vm, 1, 1)).collect();
        let current = Configuration::new(vec![WAITING; vms.len()]);
        let cluster = cluster(&[(9, 9); 4], &vms);
        let list: Vec<Constraint> =
            (0..5).map(|_| ALL.choose(&mut rng).unwrap()(&cluster, &mut rng)).collect();
        let list: Vec<Constraint> = list.into_iter().filter(|it| is_of_places(it.kind)).collect();
        let cluster = cluster.with_constraints(list.clone(), &current);
        let tasks = (0..7).map(|vm| vec![VmId(vm)]).collect();
        let mut rules: Box<dyn Rules> =
            Box::new(PlacementRules::new(&cluster, &current, list.clone(), tasks));
        let mut built = current.clone();
        for task in 0..7 {
            let node = rng.random_range(0..4);
            let mut with = built.clone();
            with.set(VmId(task), running(node));
            let violated = (0..list.len()).find_map(|at| cluster.violation(at, &with));
            let admits = rules.admits(task, node, &[]);
            assert_eq!(admits, violated.is_none(), "{number}: {violated:?}");
            if admits {
                rules.add(task, node);
                built = with;
                admitted += 1;
            } else {
                refused += 1;
            }
        }
    }
    assert!(admitted > 100 && refused > 100, "{admitted} admitted, {refused} refused");
}

const fn is_of_places(kind: ConstraintKind) -> bool {
    use ConstraintKind as K;
    matches!(
        kind,
        K::Spread | K::Split | K::Lonely | K::Among | K::SplitAmong | K::Fence | K::Ban | K::RunningCapacity
    )
}
