//! Independent checks of solutions of the off-line problem.
//!
//! [`check_minimum_yield`], [`check_yields`] and [`check_solution`] share only the types of the
//! model with the packing algorithms. They check that each task is on one existing node, that no
//! node is over-committed, and that the jobs get the claimed yields. All arithmetic is in exact
//! integers, with a sum for each node and resource.
//!
//! ```
//! use dfrsim_vector_packing::check::check_minimum_yield;
//! use dfrsim_model::offline::{Instance, OfflineJob};
//! use dfrsim_model::{NodeId, NodeTasks, Yield};
//!
//! // Two tasks that need all of the node.
//! let job = OfflineJob { tasks: 2, demand: [1_000].into(), least_yield: Yield::ZERO };
//! let instance = Instance { fixed: 0, fluid: 1, nodes: vec![[1_000].into()], jobs: vec![job] };
//! let mapping = vec![vec![NodeTasks { node: NodeId(0), tasks: 2 }]];
//! let half = Yield::from_ratio(1, 2);
//! assert_eq!(check_minimum_yield(&instance, &mapping, half), []);
//!
//! let above = Yield::try_from_units(half.units() + 1).unwrap();
//! let faults = check_minimum_yield(&instance, &mapping, above);
//! assert!(faults[0].to_string().starts_with("node 0, resource 0: "));
//! ```
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), sections 4.1 and 4.5; RR-6692,
//! sections 2.3 and 5.1.

use dfrsim_model::Violation;
use dfrsim_model::offline::{Instance, Mapping, OfflineJob};
use dfrsim_model::{NodeTasks, Yield};

/// Checks a mapping that claims a minimum scaled yield. Returns the violations; none if all jobs can
/// have their [unscaled](OfflineJob::unscaled) yields at the claimed one.
pub fn check_minimum_yield(instance: &Instance, mapping: &Mapping, claimed: Yield) -> Vec<Violation> {
    let yields: Vec<Yield> = instance.jobs.iter().map(|job| job.unscaled(claimed)).collect();
    check_yields(instance, mapping, &yields)
}

/// Checks a mapping that gives each job an unscaled yield. Returns the violations; none if the
/// yields fit and each is at least the job's minimum.
pub fn check_yields(instance: &Instance, mapping: &Mapping, yields: &[Yield]) -> Vec<Violation> {
    let mut faults = Vec::new();
    let mut fault = |text: String| faults.push(Violation(text));
    check_tasks(instance, mapping, &mut fault);
    let jobs = instance.jobs.len();
    if yields.len() != jobs {
        fault(format!("the solution has {} yields for {jobs} jobs", yields.len()));
        return faults;
    }
    for (job, (OfflineJob { least_yield, .. }, given)) in instance.jobs.iter().zip(yields).enumerate() {
        if given < least_yield {
            fault(format!("job {job}: its yield is {given}, below its minimum of {least_yield}"));
        }
    }
    check_capacities(instance, mapping, yields, &mut fault);
    faults
}

/// Checks a solution that claims a minimum scaled yield and gives each job an unscaled one. Returns
/// the violations of [`check_yields`], and the jobs that get less than at the claimed minimum.
pub fn check_solution(
    instance: &Instance,
    mapping: &Mapping,
    claimed: Yield,
    yields: &[Yield],
) -> Vec<Violation> {
    let mut faults = check_yields(instance, mapping, yields);
    for (job, (least, given)) in instance.jobs.iter().map(|job| job.unscaled(claimed)).zip(yields).enumerate()
    {
        if *given < least {
            faults.push(Violation(format!(
                "job {job}: its yield is {given}, below {least} at the claimed minimum"
            )));
        }
    }
    faults
}

/// Checks that each task is on one node.
fn check_tasks(instance: &Instance, mapping: &Mapping, fault: &mut impl FnMut(String)) {
    let (found, jobs) = (mapping.len(), instance.jobs.len());
    if found != jobs {
        fault(format!("the solution has {found} placements for {jobs} jobs"));
    }
    for (job, (OfflineJob { tasks, .. }, placement)) in instance.jobs.iter().zip(mapping).enumerate() {
        let placed: u64 = placement.iter().map(|at| u64::from(at.tasks)).sum();
        if placed != u64::from(*tasks) {
            fault(format!("job {job}: {placed} tasks are placed, but the job has {tasks}"));
        }
        let mut before = None;
        for &NodeTasks { node, tasks } in placement {
            if node.index() >= instance.nodes.len() {
                fault(format!("job {job}: node {node} does not exist"));
            }
            if before.is_some_and(|before| node <= before) || tasks == 0 {
                let order = "expected nodes in ascending order, each with at least one task";
                fault(format!("job {job}: at node {node}: {order}"));
            }
            before = Some(node);
        }
    }
}

/// Checks that the tasks fit on every node at these unscaled yields. Sums are in units of 2^-20
/// amounts.
fn check_capacities(
    instance: &Instance,
    mapping: &Mapping,
    yields: &[Yield],
    fault: &mut impl FnMut(String),
) {
    let dimensions = instance.dimensions();
    let mut taken = vec![0_u128; instance.nodes.len() * dimensions];
    for ((job, given), placement) in instance.jobs.iter().zip(yields).zip(mapping) {
        for at in placement.iter().filter(|at| at.node.index() < instance.nodes.len()) {
            for (resource, &demand) in job.demand.iter().enumerate() {
                let part = if resource < instance.fixed { Yield::ONE } else { *given };
                taken[at.node.index() * dimensions + resource] +=
                    u128::from(demand) * u128::from(at.tasks) * u128::from(part.units());
            }
        }
    }
    for (node, capacities) in instance.nodes.iter().enumerate() {
        for (resource, &capacity) in capacities.iter().enumerate() {
            let (taken, has) = (taken[node * dimensions + resource], u128::from(capacity) << Yield::BITS);
            if taken > has {
                let part = taken as f64 / has as f64;
                fault(format!(
                    "node {node}, resource {resource}: the tasks take {part:.9} of the node's capacity"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::NodeId;

    /// Two nodes of 10 and 10, and two jobs: two tasks of 4 and 10, one of 6 and 10 that must have half of it.
    fn instance() -> Instance {
        let jobs = [(2, [4, 10], Yield::ZERO), (1, [6, 10], Yield::from_ratio(1, 2))];
        let job = |(tasks, demand, least_yield): (u32, [u32; 2], Yield)| OfflineJob {
            tasks,
            demand: demand.into(),
            least_yield,
        };
        let nodes = vec![[10, 10].into(), [10, 10].into()];
        Instance { fixed: 1, fluid: 1, nodes, jobs: jobs.map(job).into() }
    }

    fn mapping(placements: &[&[(u32, u32)]]) -> Mapping {
        let at = |&(node, tasks): &(u32, u32)| NodeTasks { node: NodeId(node), tasks };
        placements.iter().map(|placement| placement.iter().map(at).collect()).collect()
    }

    /// Placements with a task of each job on node 0: 10 y + 10 (1/2 + y/2) <= 10 holds up to y =
    /// 1/3; node 1 would allow 1. With 2^20 units, 1/3 is rounded down to 349,525: job 0 then has
    /// 349,525, and job 1 has 524,288 + 174,762 rounded down, one less than all. At 349,526 both
    /// have one more, which is one too many.
    #[test]
    fn a_claim_holds_up_to_the_last_unit() {
        let mapping = mapping(&[&[(0, 1), (1, 1)], &[(0, 1)]]);
        let third = Yield::from_ratio(1, 3);
        assert_eq!(check_minimum_yield(&instance(), &mapping, third), []);
        let above = Yield::try_from_units(third.units() + 1).unwrap();
        let faults = check_minimum_yield(&instance(), &mapping, above);
        assert_eq!(faults.len(), 1);
        assert!(faults[0].to_string().starts_with("node 0, resource 1: the tasks take 1.0000"), "{faults:?}");
    }

    #[test]
    fn fixed_resources_do_not_shrink_with_the_yield() {
        let mapping = mapping(&[&[(0, 2)], &[(0, 1)]]);
        let faults = check_minimum_yield(&instance(), &mapping, Yield::ZERO);
        assert_eq!(
            faults,
            [Violation("node 0, resource 0: the tasks take 1.400000000 of the node's capacity".to_owned())],
            "4 + 4 + 6 is more than 10, and half of 10 is not"
        );
    }

    #[test]
    fn every_task_is_on_one_node() {
        let faults = |placements: &[&[(u32, u32)]]| -> Vec<String> {
            let faults = check_minimum_yield(&instance(), &mapping(placements), Yield::ZERO);
            faults.iter().map(ToString::to_string).collect()
        };
        assert_eq!(faults(&[&[(0, 1)], &[(1, 1)]]), ["job 0: 1 tasks are placed, but the job has 2"]);
        assert_eq!(
            faults(&[&[(0, 2)], &[(1, 2)]]),
            [
                "job 1: 2 tasks are placed, but the job has 1",
                "node 1, resource 0: the tasks take 1.200000000 of the node's capacity"
            ]
        );
        assert_eq!(faults(&[&[(0, 2)], &[(2, 1)]]), ["job 1: node 2 does not exist"]);
        let order = "job 0: at node 0: expected nodes in ascending order, each with at least one task";
        assert_eq!(faults(&[&[(0, 1), (0, 1)], &[(1, 1)]]), [order]);
        assert_eq!(faults(&[&[(0, 0), (1, 2)], &[(0, 1)]]), [order]);
        assert_eq!(faults(&[&[(0, 2)]]), ["the solution has 1 placements for 2 jobs"]);
    }

    /// 0.4 for the task of job 0 on node 0 leaves 0.6 for job 1 there.
    #[test]
    fn yields_fit_and_are_not_below_the_least() {
        let mapping = mapping(&[&[(0, 1), (1, 1)], &[(0, 1)]]);
        let check = |first, second| {
            check_yields(
                &instance(),
                &mapping,
                &[Yield::from_ratio(first, 10), Yield::from_ratio(second, 10)],
            )
        };
        assert_eq!(check(4, 6), []);
        let only = |faults: Vec<Violation>| {
            assert_eq!(faults.len(), 1, "{faults:?}");
            faults[0].to_string()
        };
        assert!(only(check(5, 6)).starts_with("node 0, resource 1: the tasks take 1."));
        assert!(only(check(4, 4)).starts_with("job 1: its yield is "));
        assert_eq!(only(check_yields(&instance(), &mapping, &[])), "the solution has 0 yields for 2 jobs");
    }
}
