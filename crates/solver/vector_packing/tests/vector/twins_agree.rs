//! Tests that all solutions equal those of the reference implementation.

use super::instances::instance;
use super::twin;
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use dfrsim_vector_packing::vector::{
    Algorithm, Claimed, ListOrder, Options, Probes, VectorPacking, yield_bound,
};
use proptest::prelude::*;

fn agree(instance: &Instance, options: Options) -> Result<(), TestCaseError> {
    prop_assert_eq!(yield_bound(instance).map(|bound| u64::from(bound.units())), twin::bound(instance));
    for algorithm in Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::EJECT) {
        let solution = VectorPacking::new(algorithm, options).solve(instance).unwrap();
        prop_assert_eq!(solution, twin::solve(instance, algorithm.name(), options), "{}", algorithm);
    }
    Ok(())
}

fn options() -> impl Strategy<Value = Options> {
    let precision = prop_oneof![3 => Just(1048), 1 => 0u32..=1 << 19];
    let lists = prop_oneof![Just(ListOrder::ByRank), Just(ListOrder::ByPair)];
    let probes = prop_oneof![Just(Probes::EndsFirst), Just(Probes::EndsToo), Just(Probes::Halving)];
    let claimed = prop_oneof![Just(Claimed::Exact), Just(Claimed::Probed)];
    (precision, lists, probes, claimed).prop_map(|(precision, lists, probes, claimed)| Options {
        precision: Yield::try_from_units(precision).unwrap(),
        lists,
        probes,
        claimed,
        ..Options::default()
    })
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn small_instances(options in options(), instance in instance(5, 10, 1, 6)) {
        agree(&instance, options)?;
    }

    #[test]
    fn small_instances_with_parallel_jobs(options in options(), instance in instance(5, 8, 12, 6)) {
        agree(&instance, options)?;
    }

    #[test]
    fn two_resources(options in options(), instance in instance(6, 16, 4, 2)) {
        agree(&instance, options)?;
    }
}

proptest! {
    #![proptest_config(config(40))]

    /// Packs lists that are long enough for blocks.
    #[test]
    fn many_jobs(options in options(), instance in instance(40, 400, 1, 3)) {
        agree(&instance, options)?;
    }

    #[test]
    fn many_resources(options in options(), instance in instance(6, 24, 2, 18)) {
        agree(&instance, options)?;
    }
}
