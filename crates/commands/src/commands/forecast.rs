//! `dfrsim forecast`

mod answer;
mod answered;
mod assessed;
mod backtest;
mod picture;
mod reading;
mod times;

use super::policies::known;
use super::simulate::SystemArguments;
use crate::arguments::{WorkloadArguments, limit_threads, one_of};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OutputFile, OutputFiles, bar, notice};
use crate::picture_files::PictureFile;
use answer::{Forecasts, JobAnswer, Named, Source};
pub(super) use answered::Answered;
use clap::Args;
use dfrsim_cluster::{EstimateModel, Overrun, SimulationError};
use dfrsim_forecast::backtest::History;
use dfrsim_forecast::draw::Correlation;
use dfrsim_forecast::forecast::{Forecast as Drawn, Method};
use dfrsim_forecast::snapshot::Snapshot;
use dfrsim_forecast::state::StateJob;
use dfrsim_model::platform::classes::Misfits;
use dfrsim_model::{Job, JobId, Seed, SimSpan, SimTime};
use dfrsim_policies::Policy;
use rayon::prelude::*;
use reading::{NOT_IN_QUEUE, Past};
use std::path::PathBuf;
use times::{At, Duration};

/// Forecast when waiting jobs will start, from the state of a system
///
/// The state is simulated many times under the policy, with run times drawn from the past of each
/// user, given the time for which a job has run, and later submissions taken from past weeks. The
/// quantiles of the simulated starts are the forecast. The state is read from a file, or is that of
/// a log's simulation at a time. With --backtest many past moments are forecast, and the forecasts
/// and simpler predictions are compared with the actual starts.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim forecast --workload KTH-SP2-1996-2.1-cln.swf.gz --policy EASY --at 20000000
  dfrsim forecast --workload KTH-SP2-1996-2.1-cln.swf.gz --policy EASY --at 1997-03-14T08:00 --out queue.csv
  dfrsim forecast --workload KTH-SP2-1996-2.1-cln.swf.gz --policy EASY --backtest --moments 200
  dfrsim forecast --workload past.sacct --slurm-conf slurm.conf --policy SLURM --state queue.txt --node-states nodes.txt")]
pub(crate) struct Forecast {
    #[command(flatten)]
    workload: WorkloadArguments,
    /// Policy to simulate; `dfrsim policies` lists them
    #[arg(long = "policy", value_name = "NAME")]
    policy_name: String,
    #[arg(skip = Policy::Equipartition)]
    policy: Policy,
    /// Time of the forecast: a second of the log, or a date such as 2026-03-14T08:00, if the log
    /// has UnixStartTime
    #[arg(long, value_name = "TIME", required_unless_present_any = ["backtest", "state"], conflicts_with = "backtest")]
    at: Option<At>,
    /// State of the running system: the output of squeue, squeue --json or scontrol show job, lines
    /// of sacct --parsable2, or a file of `dfrsim schema state`. The log is then its history
    #[arg(long, value_name = "FILE", conflicts_with = "backtest", value_hint = clap::ValueHint::FilePath)]
    state: Option<PathBuf>,
    /// Nodes that are down or drained: the output of scontrol show node, or of sinfo with the columns
    /// NODELIST and STATE. They remain down or drained
    #[arg(long = "node-states", value_name = "FILE", requires_all = ["state", "slurm_conf"], value_hint = clap::ValueHint::FilePath)]
    node_states: Option<PathBuf>,
    /// Take the starts that the log records, instead of those of its simulation
    #[arg(long, conflicts_with = "state")]
    recorded: bool,
    /// Forecast a job that is submitted at that time, such as 'nodes=4 time=2:00:00 user=3', instead
    /// of the waiting ones. Several are forecast one by one, and the first to start comes first
    #[arg(long = "submit", value_name = "JOB", conflicts_with = "backtest")]
    submissions: Vec<times::Hypothetical>,
    /// Run times as the policy knows them: exact, requested, none, factor:F, random:F
    #[arg(long, value_name = "MODEL", default_value = "requested")]
    estimates: EstimateModel,
    /// Treatment of a job that exceeds its estimate: extend or kill
    #[arg(long, value_parser = one_of(Overrun::ALL, Overrun::name), default_value = "kill")]
    overrun: Overrun,
    /// Number of simulations of each moment
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    draws: u32,
    /// Draw run times independently; otherwise those of a user's jobs are correlated
    #[arg(long)]
    independent: bool,
    /// Forecast many moments of the second half of the log and compare with the actual starts
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
    #[command(flatten)]
    system: SystemArguments,
    /// File to write: one line for each job, with quantiles; with --backtest for each job and moment
    #[arg(long, value_name = "FILE.csv", value_hint = clap::ValueHint::AnyPath)]
    out: Option<PathBuf>,
    /// Picture of the queue to write (.svg, .png or .pdf): the bands from 10 to 90 %. The data are
    /// also written as CSV, to a file of the same name
    #[arg(long, value_name = "FILE.svg", conflicts_with = "backtest", value_hint = clap::ValueHint::AnyPath)]
    picture: Option<PathBuf>,
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
        let past = self.read()?;
        let answer = pool.install(|| match self.backtest {
            false => self.forecast(&past).map(Answered::Forecast),
            true => self.compare(&past).map(|answer| Answered::Backtest(Box::new(answer))),
        })?;
        context.print(&answer)
    }

    fn method(&self) -> Method {
        let correlation = if self.independent { Correlation::NONE } else { Correlation::default() };
        Method { draws: self.draws, correlation, ..Method::default() }
    }

    /// Returns the snapshot to forecast, and the names of its waiting jobs.
    fn snapshot(&self, past: &Past, history: &History<'_>) -> Result<(Snapshot, Vec<Named>), Failure> {
        if let Some(state) = &past.state {
            let named = |job: &StateJob| Named::new(job.name.clone(), job.user.clone(), job.reason.clone());
            return Ok((state.snapshot.clone(), state.waiting.iter().map(named).collect()));
        }
        let at = self.at.expect("clap requires it without a state and a backtest");
        let at = at.second(past.origin).map_err(Failure::input)?;
        let (first, last) = history.span().unwrap_or_default();
        if at < first || at > last {
            return Err(Failure::input(format!(
                "--at {at}: the log has submissions from {first} to {last} s only"
            )));
        }
        let mut snapshots = vec![history.at(at)];
        history.remember(&past.setup, &mut snapshots).map_err(failure)?;
        let snapshot = snapshots.pop().unwrap_or_else(|| Snapshot { at, ..Snapshot::default() });
        let named = |job: &Job| Named::new(job.id.to_string(), job.user.map(|user| user.to_string()), None);
        let names = snapshot.waiting.iter().map(named).collect();
        Ok((snapshot, names))
    }

    /// Forecasts the waiting jobs of one snapshot, or hypothetical jobs that are submitted at its
    /// time. The forecasts of the weeks before are assessed first.
    fn forecast(&self, past: &Past) -> Result<Forecasts, Failure> {
        let history = History::of(&past.schedule).simulated_from(&past.simulated);
        let (snapshot, names) = self.snapshot(past, &history)?;
        let (at, seed) = (snapshot.at, Seed::new(self.workload.seed));
        if history.span().is_none_or(|(first, _)| at.saturating_since(first) < WEEK) {
            notice!(
                "{}: notice: it has less than a week of jobs before the forecast: later submissions are not simulated",
                self.workload.path()?.display()
            );
        }
        self.tell_misfits(past, snapshot.waiting.iter().chain(past.submitted.values()));
        let assessment = history.assess(&past.setup, at, (self.method(), seed)).map_err(failure)?;
        let known = (&history.past, &history.submissions);
        let draw = |snapshot: &Snapshot| {
            Drawn::of(&past.setup, snapshot, known, self.method(), seed).map_err(failure)
        };
        let source = Source { history: &history, assessment };
        let jobs = if self.submissions.is_empty() {
            let drawn = draw(&snapshot)?;
            let rows = snapshot.waiting.iter().zip(&drawn.jobs).zip(names);
            rows.map(|((job, forecast), named)| JobAnswer::new(named, (job, at), forecast, &source)).collect()
        } else {
            let of_one = |(number, wanted): (u64, &times::Hypothetical)| {
                let mut snapshot = snapshot.clone();
                let job = match past.submitted.get(&JobId(NOT_IN_QUEUE + number)) {
                    Some(job) => job.clone(),
                    None => wanted.job(at, &past.users).map_err(Failure::input)?,
                };
                snapshot.waiting.push(job.clone());
                let drawn = draw(&snapshot)?;
                let forecast = drawn.jobs.last().expect("the snapshot has the hypothetical job");
                let named = Named::new(wanted.text(), wanted.user(), None);
                Ok(JobAnswer::new(named, (&job, at), forecast, &source))
            };
            let numbered: Vec<(u64, &times::Hypothetical)> = (0..).zip(&self.submissions).collect();
            let mut jobs: Vec<JobAnswer> =
                numbered.into_par_iter().map(of_one).collect::<Result<_, Failure>>()?;
            jobs.sort_by(|a, b| a.median().total_cmp(&b.median()));
            jobs
        };
        let held = past.state.as_ref().map_or(&[][..], |state| &state.held);
        let answer = Forecasts::new(&snapshot, jobs, held.to_vec(), assessment, (self.draws, &self.policy));
        if let Some(path) = &self.out {
            OutputFile::write_text(path, &answer.csv())?;
        }
        if let Some(path) = &self.picture {
            let (picture, mut files) = (PictureFile::new(path)?, OutputFiles::default());
            let figure = dfrsim_plots::draw(&answer.drawing(), &dfrsim_plots::Appearance::default())
                .ok_or_else(|| Failure::Result("no job waits, so there is nothing to draw".into()))?;
            picture.write(&mut files, &figure)?;
            files.finish()?;
        }
        Ok(answer)
    }

    /// Prints a notice of the jobs that no node can hold, so that they never start.
    fn tell_misfits<'a>(&self, past: &Past, jobs: impl Iterator<Item = &'a Job>) {
        let Some(nodes) = &past.setup.options.unequal else { return };
        let mut misfits = Misfits::default();
        jobs.for_each(|job| misfits.add(&nodes.classes, job, &nodes.demand(job)));
        for line in misfits.lines(&nodes.classes) {
            notice!("{}: notice: never started: {line}", self.workload.workload.display());
        }
    }

    /// Forecasts many snapshots and compares the forecasts with the actual starts.
    fn compare(&self, past: &Past) -> Result<backtest::Backtested, Failure> {
        let history = History::of(&past.schedule).simulated_from(&past.simulated);
        let (first, last) = history.span().unwrap_or_default();
        let half = SimTime::from_micros(first.micros() + last.since(first).micros() / 2);
        let seed = Seed::new(self.workload.seed);
        let (mut snapshots, idle) = match &self.every {
            Some(every) => history.regular_snapshots((half, last), every.span()),
            None => history.draw_snapshots((half, last), self.moments, seed),
        };
        history.remember(&past.setup, &mut snapshots).map_err(failure)?;
        if snapshots.is_empty() {
            return Err(Failure::Result(
                "no job waits at any of these times in the second half of the log".into(),
            ));
        }
        let assessment = history.assess(&past.setup, half, (self.method(), seed)).map_err(failure)?;
        let bar = bar(snapshots.len() as u64, "{bar:40} {pos}/{len} moments, {per_sec}, {eta} left");
        let compared = history
            .backtest(&past.setup, &snapshots, (self.method(), seed), || bar.inc(1))
            .map_err(failure)?;
        bar.finish_and_clear();
        if let Some(path) = &self.out {
            OutputFile::write_text(path, &backtest::csv(&compared))?;
        }
        Ok(backtest::Backtested::new(&compared, idle, assessment, (self.draws, &self.policy)))
    }
}

/// Shortest history from which later submissions are drawn: a week.
const WEEK: SimSpan = SimSpan::from_secs(7 * 86_400);

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
