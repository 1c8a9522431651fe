//! Repeated searches.

use crate::grid::{GridInUse, TestCase};
use crate::rows::SearchRow;
use crate::scenario::Sample;
use dfrsim_coallocation::planetlab::Kind;
use dfrsim_coallocation::{CandidateStarts, Coallocator, Grid, Parameters, Rejection};
use dfrsim_lab::Failure;
use dfrsim_model::coallocation::Request;
use dfrsim_model::{Seed, SimTime};
use std::time::{Duration, Instant};

/// Number of repetitions that are timed.
const TIMED: u32 = 5;

/// Parameters of a repeated search.
#[derive(Clone, Copy)]
pub(crate) struct SearchSetup {
    pub(crate) parameters: Parameters,
    pub(crate) repetitions: u32,
    pub(crate) sample: Sample,
    pub(crate) times: bool,
}

/// Repeats a search and fills the columns of its row. The checker verifies the first solution.
pub(crate) fn search(
    case: &TestCase,
    on: &GridInUse,
    kind: Kind,
    how: &SearchSetup,
    row: &mut SearchRow,
) -> Result<(), Failure> {
    let request = case.request(kind);
    let sample = &case.sample(how.sample, &on.grid, kind, how.parameters.initial_multiple);
    let mut coallocator = Coallocator::new(how.parameters);
    let mut starts = CandidateStarts::new(&on.grid, &request, sample);
    let mut solutions: Vec<(SimTime, f64, f64)> = Vec::new();
    let seed = |repetition: u32| case.seed.fork("search").numbered(repetition.into());
    for repetition in 0..how.repetitions {
        let found = if how.sample == Sample::Repetition {
            coallocator.search(&on.grid, &request, seed(repetition))
        } else {
            coallocator.search_starts(&mut starts, seed(repetition))
        };
        match found {
            Ok(solution) => {
                if solutions.is_empty() {
                    on.check(&request, &solution)?;
                }
                solutions.push((solution.allocation.start, solution.factor_before, solution.factor));
            }
            Err(Rejection::Resources) => row.without_nodes += 1,
            Err(Rejection::Totals) => row.without_totals += 1,
            Err(Rejection::Starts) => {}
        }
    }
    if how.times {
        let seeds: Vec<Seed> = (0..how.repetitions.min(TIMED)).map(seed).collect();
        measure(&mut coallocator, &on.grid, &request, sample, &seeds, row);
    }
    row.searches = how.repetitions as usize;
    row.solved = solutions.len();
    solutions.sort_by_key(|solution| solution.0);
    if let Some(&(start, ..)) = solutions.get(solutions.len() / 2) {
        let typical: Vec<_> = solutions.iter().filter(|solution| solution.0 == start).collect();
        let mean = |value: fn(&(SimTime, f64, f64)) -> f64| {
            typical.iter().map(|solution| value(solution)).sum::<f64>() / typical.len() as f64
        };
        row.start_s = Some(start.as_secs_f64());
        row.utilisation_factor_before = Some(mean(|solution| solution.1));
        row.utilisation_factor = Some(mean(|solution| solution.2));
    }
    Ok(())
}

/// Times searches whose results are known: once as a whole, and once phase by phase. No state is
/// kept between searches.
fn measure(
    coallocator: &mut Coallocator,
    grid: &Grid,
    request: &Request,
    sample: &[usize],
    seeds: &[Seed],
    row: &mut SearchRow,
) {
    let search_all = |coallocator: &mut Coallocator| {
        for &seed in seeds {
            let _ = coallocator.search_among(grid, request, sample, seed);
        }
    };
    let mean_ms = |time: Duration| Some(1e3 * time.as_secs_f64() / seeds.len() as f64);
    let begin = Instant::now();
    search_all(coallocator);
    row.search_ms = mean_ms(begin.elapsed());
    coallocator.measure_phases();
    search_all(coallocator);
    let times = coallocator.phase_times();
    row.phase_2_ms = mean_ms(times.sufficiency);
    row.phase_3_ms = mean_ms(times.starts);
    row.phase_4_ms = mean_ms(times.construction);
    row.phase_5_ms = mean_ms(times.improvement);
}
