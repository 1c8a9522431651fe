//! Answer with the forecast of the jobs of one snapshot.

use super::assessed::Assessed;
use super::{picture, readable};
use crate::output::{counted, table};
use dfrsim_forecast::backtest::{Assessment, History, Predictor};
use dfrsim_forecast::forecast::JobForecast;
use dfrsim_forecast::past::Basis;
use dfrsim_forecast::score::LEVELS;
use dfrsim_forecast::snapshot::Snapshot;
use dfrsim_lab::Drawing;
use dfrsim_model::{Job, SimSpan, SimTime};
use dfrsim_policies::Policy;
use schemars::JsonSchema;
use serde::Serialize;

/// Forecast of the waiting jobs of one snapshot.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Forecasts {
    policy: String,
    /// Time of the snapshot, in seconds of the log.
    at_s: f64,
    /// Number of simulations.
    draws: u32,
    /// Number of running jobs.
    running: usize,
    /// Number of waiting jobs.
    waiting: usize,
    /// Number of forecast jobs without an earlier job of the same user.
    without_user: usize,
    /// Names of the held jobs, which have no forecast.
    held: Vec<String>,
    /// Assessment of the forecasts of the weeks before; none if there are too few of them.
    judged: Option<Assessed>,
    jobs: Vec<JobAnswer>,
}

/// Forecast of the start of one job.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JobAnswer {
    /// Number of the job, or the words that describe a job of `--submit`.
    job: String,
    /// Reason for which it waits, if the state has it.
    reason: Option<String>,
    /// User, by name or by number in the log.
    user: Option<String>,
    tasks: u32,
    requested_s: Option<f64>,
    /// Time for which it has waited.
    waited_s: f64,
    /// Time until its start that is exceeded with a probability of 90 %; none if it does not start
    /// within a year.
    wait_10_s: Option<f64>,
    /// Median time until its start.
    wait_50_s: Option<f64>,
    /// Time until its start that is exceeded with a probability of 10 %.
    wait_90_s: Option<f64>,
    /// Probability of a start within an hour.
    within_hour: f64,
    /// Probability of a start within a day.
    within_day: f64,
    /// Group of the earlier jobs from which its run time is drawn: `identical`, `user`,
    /// `class`, `all` or `nothing`.
    basis: &'static str,
}

/// Name and user of a job, and the reason for which it waits.
pub(super) struct Named {
    name: String,
    user: Option<String>,
    reason: Option<String>,
}

impl Named {
    pub(super) fn new(name: String, user: Option<String>, reason: Option<String>) -> Named {
        Named { name, user, reason }
    }
}

/// Source of the quantiles: the draws, at calibrated levels, or past waits if the rules do not describe
/// the site.
pub(super) struct Source<'a> {
    pub(super) history: &'a History<'a>,
    pub(super) assessment: Option<Assessment>,
}

impl Source<'_> {
    /// Returns the quantiles of the wait of a job.
    fn quantiles(&self, job: &Job, at: SimTime, forecast: &JobForecast) -> [Option<SimSpan>; 3] {
        let waits = &self.history.waits;
        match self.assessment {
            None => LEVELS.map(|level| forecast.quantile(level)),
            Some(Assessment { used: Predictor::SimilarWaits, .. }) => {
                waits.quantiles(job, at, LEVELS).map(Some)
            }
            Some(Assessment { used: Predictor::Bounds, .. }) => waits.bounds(job, at, LEVELS).map(Some),
            Some(Assessment { levels, .. }) => levels.map(|level| forecast.quantile(level)),
        }
    }

    /// Returns the probability that the wait is at most this long.
    fn probability_within(&self, job: &Job, at: SimTime, forecast: &JobForecast, span: SimSpan) -> f64 {
        let uses_waits = |it: &Assessment| it.used != Predictor::Forecast;
        match self.assessment.filter(uses_waits) {
            None => forecast.probability_within(span),
            Some(_) => {
                let levels: [f64; 101] = std::array::from_fn(|percent| percent as f64 / 100.0);
                let waits = self.history.waits.quantiles(job, at, levels);
                waits.iter().filter(|&&wait| wait <= span).count() as f64 / levels.len() as f64
            }
        }
    }
}

impl JobAnswer {
    pub(super) fn new(
        Named { name, user, reason }: Named,
        (job, at): (&Job, SimTime),
        forecast: &JobForecast,
        source: &Source<'_>,
    ) -> JobAnswer {
        let quantiles = source.quantiles(job, at, forecast);
        let [low, median, high] = quantiles.map(|wait| wait.map(SimSpan::as_secs_f64));
        let within =
            |hours: u64| source.probability_within(job, at, forecast, SimSpan::from_secs(hours * 3_600));
        JobAnswer {
            job: name,
            reason,
            user,
            tasks: job.tasks,
            requested_s: job.requested_time.map(SimSpan::as_secs_f64),
            waited_s: at.saturating_since(job.submit).as_secs_f64(),
            wait_10_s: low,
            wait_50_s: median,
            wait_90_s: high,
            within_hour: within(1),
            within_day: within(24),
            basis: match forecast.basis {
                Basis::Identical => "identical",
                Basis::User => "user",
                Basis::Class => "class",
                Basis::All => "all",
                Basis::Nothing => "nothing",
            },
        }
    }

    /// Returns the median wait; infinite if the job does not start.
    pub(super) fn median(&self) -> f64 {
        self.wait_50_s.unwrap_or(f64::INFINITY)
    }
}

impl Forecasts {
    pub(super) fn new(
        snapshot: &Snapshot,
        jobs: Vec<JobAnswer>,
        held: Vec<String>,
        assessment: Option<Assessment>,
        (draws, policy): (u32, &Policy),
    ) -> Forecasts {
        Forecasts {
            policy: policy.to_string(),
            at_s: snapshot.at.as_secs_f64(),
            draws,
            running: snapshot.running.len(),
            waiting: snapshot.waiting.len(),
            held,
            judged: assessment.map(Assessed::new),
            without_user: jobs.iter().filter(|job| !["identical", "user"].contains(&job.basis)).count(),
            jobs,
        }
    }

    /// Describes the picture of `--picture`.
    pub(super) fn drawing(&self) -> Drawing {
        let bands =
            self.jobs.iter().map(|job| (job.job.as_str(), [job.wait_10_s, job.wait_50_s, job.wait_90_s]));
        picture::of(format!("{} at {} s", self.policy, self.at_s), bands)
    }

    /// Formats the forecasts as the CSV file of `--out`.
    pub(super) fn csv(&self) -> String {
        let mut text = String::from(
            "job,user,tasks,requested_s,waited_s,wait_10_s,wait_50_s,wait_90_s,within_hour,within_day,basis\n",
        );
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        for it in &self.jobs {
            let user = it.user.as_deref().unwrap_or_default();
            let waits = [it.wait_10_s, it.wait_50_s, it.wait_90_s].map(number).join(",");
            text += &format!(
                "{},{user},{},{},{},{waits},{},{},{}\n",
                it.job,
                it.tasks,
                number(it.requested_s),
                it.waited_s,
                it.within_hour,
                it.within_day,
                it.basis
            );
        }
        text
    }

    pub(super) fn text(&self) -> String {
        let Forecasts { policy, at_s, draws, running, waiting, without_user, held, judged, jobs } = self;
        let mut text = format!(
            "{policy} at {at_s} s: {running} running, {waiting} waiting; time until the start, of {}\n",
            counted(*draws as usize, "simulation"),
        );
        match judged {
            Some(judged) => text += &judged.text(),
            None => text += "the weeks before have too few moments with waiting jobs to assess forecasts\n",
        }
        text.push('\n');
        let span = |seconds: Option<f64>| readable(seconds.and_then(SimSpan::try_from_secs_f64));
        let percent = |part: f64| format!("{:.0} %", 100.0 * part);
        let line = |it: &JobAnswer| {
            [
                it.job.clone(),
                it.user.clone().unwrap_or_default(),
                it.tasks.to_string(),
                it.requested_s.map_or(String::new(), |_| span(it.requested_s)),
                span(Some(it.waited_s)),
                span(it.wait_10_s),
                span(it.wait_50_s),
                span(it.wait_90_s),
                percent(it.within_hour),
                percent(it.within_day),
                it.basis.to_owned(),
                it.reason.clone().unwrap_or_default(),
            ]
        };
        let heading = [
            "job",
            "user",
            "tasks",
            "requested",
            "waited",
            "10 %",
            "50 %",
            "90 %",
            "in 1 h",
            "in 1 d",
            "run time from",
            "waits for",
        ];
        text += &table(heading, jobs.iter().map(line));
        if *without_user > 0 {
            text += &format!(
                "\n{} of users without an earlier job: their run times are drawn from jobs of others\n",
                counted(*without_user, "job")
            );
        }
        if !held.is_empty() {
            text += &format!("\nheld, without a forecast: {}\n", held.join(", "));
        }
        text
    }
}
