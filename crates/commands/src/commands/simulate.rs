//! `dfrsim simulate`

mod answer;
mod files;
mod jobs_file;
mod outages;
mod platform;
mod priorities;
mod progress;
mod system;
mod timed;

use super::policies::known;
use crate::arguments::{WorkloadArguments, one_of, period};
use crate::context::Context;
use crate::failure::Failure;
use crate::interchange::Records;
use crate::output::{notice, print_account};
use crate::read_log::ReadLog;
use answer::Parts;
pub(super) use answer::{Simulated, SlowedJobs};
use clap::Args;
use clap::builder::ArgPredicate;
use dfrsim_cluster::{
    CommonFigures, CommonMetrics, DeviceFigures, DeviceMetrics, EnergyFigures, EnergyMetrics, EstimateModel,
    Followers, Metrics, MisfitCounts, Observer, Options, Overrun, SimulationError, SleepFigures,
    SummaryOptions, Weights,
};
use dfrsim_model::account::AccountSummary;
use dfrsim_model::platform::defer::{Defer, Deferred};
use dfrsim_model::{Job, Seed, SimSpan, SimTime, WeightRule};
use dfrsim_policies::fractional::{DropRule, McbOptions, Packing};
use dfrsim_policies::{Policy, PolicyOptions, PolicySetting, Setup};
use dfrsim_workload::feedback::Submission;
use dfrsim_workload::log::Record;
use dfrsim_workload::prepare::{Opened, Report, Survey};
use files::{Description, FileArguments, Files};
use std::iter;
use std::path::Path;
use std::time::{Duration, Instant};
pub(super) use system::{System, SystemArguments};
use timed::Timed;

/// Simulate one policy on one log
///
/// The log is read through before anything is simulated or written, and streamed while it is
/// simulated: memory grows with the jobs in the system. A log that is out of order or comes through
/// a pipe is read whole. The report of what was read, progress, the times for reading, simulating
/// and writing, and notices go to standard error; the metrics go to standard output.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim simulate --workload HPC2N-2002-2.1-cln.swf.gz --nodes 240 --unit processor --policy EASY \\
                  --estimates requested --jobs-out easy.csv
  dfrsim simulate --workload HPC2N-2002-2.1-cln.swf.gz --nodes 120 --annotate hpc2n --policy FCFS \\
                  --first 4000 --events-out fcfs.jsonl && dfrsim audit fcfs.jsonl
  dfrsim simulate --workload week.swf --nodes 128 --annotate lublin --policy EQUIPARTITION \\
                  --format json
  dfrsim simulate --workload week.swf --nodes 128 --policy EASY \\
                  --failures weibull:2592000:0.7,lognormal:14400:1 \\
                  --maintenance 604800:2592000:28800 --interruption checkpoint:3600:60
  dfrsim simulate --workload week.swf --platform cluster.toml --request gpu:0.3:1+2 --policy EASY \\
                  --events-out easy.jsonl
  dfrsim simulate --workload march.sacct --slurm-conf slurm.conf --policy SLURM")]
pub(crate) struct Simulate {
    #[command(flatten)]
    workload: WorkloadArguments,
    /// Scale the inter-arrival times so that the offered load is X
    #[arg(long, value_name = "X", help_heading = "Workload")]
    load: Option<f64>,
    /// Policy to simulate; `dfrsim policies` lists them
    #[arg(long = "policy", value_name = "NAME")]
    policy_name: String,
    #[arg(skip = Policy::Equipartition)]
    policy: Policy,
    /// Run times as the policy knows them: exact, requested, none, factor:F (run time * F), random:F
    /// (run time * a factor between 1 and F)
    #[arg(long, value_name = "MODEL", default_value = "exact")]
    #[arg(default_value_if("slurm_conf", ArgPredicate::IsPresent, Some("requested")))]
    estimates: EstimateModel,
    /// Treatment of a job that exceeds its estimate: extend (it keeps running; batch policies expect
    /// it to end one second from now), or kill (it is killed at its estimate)
    #[arg(long, value_parser = one_of(Overrun::ALL, Overrun::name), default_value_t)]
    overrun: Overrun,
    /// Time without progress after a job is resumed or migrated
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    penalty: SimSpan,
    /// Period of periodic policies
    #[arg(long, value_name = "SECONDS", value_parser = period, default_value = "600")]
    period: SimSpan,
    /// Algorithm by which MCB fills nodes: cp (one list) or mcb8 (two lists)
    #[arg(long, value_name = "cp|mcb8", default_value = "cp")]
    packing: Packing,
    /// Jobs that MCB omits if not all fit: prefix (the lowest priorities), or skip (those tried
    /// again)
    #[arg(long, value_name = "prefix|skip", default_value = "prefix")]
    drop: DropRule,
    /// Thresholds tau of the bounded stretch; the first is used for job classes
    #[arg(long, value_name = "SECONDS", default_value = "10", value_delimiter = ',')]
    tau: Vec<SimSpan>,
    /// Do not count jobs submitted within this time after the first submission
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    warm_up: SimSpan,
    /// Do not count jobs submitted within this time before the last submission
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    cool_down: SimSpan,
    /// Times of submission: open (those of the log), holds (those of the log, or when all preceding
    /// jobs that the log names have ended or started; the default with --slurm-conf), dependencies
    /// (a think time after the end of the preceding job, fields 17 and 18), sessions (users wait for
    /// their jobs; a session ends after an hour without a submission), sessions:arrival:SECONDS,
    /// sessions:think:SECONDS (after the end of all of its jobs)
    #[arg(long, value_name = "WAY", conflicts_with = "swf_out")]
    submission: Option<Submission>,
    /// Hold jobs for at most this many seconds, until the mean carbon intensity during their estimate is
    /// the least: 28800, or 28800:0.3 for a random fraction of the jobs. Needs --intensity
    #[arg(long, value_name = "SECONDS[:FRACTION]", requires = "intensity", conflicts_with_all = ["swf_out", "submission"])]
    defer: Option<Defer>,
    /// Weights of jobs in the weighted bounded stretch: node-seconds (nodes * run time), or equal
    #[arg(long, value_name = "node-seconds|equal", default_value = "node-seconds")]
    weights: WeightRule,
    /// Multiply the weights of a user's jobs; users are numbered as in the log
    #[arg(long = "user-weight", value_name = "USER=WEIGHT", value_parser = user_weight, value_delimiter = ',')]
    user_weights: Vec<(u32, f64)>,
    #[command(flatten)]
    system: SystemArguments,
    #[command(flatten)]
    files: FileArguments,
}

/// Parses the number and the weight of a user, as in `3=10`.
fn user_weight(text: &str) -> Result<(u32, f64), String> {
    let parts =
        text.split_once('=').and_then(|(user, weight)| Some((user.parse().ok()?, weight.parse().ok()?)));
    let is_weight = |weight: &f64| (1e-9..=1e9).contains(weight);
    parts.filter(|(_, weight)| is_weight(weight)).ok_or_else(|| {
        "expected the number of a user and a weight between 1e-9 and 1e9, such as 3=10".to_owned()
    })
}

/// Result of a simulation.
struct Simulation {
    metrics: Metrics,
    files: Files,
    /// Jobs that no node can hold, one line for each reason.
    misfits: Vec<String>,
    /// Figures of the devices of the nodes, if they have any.
    devices: Option<DeviceFigures>,
    /// Energy of the nodes, if their power is known, and figures of those that sleep.
    energy: (Option<EnergyFigures>, Option<SleepFigures>),
    slowed: Vec<SlowedJobs>,
    /// Use of licences and other resources of the whole cluster.
    common: Vec<CommonFigures>,
    /// Counts of the jobs that were held, if jobs may be.
    deferred: Option<Deferred>,
    account: AccountSummary,
}

/// Wall-clock time of each phase.
#[derive(Debug, Default)]
struct HostTime {
    reading: Duration,
    simulating: Duration,
    writing: Duration,
}

impl Simulate {
    pub(crate) fn run(mut self, context: &Context<'_>) -> Result<(), Failure> {
        self.policy = known(context.registry).parse(&self.policy_name).map_err(Failure::input)?;
        self.system.check_options()?;
        let read = |workload: &WorkloadArguments| workload.log.read_whole(&workload.path()?);
        let (system, whole) = match self.system.read_site(&mut self.workload, self.policy, read)? {
            Some((system, whole)) => {
                if system.has_dependencies {
                    self.submission.get_or_insert(Submission::Holds);
                }
                let is_kept = self.workload.is_kept(&self.workload.path()?);
                (system, is_kept.then_some(whole))
            }
            None => (self.system.read_platform(&mut self.workload, self.policy)?, None),
        };
        let (path, opened, nodes) = self.workload.open(whole)?;
        self.workload.check_unit(&path, &opened)?;
        let system = self.system.with_priorities(system, self.policy, opened.header())?;
        let opened = if system.settings.is_some() { opened.with_origins() } else { opened };
        self.warn_about_period();
        let (simulation, mut time) = self.run_log((&path, opened, nodes), system)?;
        let Simulation { metrics, files, misfits, devices, energy, slowed, common, deferred, account } =
            simulation;
        let begin = Instant::now();
        let summary = metrics.summary().ok_or_else(|| {
            let fault = format!(
                "no job is left to evaluate; {} of {} were rejected",
                metrics.rejected(),
                account.jobs
            );
            Failure::in_file(&path, fault)
        })?;
        self.files.finish(files)?;
        time.writing = begin.elapsed();
        notice!(
            "reading {:.3} s, simulating {:.3} s, writing {:.3} s",
            time.reading.as_secs_f64(),
            time.simulating.as_secs_f64(),
            time.writing.as_secs_f64()
        );
        let (energy, sleep) = energy;
        let sleep = sleep.filter(|_| energy.is_none());
        let parts = Parts { devices, energy, slowed, sleep, common, deferred };
        context.print(&Simulated::new(self.policy, (path, account), misfits, (summary, parts)))
    }

    /// Assembles a simulation of jobs that are given rather than read from a log.
    pub(crate) fn setup(mut self, policy: Policy, nodes: u32, jobs: &[Job]) -> Result<Setup, Failure> {
        if let Some(option) = self.first_log_option() {
            return Err(Failure::input(format!(
                "{option} cannot be used here, since the jobs are given: it concerns the log or the files of `dfrsim simulate`"
            )));
        }
        let system = self.system.of_given_jobs(&mut self.workload, policy)?;
        let nodes = system.unequal.as_ref().map_or(nodes, |unequal| unequal.classes.nodes());
        let last = jobs.last().map_or(SimTime::ZERO, |job| job.submit);
        self.policy = policy;
        self.assemble(nodes, last, system)
    }

    /// Assembles a simulation on `nodes` nodes whose last job arrives at `last`.
    fn assemble(&self, nodes: u32, last: SimTime, system: System) -> Result<Setup, Failure> {
        let figures = SummaryOptions {
            taus: self.tau.clone(),
            warm_up: self.warm_up,
            cool_down: self.cool_down,
            weights: Weights { rule: self.weights, users: self.user_weights.iter().copied().collect() },
            ..SummaryOptions::new(nodes)
        };
        let options = Options {
            penalty: self.penalty,
            estimates: self.estimates,
            overrun: self.overrun,
            seed: Seed::new(self.workload.seed),
            ..Options::default()
        };
        let mcb = McbOptions { packing: self.packing, drop: self.drop, ..McbOptions::default() };
        let study = PolicyOptions::default();
        let node_memory_gb = self.workload.node_memory.unwrap_or(study.node_memory_gb);
        let parameters = PolicyOptions { period: self.period, mcb, node_memory_gb, ..study };
        let conditions = self.system.conditions(system, self.policy, nodes, (last, self.workload.seed))?;
        Ok(Setup::new((self.policy, parameters), nodes, conditions, options, figures))
    }

    /// Returns the first given option that is about the log or about output files.
    fn first_log_option(&self) -> Option<&'static str> {
        let given = [
            ("--nodes", self.workload.has_nodes()),
            ("--annotate or --unit", self.workload.has_task_options()),
            ("--load", self.load.is_some()),
            ("--submission", self.submission.is_some()),
            ("--defer", self.defer.is_some()),
            ("--slurm-conf", self.system.is_site()),
            ("an output file", self.files.is_any_requested()),
        ];
        given.iter().find(|(_, is_given)| *is_given).map(|(option, _)| *option)
    }

    /// Reads the jobs of the log.
    pub(crate) fn read_log(&self) -> Result<ReadLog, Failure> {
        let (path, opened, nodes) = self.workload.open(None)?;
        self.workload.check_unit(&path, &opened)?;
        let texts = opened.header().texts.clone();
        let survey = opened.with_origins().survey().map_err(|error| self.workload.log.failure(&error))?;
        let stretch = self.load.map(|target| survey.offered().stretch_to(nodes, target));
        let stretch = stretch.transpose().map_err(Failure::input)?;
        let mut jobs = survey.jobs().map_err(Failure::input)?;
        let read = iter::from_fn(|| jobs.next_with_record()).map(|(job, _)| match stretch {
            Some(stretch) => Job { submit: stretch.submit(job.submit), ..job },
            None => job,
        });
        let read = read.collect();
        jobs.finish().map_err(|error| self.workload.log.failure(&error))?;
        Ok(ReadLog { nodes, jobs: read, texts, report: survey.report().to_string() })
    }

    fn warn_about_period(&self) {
        let period = self.policy.own_period().unwrap_or(self.period);
        if self.policy.reads(PolicySetting::Period) && period <= self.penalty && !self.penalty.is_zero() {
            notice!(
                "warning: the period ({} s) is not above the penalty ({} s): jobs may never progress",
                period,
                self.penalty
            );
        }
    }

    /// Reports the result of reading the log, before the simulation.
    fn report_reading(&self, path: &Path, report: &Report) -> Result<(), Failure> {
        print_account(path, &report.account().summary());
        let counts = &report.counts;
        if counts.jobs == 0 {
            return Err(self.workload.log.no_jobs(path));
        }
        if self.estimates == EstimateModel::Requested && counts.without_estimate > 0 {
            notice!(
                "{}: notice: {} of {} jobs have no requested time (field 9): the policy knows their run times instead",
                path.display(),
                counts.without_estimate,
                counts.jobs
            );
        }
        Ok(())
    }

    /// Reads the log to its end, and a second time while it simulates if the jobs were not kept in
    /// memory.
    fn run_log(
        &self,
        (workload, opened, nodes): (&Path, Opened, u32),
        system: System,
    ) -> Result<(Simulation, HostTime), Failure> {
        let begin = Instant::now();
        let follows_log = self.submission.is_some_and(Submission::follows_log);
        let opened = if follows_log { opened.with_dependencies() } else { opened };
        let header = &opened.header().clone();
        let mut survey = opened.survey().map_err(|error| self.workload.log.failure(&error))?;
        let surveying = begin.elapsed();
        self.report_reading(workload, survey.report())?;
        // The offered load is relative to the joint capacity of the nodes, which may differ in
        // speed.
        let part = system.unequal.as_ref().map_or(1.0, |it| it.classes.capacity() / f64::from(nodes));
        let stretch = self.load.map(|target| survey.offered().stretch_to(nodes, target * part));
        let stretch = stretch.transpose().map_err(Failure::input)?;
        let arriving = |job: Job| match stretch {
            Some(stretch) => Job { submit: stretch.submit(job.submit), ..job },
            None => job,
        };
        let last = survey.offered().span().map_or(SimTime::ZERO, |(_, last)| last);
        let last = stretch.map_or(last, |stretch| stretch.submit(last));
        let mut setup = self.assemble(nodes, last, system)?;
        setup.options.texts.clone_from(&header.texts);
        let subject = &Description { setup, workload, header };
        if let Some(defer) = self.defer {
            return self.run_deferred(subject, (&survey, defer), arriving, surveying);
        }
        if let Some(submission) = self.submission.filter(|it| *it != Submission::Open) {
            return self.run_linked(subject, (&survey, submission), arriving, surveying);
        }
        if let Some(jobs) = survey.take_kept().filter(|_| !self.files.needs_records()) {
            let files = self.files.create(subject, Records::default(), None)?;
            let jobs = jobs.map(arriving);
            let jobs = (jobs, Followers::default());
            let (watchers, simulating) = self.simulate(subject, survey.report(), jobs, files)?;
            return Ok((watchers, HostTime { reading: surveying, simulating, ..HostTime::default() }));
        }
        let mut jobs = survey.jobs().map_err(Failure::input)?;
        let pairs = iter::from_fn(|| jobs.next_with_record());
        let pairs = pairs.map(|(job, record)| (arriving(job), record));
        let records = Records::default();
        let files = self.files.create(subject, records.clone(), None)?;
        let mut arrivals = Timed::new(match self.files.needs_records() {
            true => records.into_jobs(Box::new(pairs)),
            false => Box::new(pairs.map(|(job, _)| job)),
        });
        let result = self.simulate(subject, survey.report(), (&mut arrivals, Followers::default()), files);
        let spent = arrivals.spent();
        drop(arrivals);
        if jobs.finish().map_err(|error| self.workload.log.failure(&error))? != *survey.report() {
            let path = subject.workload.display();
            return Err(Failure::input(format!("{path}: the file was changed while it was read")));
        }
        let (watchers, simulating) = result?;
        let (reading, simulating) = (surveying + spent, simulating - spent);
        Ok((watchers, HostTime { reading, simulating, ..HostTime::default() }))
    }

    /// Reads the log a second time, with all of its jobs in memory, and simulates users that wait
    /// for their jobs.
    fn run_linked(
        &self,
        subject: &Description<'_>,
        (survey, submission): (&Survey, Submission),
        arriving: impl Fn(Job) -> Job,
        surveying: Duration,
    ) -> Result<(Simulation, HostTime), Failure> {
        let begin = Instant::now();
        let mut stream = survey.jobs().map_err(Failure::input)?;
        let pairs: Vec<(Job, Record)> = iter::from_fn(|| stream.next_with_record()).collect();
        stream.finish().map_err(|error| self.workload.log.failure(&error))?;
        let links = submission.links(&pairs).unwrap_or_default();
        notice!("{}: {}", subject.workload.display(), links.counts);
        let jobs = pairs.into_iter().map(|(job, _)| arriving(job)).zip(links.preceding);
        let split = Followers::split(jobs);
        let reading = surveying + begin.elapsed();
        let files = self.files.create(subject, Records::default(), None)?;
        let (watchers, simulating) = self.simulate(subject, survey.report(), split, files)?;
        Ok((watchers, HostTime { reading, simulating, ..HostTime::default() }))
    }

    /// Reads the log a second time, with all of its jobs in memory, and simulates jobs that are held until
    /// energy has less carbon dioxide.
    fn run_deferred(
        &self,
        subject: &Description<'_>,
        (survey, defer): (&Survey, Defer),
        arriving: impl Fn(Job) -> Job,
        surveying: Duration,
    ) -> Result<(Simulation, HostTime), Failure> {
        let begin = Instant::now();
        let options = &subject.setup.options;
        let power = options.unequal.as_ref().and_then(|unequal| unequal.classes.power());
        let series = power.and_then(|power| power.series.as_deref()).filter(|it| !it.carbon.is_empty());
        let Some(series) = series else {
            return Err(Failure::input(
                "--defer: the series of --intensity has no carbon intensities (g_per_kwh)",
            ));
        };
        if options.estimates == EstimateModel::None {
            return Err(Failure::input("--defer has no effect with --estimates none"));
        }
        let mut stream = survey.jobs().map_err(Failure::input)?;
        let read: Vec<Job> =
            iter::from_fn(|| stream.next_with_record()).map(|(job, _)| arriving(job)).collect();
        stream.finish().map_err(|error| self.workload.log.failure(&error))?;
        let (jobs, held, counts) = defer.apply(
            series,
            options.seed,
            |job| options.estimates.estimate(job, options.seed),
            read.into_iter(),
        );
        notice!("{}: {counts}", subject.workload.display());
        let reading = surveying + begin.elapsed();
        let files = self.files.create(subject, Records::default(), Some(held))?;
        let (simulation, simulating) =
            self.simulate(subject, survey.report(), (jobs, Followers::default()), files)?;
        let watchers = Simulation { deferred: Some(counts), ..simulation };
        Ok((watchers, HostTime { reading, simulating, ..HostTime::default() }))
    }

    /// Simulates jobs and returns the observers and the time that the simulation took.
    fn simulate(
        &self,
        subject: &Description<'_>,
        report: &Report,
        (jobs, followers): (impl IntoIterator<Item = Job>, Followers),
        mut files: Files,
    ) -> Result<(Simulation, Duration), Failure> {
        let begin = Instant::now();
        let mut metrics = Metrics::new(subject.setup.figures.clone());
        let nodes = subject.setup.options.unequal.as_deref();
        let mut misfits =
            nodes.map(|nodes| MisfitCounts::new(nodes, !matches!(self.policy, Policy::Batch(_))));
        let mut devices = nodes.and_then(|nodes| DeviceMetrics::new(&nodes.classes));
        let mut energy = nodes.and_then(|nodes| EnergyMetrics::new(&nodes.classes));
        let mut common = nodes.and_then(|nodes| CommonMetrics::new(&nodes.classes));
        let simulated = progress::with_progress(report.counts.jobs, |mut progress| {
            let mut watchers = files.observers();
            watchers.extend([&mut metrics as &mut dyn Observer, &mut progress, &mut misfits]);
            watchers.extend(devices.as_mut().map(|devices| devices as &mut dyn Observer));
            watchers.extend(energy.as_mut().map(|energy| energy as &mut dyn Observer));
            watchers.extend(common.as_mut().map(|common| common as &mut dyn Observer));
            subject.setup.simulate(jobs, followers, &mut watchers)
        });
        simulated.map_err(|error| match error {
            SimulationError::BeyondRange(_) => Failure::input(error),
            SimulationError::WakesItself { .. } => Failure::Result(format!("{}: {error}", self.policy)),
            _ => Failure::Result(error.to_string()),
        })?;
        let misfits: Vec<String> = misfits.into_iter().flat_map(MisfitCounts::lines).collect();
        misfits.iter().for_each(|line| notice!("{}: {line}", subject.workload.display()));
        let devices = devices.and_then(|mut devices| devices.figures());
        self.system.platform.check_series(energy.as_ref())?;
        let slowed = energy.as_ref().map_or_else(Vec::new, SlowedJobs::of);
        let sleep = energy.as_ref().and_then(EnergyMetrics::sleep_figures);
        let energy = (energy.and_then(|energy| energy.figures()), sleep);
        let common = common.map_or_else(Vec::new, |common| common.figures());
        let account = report.account().summary();
        let simulation =
            Simulation { metrics, files, misfits, devices, energy, slowed, common, deferred: None, account };
        Ok((simulation, begin.elapsed()))
    }
}
