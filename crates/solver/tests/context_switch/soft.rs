//! Tests soft constraints, and reserves of nodes.

use crate::common::*;
use crate::random_constraints::{ALL, soft};
use dfrsim_context_switch::*;
use dfrsim_model::{NodeId, Seed};
use rand::RngExt;

fn vms(numbers: &[u32]) -> Vec<VmId> {
    numbers.iter().map(|&vm| VmId(vm)).collect()
}

fn nodes(numbers: &[u32]) -> Vec<NodeId> {
    numbers.iter().map(|&node| NodeId(node)).collect()
}

/// Searches for the cheapest plan with soft constraints, and checks it independently.
fn solved(cluster: &Cluster, current: &Configuration, wanted: &Configuration) -> Option<KeptSoft<Optimised>> {
    let limits = Limits { steps: 2_000, time: None };
    let search = |enforced: &[Constraint]| {
        let list = [cluster.constraints().list(), enforced].concat();
        let searched = cluster.clone().with_constraints(list, current);
        solve(&searched, current, wanted, &limits, Seed::new(1))
    };
    let value = |found: &Optimised, penalty: u64| found.cost + penalty;
    let found = keep_soft(cluster, 16, search, |found| &found.configuration, value).ok()?;
    checked(cluster, current, &found.found.configuration, &found.found.plan);
    Some(found)
}

/// Three nodes of 10 MB. The VMs 1 and 2, of 3 MB each, share the first, and VM 3 is on the second. A
/// soft spread of VM 1 and 2 is worth one move if its weight is above 3.
#[test]
fn a_soft_rule_is_worth_its_weight_in_memory() {
    let cluster = cluster(&[(9, 10); 3], &[(0, 1, 3), (1, 1, 3), (2, 1, 4)]);
    let current = Configuration::new(vec![running(0), running(0), running(1)]);
    let with = |weight| {
        let spread = Constraint::new(ConstraintKind::Spread, vec![vms(&[0, 1])], Vec::new()).soft(weight);
        let cluster = cluster.clone().with_soft(vec![spread]);
        let found = solved(&cluster, &current, &current).unwrap().found;
        (found.cost, penalty(&cluster, &found.configuration))
    };
    assert_eq!(with(2), (0, 2));
    assert_eq!(with(4), (3, 0));
}

/// A soft fence of three VMs to a node that has room for two of them: two go there.
#[test]
fn a_part_of_a_soft_rule_counts() {
    let cluster = cluster(&[(9, 20), (9, 10)], &[(0, 1, 5), (1, 1, 5), (2, 1, 5)]);
    let current = Configuration::new(vec![running(0); 3]);
    let fence = Constraint::new(ConstraintKind::Fence, vec![vms(&[0, 1, 2])], vec![nodes(&[1])]).soft(100);
    let cluster = cluster.with_soft(vec![fence]);
    let found = solved(&cluster, &current, &current).unwrap();
    assert_eq!((found.found.cost, penalty(&cluster, &found.found.configuration)), (10, 100));
    assert_eq!(found.enforced.len(), 1);
    assert_eq!(found.enforced[0].vms, [vms(&[0, 1])]);
}

/// Four nodes of 10 MB, of which one may be lost: at most 30 MB are used on the others. VM 5 no longer
/// fits, although three nodes have room for it.
#[test]
fn a_reserve_of_the_largest_node_is_kept() {
    let cluster = cluster(&[(9, 10); 4], &[(0, 1, 8), (1, 1, 8), (2, 1, 8), (3, 1, 6), (4, 1, 2)]);
    let current = Configuration::new(vec![running(0), running(1), running(2), WAITING, WAITING]);
    let spare = |resource: &str| {
        let all = vec![nodes(&[0, 1, 2, 3])];
        let spare = Constraint::new(ConstraintKind::Spare, Vec::new(), all);
        let spare = spare.with(resource, 1.0.try_into().unwrap());
        cluster.clone().with_constraints(vec![spare], &current)
    };
    let decided = |cluster: &Cluster| {
        let queue = first_come_first_served(cluster);
        let decided = select_running(cluster, &current, &queue, SuspendTo::Disk);
        let plan = plan(cluster, &current, &decided).unwrap();
        checked(cluster, &current, &decided, &plan);
        decided.places().iter().filter(|place| place.host().is_some()).count()
    };
    assert_eq!(decided(&cluster.clone()), 5);
    assert_eq!(decided(&spare("memory")), 4);
    assert_eq!(decided(&spare("")), 4);
    assert_eq!(decided(&spare("cpu")), 5);
    // A drained node is no reserve.
    let all = vec![vms(&[0, 1, 2, 3, 4])];
    let ban = Constraint::new(ConstraintKind::Ban, all, vec![nodes(&[3])]);
    let mut list = spare("").constraints().list().to_vec();
    list.push(ban);
    let drained = cluster.with_constraints(list, &current);
    assert!(current.check(&drained).unwrap_err().to_string().contains("leave less `memory`"));
}

/// Adds soft constraints of all kinds to others. The result is never worse than without the search for
/// them, and the checker accepts every plan with its penalty.
#[test]
fn soft_rules_make_no_plan_worse() {
    let mut improved = 0;
    let mut found_any = 0;
    for number in 0..dfrsim_testing::cases(1_200_u64) {
        let mut rng = Seed::new(number).fork("soft rules").rng();
        let size = Size { nodes: 5, vms: 8, cpu: 1, constraints: false };
        let Reconfiguration { cluster, current, wanted } = random(&size, &mut rng);
        let count = rng.random_range(0..3);
        let cluster =
            crate::random_constraints::constrained(cluster, &current, &wanted, ALL, count, &mut rng);
        let rules = (0..rng.random_range(1..5)).map(|_| soft(&cluster, &mut rng)).collect();
        let cluster = cluster.with_soft(rules);
        let limits = Limits { steps: 2_000, time: None };
        let Ok(plain) = solve(&cluster, &current, &wanted, &limits, Seed::new(1)) else { continue };
        let found = solved(&cluster, &current, &wanted).expect("it is possible without soft rules").found;
        let [plain, with] = [&plain, &found].map(|it| it.cost + penalty(&cluster, &it.configuration));
        assert!(with <= plain, "{number}: {with} and {plain}");
        assert_eq!(found.configuration.check(&cluster), Ok(()), "{number}");
        improved += usize::from(with < plain);
        found_any += 1;
    }
    println!("{improved} of {found_any} plans are better with soft rules");
    assert!(improved * 20 > found_any, "{improved} of {found_any}");
}
