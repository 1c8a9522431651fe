//! What must hold of VP_EJECT: it has no twin, but everything it claims can be checked.

use super::instances::instance;
use super::twin;
use dfrsim_model::offline::Instance;
use dfrsim_packing::vector::{Algorithm, Options, VectorPacking};
use proptest::prelude::*;

fn check(instance: &Instance) -> Result<(), TestCaseError> {
    let solution =
        VectorPacking::new(Algorithm::EJECT, Options::default()).solve(instance).expect("few resources");
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn claims_hold(instance in instance(6, 12, 5, 6)) {
        check(&instance)?;
    }

    #[test]
    fn claims_hold_with_many_jobs(instance in instance(12, 80, 2, 4)) {
        check(&instance)?;
    }
}
