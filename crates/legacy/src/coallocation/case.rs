//! Grids and their test cases, and repeated searches.

use super::row::Row;
use super::scenario::Scenario;
use dfrsim_audit::coallocation::check_allocation;
use dfrsim_coallocation::planetlab::{Demand, Kind, Usage, nodes, statistics, test_case, usage};
use dfrsim_coallocation::{Coallocator, Grid, Parameters, Prospects, Rejection, Solution, optimum};
use dfrsim_model::coallocation::{Request, Reservation, Resource};
use dfrsim_model::{Seed, SimSpan, SimTime};
use rand::RngExt as _;
use std::time::{Duration, Instant};

/// Both kinds of requests, as rows name them.
pub(super) const KINDS: [(Kind, &str); 2] = [(Kind::Simple, "simple"), (Kind::Collective, "collective")];

/// How many of the repetitions are timed.
const TIMED: u32 = 5;

/// A grid in use.
pub(super) struct InUse {
    pub(super) grid: Grid,
    /// What is reserved of each resource.
    reserved: Vec<Vec<Reservation>>,
    seed: Seed,
}

/// A test case of a grid: its resources in random order, of which the first are looked at, and its demand.
pub(super) struct TestCase {
    order: Vec<usize>,
    demand: Demand,
    earliest: SimTime,
    latest: SimTime,
    seed: Seed,
}

impl Scenario {
    fn grid_seed(&self, number: u32) -> Seed {
        Seed::new(self.seed).fork("coallocation").numbered(number.into())
    }

    /// The nodes of a grid; they do not depend on its use.
    pub(super) fn grid_nodes(&self, number: u32) -> Vec<Resource> {
        match &self.node_list {
            Some(list) => list.resources.clone(),
            None => nodes(self.nodes, self.grid_seed(number)),
        }
    }

    /// A grid, and its use at this mean level for as long as `span`.
    pub(super) fn grid_in_use(&self, number: u32, mean: f64, span: SimSpan) -> Result<InUse, String> {
        let seed = self.grid_seed(number);
        let resources = self.grid_nodes(number);
        let course = Usage { mean, deviation: self.usage_deviation, correlation: self.usage_correlation };
        let all = usage(&resources, &course, span, seed);
        let grid = Grid::with_reservations(resources, &all).map_err(|error| error.to_string())?;
        let mut reserved = vec![Vec::new(); grid.resources().len()];
        for each in all {
            reserved[each.resource].push(each);
        }
        Ok(InUse { grid, reserved, seed })
    }
}

impl InUse {
    /// The seed of what happens on this grid besides test cases.
    pub(super) fn seed(&self) -> Seed {
        self.seed
    }

    /// The use of all resources.
    pub(super) fn reserved(&self) -> impl Iterator<Item = &Reservation> {
        self.reserved.iter().flatten()
    }

    /// A test case for so many resources. It does not depend on the use.
    pub(super) fn case(&self, size: usize, number: u32) -> TestCase {
        let seed = self.seed.fork("case").numbered(size as u64).numbered(number.into());
        let mut rng = seed.fork("request").rng();
        let (demand, earliest, latest) = test_case(size, &statistics(self.grid.resources()), &mut rng);
        let mut order: Vec<usize> = (0..self.grid.resources().len()).collect();
        let mut draws = seed.fork("resources").rng();
        for place in 0..order.len() {
            let drawn = draws.random_range(place..order.len());
            order.swap(place, drawn);
        }
        TestCase { order, demand, earliest, latest, seed }
    }

    /// What the independent checker says of an answer.
    pub(super) fn check(&self, request: &Request, solution: &Solution) -> Result<(), String> {
        let parts = &solution.allocation.reservations;
        let earlier: Vec<Reservation> =
            parts.iter().flat_map(|part| &self.reserved[part.resource]).cloned().collect();
        match check_allocation(self.grid.resources(), &earlier, request, &solution.allocation).first() {
            Some(fault) => Err(fault.to_string()),
            None => Ok(()),
        }
    }
}

/// How a search is repeated.
#[derive(Clone, Copy)]
pub(super) struct Repeated {
    pub(super) parameters: Parameters,
    pub(super) repetitions: u32,
    pub(super) sample_anew: bool,
    pub(super) times: bool,
}

impl TestCase {
    pub(super) fn request(&self, kind: Kind) -> Request {
        self.demand.request(kind, self.earliest, self.latest)
    }

    /// The resources that a search with this multiple looks at: those that come first.
    fn sample(&self, multiple: usize) -> &[usize] {
        &self.order[..self.order.len().min(multiple * self.demand.resources)]
    }

    /// The start, in seconds, and the factor of the optimum of the collective request; nothing if there is no solution.
    pub(super) fn optimum(&self, grid: &Grid, multiple: usize) -> Option<(f64, f64)> {
        let best = optimum(grid, &self.request(Kind::Collective), self.sample(multiple))?;
        Some((best.start.as_secs_f64(), best.factor))
    }

    /// Fills the columns of all repetitions of a search into a row; the checker looks at the first solution.
    pub(super) fn search(&self, on: &InUse, kind: Kind, how: &Repeated, row: &mut Row) -> Result<(), String> {
        let request = self.request(kind);
        let sample = self.sample(how.parameters.initial_multiple);
        let mut coallocator = Coallocator::new(how.parameters);
        let mut prospects = Prospects::new(&on.grid, &request, sample);
        let mut solutions: Vec<(SimTime, f64, f64)> = Vec::new();
        let (mut without_resources, mut without_totals) = (0, 0);
        let seed = |repetition: u32| self.seed.fork("search").numbered(repetition.into());
        for repetition in 0..how.repetitions {
            let found = if how.sample_anew {
                coallocator.search(&on.grid, &request, seed(repetition))
            } else {
                coallocator.search_prospects(&mut prospects, seed(repetition))
            };
            match found {
                Ok(solution) => {
                    if solutions.is_empty() {
                        on.check(&request, &solution)?;
                    }
                    solutions.push((solution.allocation.start, solution.factor_before, solution.factor));
                }
                Err(Rejection::Resources) => without_resources += 1,
                Err(Rejection::Totals) => without_totals += 1,
                Err(Rejection::Starts) => {}
            }
        }
        if how.times {
            let seeds: Vec<Seed> = (0..how.repetitions.min(TIMED)).map(seed).collect();
            measure(&mut coallocator, &on.grid, &request, sample, &seeds, row);
        }
        row.searches = how.repetitions as usize;
        row.solved = solutions.len();
        row.without_resources = Some(without_resources);
        row.without_totals = Some(without_totals);
        solutions.sort_by_key(|solution| solution.0);
        if let Some(&(start, ..)) = solutions.get(solutions.len() / 2) {
            let typical: Vec<_> = solutions.iter().filter(|solution| solution.0 == start).collect();
            let mean = |figure: fn(&(SimTime, f64, f64)) -> f64| {
                typical.iter().map(|solution| figure(solution)).sum::<f64>() / typical.len() as f64
            };
            row.start = Some(start.as_secs_f64());
            row.factor_before = Some(mean(|solution| solution.1));
            row.factor = Some(mean(|solution| solution.2));
        }
        Ok(())
    }
}

/// Times searches whose answers are known: once as they are, and once phase by phase. Nothing is kept from one to the next.
fn measure(
    coallocator: &mut Coallocator,
    grid: &Grid,
    request: &Request,
    sample: &[usize],
    seeds: &[Seed],
    row: &mut Row,
) {
    let search_all = |coallocator: &mut Coallocator| {
        for &seed in seeds {
            let _ = coallocator.search_among(grid, request, sample, seed);
        }
    };
    let begin = Instant::now();
    search_all(coallocator);
    row.milliseconds = Some(mean_milliseconds(begin.elapsed(), seeds));
    coallocator.measure_phases();
    search_all(coallocator);
    let times = coallocator.phase_times();
    let of_phase = |time: Duration| Some(mean_milliseconds(time, seeds));
    row.phase_2_ms = of_phase(times.sufficiency);
    row.phase_3_ms = of_phase(times.starts);
    row.phase_4_ms = of_phase(times.construction);
    row.phase_5_ms = of_phase(times.improvement);
}

fn mean_milliseconds(time: Duration, searches: &[Seed]) -> f64 {
    1e3 * time.as_secs_f64() / searches.len() as f64
}
