//! The co-allocation algorithm with its six phases.

use crate::discovery::Discovery;
use crate::division::divide;
use crate::improvement::improve;
use crate::phase_times::Stopwatch;
use crate::selection::Selector;
use crate::starts::Starts;
use crate::sufficiency::is_sufficient;
use crate::{CandidateStarts, Candidates, Choice, Grid, Parameters, PhaseTimes, Rejection, Solution};
use dfrsim_model::coallocation::Request;
use dfrsim_model::{Seed, SimTime};

/// Searches for co-allocations: phases I to V of the algorithm, and the reservations of phase VI,
/// which [`Grid::reserve`] or [`SharedGrid`](crate::SharedGrid) then makes. Reuses its buffers from
/// one request to the next.
#[derive(Debug, Default)]
pub struct Coallocator {
    parameters: Parameters,
    discovery: Discovery,
    candidates: Candidates,
    attempt: Attempt,
}

impl Coallocator {
    /// Creates a co-allocator with these parameters.
    pub fn new(parameters: Parameters) -> Coallocator {
        Coallocator { parameters, ..Coallocator::default() }
    }

    /// Searches for a solution without reserving it. The result depends only on the arguments and
    /// the parameters.
    ///
    /// # Errors
    ///
    /// The phase in which the last pass failed.
    ///
    /// # Panics
    ///
    /// If [`Grid::check_request`] would reject the request.
    pub fn search(&mut self, grid: &Grid, request: &Request, seed: Seed) -> Result<Solution, Rejection> {
        self.search_from(self.parameters.initial_multiple, grid, request, seed)
    }

    /// Searches as [`Coallocator::search`] does, but starts with a sample of another multiple (M).
    /// If a concurrent user has reserved a part of the solution, phase I is repeated with the same
    /// multiple (section 3.6).
    ///
    /// # Errors
    ///
    /// The phase in which the last pass failed.
    ///
    /// # Panics
    ///
    /// If [`Grid::check_request`] would reject the request.
    pub fn search_from(
        &mut self,
        multiple: usize,
        grid: &Grid,
        request: &Request,
        seed: Seed,
    ) -> Result<Solution, Rejection> {
        let mut draws = seed.fork("discovery").rng();
        self.discovery.reset(grid.resources().len());
        let mut multiple = multiple.max(1);
        let mut rejection = Rejection::Resources;
        loop {
            let before = self.discovery.sample().len();
            self.discovery.extend_to(multiple * request.resources, grid, request, &mut draws);
            let found = self.discovery.sample().len();
            if found < request.resources || found == before {
                return Err(rejection);
            }
            let seed = seed.fork("search").numbered(multiple as u64);
            rejection = match self.pass(multiple, grid, request, seed) {
                Ok(solution) => return Ok(solution),
                Err(rejection) => rejection,
            };
            multiple *= 2;
            if multiple > self.parameters.largest_multiple {
                return Err(rejection);
            }
        }
    }

    /// Performs a single pass of phases II to V over given resources, as in the experiments (section
    /// 4.3). The minima and labels are still checked as in phase I. The multiple in the solution is
    /// the initial one of the parameters.
    ///
    /// # Errors
    ///
    /// The phase in which the pass failed.
    ///
    /// # Panics
    ///
    /// If [`Grid::check_request`] would reject the request, or a resource does not exist.
    pub fn search_among(
        &mut self,
        grid: &Grid,
        request: &Request,
        resources: &[usize],
        seed: Seed,
    ) -> Result<Solution, Rejection> {
        self.discovery.reset_to(resources, grid, request);
        if self.discovery.sample().len() < request.resources {
            return Err(Rejection::Resources);
        }
        self.pass(self.parameters.initial_multiple, grid, request, seed)
    }

    /// Searches as [`Coallocator::search_among`] does, with start times cached from earlier searches
    /// with other seeds.
    ///
    /// # Errors
    ///
    /// The phase in which the pass failed.
    pub fn search_starts(
        &mut self,
        starts: &mut CandidateStarts<'_>,
        seed: Seed,
    ) -> Result<Solution, Rejection> {
        let multiple = self.parameters.initial_multiple;
        let request = starts.request();
        let mut number = 0;
        while let Some((start, candidates)) = starts.get(number)? {
            if let Some(solution) =
                self.attempt.run(candidates, request, *start, &self.parameters, multiple, seed)
            {
                return Ok(solution);
            }
            number += 1;
        }
        Err(Rejection::Starts)
    }

    /// Starts measuring the time spent in each phase, from zero.
    pub fn measure_phases(&mut self) {
        self.attempt.stopwatch.reset();
    }

    /// Returns the total time of all searches in each phase since [`Coallocator::measure_phases`];
    /// zero without it.
    pub fn phase_times(&self) -> PhaseTimes {
        self.attempt.stopwatch.times
    }

    /// Returns the resources that the last search examined (R_job), in the order in which they were
    /// drawn.
    pub fn sample(&self) -> &[usize] {
        self.discovery.sample()
    }

    /// Performs phases II to V over the current sample.
    fn pass(
        &mut self,
        multiple: usize,
        grid: &Grid,
        request: &Request,
        seed: Seed,
    ) -> Result<Solution, Rejection> {
        let sample = self.discovery.sample();
        self.attempt.stopwatch.begin();
        let is_sufficient = is_sufficient(grid, request, sample);
        self.attempt.stopwatch.lap(|times| &mut times.sufficiency);
        if !is_sufficient {
            return Err(Rejection::Totals);
        }
        let mut starts = Starts::new(grid, request, sample.to_vec());
        loop {
            let start = starts.next_with_candidates(&mut self.candidates);
            self.attempt.stopwatch.lap(|times| &mut times.starts);
            let start = start.ok_or(Rejection::Starts)?;
            let candidates = &self.candidates;
            if let Some(solution) =
                self.attempt.run(candidates, request, start, &self.parameters, multiple, seed)
            {
                return Ok(solution);
            }
        }
    }
}

/// Search at one start time, with its buffers.
#[derive(Debug, Default)]
struct Attempt {
    selector: Selector,
    choice: Choice,
    stopwatch: Stopwatch,
}

impl Attempt {
    /// Performs phases IV and V at one start time. Every start has its own random stream, so that
    /// skipping one does not affect the others.
    fn run(
        &mut self,
        candidates: &Candidates,
        request: &Request,
        start: SimTime,
        parameters: &Parameters,
        multiple: usize,
        seed: Seed,
    ) -> Option<Solution> {
        let Attempt { selector, choice, stopwatch } = self;
        let mut rng = seed.numbered(start.micros()).rng();
        selector.select_and_swap(candidates, request, parameters.admission_effort, choice, &mut rng);
        stopwatch.lap(|times| &mut times.construction);
        if !choice.is_admissible(request) {
            return None;
        }
        let factor_before = choice.factor(request);
        let factor = improve(candidates, request, parameters.improvement_effort, choice, &mut rng);
        let allocation = divide(candidates, request, choice, start);
        stopwatch.lap(|times| &mut times.improvement);
        Some(Solution { allocation, factor, factor_before, multiple })
    }
}
