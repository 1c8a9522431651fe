//! Tests cases small enough to work out by hand.

use dfrsim_coallocation::{Coallocator, Grid, GridError, Parameters, PhaseTimes, Rejection, optimum};
use dfrsim_model::coallocation::{Request, Reservation, Resource};
use dfrsim_model::{Seed, SimSpan, SimTime};

fn node(capacity: [u64; 2]) -> Resource {
    Resource { capacity: capacity.into(), labels: [].into() }
}

fn part(resource: usize, from: u64, until: u64, amounts: [u64; 2]) -> Reservation {
    let (from, until) = (SimTime::from_secs(from), SimTime::from_secs(until));
    Reservation { resource, from, until, amounts: amounts.into() }
}

fn request(minimum: [u64; 2], total: [u64; 2]) -> Request {
    Request {
        duration: SimSpan::from_secs(10),
        resources: 2,
        earliest: SimTime::ZERO,
        latest: SimTime::from_secs(50),
        minimum: minimum.into(),
        total: total.into(),
        step: [1, 1].into(),
        labels: [].into(),
    }
}

fn single_pass() -> Coallocator {
    Coallocator::new(Parameters::default())
}

/// Two nodes of (10, 10) and (4, 8). Of the first, (6, 2) are reserved until 20 s; of the second,
/// (1, 8) from 5 s to 12 s. The request is (11, 11) in total for 10 s. At 0 s nothing of the second
/// node's second property is free in the window. It is free from 12 s on, the first candidate after
/// 0 s; then the first property has 4 + 4 = 8 < 11. At 20 s the first node is free: (14, 18)
/// suffice.
///
/// The utilisations are (14 - 14 + 11) / 14 and (18 - 18 + 11) / 18. Beyond the minima (1, 2) the
/// nodes have (9, 8) and (3, 6), and (9, 7) must still be allocated: 9 * 9 / 12 = 6.75 and 2.25, so
/// 7 and 2; 7 * 8 / 14 = 4 and 3.
#[test]
fn a_job_waits_until_the_total_is_free() {
    let reserved = [part(0, 0, 20, [6, 2]), part(1, 5, 12, [1, 8])];
    let grid = Grid::with_reservations(vec![node([10, 10]), node([4, 8])], &reserved).unwrap();
    let request = request([1, 2], [11, 11]);
    let solution = single_pass().search(&grid, &request, Seed::new(1)).unwrap();
    assert_eq!(solution.allocation.start, SimTime::from_secs(20));
    assert_eq!(solution.allocation.reservations, [part(0, 20, 30, [8, 6]), part(1, 20, 30, [3, 5])]);
    assert_eq!(solution.factor, 11.0 / 14.0 * (11.0 / 18.0));
    let best = optimum(&grid, &request, &[0, 1]).unwrap();
    assert_eq!((best.start, best.factor), (solution.allocation.start, solution.factor));
}

/// A simple request for (6, 6) each: the second node never has that, so phase I finds one node only.
/// For (4, 6) each, both nodes suffice immediately.
#[test]
fn a_simple_request_is_one_whose_total_is_that_of_the_minima() {
    let grid = Grid::new(vec![node([10, 10]), node([4, 8])]).unwrap();
    let search = |minimum: [u64; 2]| {
        let simple = request(minimum, [2 * minimum[0], 2 * minimum[1]]);
        single_pass().search(&grid, &simple, Seed::new(1))
    };
    assert_eq!(search([6, 6]), Err(Rejection::Resources));
    let solution = search([4, 6]).unwrap();
    assert_eq!(solution.allocation.reservations, [part(0, 0, 10, [4, 6]), part(1, 0, 10, [4, 6])]);
}

/// Accepts a utilisation of exactly 1; phase II rejects a larger total.
#[test]
fn a_request_for_everything_is_met() {
    let grid = Grid::new(vec![node([10, 10]), node([4, 8])]).unwrap();
    let solution = single_pass().search(&grid, &request([1, 1], [14, 18]), Seed::new(1)).unwrap();
    assert_eq!((solution.factor, solution.allocation.reservations.len()), (1.0, 2));
    let more = single_pass().search(&grid, &request([1, 1], [14, 19]), Seed::new(1));
    assert_eq!(more, Err(Rejection::Totals));
}

/// Intervals are half-open: a job may begin when another ends, so a job of 10 s fits from 10 s to 20
/// s.
#[test]
fn a_job_fits_exactly_between_two_others() {
    let full = |from, until| [part(0, from, until, [10, 10]), part(1, from, until, [4, 8])];
    let reserved = [full(0, 10), full(20, 30)].concat();
    let grid = Grid::with_reservations(vec![node([10, 10]), node([4, 8])], &reserved).unwrap();
    let wants_all = request([1, 1], [14, 18]);
    let solution = single_pass().search(&grid, &wants_all, Seed::new(1)).unwrap();
    assert_eq!(solution.allocation.start, SimTime::from_secs(10));
    let longer = Request { duration: SimSpan::from_micros(10_000_001), ..wants_all };
    let solution = single_pass().search(&grid, &longer, Seed::new(1)).unwrap();
    assert_eq!(solution.allocation.start, SimTime::from_secs(30));
}

/// Four nodes have (9, 1) and one has (9, 9): two with (18, 10) in total must include the last one.
/// A sample of 2 need not contain it; doubled twice, the sample contains all nodes.
#[test]
fn doubling_the_sample_finds_what_a_single_pass_misses() {
    let mut nodes = vec![node([9, 1]); 4];
    nodes.push(node([9, 9]));
    let grid = Grid::new(nodes).unwrap();
    let request = request([1, 1], [18, 10]);
    let parameters =
        |largest| Parameters { initial_multiple: 1, largest_multiple: largest, ..Parameters::default() };
    let found = |largest: usize| {
        let mut coallocator = Coallocator::new(parameters(largest));
        (0..200).filter(|&seed| coallocator.search(&grid, &request, Seed::new(seed)).is_ok()).count()
    };
    assert_eq!(found(4), 200);
    // Two of five nodes include the last one with probability 2/5: 80 of 200, with a standard
    // deviation of 7.
    assert!((50..110).contains(&found(1)), "{}", found(1));
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let grid = Grid::new(vec![node([10, 10])]).unwrap();
    let right = request([1, 1], [2, 2]);
    assert_eq!(grid.check_request(&right), Ok(()));
    let refused = |request: Request| grid.check_request(&request).unwrap_err();
    assert_eq!(refused(Request { total: [2, 1].into(), ..right.clone() }), GridError::Total(1));
    assert_eq!(refused(Request { resources: 0, ..right.clone() }), GridError::NoResources);
    assert_eq!(refused(Request { duration: SimSpan::ZERO, ..right.clone() }), GridError::Empty);
    assert_eq!(refused(Request { latest: SimTime::MAX, ..right.clone() }), GridError::Empty);
    let early = Request { earliest: SimTime::from_secs(51), ..right.clone() };
    assert_eq!(refused(early), GridError::Window);
    assert!(matches!(
        refused(Request { minimum: [1].into(), ..right.clone() }),
        GridError::Properties { found: 1, expected: 2, .. }
    ));
    let mut full = grid.clone();
    let taken = full.reserve(&[part(0, 0, 5, [11, 0])]);
    assert_eq!(taken, Err(GridError::Taken { resource: 0, property: 0 }));
    assert_eq!(full.reserve(&[part(1, 0, 5, [1, 0])]), Err(GridError::NoResource(1)));
    assert_eq!(full.reserve(&[part(0, 5, 5, [1, 0])]), Err(GridError::Empty));
    let twice = [part(0, 0, 5, [6, 0]), part(0, 0, 5, [6, 0])];
    assert_eq!(full.reserve(&twice), Err(GridError::Order(0)));
    assert_eq!(full, grid);
    assert_eq!(
        Grid::with_reservations(vec![node([10, 10])], &twice).unwrap_err(),
        GridError::Taken { resource: 0, property: 0 }
    );
}

/// Reads the clock only on request, and measures every phase.
#[test]
fn phases_are_measured() {
    let grid = Grid::new(vec![node([9, 9]); 200]).unwrap();
    let wanted = Request { resources: 60, ..request([1, 1], [400, 400]) };
    let mut coallocator = single_pass();
    coallocator.search(&grid, &wanted, Seed::new(1)).unwrap();
    assert_eq!(coallocator.phase_times(), PhaseTimes::default());
    coallocator.measure_phases();
    let begin = std::time::Instant::now();
    coallocator.search(&grid, &wanted, Seed::new(1)).unwrap();
    let all = begin.elapsed();
    let PhaseTimes { sufficiency, starts, construction, improvement } = coallocator.phase_times();
    let phases = [sufficiency, starts, construction, improvement];
    assert!(phases.iter().all(|phase| !phase.is_zero()), "{phases:?}");
    assert!(phases.iter().sum::<std::time::Duration>() <= all, "{phases:?} of {all:?}");
}
