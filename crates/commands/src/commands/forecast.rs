//! `dfrsim forecast`

mod answer;
mod backtest;
mod times;

use super::policies::known;
use crate::arguments::{LogArguments, WorkloadArguments, limit_threads, one_of};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OutputFile, bar, notice, print_account};
use answer::JobAnswer;
pub(super) use answer::{Answered, Forecasts};
use clap::Args;
use dfrsim_cluster::{Conditions, EstimateModel, Followers, Options, Overrun, SimulationError, SummaryOptions};
use dfrsim_forecast::backtest::History;
use dfrsim_forecast::draw::Correlation;
use dfrsim_forecast::forecast::{Forecast as Drawn, Method};
use dfrsim_forecast::moment::Moment;
use dfrsim_forecast::schedule::Schedule;
use dfrsim_model::{Job, Seed, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions, Setup};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use times::{At, Duration};

/// Forecast when waiting jobs will start, from the state of a system at one moment
///
/// The moment is simulated many times under the policy, with run times drawn from the past of each
/// user, given the time for which a job has run, and later submissions taken from past weeks. The
/// quantiles of the simulated starts are the forecast. The state is cut out of the simulation of a
/// log. With --backtest many moments are forecast and compared with what happened, beside simpler
/// predictions.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim forecast --workload KTH-SP2-1996-2.1-cln.swf.gz --policy EASY --at 20000000
  dfrsim forecast --workload KTH-SP2-1996-2.1-cln.swf.gz --policy EASY --at 1997-03-14T08:00 --out queue.csv
  dfrsim forecast --workload KTH-SP2-1996-2.1-cln.swf.gz --policy EASY --backtest --moments 200")]
pub(crate) struct Forecast {
    #[command(flatten)]
    workload: WorkloadArguments,
    /// Policy to simulate; `dfrsim policies` lists them
    #[arg(long = "policy", value_name = "NAME")]
    policy_name: String,
    #[arg(skip = Policy::Equipartition)]
    policy: Policy,
    /// Moment of the forecast: a second of the log, or a date such as 2026-03-14T08:00, if the log
    /// has UnixStartTime
    #[arg(long, value_name = "TIME", required_unless_present = "backtest", conflicts_with = "backtest")]
    at: Option<At>,
    /// Forecast a job that is submitted at the moment, such as 'nodes=4 time=2:00:00 user=3', instead
    /// of the waiting ones. Several are forecast one by one, and the first to start comes first
    #[arg(long = "submit", value_name = "JOB", conflicts_with = "backtest")]
    submissions: Vec<times::Hypothetical>,
    /// Run times as the policy knows them: exact, requested, none, factor:F, random:F
    #[arg(long, value_name = "MODEL", default_value = "requested")]
    estimates: EstimateModel,
    /// Treatment of a job that exceeds its estimate: extend or kill
    #[arg(long, value_parser = one_of(Overrun::ALL, Overrun::name), default_value = "kill")]
    overrun: Overrun,
    /// Number of simulations of a moment
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    draws: u32,
    /// Draw the run time of each job for itself; otherwise those of a user move together
    #[arg(long)]
    independent: bool,
    /// Forecast many moments of the second half of the log and compare with what happened
    #[arg(long)]
    backtest: bool,
    /// Number of random moments of a backtest
    #[arg(long, value_name = "N", default_value_t = 200, requires = "backtest")]
    moments: usize,
    /// Time between the moments of a backtest, such as 6h, instead of random ones
    #[arg(long, value_name = "TIME", requires = "backtest", conflicts_with = "moments")]
    every: Option<Duration>,
    /// Number of threads; 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// File to write: one line for each job, with quantiles; with --backtest for each job and moment
    #[arg(long, value_name = "FILE.csv", value_hint = clap::ValueHint::AnyPath)]
    out: Option<PathBuf>,
}

/// Schedule of a log under the policy, and its setup.
struct Simulated {
    setup: Setup,
    schedule: Schedule,
    /// Seconds since 1970 at second 0 of the log, if it tells.
    unix_start: Option<i64>,
}

impl Forecast {
    pub(crate) fn run(mut self, context: &Context<'_>) -> Result<(), Failure> {
        self.policy = known(context.registry).parse(&self.policy_name).map_err(Failure::input)?;
        let threads = limit_threads(self.threads);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::input)?;
        let path = self.workload.path()?;
        let simulated = self.simulate(&path)?;
        let answer = pool.install(|| match self.at {
            Some(at) => self.forecast(&simulated, at).map(Answered::Forecast),
            None => self.backtest(&simulated).map(|answer| Answered::Backtest(Box::new(answer))),
        })?;
        context.print(&answer)
    }

    /// Reads the log and simulates it under the policy.
    fn simulate(&self, path: &Path) -> Result<Simulated, Failure> {
        let (_, opened, nodes) = self.workload.open(None)?;
        self.workload.check_unit(path, &opened)?;
        let unix_start = opened.header().unix_start_time();
        let collected = opened.with_jobs(|jobs| jobs.collect::<Vec<Job>>());
        let (jobs, report) = collected.map_err(|error| self.workload.log.failure(&error))?;
        print_account(path, &report.account().summary());
        if jobs.is_empty() {
            return Err(LogArguments::no_jobs(path));
        }
        let without = jobs.iter().filter(|job| job.requested_time.is_none()).count();
        if without > 0 {
            notice!(
                "{}: notice: {without} of {} jobs have no requested time (field 9): the policy knows the run times that are drawn",
                path.display(),
                jobs.len()
            );
        }
        let options = Options {
            estimates: self.estimates,
            overrun: self.overrun,
            seed: Seed::new(self.workload.seed),
            ..Options::default()
        };
        let setup = Setup::new(
            (self.policy, PolicyOptions::default()),
            nodes,
            Conditions::default(),
            options,
            SummaryOptions::new(nodes),
        );
        let schedule = Schedule::simulate(&setup, jobs, Followers::default()).map_err(failure)?;
        Ok(Simulated { setup, schedule, unix_start })
    }

    fn method(&self) -> Method {
        let correlation = if self.independent { Correlation::NONE } else { Correlation::default() };
        Method { draws: self.draws, correlation, ..Method::default() }
    }

    /// Forecasts the waiting jobs of one moment, or jobs that would be submitted then.
    fn forecast(&self, simulated: &Simulated, at: At) -> Result<Forecasts, Failure> {
        let history = History::of(&simulated.schedule);
        let at = at.second(simulated.unix_start).map_err(Failure::input)?;
        let (first, last) = history.span().unwrap_or_default();
        if at < first || at > last {
            return Err(Failure::input(format!("--at {at}: the log has submissions from {first} to {last} s only")));
        }
        let moment = simulated.schedule.at(at);
        let seed = Seed::new(self.workload.seed);
        let known = (&history.past, &history.submissions);
        let draw = |moment: &Moment| Drawn::of(&simulated.setup, moment, known, self.method(), seed).map_err(failure);
        let jobs = if self.submissions.is_empty() {
            let drawn = draw(&moment)?;
            let pairs = moment.waiting.iter().zip(&drawn.jobs);
            pairs.map(|(job, forecast)| JobAnswer::new(job, at, forecast)).collect()
        } else {
            let of_one = |wanted: &times::Hypothetical| {
                let mut moment = moment.clone();
                let job = wanted.job(at);
                moment.waiting.push(job.clone());
                let drawn = draw(&moment)?;
                let forecast = drawn.jobs.last().expect("the job is in the moment");
                Ok(JobAnswer::hypothetical(&job, forecast, wanted.text()))
            };
            let mut jobs: Vec<JobAnswer> =
                self.submissions.par_iter().map(of_one).collect::<Result<_, Failure>>()?;
            jobs.sort_by(|a, b| a.median().total_cmp(&b.median()));
            jobs
        };
        let answer = Forecasts::new(&moment, jobs, (self.draws, &self.policy));
        if let Some(path) = &self.out {
            OutputFile::write_text(path, &answer.csv())?;
        }
        Ok(answer)
    }

    /// Forecasts many moments and compares with what happened.
    fn backtest(&self, simulated: &Simulated) -> Result<backtest::Backtested, Failure> {
        let history = History::of(&simulated.schedule);
        let (first, last) = history.span().unwrap_or_default();
        let half = SimTime::from_micros(first.micros() + last.since(first).micros() / 2);
        let seed = Seed::new(self.workload.seed);
        let (moments, idle) = match &self.every {
            Some(every) => history.regular_moments((half, last), every.span()),
            None => history.draw_moments((half, last), self.moments, seed),
        };
        if moments.is_empty() {
            return Err(Failure::Result("no job waits at any moment of the second half of the log".into()));
        }
        let bar = bar(moments.len() as u64, "{bar:40} {pos}/{len} moments, {per_sec}, {eta} left");
        let compared = history
            .backtest(&simulated.setup, &moments, (self.method(), seed), || bar.inc(1))
            .map_err(failure)?;
        bar.finish_and_clear();
        if let Some(path) = &self.out {
            OutputFile::write_text(path, &backtest::csv(&compared))?;
        }
        Ok(backtest::Backtested::new(&compared, idle, (self.draws, &self.policy)))
    }
}

fn failure(error: SimulationError) -> Failure {
    match error {
        SimulationError::BeyondRange(_) | SimulationError::Beginning(_) => Failure::input(error),
        _ => Failure::Result(error.to_string()),
    }
}

/// Formats a span for people: `12 s`, `5 min`, `3 h 20 min`, `2 d 4 h`.
fn readable(span: Option<SimSpan>) -> String {
    let Some(span) = span else { return "later".to_owned() };
    let seconds = span.micros() / 1_000_000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{minutes} min"),
        3_600..86_400 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}
