//! Tests the complete search against plain enumeration.

use crate::instances::Instance;
use dfrsim_coallocation::optimum;
use dfrsim_model::SimTime;
use proptest::prelude::*;

/// Returns all subsets of these resources with this size.
fn sets(resources: &[usize], count: usize) -> Vec<Vec<usize>> {
    match (count, resources.split_last()) {
        (0, _) => vec![vec![]],
        (_, None) => vec![],
        (_, Some((&last, others))) => {
            let with = sets(others, count - 1).into_iter().map(|mut set| {
                set.push(last);
                set
            });
            with.chain(sets(others, count)).collect()
        }
    }
}

/// Returns the best factor at a start, by trying every set.
fn best_factor(instance: &Instance, start: SimTime) -> Option<f64> {
    let available: Vec<usize> =
        (0..instance.resources.len()).filter(|&it| instance.free(it, start).is_some()).collect();
    let factor = |set: Vec<usize>| -> Option<f64> {
        let utilisation = |(property, &total): (usize, &u64)| -> Option<f64> {
            let capacity: u64 = set.iter().map(|&it| instance.resources[it].capacity[property]).sum();
            let free: u64 = set.iter().map(|&it| instance.free(it, start).unwrap()[property]).sum();
            (free >= total).then(|| (capacity - free + total) as f64 / capacity as f64)
        };
        instance.request.total.iter().enumerate().map(utilisation).product()
    };
    sets(&available, instance.request.resources).into_iter().filter_map(factor).max_by(f64::total_cmp)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(400)))]
    #[test]
    fn the_complete_search_finds_the_best_of_all_sets(seed: u64) {
        let instance = Instance::random(seed);
        let all: Vec<usize> = (0..instance.resources.len()).collect();
        let found = optimum(&instance.grid(), &instance.request, &all);
        // Reservations and requests begin and end at whole seconds, and so does the earliest start.
        let (earliest, latest) = (instance.request.earliest, instance.request.latest);
        let seconds = (earliest.micros()..=latest.micros()).step_by(1_000_000).map(SimTime::from_micros);
        let expected =
            seconds.filter_map(|start| Some((start, best_factor(&instance, start)?))).next();
        prop_assert_eq!(found.map(|it| it.start), expected.map(|it| it.0));
        if let (Some(found), Some((_, factor))) = (found, expected) {
            prop_assert!((found.factor - factor).abs() < 1e-12, "{} and {factor}", found.factor);
        }
    }
}
