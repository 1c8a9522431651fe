//! Tests `VP_CHEKURI`.

use crate::small::{check, instances, solvers};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_optimum::{Attempt, Limits, optimum};
use dfrsim_paper_vector_packing::chekuri_pack;
use proptest::prelude::*;
use std::time::Duration;

fn halves(nodes: usize) -> Instance {
    let job = OfflineJob { tasks: 4, demand: [5, 5].into(), least_yield: Yield::ZERO };
    Instance { fixed: 1, fluid: 1, nodes: vec![[10, 10].into(); nodes], jobs: vec![job] }
}

/// Four tasks need half of a node in each of two resources: two nodes by sums. Even if all four were
/// split, two more nodes suffice for them.
#[test]
fn what_is_split_goes_beyond() {
    for solver in solvers() {
        let found = chekuri_pack(&halves(4), Yield::ONE, solver, &Limits::default());
        assert!(matches!(found, Ok(Attempt::Found(placed)) if placed.minimum_yield == Yield::ONE));
        let packed = chekuri_pack(&halves(1), Yield::ZERO, solver, &Limits::default());
        assert_eq!(packed, Ok(Attempt::Failed));
        let late = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let packed = chekuri_pack(&halves(4), Yield::ZERO, solver, &late);
        assert_eq!(packed, Ok(Attempt::TimedOut));
    }
}

/// Four billion tasks: the search does not begin, and does not fail.
#[test]
fn what_is_far_too_large_is_given_up_at_once() {
    let job = OfflineJob { tasks: u32::MAX, demand: [0, 0].into(), least_yield: Yield::ZERO };
    let instance = Instance { fixed: 1, fluid: 1, nodes: vec![[1, 1].into(); 4], jobs: vec![job] };
    for solver in solvers() {
        let packed = chekuri_pack(&instance, Yield::ONE, solver, &Limits::default());
        assert_eq!(packed, Ok(Attempt::TimedOut));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(200)))]

    #[test]
    fn packs_at_the_yield_and_never_beats_the_optimum(instance in instances(), part in 0u64..=8) {
        let best = optimum(&instance, &Limits::default()).best.map(|best| best.minimum_yield);
        let wanted = Yield::from_ratio(part, 8);
        for solver in solvers() {
            let packed = chekuri_pack(&instance, wanted, solver, &Limits::default()).unwrap();
            if let Attempt::Found(placed) = packed {
                check(&instance, &placed, best);
                prop_assert!(placed.minimum_yield >= wanted);
            }
        }
    }
}
