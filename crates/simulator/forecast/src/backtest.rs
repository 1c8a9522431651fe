//! Forecasts from many snapshots of a schedule, compared with the actual starts.

mod assessment;
mod corrected;

pub use assessment::{Assessment, MIN_COVERAGE};

use crate::baseline::plan::Plan;
use crate::baseline::waits::PastWaits;
use crate::forecast::{Forecast, Method, Prepared};
use crate::past::{Distribution, Past};
use crate::schedule::Schedule;
use crate::score::{BinaryForecast, LEVELS, Outcome, Quantiles};
use crate::snapshot::Snapshot;
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
        /// Plan by requested times, corrected by the quantiles of its own past errors.
        CorrectedRequests = "plan by requests with own errors",
        /// Plan by medians, corrected by the quantiles of its own past errors.
        CorrectedMedians = "plan by medians with own errors",
        /// Plan by the last two run times, corrected by the quantiles of its own past
        /// errors.
        CorrectedLastTwo = "plan by the last two with own errors",
        /// Median wait of similar jobs in the last week.
        SimilarMedian = "median of similar waits",
        /// Quantiles of the waits of similar jobs in the last week.
        SimilarWaits = "quantiles of similar waits",
        /// Bounds of quantiles of past waits by the binomial method (QBETS).
        Bounds = "bounds of past waits (QBETS)",
    }
}

/// Schedule whose snapshots are forecast, with indices of what was known at each time.
#[derive(Debug)]
pub struct History<'a> {
    schedule: &'a Schedule,
    /// Run times of jobs that have ended.
    pub past: Past,
    /// Waits of jobs that have started.
    pub waits: PastWaits,
    /// Submissions.
    pub submissions: Submissions,
    /// Jobs whose simulation made the schedule; empty if it was recorded.
    simulated: &'a [(Job, Option<Dependencies>)],
}

/// Waiting job of a snapshot, with all predictions.
#[derive(Clone, Debug)]
pub struct Row {
    /// The job.
    pub job: Job,
    /// Time of the start.
    pub start: SimTime,
    /// Predicted quantiles of the wait after the snapshot, in seconds, by [`Predictor`].
    predicted: Vec<Quantiles>,
    /// Forecast probability of a start within an hour.
    pub within_hour: f64,
    /// Fraction of the draws in which the job starts no later than it actually did.
    position: f64,
}

/// Snapshot with its waiting jobs.
#[derive(Clone, Debug)]
pub struct SnapshotRows {
    /// Time of the snapshot.
    pub at: SimTime,
    /// Waiting jobs that start later in the schedule.
    pub rows: Vec<Row>,
    /// Number of waiting jobs whose start differs from the schedule even with the true run
    /// times and submissions. Zero unless the state is incomplete, or other rules made the
    /// schedule.
    pub differing: usize,
    /// Number of waiting jobs that the rules would have started already, although they have
    /// waited for ten minutes.
    pub startable: usize,
}

impl Row {
    /// Returns a prediction together with the actual wait.
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

    /// Adds the jobs whose simulation made the schedule, with their dependencies. Snapshots
    /// then include the memory of the policy.
    #[must_use]
    pub fn simulated_from(self, simulated: &'a [(Job, Option<Dependencies>)]) -> History<'a> {
        History { simulated, ..self }
    }

    /// Adds the memory of the policy to snapshots, which are in order of time, and leaves out
    /// those at which all jobs start.
    ///
    /// # Errors
    /// The errors of the simulation.
    pub fn remember(&self, setup: &Setup, snapshots: &mut Vec<Snapshot>) -> Result<(), SimulationError> {
        if self.simulated.is_empty() || snapshots.is_empty() {
            return Ok(());
        }
        self.schedule.remember(setup, Followers::split(self.simulated.iter().cloned()), snapshots)?;
        snapshots.retain(|snapshot| !snapshot.waiting.is_empty());
        Ok(())
    }

    /// Returns the state at a time.
    pub fn at(&self, at: SimTime) -> Snapshot {
        self.schedule.at(at)
    }

    /// Returns the first and the last submission.
    pub fn span(&self) -> Option<(SimTime, SimTime)> {
        let entries = self.schedule.entries();
        Some((entries.first()?.job.submit, entries.last()?.job.submit))
    }

    /// Draws random times between two times, and returns the snapshots at which jobs wait, in
    /// order; fewer if there are few. Also returns the number of times at which no job waited.
    pub fn draw_snapshots(
        &self,
        (from, to): (SimTime, SimTime),
        count: usize,
        seed: Seed,
    ) -> (Vec<Snapshot>, usize) {
        let mut rng = seed.fork("moments").rng();
        let (mut snapshots, mut idle) = (Vec::new(), 0);
        while snapshots.len() < count && idle < 100 * count && from < to {
            let at = SimTime::from_secs(rng.random_range(from.micros()..to.micros()) / 1_000_000);
            let snapshot = self.schedule.at(at);
            if snapshot.waiting.is_empty() { idle += 1 } else { snapshots.push(snapshot) }
        }
        snapshots.sort_by_key(|snapshot| snapshot.at);
        (snapshots, idle)
    }

    /// Returns the snapshots at regular times at which jobs wait, and the number of times at
    /// which none did.
    pub fn regular_snapshots(
        &self,
        (from, to): (SimTime, SimTime),
        every: SimSpan,
    ) -> (Vec<Snapshot>, usize) {
        let (mut snapshots, mut idle, mut at) = (Vec::new(), 0, from);
        while at < to {
            let snapshot = self.schedule.at(at);
            if snapshot.waiting.is_empty() {
                idle += 1;
            } else {
                snapshots.push(snapshot);
            }
            at = at.saturating_add(every.max(SimSpan::from_secs(1)));
        }
        (snapshots, idle)
    }

    /// Forecasts snapshots, in order of time, and compares the forecasts with the actual
    /// starts. `progress` is called after each snapshot.
    ///
    /// # Errors
    /// The errors of the simulations.
    pub fn backtest(
        &self,
        setup: &Setup,
        snapshots: &[Snapshot],
        (method, seed): (Method, Seed),
        progress: impl Fn() + Sync,
    ) -> Result<Vec<SnapshotRows>, SimulationError> {
        let compare = |snapshot: &Snapshot| {
            let rows = self.compare(setup, snapshot, (method, seed.numbered(snapshot.at.micros())));
            progress();
            rows
        };
        let compared: Result<Vec<SnapshotRows>, SimulationError> =
            snapshots.par_iter().map(compare).collect();
        let mut compared = compared?;
        Errors::correct(&mut compared);
        Ok(compared)
    }

    /// Predicts the starts of one snapshot in all ways that do not need other snapshots.
    fn compare(
        &self,
        setup: &Setup,
        snapshot: &Snapshot,
        (method, seed): (Method, Seed),
    ) -> Result<SnapshotRows, SimulationError> {
        let forecast = Forecast::of(setup, snapshot, (&self.past, &self.submissions), method, seed)?;
        let prepared = Prepared::new(setup, snapshot, method.horizon)?;
        let distributions = self.past.distributions(snapshot);
        let distributions: Vec<&Distribution> = distributions.iter().map(|(it, _)| it).collect();
        let plan = |plan: Plan| plan.waits(&prepared, &self.past, &distributions);
        let [requests, medians, last_two] =
            [plan(Plan::Requests)?, plan(Plan::Medians)?, plan(Plan::LastTwo)?];
        let known = self.known_starts(&prepared)?;
        let (mut rows, mut differing, mut startable) = (Vec::new(), 0, 0);
        for (at, job) in snapshot.waiting.iter().enumerate() {
            let entry = snapshot.order.get(&job.id).map(|&place| &self.schedule.entries()[place]);
            let Some(start) = entry.and_then(|entry| entry.start_after(snapshot.at)) else { continue };
            differing += usize::from(known[at] != Some(start));
            let waited = snapshot.at.saturating_since(job.submit);
            startable += usize::from(known[at] == Some(snapshot.at) && waited > SimSpan::from_secs(600));
            let never = method.horizon;
            let point = |waits: &[Option<SimSpan>]| [waits[at].unwrap_or(never).as_secs_f64(); 3];
            let of = |it: [SimSpan; 3]| it.map(SimSpan::as_secs_f64);
            let similar = of(self.waits.quantiles(job, snapshot.at, LEVELS));
            let predicted = Predictor::ALL.iter().map(|predictor| match predictor {
                Predictor::Forecast => {
                    LEVELS.map(|level| forecast.jobs[at].quantile(level).unwrap_or(never).as_secs_f64())
                }
                Predictor::PlanByRequests | Predictor::CorrectedRequests => point(&requests),
                Predictor::PlanByMedians | Predictor::CorrectedMedians => point(&medians),
                Predictor::PlanByLastTwo | Predictor::CorrectedLastTwo => point(&last_two),
                Predictor::SimilarMedian => [similar[1]; 3],
                Predictor::SimilarWaits => similar,
                Predictor::Bounds => of(self.waits.bounds(job, snapshot.at, LEVELS)),
            });
            rows.push(Row {
                job: job.clone(),
                start,
                predicted: predicted.collect(),
                position: forecast.jobs[at].probability_within(start.saturating_since(snapshot.at)),
                within_hour: forecast.jobs[at].probability_within(SimSpan::from_secs(3_600)),
            });
        }
        Ok(SnapshotRows { at: snapshot.at, rows, differing, startable })
    }

    /// Simulates a snapshot with the true run times and submissions.
    fn known_starts(&self, prepared: &Prepared<'_>) -> Result<Vec<Option<SimTime>>, SimulationError> {
        let snapshot = prepared.snapshot();
        let run_times: Vec<SimSpan> = snapshot.jobs().map(|(job, _)| job.run_time).collect();
        let entries = self.schedule.entries();
        let later = entries.partition_point(|entry| entry.job.submit <= snapshot.at);
        prepared.starts(&run_times, entries[later..].iter().map(|entry| entry.job.clone()))
    }
}

/// Collects the outcomes of a kind of prediction, by snapshot.
pub fn outcomes(snapshots: &[SnapshotRows], predictor: Predictor) -> Vec<Vec<Outcome>> {
    let of_snapshot = |snapshot: &SnapshotRows| {
        snapshot.rows.iter().map(|row| row.outcome(snapshot.at, predictor)).collect()
    };
    snapshots.iter().map(of_snapshot).collect()
}

/// Collects the forecast probabilities of a start within an hour.
pub fn forecasts_within_hour(snapshots: &[SnapshotRows]) -> Vec<BinaryForecast> {
    let of_snapshot = |snapshot: &'_ SnapshotRows| {
        let (at, weight) = (snapshot.at, 1.0 / snapshot.rows.len() as f64);
        let forecast = move |row: &Row| BinaryForecast {
            probability: row.within_hour,
            has_occurred: row.start.saturating_since(at) <= SimSpan::from_secs(3_600),
            weight,
        };
        snapshot.rows.iter().map(forecast).collect::<Vec<BinaryForecast>>()
    };
    snapshots.iter().flat_map(of_snapshot).collect()
}
