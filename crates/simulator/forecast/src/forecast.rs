//! Forecast from one snapshot: many simulations with drawn run times.

use crate::draw::{Correlation, JointDraws, with_run_time};
use crate::past::{Basis, Distribution, Past};
use crate::snapshot::Snapshot;
use crate::weeks::Submissions;
use dfrsim_cluster::{
    Decision, Followers, InitialState, Observer, Occurrence, Options, Replay, Scheduler, Simulation,
    SimulationError,
};
use dfrsim_model::platform::{Outage, Outages};
use dfrsim_model::{Job, JobId, Seed, SimSpan, SimTime};
use dfrsim_policies::Setup;
use rand::RngExt as _;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Settings of a forecast.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Number of draws.
    pub draws: u32,
    /// Shares of the variance that jobs have in common.
    pub correlation: Correlation,
    /// True if later submissions are drawn from past weeks; otherwise there are none.
    pub has_arrivals: bool,
    /// Time after the snapshot at which a simulation ends, even if jobs still wait.
    pub horizon: SimSpan,
}

impl Default for Method {
    /// Returns the defaults: 200 draws, at most a year long, with later submissions.
    fn default() -> Method {
        Method {
            draws: 200,
            correlation: Correlation::default(),
            has_arrivals: true,
            horizon: SimSpan::from_secs(366 * 86_400),
        }
    }
}

/// Snapshot that is prepared for simulations with various run times.
#[derive(Debug)]
pub struct Prepared<'a> {
    setup: &'a Setup,
    snapshot: &'a Snapshot,
    beginning: InitialState,
    options: Options,
    horizon: SimTime,
    /// Jobs in order of submission, as indices of [`Snapshot::jobs`].
    order: Vec<usize>,
    /// Index of each waiting job, by its id.
    waiting: Arc<FxHashMap<JobId, usize>>,
}

impl<'a> Prepared<'a> {
    /// Prepares the simulations of a snapshot under the rules of a setup.
    ///
    /// # Errors
    /// If a running job starts at the snapshot or later.
    pub fn new(setup: &'a Setup, snapshot: &'a Snapshot, horizon: SimSpan) -> Result<Self, SimulationError> {
        let beginning = snapshot.beginning()?;
        let jobs: Vec<&Job> = snapshot.jobs().map(|(job, _)| job).collect();
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        let place = |job| snapshot.order.get(&job).copied().unwrap_or(usize::MAX);
        order.sort_by_key(|&at| (jobs[at].submit, place(jobs[at].id), jobs[at].id));
        let waiting = snapshot.waiting.iter().enumerate().map(|(at, job)| (job.id, at)).collect();
        let (horizon, waiting) = (snapshot.at.saturating_add(horizon), Arc::new(waiting));
        let options = known_at(&setup.options, beginning.at());
        Ok(Prepared { setup, snapshot, beginning, options, horizon, order, waiting })
    }

    /// Returns the snapshot.
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// Simulates with these run times, in the order of [`Snapshot::jobs`], and these later
    /// submissions. Returns the start of each waiting job; `None` if it is rejected or does not
    /// start before the horizon.
    ///
    /// # Errors
    /// The errors of the simulation.
    pub fn starts(
        &self,
        run_times: &[SimSpan],
        later: impl Iterator<Item = Job>,
    ) -> Result<Vec<Option<SimTime>>, SimulationError> {
        let jobs: Vec<&Job> = self.snapshot.jobs().map(|(job, _)| job).collect();
        let present = self.order.iter().map(|&at| with_run_time(jobs[at], run_times[at]));
        let with_others = present.map(|job| (self.snapshot.after.get(&job.id).cloned(), job));
        let (present, followers) = Followers::split(with_others.map(|(after, job)| (job, after)));
        let all: Box<dyn Iterator<Item = Job> + '_> = Box::new(present.into_iter().chain(later));
        let count = self.snapshot.waiting.len();
        let starts = Starts {
            waiting: Arc::clone(&self.waiting),
            places: Vec::new(),
            starts: vec![None; count],
            left: count,
        };
        let simulation = Simulation::new(self.setup.nodes, self.options.clone(), all, starts)?;
        let mut simulation = simulation.with_followers(followers);
        let mut policy = self.setup.scheduler();
        self.snapshot.memory.iter().for_each(|memory| policy.recall(memory));
        let mut replay = Replay::new(&self.beginning, &mut *policy);
        let result = simulate_until(self.horizon, &mut simulation, &mut replay);
        replay.error().map_or(result, |error| Err(error.into()))?;
        Ok(std::mem::take(&mut simulation.observer_mut().starts))
    }
}

/// Returns the options as they are known at a time: without later failures and drains, and without
/// windows that are announced later.
fn known_at(options: &Options, at: SimTime) -> Options {
    let begun = |all: &[Outage]| all.iter().filter(|outage| outage.from <= at).copied().collect();
    let known = |all: &Arc<Outages>| {
        let windows = all.windows.iter().filter(|window| window.announced <= at).copied().collect();
        let (failures, drains) = (begun(&all.failures), begun(&all.drains));
        Arc::new(Outages { interruption: all.interruption, failures, windows, drains })
    };
    Options { outages: options.outages.as_ref().map(known), ..options.clone() }
}

/// Simulates until all waiting jobs have started, or to the horizon.
fn simulate_until<I: Iterator<Item = Job>>(
    horizon: SimTime,
    simulation: &mut Simulation<I, Starts>,
    scheduler: &mut dyn Scheduler,
) -> Result<(), SimulationError> {
    let mut decision = Decision::default();
    while simulation.observer().left > 0
        && let Some(situation) = simulation.advance()?
        && situation.view.now() <= horizon
    {
        scheduler.decide(&situation, &mut decision);
        simulation.decide(&mut decision)?;
    }
    Ok(())
}

/// Observer of the first start of each waiting job.
#[derive(Debug)]
struct Starts {
    /// Index of each waiting job, by its id; and by its sequence number in the simulation.
    waiting: Arc<FxHashMap<JobId, usize>>,
    places: Vec<Option<usize>>,
    starts: Vec<Option<SimTime>>,
    /// Number of waiting jobs that have neither started nor been rejected.
    left: usize,
}

impl Observer for Starts {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Submitted(submitted, _) = occurrence {
            return self.places.push(self.waiting.get(&submitted.id).copied());
        }
        let Some(&Some(place)) = self.places.get(job as usize) else { return };
        match occurrence {
            Occurrence::Started(..) if self.starts[place].is_none() => {
                self.starts[place] = Some(now);
                self.left -= 1;
            }
            Occurrence::Rejected => self.left -= 1,
            _ => {}
        }
    }
}

/// Forecast of the starts of the waiting jobs of a snapshot.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// Forecasts, in the order of [`Snapshot::waiting`].
    pub jobs: Vec<JobForecast>,
}

/// Forecast of the start of one job.
#[derive(Clone, Debug)]
pub struct JobForecast {
    /// Times from the snapshot to the start, one for each draw, in ascending order. `None`,
    /// which comes last, if the job does not start before the horizon.
    pub waits: Vec<Option<SimSpan>>,
    /// Most general group of past jobs that was needed for its run time.
    pub basis: Basis,
}

impl JobForecast {
    /// Returns a quantile of the wait; `None` if the job does not start before the horizon.
    #[must_use]
    pub fn quantile(&self, level: f64) -> Option<SimSpan> {
        let last = self.waits.len().checked_sub(1)?;
        self.waits[((level * last as f64).round() as usize).min(last)]
    }

    /// Returns the probability that the wait is at most this long.
    #[must_use]
    pub fn probability_within(&self, span: SimSpan) -> f64 {
        let within = self.waits.iter().flatten().filter(|&&wait| wait <= span).count();
        within as f64 / self.waits.len().max(1) as f64
    }
}

/// Returns a sort key by which draws without a start come last.
fn never_last(wait: &Option<SimSpan>) -> SimSpan {
    wait.unwrap_or(SimSpan::MAX)
}

impl Forecast {
    /// Forecasts the starts of the waiting jobs of a snapshot. Each draw has its own stream of
    /// random numbers, so that the result does not depend on the number of threads.
    ///
    /// # Errors
    /// The errors of the simulations.
    pub fn of(
        setup: &Setup,
        snapshot: &Snapshot,
        (past, submissions): (&Past, &Submissions),
        method: Method,
        seed: Seed,
    ) -> Result<Forecast, SimulationError> {
        let prepared = Prepared::new(setup, snapshot, method.horizon)?;
        let distributions = past.distributions(snapshot);
        let joint = JointDraws::new(snapshot, method.correlation);
        let in_system: FxHashMap<JobId, usize> =
            snapshot.jobs().enumerate().map(|(at, (job, _))| (job.id, at)).collect();
        let draw = |number: u32| {
            let seed = seed.fork("forecast").numbered(number.into());
            let positions = joint.positions(&mut seed.fork("run times").rng());
            let drawn = distributions.iter().zip(positions);
            let run_times: Vec<SimSpan> = drawn.map(|((it, _), position)| it.quantile(position)).collect();
            if !method.has_arrivals {
                return prepared.starts(&run_times, std::iter::empty());
            }
            let of_job = |at: usize, rng: &mut dfrsim_model::Rng| redrawn(&distributions[at].0, rng);
            let later = submissions.after(snapshot, &in_system, of_job, seed.fork("submissions").rng());
            prepared.starts(&run_times, later)
        };
        let drawn: Result<Vec<_>, SimulationError> = (0..method.draws).into_par_iter().map(draw).collect();
        let drawn = drawn?;
        let bases = distributions.iter().skip(snapshot.running.len()).map(|(_, basis)| *basis);
        let job = |(at, basis): (usize, Basis)| {
            let wait = |starts: &Vec<Option<SimTime>>| starts[at].map(|start| start.since(snapshot.at));
            let mut waits: Vec<Option<SimSpan>> = drawn.iter().map(wait).collect();
            waits.sort_by_key(never_last);
            JobForecast { waits, basis }
        };
        Ok(Forecast { jobs: bases.enumerate().map(job).collect() })
    }
}

/// Draws a run time independently of other jobs.
fn redrawn(distribution: &Distribution, rng: &mut dfrsim_model::Rng) -> SimSpan {
    distribution.quantile(rng.random())
}
