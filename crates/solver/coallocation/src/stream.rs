//! Requests that come one after the other, on the event engine.

use crate::planetlab::{Demand, Kind, SIZES, statistics};
use crate::{Coallocator, Grid, GridError, Parameters};
use dfrsim_model::coallocation::{Allocation, Reservation};
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::{Rng, Seed, SimSpan, SimTime};
use rand::RngExt as _;
use rand_distr::{Distribution as _, Exp1};

/// A stream of requests as section 4.2 draws them, which arrive as a Poisson process and may start from then on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stream {
    /// The time during which requests arrive.
    pub span: SimSpan,
    /// The mean time between two arrivals.
    pub mean_gap: SimSpan,
    /// How long after its arrival a job may start at the latest (t_C of section 2).
    pub patience: SimSpan,
    /// How their minima follow from their totals.
    pub kind: Kind,
    /// How solutions are looked for.
    pub parameters: Parameters,
}

/// The result of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamOutcome {
    /// How many requests arrived.
    pub requests: usize,
    /// The allocations, in the order of the arrivals.
    pub accepted: Vec<Allocation>,
    /// The mean time from arrival to start of the accepted requests, in seconds; 0 of none.
    pub mean_wait: f64,
    /// By property, the part of all resources that the jobs had over the span, on average.
    pub utilisation: Vec<f64>,
}

/// Arrivals have one slot, each job another.
const ARRIVALS: Slot = Slot(0);

impl Stream {
    /// Lets the requests arrive at a grid. The arrivals and what they ask for only depend on the seed, so that both kinds
    /// can be compared.
    ///
    /// # Errors
    ///
    /// If an answer could not be reserved, which is always a fault of ours, or the grid is not one of the generator's
    /// properties.
    pub fn run(&self, grid: &mut Grid, seed: Seed) -> Result<StreamOutcome, GridError> {
        let mut state = State::new(self, grid, seed);
        let end = SimTime::ZERO + self.span;
        state.schedule_arrival(SimTime::ZERO);
        while let Some((key, slot)) = state.queue.pop() {
            if key.time() >= end {
                break;
            }
            state.pass_to(key.time());
            if slot == ARRIVALS {
                state.arrive(grid, key.time())?;
                state.schedule_arrival(key.time());
            } else {
                state.turn(slot);
            }
        }
        state.pass_to(end);
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
    /// By property: what running jobs have, and that times the microseconds that have passed.
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

    /// Time passes, and with it what running jobs have.
    fn pass_to(&mut self, time: SimTime) {
        let passed = u128::from(time.since(self.now).micros());
        self.used
            .iter_mut()
            .zip(&self.in_use)
            .for_each(|(used, amount)| *used += u128::from(*amount) * passed);
        self.now = time;
    }

    fn arrive(&mut self, grid: &mut Grid, now: SimTime) -> Result<(), GridError> {
        let size = SIZES[self.demands.random_range(0..SIZES.len())];
        let demand = Demand::draw(size, &self.statistics, &mut self.demands);
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

    /// A job starts, or it ends.
    fn turn(&mut self, slot: Slot) {
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
