//! Tests that all mappings equal those of the reference implementation.

use super::states::{State, mirrored_state, options, state};
use super::twin::{self, TwinMapping};
use dfrsim_model::Yield;
use dfrsim_packing::mcb::{Mapping, Mcb, McbOptions, PackJob};
use proptest::prelude::*;

fn plain(mapping: Mapping, jobs: usize) -> TwinMapping {
    TwinMapping {
        value: mapping.value(),
        kept: (0..jobs).map(|job| mapping.is_kept(job)).collect(),
        placements: (0..jobs).map(|job| mapping.placement(job).to_vec()).collect(),
    }
}

fn agree(options: McbOptions, state: &State) -> Result<(), TestCaseError> {
    let jobs = state.jobs();
    let mut mcb = Mcb::new(state.nodes, options);
    prop_assert_eq!(plain(mcb.map(&jobs), jobs.len()), twin::map(state.nodes, options, &jobs));
    Ok(())
}

/// Returns the yield that a job needs for a target: a line that leaves [0, 1] for some targets,
/// upwards (no yield suffices) and downwards (any does).
fn line(slopes: &[(u32, u32)], job: usize, target: Yield) -> Option<Yield> {
    let (slope, offset) = slopes[job % slopes.len()];
    let units = (u64::from(target.units()) * u64::from(slope) / 16).saturating_sub(u64::from(offset));
    Yield::try_from_units(u32::try_from(units).ok()?.max(10_485))
}

fn slopes() -> impl Strategy<Value = Vec<(u32, u32)>> {
    // Few slopes, so that different jobs often have equal yields.
    proptest::collection::vec((1u32..40, prop_oneof![Just(0u32), 0u32..1 << 19]), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: dfrsim_testing::cases(4000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_states(options in options(), state in state(6, 10, 8, 0)) {
        agree(options, &state)?;
    }

    #[test]
    fn small_states_with_pinned_jobs(options in options(), state in state(6, 10, 6, 35)) {
        agree(options, &state)?;
    }

    #[test]
    fn states_with_ties_between_cpu_and_memory(options in options(), state in mirrored_state(12, 8, 2)) {
        agree(options, &state)?;
    }

    #[test]
    fn small_states_with_weights(
        options in options(),
        state in state(6, 10, 6, 20),
        weights in proptest::collection::vec(prop_oneof![1_u32..4, 1_u32..=10_000], 10),
        factor in 2_u32..10,
    ) {
        let (jobs, weights) = (state.jobs(), &weights[..state.jobs().len()]);
        let mut mcb = Mcb::new(state.nodes, options);
        let found = plain(mcb.map_weighted(&jobs, weights), jobs.len());
        prop_assert_eq!(&found, &twin::map_weighted(state.nodes, options, &jobs, weights));
        let others: Vec<u32> = weights.iter().map(|weight| weight * factor).collect();
        prop_assert_eq!(&found, &plain(mcb.map_weighted(&jobs, &others), jobs.len()));
    }

    #[test]
    fn equal_weights_do_not_matter(options in options(), state in state(6, 10, 6, 20), weight in 1_u32..=10_000) {
        let jobs = state.jobs();
        let mut mcb = Mcb::new(state.nodes, options);
        let found = plain(mcb.map_weighted(&jobs, &vec![weight; jobs.len()]), jobs.len());
        prop_assert_eq!(found, plain(mcb.map(&jobs), jobs.len()));
    }

    #[test]
    fn small_states_by_target(
        options in options(),
        state in state(6, 10, 6, 20),
        slopes in slopes(),
        ends in (1u32..1 << 18, 1u32 << 18..=1 << 20),
    ) {
        let jobs = state.jobs();
        let yield_at = |job: usize, target| line(&slopes, job, target);
        let (lowest, highest) = (Yield::try_from_units(ends.0).unwrap(), Yield::try_from_units(ends.1).unwrap());
        let mut mcb = Mcb::new(state.nodes, options);
        let found = plain(mcb.map_by(&jobs, lowest, highest, yield_at), jobs.len());
        prop_assert_eq!(found, twin::map_by(state.nodes, options, &jobs, (lowest, highest), &yield_at));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: dfrsim_testing::cases(2000), failure_persistence: None, ..ProptestConfig::default() })]

    /// Packs nodes that differ only in what no job uses as if they were identical.
    #[test]
    fn more_dimensions_are_the_plain_case(
        options in options(),
        state in prop_oneof![state(6, 10, 6, 20), mirrored_state(12, 8, 2)],
        weights in proptest::collection::vec(1_u32..4, 10),
        slopes in slopes(),
    ) {
        let options = McbOptions { cpu_step: None, ..options };
        let (plain_jobs, sizes) = (state.jobs(), state.sizes());
        let jobs = plain_jobs.iter().zip(&sizes).map(|(&job, size)| PackJob { size: Some(size), ..job });
        let jobs: Vec<PackJob<'_>> = jobs.collect();
        let weights = &weights[..jobs.len()];
        let (mut alike, mut differing) = (Mcb::new(state.nodes, options), Mcb::on(state.capacities(), options));
        let count = jobs.len();
        prop_assert_eq!(plain(differing.map(&jobs), count), plain(alike.map(&plain_jobs), count));
        prop_assert_eq!(
            plain(differing.map_weighted(&jobs, weights), count),
            plain(alike.map_weighted(&plain_jobs, weights), count)
        );
        let yield_at = |job: usize, target| line(&slopes, job, target);
        let lowest = Yield::try_from_units(1).unwrap();
        prop_assert_eq!(
            plain(differing.map_by(&jobs, lowest, Yield::ONE, yield_at), count),
            plain(alike.map_by(&plain_jobs, lowest, Yield::ONE, yield_at), count)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: dfrsim_testing::cases(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn medium_states(options in options(), state in state(64, 40, 24, 0)) {
        agree(options, &state)?;
    }

    #[test]
    fn medium_states_with_pinned_jobs(options in options(), state in state(64, 40, 16, 30)) {
        agree(options, &state)?;
    }

    /// A call does not influence the next one.
    #[test]
    fn one_mapper_for_many_states(options in options(), states in proptest::collection::vec(state(1, 12, 4, 20), 2..8), slopes in slopes()) {
        let mut mcb = Mcb::new(1, options);
        for state in &states {
            let jobs = state.jobs();
            prop_assert_eq!(plain(mcb.map(&jobs), jobs.len()), twin::map(1, options, &jobs));
            let yield_at = |job: usize, target| line(&slopes, job, target);
            let ends = (options.floor, Yield::ONE);
            let found = plain(mcb.map_by(&jobs, ends.0, ends.1, yield_at), jobs.len());
            prop_assert_eq!(found, twin::map_by(1, options, &jobs, ends, &yield_at));
        }
    }
}
