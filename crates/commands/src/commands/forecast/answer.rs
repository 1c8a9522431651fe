//! Forecast of the jobs of one moment, as it is printed.

use super::backtest::Backtested;
use super::readable;
use crate::output::{Answer, counted, table};
use dfrsim_forecast::forecast::JobForecast;
use dfrsim_forecast::moment::Moment;
use dfrsim_forecast::past::Basis;
use dfrsim_model::{Job, SimSpan, SimTime};
use dfrsim_policies::Policy;
use schemars::JsonSchema;
use serde::Serialize;

/// Answer of `dfrsim forecast`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Answered {
    /// Forecast of one moment.
    Forecast(Forecasts),
    /// Comparison of many moments, with `--backtest`.
    Backtest(Box<Backtested>),
}

impl Answer for Answered {
    fn text(&self) -> String {
        match self {
            Answered::Forecast(answer) => answer.text(),
            Answered::Backtest(answer) => answer.text(),
        }
    }
}

/// Forecast of the waiting jobs of one moment.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Forecasts {
    policy: String,
    /// The moment, in seconds of the log.
    at_s: f64,
    /// Number of simulations.
    draws: u32,
    /// Number of running jobs.
    running: usize,
    /// Number of waiting jobs.
    waiting: usize,
    /// Number of forecast jobs without an earlier job of the same user.
    without_user: usize,
    jobs: Vec<JobAnswer>,
}

/// Forecast of the start of one job.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JobAnswer {
    /// Number of the job, or the words that describe a job of `--submit`.
    job: String,
    user: Option<u32>,
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
    /// Earlier jobs from which its run time is drawn: `identical`, `user`, `class`, `all` or
    /// `nothing`.
    basis: &'static str,
}

impl JobAnswer {
    pub(super) fn new(job: &Job, at: SimTime, forecast: &JobForecast) -> JobAnswer {
        let quantile = |level| forecast.quantile(level).map(SimSpan::as_secs_f64);
        JobAnswer {
            job: job.id.to_string(),
            user: job.user.map(dfrsim_model::UserId::number),
            tasks: job.tasks,
            requested_s: job.requested_time.map(SimSpan::as_secs_f64),
            waited_s: at.saturating_since(job.submit).as_secs_f64(),
            wait_10_s: quantile(0.1),
            wait_50_s: quantile(0.5),
            wait_90_s: quantile(0.9),
            within_hour: forecast.probability_within(SimSpan::from_secs(3_600)),
            within_day: forecast.probability_within(SimSpan::from_secs(86_400)),
            basis: match forecast.basis {
                Basis::Identical => "identical",
                Basis::User => "user",
                Basis::Class => "class",
                Basis::All => "all",
                Basis::Nothing => "nothing",
            },
        }
    }

    pub(super) fn hypothetical(job: &Job, forecast: &JobForecast, words: String) -> JobAnswer {
        JobAnswer { job: words, ..JobAnswer::new(job, job.submit, forecast) }
    }

    /// Returns the median wait; infinite if the job does not start.
    pub(super) fn median(&self) -> f64 {
        self.wait_50_s.unwrap_or(f64::INFINITY)
    }
}

impl Forecasts {
    pub(super) fn new(moment: &Moment, jobs: Vec<JobAnswer>, (draws, policy): (u32, &Policy)) -> Forecasts {
        Forecasts {
            policy: policy.to_string(),
            at_s: moment.at.as_secs_f64(),
            draws,
            running: moment.running.len(),
            waiting: moment.waiting.len(),
            without_user: jobs.iter().filter(|job| !["identical", "user"].contains(&job.basis)).count(),
            jobs,
        }
    }

    /// Formats the forecasts as the CSV file of `--out`.
    pub(super) fn csv(&self) -> String {
        let mut text = String::from(
            "job,user,tasks,requested_s,waited_s,wait_10_s,wait_50_s,wait_90_s,within_hour,within_day,basis\n",
        );
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        for it in &self.jobs {
            let user = it.user.map(|user| user.to_string()).unwrap_or_default();
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

    fn text(&self) -> String {
        let Forecasts { policy, at_s, draws, running, waiting, without_user, jobs } = self;
        let mut text = format!(
            "{policy} at {at_s} s: {running} running, {waiting} waiting; time until the start, of {}\n\n",
            counted(*draws as usize, "simulation"),
        );
        let span = |seconds: Option<f64>| readable(seconds.and_then(SimSpan::try_from_secs_f64));
        let percent = |part: f64| format!("{:.0} %", 100.0 * part);
        let line = |it: &JobAnswer| {
            [
                it.job.clone(),
                it.user.map(|user| user.to_string()).unwrap_or_default(),
                it.tasks.to_string(),
                it.requested_s.map_or(String::new(), |_| span(it.requested_s)),
                span(Some(it.waited_s)),
                span(it.wait_10_s),
                span(it.wait_50_s),
                span(it.wait_90_s),
                percent(it.within_hour),
                percent(it.within_day),
                it.basis.to_owned(),
            ]
        };
        let heading = [
            "job", "user", "tasks", "requested", "waited", "10 %", "50 %", "90 %", "in 1 h", "in 1 d", "run time from",
        ];
        text += &table(heading, jobs.iter().map(line));
        if *without_user > 0 {
            text += &format!(
                "\n{} of users without an earlier job: their run times are drawn from jobs of others\n",
                counted(*without_user, "job")
            );
        }
        text
    }
}
