//! Tests properties of every answer with the independent checker.

use crate::instances::{Instance, request, reservation};
use dfrsim_coallocation::check::{check_allocation, check_reservations};
use dfrsim_coallocation::{Coallocator, Grid, NotReserved, Parameters, SharedGrid, optimum};
use dfrsim_model::Seed;
use dfrsim_model::coallocation::Reservation;
use proptest::prelude::*;
use std::sync::Mutex;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(300)))]

    /// Checks that no resource is over-reserved, and that minima and totals are satisfied, after any
    /// sequence of answers. A rejection changes no reservation, and no answer is earlier or better
    /// than the optimum over its sample.
    #[test]
    fn answers_are_right_and_rejections_reserve_no_resource(seed: u64) {
        let Instance { resources, reserved: mut all, request: first } = Instance::random(seed);
        let mut grid = Grid::with_reservations(resources.clone(), &all).unwrap();
        let mut coallocator = Coallocator::new(Parameters { largest_multiple: 12, ..Parameters::default() });
        let mut rng = Seed::new(seed).fork("requests").rng();
        let properties = first.total.len();
        let more = (0..12).map(|_| request(properties, &mut rng));
        for (number, request) in [first].into_iter().chain(more).enumerate() {
            let shared = SharedGrid::new(grid.clone());
            let seed = Seed::new(seed).numbered(number as u64);
            let answer = shared.coallocate(&mut coallocator, &request, seed);
            if let Ok(solution) = answer {
                    let best = optimum(&grid, &request, coallocator.sample()).unwrap();
                    prop_assert!(best.start <= solution.allocation.start);
                    if best.start == solution.allocation.start {
                        prop_assert!(solution.factor <= best.factor * (1.0 + 1e-12));
                    }
                    prop_assert!(solution.factor_before <= solution.factor && solution.factor <= 1.0);
                    let faults = check_allocation(&resources, &all, &request, &solution.allocation);
                    prop_assert_eq!(faults, []);
                    grid.reserve(&solution.allocation.reservations).unwrap();
                    all.extend(solution.allocation.reservations);
            }
            // Exactly the answer was reserved, if there was one.
            prop_assert_eq!(&shared.into_inner(), &grid);
        }
        prop_assert_eq!(check_reservations(&resources, &all), []);
    }

    /// A set of reservations of which one does not fit leaves the grid unchanged.
    #[test]
    fn reservations_are_made_together_or_not_at_all(seed: u64) {
        let Instance { resources, reserved, .. } = Instance::random(seed);
        let mut grid = Grid::with_reservations(resources.clone(), &reserved).unwrap();
        let mut rng = Seed::new(seed).fork("more").rng();
        let mut more: Vec<Reservation> = (0..4).map(|_| reservation(&resources, &mut rng)).collect();
        more.sort_by_key(|it| it.resource);
        more.dedup_by_key(|it| it.resource);
        let together = [reserved.clone(), more.clone()].concat();
        let before = grid.clone();
        match grid.reserve(&more) {
            Ok(()) => prop_assert_eq!(check_reservations(&resources, &together), []),
            Err(_) => {
                prop_assert_eq!(&grid, &before);
                prop_assert_ne!(check_reservations(&resources, &together), []);
            }
        }
    }
}

/// Sends equal requests from four threads to one grid that can satisfy some of them. Their
/// reservations never exceed the capacity, and the grid contains exactly these.
#[test]
fn racing_requests_never_get_the_same_part() {
    for seed in 0..40 {
        let Instance { resources, reserved, request } = Instance::random(seed);
        let shared = SharedGrid::new(Grid::with_reservations(resources.clone(), &reserved).unwrap());
        let all = Mutex::new(reserved);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (shared, all, request) = (&shared, &all, &request);
                scope.spawn(move || {
                    let mut coallocator = Coallocator::new(Parameters::default());
                    for number in 0..20 {
                        let seed = Seed::new(seed).numbered(thread).numbered(number);
                        match shared.coallocate(&mut coallocator, request, seed) {
                            Ok(solution) => all.lock().unwrap().extend(solution.allocation.reservations),
                            Err(NotReserved::Rejected(_)) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                });
            }
        });
        let all = all.into_inner().unwrap();
        assert_eq!(check_reservations(&resources, &all), []);
        let (grid, expected) = (shared.into_inner(), Grid::with_reservations(resources, &all).unwrap());
        let ends = all.iter().flat_map(|it| [it.from, it.until]);
        for time in ends {
            for resource in 0..grid.resources().len() {
                for property in 0..grid.properties() {
                    let at = |grid: &Grid| grid.timetable(resource).at(property, time);
                    assert_eq!(at(&grid), at(&expected));
                }
            }
        }
    }
}
