//! Forecasts from many moments of a schedule, compared with what happened.

mod corrected;
mod judge;

pub use judge::{Judgement, LEAST_COVERAGE};

use crate::baseline::plan::Plan;
use crate::baseline::waits::PastWaits;
use crate::forecast::{Forecast, Method, Prepared};
use crate::moment::Moment;
use crate::past::{Distribution, Past};
use crate::schedule::Schedule;
use crate::score::{LEVELS, Outcome, Quantiles, Said};
use crate::weeks::Submissions;
use corrected::Errors;
use dfrsim_cluster::{Followers, SimulationError};
use dfrsim_model::{Dependencies, Job, Seed, SimSpan, SimTime, named};
use dfrsim_policies::Setup;
use rand::RngExt as _;
use rayon::prelude::*;

named! {
    /// Kind of prediction that is compared.
    pub enum Predictor as "kind of prediction" {
        /// Quantiles of many simulations.
        Forecast = "forecast",
        /// Plan by requested times, as of `squeue --start`.
        PlanByRequests = "plan by requests",
        /// Plan by the medians of past run times.
        PlanByMedians = "plan by medians",
        /// Plan by the last two run times of each user.
        PlanByLastTwo = "plan by the last two",
        /// Plan by requested times, with the quantiles of its own past errors.
        CorrectedRequests = "plan by requests with own errors",
        /// Plan by medians, with the quantiles of its own past errors.
        CorrectedMedians = "plan by medians with own errors",
        /// Plan by the last two run times, with the quantiles of its own past errors.
        CorrectedLastTwo = "plan by the last two with own errors",
        /// Median wait of similar jobs in the last week.
        SimilarMedian = "median of similar waits",
        /// Quantiles of the waits of similar jobs in the last week.
        SimilarWaits = "quantiles of similar waits",
        /// Bounds of quantiles of past waits, of binomial type.
        Bounds = "bounds of past waits (QBETS)",
    }
}

/// Schedule of which moments are forecast, with indices of what was known at each.
#[derive(Debug)]
pub struct History<'a> {
    schedule: &'a Schedule,
    /// Run times of jobs that have ended.
    pub past: Past,
    /// Waits of jobs that have started.
    pub waits: PastWaits,
    /// Submissions.
    pub submissions: Submissions,
    /// Jobs of which the schedule is the simulation.
    simulated: &'a [(Job, Option<Dependencies>)],
}

/// Waiting job of a moment, with all predictions.
#[derive(Clone, Debug)]
pub struct Row {
    /// The job.
    pub job: Job,
    /// Time of the start.
    pub start: SimTime,
    /// Predicted quantiles of the wait from the moment on, in seconds, by [`Predictor`].
    predicted: Vec<Quantiles>,
    /// Forecast probability of a start within an hour.
    pub within_hour: f64,
    /// Part of the draws in which the job starts no later than it did.
    position: f64,
}

/// Moment with its waiting jobs.
#[derive(Clone, Debug)]
pub struct MomentRows {
    /// Time of the moment.
    pub at: SimTime,
    /// Waiting jobs that start.
    pub rows: Vec<Row>,
    /// Number of waiting jobs whose start differs from the schedule if run times and submissions are
    /// the true ones. Zero unless the state is incomplete, or other rules made the schedule.
    pub differing: usize,
    /// Number of waiting jobs that could start at once under the rules, although they have waited for
    /// ten minutes.
    pub startable: usize,
}

impl Row {
    /// Returns a prediction with what happened.
    pub fn outcome(&self, at: SimTime, predictor: Predictor) -> Outcome {
        let predicted = self.predicted[predictor as usize];
        Outcome { predicted, actual: self.start.saturating_since(at).as_secs_f64() }
    }
}

impl<'a> History<'a> {
    /// Indexes a schedule.
    pub fn of(schedule: &'a Schedule) -> History<'a> {
        let started = schedule.entries().iter().filter_map(|entry| Some((&entry.job, entry.start()?)));
        History {
            schedule,
            past: Past::of_schedule(schedule),
            waits: PastWaits::new(started),
            submissions: Submissions::new(schedule.entries().iter().map(|it| it.job.clone()).collect()),
            simulated: &[],
        }
    }

    /// Adds the jobs of which the schedule is the simulation, with their dependencies: moments then
    /// include what a policy remembers.
    #[must_use]
    pub fn simulated_from(self, simulated: &'a [(Job, Option<Dependencies>)]) -> History<'a> {
        History { simulated, ..self }
    }

    /// Completes moments, in order of time, by the memory of the policy, and leaves out those at which
    /// all jobs start.
    ///
    /// # Errors
    /// The errors of the simulation.
    pub fn remember(&self, setup: &Setup, moments: &mut Vec<Moment>) -> Result<(), SimulationError> {
        if self.simulated.is_empty() || moments.is_empty() {
            return Ok(());
        }
        self.schedule.remember(setup, Followers::split(self.simulated.iter().cloned()), moments)?;
        moments.retain(|moment| !moment.waiting.is_empty());
        Ok(())
    }

    /// Returns the state at a time.
    pub fn at(&self, at: SimTime) -> Moment {
        self.schedule.at(at)
    }

    /// Returns the first and the last submission.
    pub fn span(&self) -> Option<(SimTime, SimTime)> {
        let entries = self.schedule.entries();
        Some((entries.first()?.job.submit, entries.last()?.job.submit))
    }

    /// Draws moments at which jobs wait, at random times between two times; fewer if there are few
    /// such times. Returns them in order, and the number of times at which no job waited.
    pub fn draw_moments(
        &self,
        (from, to): (SimTime, SimTime),
        count: usize,
        seed: Seed,
    ) -> (Vec<Moment>, usize) {
        let mut rng = seed.fork("moments").rng();
        let (mut moments, mut idle) = (Vec::new(), 0);
        while moments.len() < count && idle < 100 * count && from < to {
            let at = SimTime::from_secs(rng.random_range(from.micros()..to.micros()) / 1_000_000);
            let moment = self.schedule.at(at);
            if moment.waiting.is_empty() { idle += 1 } else { moments.push(moment) }
        }
        moments.sort_by_key(|moment| moment.at);
        (moments, idle)
    }

    /// Returns the moments at regular times at which jobs wait, and the number of times at which none
    /// did.
    pub fn regular_moments(&self, (from, to): (SimTime, SimTime), every: SimSpan) -> (Vec<Moment>, usize) {
        let (mut moments, mut idle, mut at) = (Vec::new(), 0, from);
        while at < to {
            let moment = self.schedule.at(at);
            if moment.waiting.is_empty() {
                idle += 1;
            } else {
                moments.push(moment);
            }
            at = at.saturating_add(every.max(SimSpan::from_secs(1)));
        }
        (moments, idle)
    }

    /// Forecasts moments, in order of time, and compares with what happened. `progress` is called
    /// after each.
    ///
    /// # Errors
    /// The errors of the simulations.
    pub fn backtest(
        &self,
        setup: &Setup,
        moments: &[Moment],
        (method, seed): (Method, Seed),
        progress: impl Fn() + Sync,
    ) -> Result<Vec<MomentRows>, SimulationError> {
        let compare = |moment: &Moment| {
            let rows = self.compare(setup, moment, (method, seed.numbered(moment.at.micros())));
            progress();
            rows
        };
        let compared: Result<Vec<MomentRows>, SimulationError> = moments.par_iter().map(compare).collect();
        let mut compared = compared?;
        Errors::correct(&mut compared);
        Ok(compared)
    }

    /// Forecasts one moment, by all kinds of predictions that need no other moment.
    fn compare(
        &self,
        setup: &Setup,
        moment: &Moment,
        (method, seed): (Method, Seed),
    ) -> Result<MomentRows, SimulationError> {
        let forecast = Forecast::of(setup, moment, (&self.past, &self.submissions), method, seed)?;
        let prepared = Prepared::new(setup, moment, method.horizon)?;
        let distributions = self.past.distributions(moment);
        let distributions: Vec<&Distribution> = distributions.iter().map(|(it, _)| it).collect();
        let plan = |plan: Plan| plan.waits(&prepared, &self.past, &distributions);
        let [requests, medians, last_two] =
            [plan(Plan::Requests)?, plan(Plan::Medians)?, plan(Plan::LastTwo)?];
        let known = self.known_starts(&prepared)?;
        let (mut rows, mut differing, mut startable) = (Vec::new(), 0, 0);
        for (at, job) in moment.waiting.iter().enumerate() {
            let entry = moment.order.get(&job.id).map(|&place| &self.schedule.entries()[place]);
            let Some(start) = entry.and_then(|entry| entry.start_after(moment.at)) else { continue };
            differing += usize::from(known[at] != Some(start));
            let waited = moment.at.saturating_since(job.submit);
            startable += usize::from(known[at] == Some(moment.at) && waited > SimSpan::from_secs(600));
            let never = method.horizon;
            let point = |waits: &[Option<SimSpan>]| [waits[at].unwrap_or(never).as_secs_f64(); 3];
            let of = |it: [SimSpan; 3]| it.map(SimSpan::as_secs_f64);
            let similar = of(self.waits.quantiles(job, moment.at, LEVELS));
            let predicted = Predictor::ALL.iter().map(|predictor| match predictor {
                Predictor::Forecast => {
                    LEVELS.map(|level| forecast.jobs[at].quantile(level).unwrap_or(never).as_secs_f64())
                }
                Predictor::PlanByRequests | Predictor::CorrectedRequests => point(&requests),
                Predictor::PlanByMedians | Predictor::CorrectedMedians => point(&medians),
                Predictor::PlanByLastTwo | Predictor::CorrectedLastTwo => point(&last_two),
                Predictor::SimilarMedian => [similar[1]; 3],
                Predictor::SimilarWaits => similar,
                Predictor::Bounds => of(self.waits.bounds(job, moment.at, LEVELS)),
            });
            rows.push(Row {
                job: job.clone(),
                start,
                predicted: predicted.collect(),
                position: forecast.jobs[at].probability_within(start.saturating_since(moment.at)),
                within_hour: forecast.jobs[at].probability_within(SimSpan::from_secs(3_600)),
            });
        }
        Ok(MomentRows { at: moment.at, rows, differing, startable })
    }

    /// Simulates a moment with the true run times and submissions.
    fn known_starts(&self, prepared: &Prepared<'_>) -> Result<Vec<Option<SimTime>>, SimulationError> {
        let moment = prepared.moment();
        let run_times: Vec<SimSpan> = moment.jobs().map(|(job, _)| job.run_time).collect();
        let entries = self.schedule.entries();
        let later = entries.partition_point(|entry| entry.job.submit <= moment.at);
        prepared.starts(&run_times, entries[later..].iter().map(|entry| entry.job.clone()))
    }
}

/// Collects the outcomes of a kind of prediction, by moment.
pub fn outcomes(moments: &[MomentRows], predictor: Predictor) -> Vec<Vec<Outcome>> {
    let of_moment =
        |moment: &MomentRows| moment.rows.iter().map(|row| row.outcome(moment.at, predictor)).collect();
    moments.iter().map(of_moment).collect()
}

/// Collects the probabilities of a start within an hour.
pub fn said_within_hour(moments: &[MomentRows]) -> Vec<Said> {
    let of_moment = |moment: &'_ MomentRows| {
        let (at, weight) = (moment.at, 1.0 / moment.rows.len() as f64);
        let said = move |row: &Row| Said {
            probability: row.within_hour,
            has_happened: row.start.saturating_since(at) <= SimSpan::from_secs(3_600),
            weight,
        };
        moment.rows.iter().map(said).collect::<Vec<Said>>()
    };
    moments.iter().flat_map(of_moment).collect()
}
