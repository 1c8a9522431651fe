//! FASTDIVING and SLOWDIVING.

use crate::small::{check, instances, solvers};
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use dfrsim_optimum::{Attempt, Limits, Solved, optimum};
use dfrsim_paper_vector_packing::{Diving, dive};
use proptest::prelude::*;
use std::time::Duration;

fn two_nodes(demands: &[[u32; 2]]) -> Instance {
    let job = |&demand: &[u32; 2]| OfflineJob { tasks: 1, demand: demand.into(), least_yield: Yield::ZERO };
    Instance { fixed: 1, fluid: 1, nodes: vec![[10, 10].into(); 2], jobs: demands.iter().map(job).collect() }
}

/// Memory of 6, 6 and 4, needs of 10: the large ones are apart, and so LPBOUND, 20/30, cannot be kept: 10/20. A dive that
/// puts the large ones together finds no solution; one that gets to the bottom has no other than this.
#[test]
fn both_dives_reach_the_bottom() {
    let instance = two_nodes(&[[6, 10], [6, 10], [4, 10]]);
    let expected = optimum(&instance, &Limits::default()).best.unwrap().minimum_yield;
    assert_eq!(expected, Yield::from_ratio(1, 2));
    for solver in solvers() {
        for diving in [Diving::Fast, Diving::Slow] {
            match dive(&instance, diving, solver, &Limits::default()).unwrap() {
                Attempt::Found(placed) => assert_eq!(placed.minimum_yield, expected),
                attempt => panic!("{} {diving:?}: {attempt:?}", solver.name()),
            }
            let late = Limits { time: Some(Duration::ZERO), ..Limits::default() };
            assert_eq!(dive(&instance, diving, solver, &late).unwrap(), Attempt::TimedOut);
        }
    }
}

/// Memory that is full without a gap, and each task fits on its node alone: there is one solution, even of the relaxed
/// program. 20 on 10 is a yield of 1/2.
#[test]
fn where_there_is_no_choice_both_agree() {
    let nodes = vec![[3, 0, 10].into(), [0, 5, 10].into()];
    let job = |demand: [u32; 3]| OfflineJob { tasks: 1, demand: demand.into(), least_yield: Yield::ZERO };
    let instance = Instance { fixed: 2, fluid: 1, nodes, jobs: vec![job([0, 5, 20]), job([3, 0, 16])] };
    let on = |node| vec![NodeTasks { node: NodeId(node), tasks: 1 }];
    let expected = Solved { mapping: vec![on(1), on(0)], minimum_yield: Yield::from_ratio(1, 2) };
    for solver in solvers() {
        for diving in [Diving::Fast, Diving::Slow] {
            let found = dive(&instance, diving, solver, &Limits::default()).unwrap();
            assert_eq!(found, Attempt::Found(expected.clone()));
        }
    }
}

/// Four billion tasks: the search does not begin, and does not fail.
#[test]
fn what_is_far_too_large_is_given_up_at_once() {
    let job = OfflineJob { tasks: u32::MAX, demand: [0, 0].into(), least_yield: Yield::ZERO };
    let instance = Instance { fixed: 1, fluid: 1, nodes: vec![[1, 1].into(); 4], jobs: vec![job] };
    for solver in solvers() {
        assert_eq!(dive(&instance, Diving::Fast, solver, &Limits::default()), Ok(Attempt::TimedOut));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_dive_beats_the_optimum(instance in instances()) {
        let best = optimum(&instance, &Limits::default()).best.map(|best| best.minimum_yield);
        for solver in solvers() {
            for diving in [Diving::Fast, Diving::Slow] {
                if let Attempt::Found(placed) = dive(&instance, diving, solver, &Limits::default()).unwrap() {
                    check(&instance, &placed, best);
                }
            }
        }
    }
}
