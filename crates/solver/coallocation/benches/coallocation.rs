//! Benchmarks of the co-allocation search: `cargo bench -p dfrsim-coallocation`.
//!
//! The grid is large: 10,000 nodes with 1,000 reservations each. The shorter the span of the
//! reservations, the more of them fall into the window of a request: about 33 per day and node if
//! they span 30 days, and all 1,000 if they span one day.

use dfrsim_coallocation::planetlab::{Kind, SIZES, Usage, nodes, statistics, test_case, usage};
use dfrsim_coallocation::{Coallocator, Grid, Parameters};
use dfrsim_model::coallocation::{Request, Reservation};
use dfrsim_model::{Rng, Seed, SimSpan, SimTime};
use divan::Bencher;
use divan::counter::ItemsCount;
use rand::RngExt as _;
use std::sync::OnceLock;

fn main() {
    divan::main();
}

const NODES: usize = 10_000;
const RESERVATIONS: usize = 1_000;

/// Creates the large grid, with random reservations spread over `days`.
///
/// Each reservation takes up to a tenth of a node. It lasts between 1/5000 and 1/250 of the span,
/// and at least one minute.
fn large(days: u64) -> Grid {
    let seed = Seed::new(1).fork("large");
    let resources = nodes(NODES, seed);
    let mut rng = seed.fork("reservations").rng();
    let span = days * 86_400;
    let mut part = |resource: usize| {
        let from = rng.random_range(0..span);
        let until = from + rng.random_range(span / 5_000..span / 250).max(60);
        let share = rng.random_range(0.0..0.1);
        let amounts = resources[resource].capacity.iter().map(|&it| (it as f64 * share) as u64).collect();
        Reservation { resource, from: SimTime::from_secs(from), until: SimTime::from_secs(until), amounts }
    };
    let all: Vec<Reservation> = (0..NODES * RESERVATIONS).map(|number| part(number / RESERVATIONS)).collect();
    Grid::with_reservations(resources, &all).expect("about a tenth of each node is reserved")
}

fn grid(days: u64) -> &'static Grid {
    static MONTH: OnceLock<Grid> = OnceLock::new();
    static DAY: OnceLock<Grid> = OnceLock::new();
    if days == 1 { &DAY } else { &MONTH }.get_or_init(|| large(days))
}

fn requests(grid: &Grid, kind: Kind, size: usize) -> Vec<Request> {
    let statistics = statistics(grid.resources());
    let mut rng: Rng = Seed::new(2).fork("requests").numbered(size as u64).rng();
    let mut one = || {
        let (demand, earliest, latest) = test_case(size, &statistics, &mut rng);
        demand.request(kind, earliest, latest)
    };
    (0..90).map(|_| one()).collect()
}

/// Measures 90 requests of a kind and size, one after another. Divide the time by 90 for the mean
/// per request.
fn answer(bencher: Bencher<'_, '_>, kind: Kind, size: usize, days: u64) {
    let grid = grid(days);
    let requests = requests(grid, kind, size);
    let mut coallocator = Coallocator::new(Parameters::default());
    let solved =
        (0..).zip(&requests).filter(|(number, it)| coallocator.search(grid, it, Seed::new(*number)).is_ok());
    eprintln!("{kind:?}, {size} resources, {days} days: {} of 90 have a solution", solved.count());
    bencher.counter(ItemsCount::new(90_usize)).bench_local(|| {
        for (number, request) in (0..).zip(&requests) {
            let _ = divan::black_box(coallocator.search(grid, request, Seed::new(number)));
        }
    });
}

#[divan::bench(args = [(15, 30), (60, 30), (15, 1), (60, 1)], sample_count = 5, sample_size = 1)]
fn collective_90_requests(bencher: Bencher<'_, '_>, (size, days): (usize, u64)) {
    answer(bencher, Kind::Collective, size, days);
}

#[divan::bench(args = [(15, 30), (60, 30), (15, 1), (60, 1)], sample_count = 5, sample_size = 1)]
fn simple_90_requests(bencher: Bencher<'_, '_>, (size, days): (usize, u64)) {
    answer(bencher, Kind::Simple, size, days);
}

/// Measures 90 requests on 606 nodes with a day of reservations, as in the experiments.
#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn planetlab_90_requests(bencher: Bencher<'_, '_>, size: usize) {
    let seed = Seed::new(1);
    let resources = nodes(606, seed);
    let used = usage(&resources, &Usage::default(), SimSpan::from_secs(86_400), seed);
    let grid = Grid::with_reservations(resources, &used).expect("use is below capacity");
    let requests = requests(&grid, Kind::Collective, size);
    let mut coallocator = Coallocator::new(Parameters::default());
    bencher.counter(ItemsCount::new(90_usize)).bench_local(|| {
        for (number, request) in (0..).zip(&requests) {
            let _ = divan::black_box(coallocator.search(&grid, request, Seed::new(number)));
        }
    });
}

/// Computes the maximum reserved amount over a window of one day, on a node with 1,000 reservations.
#[divan::bench]
fn maximum_over_a_window(bencher: Bencher<'_, '_>) {
    let grid = grid(30);
    let mut number = 0;
    bencher.bench_local(|| {
        number = (number + 1) % 10_000;
        let from = SimTime::from_secs(number as u64 * 200);
        grid.timetable(number).maximum(0, from, from + SimSpan::from_secs(86_400))
    });
}
