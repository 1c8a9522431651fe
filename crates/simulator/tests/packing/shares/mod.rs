//! Tests the yields of random mappings against definitions and slow reference implementations.

mod fractions;
mod goldens;
mod mapping;
mod twins;

use dfrsim_model::Yield;
use dfrsim_packing::shares::{SharedJob, Shares, StretchJob};
use mapping::{Mapping, PERIOD, any_need, mappings, quarters};
use proptest::prelude::*;

const UNIT: f64 = 1.0 / (1 << 20) as f64;

/// Returns (done, slope), with which the inverse of a job's estimated stretch is (yield + done) /
/// slope.
fn estimate(job: &StretchJob<'_>) -> (f64, f64) {
    let period = PERIOD.as_secs_f64();
    (job.virtual_time.as_secs_f64() / period, job.flow_time.as_secs_f64() / period + 1.0)
}

/// Computes the four kinds of yields with a `Shares` that has solved the mirrored mapping before.
fn all_yields(mapping: &Mapping) -> [Vec<Yield>; 4] {
    let mut shares = Shares::new(mapping.nodes);
    let mut yields = [const { Vec::new() }; 4];
    for mapping in [&mapping.mirrored(), mapping] {
        let (shared, stretched) = (mapping.shared(), mapping.stretched());
        let [max_min, average, stretch, average_stretch] = &mut yields;
        shares.max_min(&shared, max_min);
        shares.max_average(&shared, average);
        shares.min_max_stretch(&stretched, PERIOD, stretch);
        shares.max_average_inverse_stretch(&stretched, PERIOD, average_stretch);
    }
    yields
}

fn wide(weights: &[u32]) -> Vec<u64> {
    weights.iter().copied().map(u64::from).collect()
}

fn common_load(mapping: &Mapping) -> f64 {
    (0..mapping.nodes).map(|node| mapping.total_load(node)).fold(1.0, f64::max)
}

/// Checks that the average yield is within rounding of the optimum.
fn check_average(mapping: &Mapping, yields: &[Yield]) -> Result<(), TestCaseError> {
    let floors = vec![1.0 / common_load(mapping); yields.len()];
    let best = twins::largest_sum(mapping, &vec![1.0; yields.len()], &floors);
    let sum: f64 = yields.iter().map(|at| at.as_f64()).sum();
    let rounding = 2.0 * UNIT * yields.len() as f64;
    prop_assert!((best - sum).abs() <= rounding, "{sum} is not {best}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(1_000)))]

    #[test]
    fn no_node_is_overcommitted_and_no_job_below_its_floor(mapping in mappings(&any_need(), 1..=6, 0..=10)) {
        let common = Shares::new(mapping.nodes).common(&mapping.shared());
        let floors = mapping.stretched();
        for (index, yields) in all_yields(&mapping).iter().enumerate() {
            prop_assert!(mapping.fits(yields), "{index}: {yields:?}");
            prop_assert_eq!(yields.len(), mapping.jobs.len());
            for (job, &at) in yields.iter().enumerate() {
                let floor = if index < 2 { common } else { floors[job].floor };
                prop_assert!(at >= floor, "{index}: {at} is below {floor}");
            }
        }
    }

    /// Checks that one unit more of the common yield would overload a node.
    #[test]
    fn the_common_yield_is_the_largest_that_fits(mapping in mappings(&any_need(), 1..=6, 0..=10)) {
        let common = Shares::new(mapping.nodes).common(&mapping.shared());
        let all_at = |at: Yield| vec![at; mapping.jobs.len()];
        prop_assert!(mapping.fits(&all_at(common)));
        if let Some(more) = Yield::try_from_units(common.units() + 1) {
            prop_assert!(!mapping.fits(&all_at(more)));
        }
    }

    /// Checks the certificate of max-min fairness: a job below 1 has a full node on which no other
    /// job has more.
    #[test]
    fn a_job_below_one_has_a_bottleneck(mapping in mappings(&any_need(), 1..=6, 1..=10)) {
        let [yields, ..] = all_yields(&mapping);
        for (job, &at) in yields.iter().enumerate() {
            let is_bottleneck = |node: u32| {
                mapping.load_units(job, node) > 0
                    && mapping.is_full(node, &yields)
                    && (0..yields.len()).all(|other| mapping.load_units(other, node) == 0 || yields[other] <= at)
            };
            prop_assert!(at == Yield::ONE || (0..mapping.nodes).any(is_bottleneck), "job {job} of {yields:?}");
        }
        prop_assert_eq!(yields.iter().min().copied(), Some(Shares::new(mapping.nodes).common(&mapping.shared())));
    }

    #[test]
    fn max_min_agrees_with_repeated_rounds(mapping in mappings(&any_need(), 1..=6, 0..=10)) {
        let [yields, ..] = all_yields(&mapping);
        let slow = twins::filled(&mapping, &|_, level| level.min(1.0), 1.0);
        for (at, slow) in yields.iter().zip(slow) {
            let rounded_off = slow - at.as_f64();
            prop_assert!((-1e-7..UNIT + 1e-7).contains(&rounded_off), "{at} is not {slow}");
        }
    }

    #[test]
    fn weighted_max_min_fits_and_agrees_with_repeated_rounds(
        mapping in mappings(&any_need(), 1..=6, 0..=10),
        weights in prop::collection::vec(1_u32 << 20..=1 << 31, 10),
    ) {
        let weights = &weights[..mapping.jobs.len()];
        let (mut shares, mut yields) = (Shares::new(mapping.nodes), Vec::new());
        for mapping in [&mapping.mirrored(), &mapping] {
            shares.weighted_max_min(&mapping.shared(), &wide(weights), &mut yields);
        }
        prop_assert!(mapping.fits(&yields), "{yields:?}");
        let unit = f64::from(1_u32 << 31);
        let yield_at = |job: usize, level: f64| (level * f64::from(weights[job]) / unit).min(1.0);
        for (at, slow) in yields.iter().zip(twins::filled(&mapping, &yield_at, 2048.0)) {
            prop_assert!((at.as_f64() - slow).abs() < 4.0 * UNIT, "{at} is not {slow}");
        }
    }

    /// Compares the yields under class weights with exact fractions.
    #[test]
    fn weighted_max_min_agrees_with_fractions(
        mapping in mappings(&quarters(), 1..=4, 0..=6), weights in prop::collection::vec(1_u32..=12, 6),
    ) {
        let (weights, mut yields) = (&weights[..mapping.jobs.len()], Vec::new());
        Shares::new(mapping.nodes).weighted_max_min(&mapping.shared(), &wide(weights), &mut yields);
        prop_assert!(mapping.fits(&yields), "{yields:?}");
        for (at, exact) in yields.iter().zip(fractions::filled(&mapping, weights)) {
            // One unit more is allowed only if less than a thousandth of it was missing.
            let (units, rounded) = (u128::from(at.units()), exact.rounded_down(1 << 20));
            let is_meant = exact.rounded_down(1 << 30) + 1 >= units << 10;
            prop_assert!(units == rounded || units == rounded + 1 && is_meant, "{at} is not {exact:?}");
        }
    }

    /// Shares nodes that differ only in what no job uses as if they were identical, up to one unit
    /// of rounding.
    #[test]
    fn more_dimensions_are_the_plain_case(
        mapping in mappings(&any_need(), 1..=6, 0..=10), weights in prop::collection::vec(1_u64..=12, 10),
    ) {
        let (plain, sizes, stretched) = (mapping.shared(), mapping.sizes(), mapping.stretched());
        let jobs = plain.iter().zip(&sizes).map(|(&job, size)| SharedJob { size: Some(size), ..job });
        let jobs: Vec<SharedJob<'_>> = jobs.collect();
        let timed = stretched.iter().zip(&jobs).map(|(&stretched, &job)| StretchJob { job, ..stretched });
        let timed: Vec<StretchJob<'_>> = timed.collect();
        let (mut alike, mut differing) = (Shares::new(mapping.nodes), Shares::on(mapping.capacities()));
        prop_assert_eq!(differing.common(&jobs), alike.common(&plain));
        let (mut of_alike, mut of_differing) = (Vec::new(), Vec::new());
        let same = |one: &[Yield], other: &[Yield]| {
            one.iter().zip(other).all(|(one, other)| one.units().abs_diff(other.units()) <= 1)
        };
        alike.max_min(&plain, &mut of_alike);
        differing.max_min(&jobs, &mut of_differing);
        prop_assert!(same(&of_alike, &of_differing));
        alike.weighted_max_min(&plain, &weights, &mut of_alike);
        differing.weighted_max_min(&jobs, &weights, &mut of_differing);
        prop_assert!(same(&of_alike, &of_differing));
        alike.max_average(&plain, &mut of_alike);
        differing.max_average(&jobs, &mut of_differing);
        prop_assert!(same(&of_alike, &of_differing));
        alike.min_max_stretch(&stretched, PERIOD, &mut of_alike);
        differing.min_max_stretch(&timed, PERIOD, &mut of_differing);
        prop_assert!(same(&of_alike, &of_differing));
        alike.max_average_inverse_stretch(&stretched, PERIOD, &mut of_alike);
        differing.max_average_inverse_stretch(&timed, PERIOD, &mut of_differing);
        prop_assert!(same(&of_alike, &of_differing));
    }

    #[test]
    fn equal_weights_do_not_matter(
        mapping in mappings(&any_need(), 1..=6, 0..=10), weight in 1_u32 << 12..=u32::MAX,
    ) {
        let [plain, ..] = all_yields(&mapping);
        let mut yields = Vec::new();
        let weights = vec![weight; mapping.jobs.len()];
        Shares::new(mapping.nodes).weighted_max_min(&mapping.shared(), &wide(&weights), &mut yields);
        for (one, other) in plain.iter().zip(&yields) {
            prop_assert!(one.units().abs_diff(other.units()) <= 1, "{plain:?} and {yields:?}");
        }
    }

    #[test]
    fn min_max_stretch_agrees_with_repeated_rounds(mapping in mappings(&any_need(), 1..=6, 0..=10)) {
        let [_, _, yields, _] = all_yields(&mapping);
        let jobs = mapping.stretched();
        let yield_at = |job: usize, level: f64| {
            let (done, slope) = estimate(&jobs[job]);
            (slope * level - done).clamp(jobs[job].floor.as_f64(), 1.0)
        };
        for (at, slow) in yields.iter().zip(twins::filled(&mapping, &yield_at, 1.0)) {
            prop_assert!((at.as_f64() - slow).abs() < 4.0 * UNIT, "{at} is not {slow}");
        }
    }

    #[test]
    fn the_average_agrees_with_another_program(mapping in mappings(&any_need(), 1..=6, 1..=10)) {
        check_average(&mapping, &all_yields(&mapping)[1])?;
    }

    #[test]
    fn the_average_of_inverse_stretch_agrees_with_another_program(
        mapping in mappings(&any_need(), 1..=6, 1..=10),
    ) {
        let jobs = mapping.stretched();
        let weights: Vec<f64> = jobs.iter().map(|job| 1.0 / estimate(job).1).collect();
        let floors: Vec<f64> = jobs.iter().map(|job| job.floor.as_f64()).collect();
        let best = twins::largest_sum(&mapping, &weights, &floors);
        let sum: f64 = all_yields(&mapping)[3].iter().zip(&weights).map(|(at, weight)| at.as_f64() * weight).sum();
        prop_assert!((best - sum).abs() <= 2.0 * UNIT * jobs.len() as f64, "{sum} is not {best}");
    }

    #[test]
    fn the_numbers_of_nodes_do_not_matter(mapping in mappings(&quarters(), 1..=6, 0..=10)) {
        let [max_min, average, stretch, average_stretch] = all_yields(&mapping);
        let mirrored = all_yields(&mapping.mirrored());
        prop_assert_eq!(&max_min, &mirrored[0]);
        prop_assert_eq!(&average, &mirrored[1]);
        prop_assert_eq!(&average_stretch, &mirrored[3]);
        // Filling by stretch rounds in the order of nodes.
        for (one, other) in stretch.iter().zip(&mirrored[2]) {
            prop_assert!(one.units().abs_diff(other.units()) <= 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(100)))]

    #[test]
    fn large_averages_agree_with_another_program(mapping in mappings(&any_need(), 10..=30, 20..=60)) {
        check_average(&mapping, &all_yields(&mapping)[1])?;
    }
}
