//! Tests optima derived by hand.

use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_optimum::{Limits, Status, lp_bound, optimum};

/// Creates a job of (tasks, demand, least yield in halves).
fn job(tasks: u32, demand: &[u32], halves: u64) -> OfflineJob {
    OfflineJob { tasks, demand: demand.into(), least_yield: Yield::from_ratio(halves, 2) }
}

/// Creates identical nodes with a capacity of 10 in every resource, the first of which is fixed.
fn instance(nodes: usize, jobs: Vec<OfflineJob>) -> Instance {
    let width = jobs[0].demand.len();
    Instance { fixed: 1, fluid: width - 1, nodes: vec![vec![10; width].into(); nodes], jobs }
}

fn assert_optimum(instance: &Instance, expected: Option<Yield>) {
    let outcome = optimum(instance, &Limits::default());
    assert_eq!(outcome.best.map(|best| best.minimum_yield), expected);
    assert_eq!(outcome.bound, expected);
    assert_eq!(outcome.status, if expected.is_some() { Status::Optimal } else { Status::Infeasible });
}

/// RR-6692, section 2.3: two nodes and three needs of 0.6 give 0.5 / 0.6 = 0.83; divided evenly, 2 /
/// 1.8, thus 1.
#[test]
fn three_tasks_on_two_nodes() {
    let three = instance(2, vec![job(1, &[0, 6], 0); 3]);
    assert_optimum(&three, Some(Yield::from_ratio(5, 6)));
    assert_eq!(lp_bound(&three), Some(Yield::ONE));
}

/// 6 + 6 and 5 + 4 + 4 use 25 of 30 units of memory, and 6 fits only with 4: {6, 4}, {6, 4}, {5}.
/// The needs of 10 each give a yield of 1/2. Two nodes do not have enough memory.
#[test]
fn memory_decides() {
    let jobs: Vec<OfflineJob> = [6, 6, 5, 4, 4].iter().map(|&memory| job(1, &[memory, 10], 0)).collect();
    assert_optimum(&instance(3, jobs.clone()), Some(Yield::from_ratio(1, 2)));
    assert_optimum(&instance(2, jobs), None);
}

/// The sum of memory fits (24 of 30), but no two jobs of memory 6 can share a node (RR-6692's
/// tightest instances).
#[test]
fn infeasible_though_the_bound_is_not() {
    let jobs = vec![job(1, &[6, 1], 0); 4];
    let tight = instance(3, jobs);
    assert_eq!(lp_bound(&tight), Some(Yield::ONE));
    assert_optimum(&tight, None);
}

/// One node, needs of 8 and 8, the first with half its need guaranteed: 4 + 4 y + 8 y = 10, so y =
/// 1/2. With both guaranteed, 8 + 8 y = 10, so y = 1/4. One unit is so small that its half is
/// rounded to 0: it is added. With two more jobs that need 1 and have all of it guaranteed, no CPU
/// is left.
#[test]
fn quality_of_service_comes_first() {
    assert_optimum(&instance(1, vec![job(1, &[0, 8], 1), job(1, &[0, 8], 0)]), Some(Yield::from_ratio(1, 2)));
    let mut both = vec![job(1, &[0, 8], 1); 2];
    assert_optimum(&instance(1, both.clone()), Yield::try_from_units(Yield::ONE.units() / 4 + 1));
    both.extend([job(1, &[0, 1], 2), job(1, &[0, 1], 2)]);
    assert_optimum(&instance(1, both.clone()), Yield::try_from_units(1));
    both.push(job(1, &[0, 1], 2));
    assert_optimum(&instance(1, both), None);
}

/// Two fluid resources: jobs of one kind cannot share a node at full yield. {(8, 2), (2, 8)} twice
/// needs 10 of each, while two jobs of one kind need 16.
#[test]
fn opposite_needs_belong_together() {
    let jobs =
        vec![job(1, &[1, 8, 2], 0), job(1, &[1, 8, 2], 0), job(1, &[1, 2, 8], 0), job(1, &[1, 2, 8], 0)];
    assert_optimum(&instance(2, jobs), Some(Yield::ONE));
}

/// Five tasks of memory 3 on two nodes: three are on one of them, and need 12.
#[test]
fn tasks_of_a_parallel_job_spread() {
    assert_optimum(&instance(2, vec![job(5, &[3, 4], 0)]), Some(Yield::from_ratio(10, 12)));
    assert_optimum(&instance(2, vec![job(7, &[3, 4], 0)]), None);
}

/// A large and a small node: 12 on the large one and 5 on the small one gives 10/12 and 1; the other
/// way it is 5/12 for the small one.
#[test]
fn nodes_may_differ() {
    let nodes = vec![[10, 10].into(), [10, 5].into()];
    let jobs = vec![job(1, &[6, 12], 0), job(1, &[6, 5], 0)];
    assert_optimum(&Instance { fixed: 1, fluid: 1, nodes, jobs }, Some(Yield::from_ratio(10, 12)));
}

#[test]
fn instances_without_jobs_or_nodes() {
    let nodes: Vec<Box<[u32]>> = vec![[1, 1].into()];
    assert_optimum(&Instance { fixed: 1, fluid: 1, nodes, jobs: Vec::new() }, Some(Yield::ONE));
    assert_optimum(&Instance { fixed: 1, fluid: 1, nodes: Vec::new(), jobs: Vec::new() }, Some(Yield::ONE));
    assert_optimum(&Instance { fixed: 1, fluid: 1, nodes: Vec::new(), jobs: vec![job(1, &[0, 0], 0)] }, None);
}
