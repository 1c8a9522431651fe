//! Tests rounding.

use crate::arbitrary::instances;
use crate::exact::assert_complete;
use crate::programs::solvers;
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Seed, Yield};
use dfrsim_optimum::{
    Attempt, Limits, Relaxation, Solved, Split, Zeros, lp_bound, mapping_yield, optimum, optimum_by_program,
    relaxed, rounded,
};
use proptest::prelude::*;

fn jobs(demands: &[[u32; 2]]) -> Vec<OfflineJob> {
    let job = |&demand: &[u32; 2]| OfflineJob { tasks: 1, demand: demand.into(), least_yield: Yield::ZERO };
    demands.iter().map(job).collect()
}

fn two_nodes(demands: &[[u32; 2]]) -> Instance {
    Instance { fixed: 1, fluid: 1, nodes: vec![[10, 10].into(); 2], jobs: jobs(demands) }
}

fn home(placed: &Solved, job: usize) -> usize {
    placed.mapping[job][0].node.index()
}

/// A quarter of the first task is on node 0: it is rounded to that node with this probability. The
/// second goes to the other node regardless of its fractions, since two tasks of 6 do not fit into
/// 10.
#[test]
fn parts_are_probabilities() {
    let instance = two_nodes(&[[6, 1], [6, 1]]);
    let vertex = Split { tasks: vec![0, 1], parts: vec![vec![0.25, 0.75], vec![0.5, 0.5]] };
    let mut first = 0;
    for number in 0..4_000 {
        let placed = rounded(&instance, &vertex, Zeros::Kept, Seed::new(number)).unwrap();
        first += 1 - home(&placed, 0);
        assert_eq!(home(&placed, 0) + home(&placed, 1), 1);
    }
    // 1,000 are expected, with a standard deviation of 27.
    assert!((880..1_120).contains(&first), "{first}");
}

/// Both tasks are entirely on one node that can hold only one of them: RRND fails, RRNDNZ finds the
/// other node.
#[test]
fn raised_zeros_rescue() {
    let instance = two_nodes(&[[6, 1], [6, 1]]);
    let vertex = Split { tasks: vec![0, 1], parts: vec![vec![1.0, 0.0], vec![1.0, 0.0]] };
    let mut elsewhere = 0;
    for number in 0..4_000 {
        assert_eq!(rounded(&instance, &vertex, Zeros::Kept, Seed::new(number)), None);
        let placed = rounded(&instance, &vertex, Zeros::Raised, Seed::new(number)).unwrap();
        elsewhere += home(&placed, 0);
        assert_eq!(placed.minimum_yield, Yield::ONE);
    }
    // 0.01 of 1.01: 40 of 4,000 are expected, with a standard deviation of 6.
    assert!((12..72).contains(&elsewhere), "{elsewhere}");
}

/// Memory that is full without a gap, and each task fits on its node alone: there is one solution, even of the relaxed
/// program. 20 on 10 is a yield of 1/2.
#[test]
fn where_there_is_no_choice_all_agree() {
    let nodes = vec![[3, 0, 10].into(), [0, 5, 10].into()];
    let job = |demand: [u32; 3]| OfflineJob { tasks: 1, demand: demand.into(), least_yield: Yield::ZERO };
    let instance = Instance { fixed: 2, fluid: 1, nodes, jobs: vec![job([0, 5, 20]), job([3, 0, 16])] };
    let on = |node| vec![NodeTasks { node: NodeId(node), tasks: 1 }];
    let expected = Solved { mapping: vec![on(1), on(0)], minimum_yield: Yield::from_ratio(1, 2) };
    for solver in solvers() {
        let limits = Limits::default();
        let vertex = relaxed(&instance, Relaxation::Published, solver, &limits).unwrap();
        let Attempt::Found(vertex) = vertex else { panic!("{vertex:?}") };
        assert_eq!(rounded(&instance, &vertex, Zeros::Kept, Seed::new(1)), Some(expected.clone()));
        let exact = optimum_by_program(&instance, solver, &limits).unwrap();
        assert_eq!(exact.best, Some(expected.clone()));
    }
}

fn check(instance: &Instance, placed: &Solved, best: Option<Yield>) {
    assert_complete(instance, &placed.mapping);
    assert_eq!(mapping_yield(instance, &placed.mapping), Some(placed.minimum_yield));
    assert!(Some(placed.minimum_yield) <= best);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(300)))]

    #[test]
    fn no_heuristic_beats_the_optimum(instance in instances(), seed: u64) {
        let best = optimum(&instance, &Limits::default()).best.map(|best| best.minimum_yield);
        for solver in solvers() {
            for relaxation in [Relaxation::Published, Relaxation::AtBound] {
                match relaxed(&instance, relaxation, solver, &Limits::default()).unwrap() {
                    Attempt::Found(vertex) => {
                        prop_assert!(vertex.parts.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-6));
                        for zeros in [Zeros::Kept, Zeros::Raised] {
                            if let Some(placed) = rounded(&instance, &vertex, zeros, Seed::new(seed)) {
                                check(&instance, &placed, best);
                            }
                        }
                        let again = rounded(&instance, &vertex, Zeros::Kept, Seed::new(seed));
                        prop_assert_eq!(again, rounded(&instance, &vertex, Zeros::Kept, Seed::new(seed)));
                    }
                    other => {
                        prop_assert_eq!(other, Attempt::Failed);
                        let printed = relaxation == Relaxation::Published || instance.is_homogeneous();
                        prop_assert!(!printed || best.is_none());
                    }
                }
            }
        }
    }

    /// A vertex splits few tasks: with one variable per task and node, no more than there are
    /// constraints on nodes.
    #[test]
    fn the_vertex_at_the_bound_splits_few_tasks(instance in instances()) {
        prop_assume!(lp_bound(&instance).is_some());
        for solver in solvers() {
            let answer = relaxed(&instance, Relaxation::AtBound, solver, &Limits::default()).unwrap();
            if let Attempt::Found(vertex) = answer {
                let split = |row: &&Vec<f64>| row.iter().all(|&part| part < 1.0 - 1e-6);
                prop_assert!(vertex.parts.iter().filter(split).count() <= instance.nodes.len() * instance.dimensions());
            }
        }
    }
}
