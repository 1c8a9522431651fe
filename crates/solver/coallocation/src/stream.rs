//! Streams of requests, simulated with the event queue.

use crate::planetlab::{Demand, Kind, SIZES, statistics};
use crate::{Coallocator, Grid, GridError, Parameters};
use dfrsim_model::coallocation::{Allocation, Reservation};
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::{Rng, Seed, SimSpan, SimTime};
use rand::RngExt as _;
use rand_distr::{Distribution as _, Exp1};

/// A stream of requests as in section 4.2, which arrive as a Poisson process and may start on
/// arrival.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// Time span of arrivals.
    pub span: SimSpan,
    /// Mean interarrival time.
    pub mean_gap: SimSpan,
    /// Maximum time from the arrival of a request to the start of its job (t_C of section 2).
    pub patience: SimSpan,
    /// Rule for the minima.
    pub kind: Kind,
    /// Parameters of the search.
    pub parameters: Parameters,
    /// Label that every request asks for, by qualitative property.
    pub labels: Box<[Option<String>]>,
}

/// Results of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamOutcome {
    /// Number of requests that arrived.
    pub requests: usize,
    /// Allocations, in the order of arrivals.
    pub accepted: Vec<Allocation>,
    /// Mean time from arrival to start of the accepted requests, in seconds; 0 if there are none.
    pub mean_wait: f64,
    /// Mean fraction of all resources that jobs used during the span, by property.
    pub utilisation: Vec<f64>,
}

/// Event slot of arrivals; the jobs have the following slots.
const ARRIVALS: Slot = Slot(0);

impl Stream {
    /// Simulates the arrival of the requests at a grid. Arrivals and demands depend only on the
    /// seed, so that both kinds can be compared.
    ///
    /// # Errors
    ///
    /// A solution could not be reserved, which is always a bug, or the grid does not have the
    /// generator's properties.
    pub fn run(&self, grid: &mut Grid, seed: Seed) -> Result<StreamOutcome, GridError> {
        let mut state = State::new(self, grid, seed);
        let end = SimTime::ZERO + self.span;
        state.schedule_arrival(SimTime::ZERO);
        while let Some((key, slot)) = state.queue.pop() {
            if key.time() >= end {
                break;
            }
            state.advance_to(key.time());
            if slot == ARRIVALS {
                state.handle_arrival(grid, key.time())?;
                state.schedule_arrival(key.time());
            } else {
                state.handle_job(slot);
            }
        }
        state.advance_to(end);
        Ok(state.outcome(grid))
    }
}

struct State<'a> {
    stream: &'a Stream,
    seed: Seed,
    coallocator: Coallocator,
    queue: EventQueue,
    statistics: Vec<(f64, f64)>,
    gaps: Rng,
    demands: Rng,
    requests: usize,
    accepted: Vec<Allocation>,
    waited: SimSpan,
    now: SimTime,
    /// Amounts in use by running jobs, by property, and their integral over time in microseconds.
    in_use: Vec<u64>,
    used: Vec<u128>,
}

impl<'a> State<'a> {
    fn new(stream: &'a Stream, grid: &Grid, seed: Seed) -> State<'a> {
        State {
            stream,
            seed,
            coallocator: Coallocator::new(stream.parameters),
            queue: EventQueue::new(),
            statistics: statistics(grid.resources()),
            gaps: seed.fork("gaps").rng(),
            demands: seed.fork("demands").rng(),
            requests: 0,
            accepted: Vec::new(),
            waited: SimSpan::ZERO,
            now: SimTime::ZERO,
            in_use: vec![0; grid.properties()],
            used: vec![0; grid.properties()],
        }
    }

    fn schedule_arrival(&mut self, now: SimTime) {
        let gap: f64 = Exp1.sample(&mut self.gaps);
        let time = now.saturating_add(self.stream.mean_gap.scaled(gap));
        self.queue.schedule(ARRIVALS, EventKey::new(time, Rank::Submission, 0));
    }

    /// Advances the time and the integral of the amounts in use.
    fn advance_to(&mut self, time: SimTime) {
        let passed = u128::from(time.since(self.now).micros());
        self.used
            .iter_mut()
            .zip(&self.in_use)
            .for_each(|(used, amount)| *used += u128::from(*amount) * passed);
        self.now = time;
    }

    fn handle_arrival(&mut self, grid: &mut Grid, now: SimTime) -> Result<(), GridError> {
        let size = SIZES[self.demands.random_range(0..SIZES.len())];
        let labels = self.stream.labels.clone();
        let demand = Demand { labels, ..Demand::draw(size, &self.statistics, &mut self.demands) };
        let request = demand.request(self.stream.kind, now, now + self.stream.patience);
        grid.check_request(&request)?;
        let seed = self.seed.fork("search").numbered(self.requests as u64);
        self.requests += 1;
        if let Ok(solution) = self.coallocator.search(grid, &request, seed) {
            grid.reserve(&solution.allocation.reservations)?;
            let start = solution.allocation.start;
            self.waited += start.since(now);
            self.accepted.push(solution.allocation);
            let job = self.accepted.len() as u32;
            self.queue.schedule(Slot(job), EventKey::new(start, Rank::Tick, job.into()));
        }
        Ok(())
    }

    /// Handles the start or the end of a job.
    fn handle_job(&mut self, slot: Slot) {
        let Allocation { start, reservations } = &self.accepted[slot.0 as usize - 1];
        let starts = self.now == *start;
        for Reservation { until, amounts, .. } in reservations {
            for (in_use, amount) in self.in_use.iter_mut().zip(amounts) {
                *in_use = if starts { *in_use + amount } else { *in_use - amount };
            }
            if starts {
                self.queue.schedule(slot, EventKey::new(*until, Rank::Completion, slot.0.into()));
            }
        }
    }

    fn outcome(self, grid: &Grid) -> StreamOutcome {
        let span = self.stream.span.micros() as f64;
        let part = |(property, &used): (usize, &u128)| {
            let capacity: u64 = grid.resources().iter().map(|it| it.capacity[property]).sum();
            used as f64 / (capacity as f64 * span)
        };
        let utilisation = self.used.iter().enumerate().map(part).collect();
        let mean_wait = self.waited.as_secs_f64() / self.accepted.len().max(1) as f64;
        StreamOutcome { requests: self.requests, accepted: self.accepted, mean_wait, utilisation }
    }
}
