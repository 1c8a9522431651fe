//! Tests the second phase.

use crate::arbitrary::instances;
use crate::programs::solvers;
use dfrsim_model::offline::{Instance, Mapping, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use dfrsim_optimum::{
    Answer, Dive, Limits, Program, RaiseOrder, Solver, SolverError, Status, average, max_average, optimum,
    raise, utilisation,
};
use proptest::prelude::*;
use std::time::Duration;

fn on(places: &[(u32, u32)]) -> Vec<NodeTasks> {
    places.iter().map(|&(node, tasks)| NodeTasks { node: NodeId(node), tasks }).collect()
}

fn fluid(nodes: &[&[u32]], jobs: &[(u32, &[u32])]) -> Instance {
    Instance {
        fixed: 0,
        fluid: nodes[0].len(),
        nodes: nodes.iter().map(|&node| node.into()).collect(),
        jobs: (jobs.iter())
            .map(|&(tasks, demand)| OfflineJob { tasks, demand: demand.into(), least_yield: Yield::ZERO })
            .collect(),
    }
}

fn sum(yields: &[Yield]) -> f64 {
    yields.iter().map(|one| one.as_f64()).sum()
}

/// The worked example: at 1/5 each of 60 and 10, 50 of 64 are free. Both jobs could increase by 4/5,
/// and the first takes 48, which leaves 2 for the other: 1 + 2/5. With the smallest first it is 1 +
/// 9/10.
#[test]
fn the_highest_increase_is_not_the_best() {
    let instance = fluid(&[&[64]], &[(1, &[60]), (1, &[10])]);
    let mapping = vec![on(&[(0, 1)]); 2];
    let least = Yield::from_ratio(1, 5);
    let by = |order| raise(&instance, &mapping, least, order).unwrap();
    assert_eq!(by(RaiseOrder::SmallestFirst), [Yield::from_ratio(9, 10), Yield::ONE]);
    let literal = by(RaiseOrder::HighestIncrease);
    assert!((sum(&literal) - 1.4).abs() < 1e-5, "{literal:?}");
    for solver in solvers() {
        let found = max_average(&instance, &mapping, least, solver, &Limits::default()).unwrap().unwrap();
        assert_eq!(found.status, Status::Optimal);
        assert!((sum(&found.yields) - 1.9).abs() < 1e-5);
    }
    assert!((utilisation(&instance, &[least; 2]) - 14.0 / 64.0).abs() < 1e-6);
    assert!((utilisation(&instance, &by(RaiseOrder::SmallestFirst)) - 1.0).abs() < 1e-6);
}

/// A parallel job of need 4 is on both nodes of 7, each of which also has a serial job of need 5.
/// Raising the parallel job by y costs 4 on each node. Raising the smallest need first gives 1, 3/5,
/// 3/5; the program has 1/2, 1, 1.
#[test]
fn a_parallel_job_weighs_on_all_its_nodes() {
    let instance = fluid(&[&[7], &[7]], &[(2, &[4]), (1, &[5]), (1, &[5])]);
    let mapping = vec![on(&[(0, 1), (1, 1)]), on(&[(0, 1)]), on(&[(1, 1)])];
    let greedy = raise(&instance, &mapping, Yield::ZERO, RaiseOrder::SmallestFirst).unwrap();
    assert_eq!(greedy, [Yield::ONE, Yield::from_ratio(3, 5), Yield::from_ratio(3, 5)]);
    for solver in solvers() {
        let found = max_average(&instance, &mapping, Yield::ZERO, solver, &Limits::default());
        assert!((sum(&found.unwrap().unwrap().yields) - 2.5).abs() < 1e-5);
    }
}

#[test]
fn a_minimum_that_the_mapping_does_not_allow() {
    let instance = fluid(&[&[10]], &[(1, &[20])]);
    let mapping = vec![on(&[(0, 1)])];
    let above = Yield::try_from_units(Yield::ONE.units() / 2 + 1).unwrap();
    assert_eq!(raise(&instance, &mapping, above, RaiseOrder::SmallestFirst), None);
    for solver in solvers() {
        assert_eq!(max_average(&instance, &mapping, above, solver, &Limits::default()), Ok(None));
        let late = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let found = max_average(&instance, &mapping, Yield::ZERO, solver, &late).unwrap().unwrap();
        assert_eq!((found.status, found.yields), (Status::TimedOut, vec![Yield::from_ratio(1, 2)]));
    }
}

/// Two nodes with a CPU of 10. Job 0 has a task on each (need 10), job 1 two on node 0 (need 5), job
/// 2 one on node 1 (need 5). At a minimum of 1/4, node 0 uses 2.5 + 2.5 and has 5 left, node 1 uses
/// 2.5 + 1.25 and has 6.25 left. A yield of 1 costs 10 on both nodes for job 0, 10 for job 1, and 5
/// for job 2. Raising job 2 to 1 takes 3.75 and leaves 2.5 on node 1; jobs 0 and 1 share the 5 of
/// node 0, half a yield together. The sum of increases is 0.75 + 0.5, and the average is 1/4 +
/// 1.25/3 = 2/3. The cluster uses 8.75 of 20 before; afterwards it uses 10 of node 0, and at least
/// 2.5 + 5 of node 1.
#[test]
fn parallel_jobs_by_hand() {
    let instance = fluid(&[&[10], &[10]], &[(2, &[10]), (2, &[5]), (1, &[5])]);
    let mapping = vec![on(&[(0, 1), (1, 1)]), on(&[(0, 2)]), on(&[(1, 1)])];
    let quarter = Yield::from_ratio(1, 4);
    assert!((utilisation(&instance, &[quarter; 3]) - 8.75 / 20.0).abs() < 1e-9);
    for solver in solvers() {
        let found = max_average(&instance, &mapping, quarter, solver, &Limits::default());
        let yields = found.unwrap().unwrap().yields;
        assert!((average(&yields) - 2.0 / 3.0).abs() < 1e-5);
        assert_eq!(yields[2], Yield::ONE);
        assert!(utilisation(&instance, &yields) > 17.4 / 20.0);
    }
}

/// A solver that returns arbitrary values.
#[derive(Debug)]
struct Liar(Vec<f64>);

impl Solver for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }
    fn solve(&self, _: &Program, _: &Limits) -> Result<Answer, SolverError> {
        let values = self.0.iter().copied().cycle().take(64).collect();
        let (objective, bound, gap) = (None, None, None);
        Ok(Answer { status: Status::Optimal, objective, bound, gap, values, nodes: None })
    }
    fn dive(&self, _: &Program, _: &Limits) -> Result<Box<dyn Dive>, SolverError> {
        unreachable!("the second phase does not dive")
    }
}

/// Returns whether the plain sum of the loads fits on every node at these yields.
fn fits(instance: &Instance, mapping: &Mapping, yields: &[Yield]) -> bool {
    instance.nodes.iter().enumerate().all(|(node, offers)| {
        (instance.fixed..instance.dimensions()).all(|at| {
            let load: u64 = (instance.jobs.iter().zip(mapping).zip(yields))
                .flat_map(|((job, places), &scaled)| places.iter().map(move |place| (job, place, scaled)))
                .filter(|(_, place, _)| place.node.index() == node)
                .map(|(job, place, scaled)| {
                    u64::from(job.demand[at])
                        * u64::from(place.tasks)
                        * u64::from(job.unscaled(scaled).units())
                })
                .sum();
            load <= u64::from(offers[at]) << 20
        })
    })
}

/// Raises yields by the definition of [`RaiseOrder::HighestIncrease`]: all jobs are checked each
/// time. A yield can increase while the loads fit.
fn plain_highest_increase(instance: &Instance, mapping: &Mapping, least: Yield) -> Vec<Yield> {
    let mut yields: Vec<Yield> = instance
        .jobs
        .iter()
        .map(|job| if job.least_yield < Yield::ONE { least } else { Yield::ONE })
        .collect();
    let mut left: Vec<usize> = (0..yields.len()).collect();
    while !left.is_empty() {
        let most = |job: usize| {
            let (mut fitting, mut too_much) = (yields[job].units(), Yield::ONE.units() + 1);
            while too_much - fitting > 1 {
                let middle = fitting + (too_much - fitting) / 2;
                let mut tried = yields.clone();
                tried[job] = Yield::try_from_units(middle).unwrap();
                if fits(instance, mapping, &tried) { fitting = middle } else { too_much = middle }
            }
            Yield::try_from_units(fitting).unwrap()
        };
        let increases: Vec<(u32, Yield)> =
            left.iter().map(|&job| (most(job).units() - yields[job].units(), most(job))).collect();
        let largest = increases.iter().map(|increase| increase.0).max().unwrap();
        let next = increases.iter().position(|increase| increase.0 == largest).unwrap();
        yields[left.remove(next)] = increases[next].1;
    }
    yields
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(500)))]

    /// For any result of a solver, capacities are respected and no job is below the minimum.
    #[test]
    fn a_wrong_solver_does_no_harm(
        instance in instances(), raises in prop::collection::vec(prop_oneof![-1.0..2.0, Just(f64::NAN)], 1..16),
    ) {
        let Some(best) = optimum(&instance, &Limits::default()).best else { return Ok(()) };
        let found = max_average(&instance, &best.mapping, best.minimum_yield, &Liar(raises), &Limits::default());
        let yields = found.unwrap().unwrap().yields;
        prop_assert!(yields.iter().all(|&scaled| scaled >= best.minimum_yield));
        prop_assert!(fits(&instance, &best.mapping, &yields));
    }

    #[test]
    fn the_highest_increase_is_that_of_the_plain_rule(instance in instances(), part in 0u64..=4) {
        let Some(best) = optimum(&instance, &Limits::default()).best else { return Ok(()) };
        let least = Yield::from_ratio(u64::from(best.minimum_yield.units()) * part, u64::from(Yield::ONE.units()) * 4);
        let found = raise(&instance, &best.mapping, least, RaiseOrder::HighestIncrease).unwrap();
        prop_assert_eq!(found, plain_highest_increase(&instance, &best.mapping, least));
    }

    #[test]
    fn the_program_is_no_worse_than_any_raise(instance in instances(), part in 0u64..=4) {
        let Some(best) = optimum(&instance, &Limits::default()).best else { return Ok(()) };
        let least = Yield::from_ratio(u64::from(best.minimum_yield.units()) * part, u64::from(Yield::ONE.units()) * 4);
        for solver in solvers() {
            let found = max_average(&instance, &best.mapping, least, solver, &Limits::default());
            let found = found.unwrap().unwrap();
            prop_assert_eq!(found.status, Status::Optimal);
            prop_assert!(found.yields.iter().all(|&scaled| scaled >= least));
            prop_assert!(fits(&instance, &best.mapping, &found.yields));
            for order in [RaiseOrder::SmallestFirst, RaiseOrder::HighestIncrease] {
                let greedy = raise(&instance, &best.mapping, least, order).unwrap();
                prop_assert!(greedy.iter().all(|&scaled| scaled >= least));
                prop_assert!(fits(&instance, &best.mapping, &greedy));
                prop_assert!(sum(&found.yields) >= sum(&greedy) - 1e-4);
                let serial = best.mapping.iter().all(|places| places.iter().map(|place| place.tasks).sum::<u32>() == 1);
                if order == RaiseOrder::SmallestFirst && serial && instance.fluid == 1 {
                    prop_assert!((sum(&found.yields) - sum(&greedy)).abs() < 1e-4);
                }
            }
        }
    }
}
