//! `dfrsim forecast`

mod answer;
mod answered;
mod backtest;
mod judged;
mod picture;
mod times;

use super::policies::known;
use crate::arguments::{WorkloadArguments, limit_threads, one_of};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OutputFile, OutputFiles, bar, counted, notice, print_account};
use crate::picture_files::PictureFile;
use answer::{Forecasts, JobAnswer, Named, Source};
pub(super) use answered::Answered;
use clap::Args;
use dfrsim_cluster::{
    Conditions, EstimateModel, Followers, Options, Overrun, SimulationError, SummaryOptions,
};
use dfrsim_forecast::backtest::History;
use dfrsim_forecast::draw::Correlation;
use dfrsim_forecast::forecast::{Forecast as Drawn, Method};
use dfrsim_forecast::moment::Moment;
use dfrsim_forecast::schedule::Schedule;
use dfrsim_forecast::state::{self, Fault, StateJob, StateMoment};
use dfrsim_model::{Job, JobId, Seed, SimSpan, SimTime, read_text_file};
use dfrsim_policies::{Policy, PolicyOptions, Setup};
use dfrsim_workload::log::Naming;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::iter;
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
    #[arg(long, value_name = "TIME", required_unless_present_any = ["backtest", "state"], conflicts_with = "backtest")]
    at: Option<At>,
    /// State of the running system: the output of squeue, squeue --json or scontrol show job, lines
    /// of sacct --parsable2, or a file of `dfrsim schema state`. The log is then its history
    #[arg(long, value_name = "FILE", conflicts_with = "backtest", value_hint = clap::ValueHint::FilePath)]
    state: Option<PathBuf>,
    /// Take the starts that the log records, instead of those of its simulation
    #[arg(long, conflicts_with = "state")]
    recorded: bool,
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
    /// Picture of the queue to write (.svg, .png or .pdf): the bands from 10 to 90 %. The data are
    /// written beside it as CSV
    #[arg(long, value_name = "FILE.svg", conflicts_with = "backtest", value_hint = clap::ValueHint::AnyPath)]
    picture: Option<PathBuf>,
}

/// Schedule of a log, and the rules under which moments of it are simulated.
struct Past {
    setup: Setup,
    schedule: Schedule,
    /// Seconds since 1970 at second 0 of the schedule, if the log tells.
    origin: Option<i64>,
    /// Numbers of the users by name, if the log has names.
    users: times::Users,
    /// State from a file.
    state: Option<StateMoment>,
}

impl Forecast {
    pub(crate) fn run(mut self, context: &Context<'_>) -> Result<(), Failure> {
        self.policy = known(context.registry).parse(&self.policy_name).map_err(Failure::input)?;
        if matches!(self.policy, Policy::Custom(_)) && self.policy_name.contains(':') {
            return Err(Failure::input(format!(
                "--policy {}: a forecast begins with running jobs, which the protocols of policies in other processes cannot express",
                self.policy_name
            )));
        }
        let threads = limit_threads(self.threads);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::input)?;
        let path = self.workload.path()?;
        let past = self.read(&path)?;
        let answer = pool.install(|| match self.backtest {
            false => self.forecast(&past).map(Answered::Forecast),
            true => self.compare(&past).map(|answer| Answered::Backtest(Box::new(answer))),
        })?;
        context.print(&answer)
    }

    /// Reads the log and the state, and simulates the log under the policy unless the recorded starts
    /// are taken.
    fn read(&self, path: &Path) -> Result<Past, Failure> {
        let (_, opened, nodes) = self.workload.open(None)?;
        self.workload.check_unit(path, &opened)?;
        let header = opened.header().clone();
        let collected = opened.with_jobs(|jobs| {
            iter::from_fn(|| jobs.next_with_record()).map(|(job, record)| (job, record.wait)).collect()
        });
        let (jobs, report): (Vec<(Job, Option<SimSpan>)>, _) =
            collected.map_err(|error| self.workload.log.failure(&error))?;
        print_account(path, &report.account().summary());
        if jobs.is_empty() {
            return Err(self.workload.log.no_jobs(path));
        }
        let without = jobs.iter().filter(|(job, _)| job.requested_time.is_none()).count();
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
        let users = header.names(Naming::User).map(|(number, name)| (name.to_owned(), number)).collect();
        let (schedule, origin) = (Schedule::default(), header.unix_start_time());
        let mut past = Past { setup, schedule, origin, users, state: None };
        let jobs = match &self.state {
            Some(file) => self.read_state(file, jobs, &mut past)?,
            None => jobs,
        };
        past.schedule = if self.recorded || self.state.is_some() {
            recorded(path, jobs, nodes)
        } else {
            let jobs = jobs.into_iter().map(|(job, _)| job);
            Schedule::simulate(&past.setup, jobs, Followers::default()).map_err(failure)?
        };
        Ok(past)
    }

    /// Reads the state of a running system, and returns the jobs of its history: those of the log
    /// that are not in the state, in the time of the earliest of both.
    fn read_state(
        &self,
        file: &Path,
        mut jobs: Vec<(Job, Option<SimSpan>)>,
        past: &mut Past,
    ) -> Result<Vec<(Job, Option<SimSpan>)>, Failure> {
        let text = read_text_file(file).map_err(|error| Failure::in_file(file, error))?;
        let faults = |faults: Vec<Fault>| {
            let lines: Vec<String> =
                faults.iter().map(|fault| format!("{}: {fault}", file.display())).collect();
            Failure::input(lines.join("\n"))
        };
        let Some(start) = past.origin else {
            return Err(Failure::input(
                "--state: the log has no UnixStartTime, so that its times cannot be compared",
            ));
        };
        let at = self.at.map(|at| at.unix(start));
        let has_processors = self.workload.is_of_processors();
        let state = state::read(&text, at, has_processors).map_err(faults)?;
        let origin = start.min(state.earliest());
        let later = SimSpan::from_secs(start.abs_diff(origin));
        let present: FxHashSet<JobId> =
            state.jobs.iter().filter_map(|job| job.name.parse().ok().map(JobId)).collect();
        let before = jobs.len();
        jobs.retain(|(job, _)| !present.contains(&job.id));
        jobs.iter_mut().for_each(|(job, _)| job.submit = job.submit.saturating_add(later));
        let found = state.moment(past.setup.nodes, origin, &past.users).map_err(faults)?;
        notice!(
            "{}: {} running and {} waiting, {} held, {} that have ended, {}",
            file.display(),
            counted(found.moment.running.len(), "job"),
            found.moment.waiting.len(),
            found.held.len(),
            state.counts.ended,
            counted(state.counts.steps, "step")
        );
        let told = [
            (
                state.counts.without_submit,
                "jobs without a submission, assumed to be submitted at their start or now",
            ),
            (found.unknown_users, "users without a job in the history"),
            (found.fulfilled, "dependencies on jobs that are not in the state, taken for fulfilled"),
            (before - jobs.len(), "jobs of the history that are in the state, and not in its past"),
        ];
        for (count, what) in told.into_iter().filter(|(count, _)| *count > 0) {
            notice!("{}: notice: {what}: {count}", file.display());
        }
        past.origin = Some(origin);
        past.state = Some(found);
        Ok(jobs)
    }

    fn method(&self) -> Method {
        let correlation = if self.independent { Correlation::NONE } else { Correlation::default() };
        Method { draws: self.draws, correlation, ..Method::default() }
    }

    /// Returns the moment, and the names of its waiting jobs.
    fn moment(&self, past: &Past, history: &History<'_>) -> Result<(Moment, Vec<Named>), Failure> {
        if let Some(state) = &past.state {
            let named = |job: &StateJob| Named::new(job.name.clone(), job.user.clone(), job.reason.clone());
            return Ok((state.moment.clone(), state.waiting.iter().map(named).collect()));
        }
        let at = self.at.expect("clap requires it without a state and a backtest");
        let at = at.second(past.origin).map_err(Failure::input)?;
        let (first, last) = history.span().unwrap_or_default();
        if at < first || at > last {
            return Err(Failure::input(format!(
                "--at {at}: the log has submissions from {first} to {last} s only"
            )));
        }
        let moment = history.at(at);
        let named = |job: &Job| Named::new(job.id.to_string(), job.user.map(|user| user.to_string()), None);
        let names = moment.waiting.iter().map(named).collect();
        Ok((moment, names))
    }

    /// Forecasts the waiting jobs of one moment, or jobs that would be submitted then. The forecasts
    /// of the weeks before are judged first.
    fn forecast(&self, past: &Past) -> Result<Forecasts, Failure> {
        let history = History::of(&past.schedule);
        let (moment, names) = self.moment(past, &history)?;
        let (at, seed) = (moment.at, Seed::new(self.workload.seed));
        let judgement = history.judge(&past.setup, at, (self.method(), seed)).map_err(failure)?;
        let known = (&history.past, &history.submissions);
        let draw =
            |moment: &Moment| Drawn::of(&past.setup, moment, known, self.method(), seed).map_err(failure);
        let source = Source { history: &history, judgement };
        let jobs = if self.submissions.is_empty() {
            let drawn = draw(&moment)?;
            let rows = moment.waiting.iter().zip(&drawn.jobs).zip(names);
            rows.map(|((job, forecast), named)| JobAnswer::new(named, (job, at), forecast, &source)).collect()
        } else {
            let of_one = |wanted: &times::Hypothetical| {
                let mut moment = moment.clone();
                let job = wanted.job(at, &past.users).map_err(Failure::input)?;
                moment.waiting.push(job.clone());
                let drawn = draw(&moment)?;
                let forecast = drawn.jobs.last().expect("the job is in the moment");
                let named = Named::new(wanted.text(), wanted.user(), None);
                Ok(JobAnswer::new(named, (&job, at), forecast, &source))
            };
            let mut jobs: Vec<JobAnswer> =
                self.submissions.par_iter().map(of_one).collect::<Result<_, Failure>>()?;
            jobs.sort_by(|a, b| a.median().total_cmp(&b.median()));
            jobs
        };
        let held = past.state.as_ref().map_or(&[][..], |state| &state.held);
        let answer = Forecasts::new(&moment, jobs, held.to_vec(), judgement, (self.draws, &self.policy));
        if let Some(path) = &self.out {
            OutputFile::write_text(path, &answer.csv())?;
        }
        if let Some(path) = &self.picture {
            let (picture, mut files) = (PictureFile::new(path)?, OutputFiles::default());
            let figure = dfrsim_plots::draw(&answer.drawing(), &dfrsim_plots::Appearance::default())
                .ok_or_else(|| Failure::Result("no job waits that the picture could show".into()))?;
            picture.write(&mut files, &figure)?;
            files.finish()?;
        }
        Ok(answer)
    }

    /// Forecasts many moments and compares with what happened.
    fn compare(&self, past: &Past) -> Result<backtest::Backtested, Failure> {
        let history = History::of(&past.schedule);
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
        let judgement = history.judge(&past.setup, half, (self.method(), seed)).map_err(failure)?;
        let bar = bar(moments.len() as u64, "{bar:40} {pos}/{len} moments, {per_sec}, {eta} left");
        let compared =
            history.backtest(&past.setup, &moments, (self.method(), seed), || bar.inc(1)).map_err(failure)?;
        bar.finish_and_clear();
        if let Some(path) = &self.out {
            OutputFile::write_text(path, &backtest::csv(&compared))?;
        }
        Ok(backtest::Backtested::new(&compared, idle, judgement, (self.draws, &self.policy)))
    }
}

/// Takes the recorded starts of a log.
fn recorded(path: &Path, jobs: Vec<(Job, Option<SimSpan>)>, nodes: u32) -> Schedule {
    let count = jobs.len();
    let started: Vec<(Job, SimSpan)> =
        jobs.into_iter().filter_map(|(job, wait)| Some((job, wait?))).collect();
    let left_out = count - started.len();
    let (schedule, without_room) = Schedule::recorded(started, nodes);
    let told = [
        (left_out, "jobs without a recorded wait, left out"),
        (
            without_room,
            "jobs that the log has running where too few nodes are left, not simulated while they run",
        ),
    ];
    for (count, what) in told.into_iter().filter(|(count, _)| *count > 0) {
        notice!("{}: notice: {what}: {count}", path.display());
    }
    schedule
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
