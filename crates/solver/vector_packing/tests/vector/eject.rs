//! Tests VP_EJECT, which has no reference implementation: all claims of its results are checked.

use super::instances::instance;
use super::twin;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, OfflineJob, Solved};
use dfrsim_vector_packing::vector::{Algorithm, Options, VectorPacking};
use proptest::prelude::*;

fn solve(algorithm: Algorithm, instance: &Instance, effort: u32) -> Option<Solved> {
    let options = Options { effort, ..Options::default() };
    VectorPacking::new(algorithm, options).solve(instance).expect("few resources")
}

fn check(instance: &Instance) -> Result<(), TestCaseError> {
    let solution = solve(Algorithm::EJECT, instance, 1);
    let floor = solve("VP_CPSUM".parse().expect("a name"), instance, 1);
    let yield_of = |solution: &Option<Solved>| solution.as_ref().map(|solution| solution.minimum_yield);
    prop_assert!(yield_of(&solution) >= yield_of(&floor), "VP_CPSUM is its floor");
    let bound = twin::bound(instance);
    let Some(solution) = solution else { return Ok(()) };
    prop_assert!(u64::from(solution.minimum_yield.units()) <= bound.expect("there is a mapping"));
    for (job, placement) in instance.jobs.iter().zip(&solution.mapping) {
        prop_assert_eq!(placement.iter().map(|part| part.tasks).sum::<u32>(), job.tasks);
        prop_assert!(placement.windows(2).all(|pair| pair[0].node < pair[1].node));
    }
    prop_assert_eq!(
        twin::minimum_yield(instance, &solution.mapping),
        Some(u64::from(solution.minimum_yield.units()))
    );
    Ok(())
}

/// Ends the search immediately if a task is larger than every node, at any effort.
#[test]
fn a_task_that_fits_no_node_ends_the_search() {
    let one = OfflineJob { tasks: 1, demand: [11, 1].into(), least_yield: Yield::ZERO };
    let nodes = vec![[10, 10].into(), [10, 10].into()];
    let instance = Instance { fixed: 1, fluid: 1, nodes, jobs: vec![one] };
    assert_eq!(solve(Algorithm::EJECT, &instance, u32::MAX), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: dfrsim_testing::cases(1000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn claims_hold(instance in instance(6, 12, 5, 6)) {
        check(&instance)?;
    }

    #[test]
    fn claims_hold_with_many_jobs(instance in instance(12, 80, 2, 4)) {
        check(&instance)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: dfrsim_testing::cases(500), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn more_effort_never_gives_less(instance in instance(12, 50, 3, 6)) {
        let mut least = None;
        for effort in [1, 2, 3, 5, 10, 50] {
            let found = solve(Algorithm::EJECT, &instance, effort).map(|solution| solution.minimum_yield);
            prop_assert!(found >= least, "effort {}: {:?} < {:?}", effort, found, least);
            least = found;
        }
    }
}
