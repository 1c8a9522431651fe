//! Tests random plans with all constraints at once, and each constraint alone.

use crate::common::*;
use crate::random_constraints::{ALL, constrained};
use dfrsim_context_switch::check::{PlanReport, PlanViolation};
use dfrsim_context_switch::file::{cluster_from_json, cluster_to_json};
use dfrsim_context_switch::*;
use dfrsim_model::{NodeId, Rng, Seed};
use rand::RngExt;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Draws a reconfiguration with an additional resource besides CPU and memory, nodes that are off,
/// and one constraint of each kind, except those that the wanted configuration violates.
fn case(number: u64) -> Reconfiguration {
    let mut rng = Seed::new(6929).fork("constraints").numbered(number).rng();
    let size = [
        Size { nodes: 4, vms: 8, cpu: 2, constraints: false },
        Size { nodes: 6, vms: 16, cpu: 1, constraints: false },
        Size { nodes: 10, vms: 30, cpu: 1, constraints: false },
    ];
    let Reconfiguration { cluster, current, wanted } = random(&size[(number % 3) as usize], &mut rng);
    let mut amounts = |count: usize, most: i64| (0..count).map(|_| rng.random_range(0..=most)).collect();
    let (nodes, vms) = (amounts(cluster.nodes().len(), 9), amounts(cluster.vms().len(), 1));
    let mut gpus = Resource { name: "gpu".to_owned(), nodes, vms };
    // The wanted configuration must remain viable.
    for node in cluster.node_ids() {
        let there = cluster.by_name().iter().filter(|vm| wanted.place(**vm) == Place::Running(node));
        let taken: i64 = there.map(|vm| gpus.vms[vm.index()]).sum();
        gpus.nodes[node.index()] = gpus.nodes[node.index()].max(taken);
    }
    // A node that is off hosts no VM, and no image on its disk is resumed.
    let is_free = |node: &NodeId| {
        let mut pairs = current.places().iter().zip(wanted.places());
        pairs.all(|(from, to)| from.node() != Some(*node) || from.host().is_none() && from == to)
    };
    let off: Vec<NodeId> = cluster.node_ids().filter(is_free).filter(|_| rng.random_bool(0.5)).collect();
    let is_needed = |node: &NodeId| wanted.places().iter().any(|place| place.host() == Some(*node));
    let nodes = off.iter().copied().filter(is_needed).collect();
    let cluster = cluster.with_nodes(vec![gpus], &off);
    let cluster = cluster
        .with_constraints(vec![Constraint::new(ConstraintKind::Online, Vec::new(), vec![nodes])], &current);
    let cluster = constrained(cluster, &current, &wanted, ALL, ALL.len(), &mut rng);
    Reconfiguration { cluster, current, wanted }
}

/// Returns a plan and its final configuration: from the planner for even numbers, otherwise from the
/// optimiser. Returns `None` if the actions cannot be ordered.
fn planned(number: u64, cluster: &Cluster, case: &Reconfiguration) -> Option<(Plan, Configuration)> {
    let Reconfiguration { current, wanted, .. } = case;
    if number.is_multiple_of(2) {
        return match plan(cluster, current, wanted) {
            Ok(plan) => Some((plan, wanted.clone())),
            Err(PlanError::Order { .. }) => None,
            Err(error) => panic!("{number}: {error}"),
        };
    }
    let limits = Limits { steps: 200, time: None };
    match solve(cluster, current, wanted, &limits, Seed::new(number)) {
        Ok(found) => Some((found.plan, found.configuration)),
        Err(Unsolved::Order { .. }) => None,
        Err(error) => panic!("{number}: {error}"),
    }
}

/// Returns the kinds of constraints that a plan violates.
fn broken(
    cluster: &Cluster,
    current: &Configuration,
    plan: &Plan,
    after: &Configuration,
) -> BTreeSet<ConstraintKind> {
    let faults = judged(cluster, current, after, plan).0.err();
    let kind = |fault: &PlanViolation| fault.constraint.unwrap_or_else(|| panic!("{fault}"));
    faults.iter().flat_map(|faults| faults.0.iter().map(kind)).collect()
}

/// Checks 10,000 plans with all constraints (a quarter of them unless the run is full), made
/// alternately by the planner and the optimiser, without a violation. Without the constraints, plans would violate each kind of them.
#[test]
fn ten_thousand_plans_with_all_constraints() {
    let cases: u64 = dfrsim_testing::cases(16_000);
    let found = |number| {
        let case = case(number);
        let Reconfiguration { cluster, current, .. } = &case;
        let (careful, after) = planned(number, cluster, &case)?;
        assert_eq!(after.check(cluster), Ok(()), "{number}");
        let report = checked(cluster, current, &after, &careful);
        if number.is_multiple_of(4) {
            checked_early(cluster, current, &after, &careful);
        }
        let list = cluster.constraints().list();
        let online = list.iter().filter(|constraint| constraint.kind == ConstraintKind::Online).cloned();
        let free = cluster.clone().with_constraints(online.collect(), current);
        let (careless, after) = planned(number, &free, &case).expect("no constraint orders actions");
        let mut breaks = broken(cluster, current, &careless, &after);
        // VMs stay where they may: another plan without constraints packs all of them again.
        if number.is_multiple_of(10) {
            let queue = first_come_first_served(&free);
            let packed = select_running(&free, current, &queue, SuspendTo::Disk);
            breaks.extend(broken(cluster, current, &plan(&free, current, &packed).unwrap(), &packed));
        }
        Some((report, list.len(), breaks))
    };
    let found: Vec<_> = (0..cases).into_par_iter().filter_map(found).collect();
    let count = |of: fn(&PlanReport) -> usize| found.iter().map(|(report, ..)| of(report)).sum::<usize>();
    let constraints: usize = found.iter().map(|(_, constraints, _)| constraints).sum();
    println!(
        "{} plans without a fault, {} cases without a plan; {:.1} constraints of {} kinds a case; {} actions, {} detours by \
         pivots, {} by disks",
        found.len(),
        cases as usize - found.len(),
        constraints as f64 / found.len() as f64,
        ALL.len(),
        count(|report| report.actions),
        count(|report| report.detours_by_pivot),
        count(|report| report.detours_by_disk),
    );
    let mut breaks = BTreeMap::new();
    found.iter().flat_map(|(.., broken)| broken).for_each(|kind| *breaks.entry(*kind).or_insert(0) += 1);
    println!("cases in which a plan without constraints breaks them: {breaks:?}");
    assert!(
        found.len() * 8 >= cases as usize * 5 && constraints > 10 * found.len(),
        "{} and {constraints}",
        found.len()
    );
    assert!(
        breaks.len() == 21 && breaks.values().all(|count| *count >= dfrsim_testing::cases(10_u32)),
        "{breaks:?}"
    );
}

/// Returns all sequences of pools of these tasks.
fn pools(tasks: &[Vec<Action>]) -> Vec<Vec<Vec<Action>>> {
    if tasks.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for pool in 1..1_u32 << tasks.len() {
        let (mut now, mut later) = (Vec::new(), Vec::new());
        for (at, task) in tasks.iter().enumerate() {
            if pool >> at & 1 == 1 { now.extend(task.iter().copied()) } else { later.push(task.clone()) }
        }
        all.extend(pools(&later).into_iter().map(|rest| [vec![now.clone()], rest].concat()));
    }
    all
}

/// Returns the cost of the cheapest plan that the checker accepts, among all orders in which each VM
/// acts once. Suspends and resumes of a vjob are together.
fn cheapest_accepted(case: &Reconfiguration) -> Option<u64> {
    let Reconfiguration { cluster, current, wanted } = case;
    let mut tasks: Vec<Vec<Action>> = Vec::new();
    for &vm in cluster.by_name() {
        let Ok(Some(action)) = Action::between(cluster, vm, current.place(vm), wanted.place(vm)) else {
            continue;
        };
        let goes_with = |other: &Vec<Action>| {
            let kinds = [action.kind(), other[0].kind()];
            let same = kinds[0].name() == kinds[1].name() && matches!(kinds[0].name(), "suspend" | "resume");
            same && cluster.vm(vm).vjob == cluster.vm(other[0].vm()).vjob
        };
        match tasks.iter_mut().find(|task| goes_with(task)) {
            Some(task) => task.push(action),
            None => tasks.push(vec![action]),
        }
    }
    let plan = |mut pools: Vec<Vec<Action>>| {
        pools.iter_mut().for_each(|pool| pool.sort_by_key(|action| &cluster.vm(action.vm()).name));
        Plan::new(pools)
    };
    let mut plans: Vec<Plan> = pools(&tasks).into_iter().map(plan).collect();
    plans.sort_by_key(|plan| plan.cost(cluster));
    let accepted = plans.iter().find(|plan| judged(cluster, current, wanted, plan).0.is_ok());
    accepted.map(|plan| plan.cost(cluster))
}

/// The planner finds the cheapest order that the checker accepts, and no such order exists if it
/// finds none.
#[test]
fn no_accepted_order_is_cheaper() {
    let (mut plans, mut none) = (0, 0);
    for number in 0..3_300 {
        let mut rng = Seed::new(6929).fork("orders").numbered(number).rng();
        let size = Size { nodes: 3, vms: 5, cpu: 1, constraints: false };
        let Reconfiguration { cluster, current, wanted } = random(&size, &mut rng);
        let cluster = constrained(cluster, &current, &wanted, ALL, ALL.len(), &mut rng);
        let found = plan(&cluster, &current, &wanted);
        let case = Reconfiguration { cluster, current, wanted };
        let accepted = cheapest_accepted(&case);
        match found {
            Ok(plan) => {
                let cost = plan.cost(&case.cluster);
                // A plan with a detour may be cheaper than any plan without one.
                assert!(
                    accepted.is_none_or(|accepted| cost <= accepted),
                    "{number}: {cost} for {accepted:?}"
                );
                let acts_once =
                    plan.actions().count() == plan.actions().map(Action::vm).collect::<BTreeSet<_>>().len();
                assert!(!acts_once || accepted == Some(cost), "{number}: {cost} for {accepted:?}");
                plans += 1;
            }
            Err(error) => {
                assert!(matches!(error, PlanError::Order { .. }), "{number}: {error}");
                assert_eq!(accepted, None, "{number}");
                none += 1;
            }
        }
    }
    assert!(plans > 2_000 && none > 10, "{plans} and {none}");
}

/// Reads files of such clusters back unchanged.
#[test]
fn files_keep_all_constraints() {
    for number in 0..100 {
        let Reconfiguration { cluster, current, .. } = case(number);
        let text = cluster_to_json(&cluster, &current);
        let (again, places) =
            cluster_from_json("again.json", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(cluster_to_json(&again, &places), text);
        assert_eq!(again.constraints().list().len(), cluster.constraints().list().len());
    }
}

fn rng_of(number: u64) -> Rng {
    Seed::new(6929).fork("fractions").numbered(number).rng()
}

/// Plans with whole units of CPU equal those with fractions.
#[test]
fn fractions_of_a_cpu_are_exact() {
    for number in 0..50 {
        let size = Size { nodes: 4, vms: 8, cpu: 2, constraints: false };
        let Reconfiguration { cluster, current, wanted } = random(&size, &mut rng_of(number));
        let text = cluster_to_json(&cluster, &current);
        // Scale all amounts of CPU to a tenth.
        let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let tenth =
            |value: &mut serde_json::Value| value["cpu"] = (value["cpu"].as_f64().unwrap() / 10.0).into();
        document["nodes"].as_array_mut().unwrap().iter_mut().for_each(tenth);
        for vjob in document["vjobs"].as_array_mut().unwrap() {
            vjob["vms"].as_array_mut().unwrap().iter_mut().for_each(tenth);
        }
        let (small, current) = cluster_from_json("small.json", &document.to_string()).unwrap();
        let (large, _) = cluster_from_json("large.json", &text).unwrap();
        // VMs are numbered by vjob after reading.
        let number = |name: &str| cluster.by_name().iter().find(|vm| cluster.vm(**vm).name == name).unwrap();
        let wanted =
            Configuration::new(large.vms().iter().map(|vm| wanted.place(*number(&vm.name))).collect());
        let [whole, parts] = [&large, &small].map(|cluster| plan(cluster, &current, &wanted).unwrap());
        assert_eq!(words(&large, &whole), words(&small, &parts));
        checked(&small, &current, &wanted, &parts);
    }
}
