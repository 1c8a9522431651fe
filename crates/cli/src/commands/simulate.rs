//! `dfrsim simulate`

mod files;
mod jobs_file;
mod summary_text;
mod timed;

use super::policies::known;
use crate::arguments::{WorkloadArguments, gigabytes, seconds};
use crate::failure::Failure;
use crate::output::{self, notice};
use clap::{Args, ValueEnum as _};
use dfrsim_cluster::{
    EstimateModel, Metrics, Options, Overrun, SimulationError, Summary, SummaryOptions, simulate,
};
use dfrsim_interchange::Records;
use dfrsim_lab::Registry;
use dfrsim_model::{Job, Seed, SimSpan};
use dfrsim_policies::fractional::{DropRule, McbOptions, Packing};
use dfrsim_policies::{Policy, PolicyOptions};
use dfrsim_workload::load;
use dfrsim_workload::log::{Header, Record};
use dfrsim_workload::prepare::{self, Report};
use files::{FileArguments, Files, Subject};
use std::iter;
use std::path::Path;
use std::time::{Duration, Instant};
use timed::Timed;

/// Simulate one policy on one log
///
/// The log is streamed: memory grows with the jobs in the system. What was read, the times that reading, simulating
/// and writing took, and notices go to standard error; the figures go to standard output.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim simulate --workload HPC2N-2002-2.1-cln.swf.gz --nodes 240 --unit processor --policy EASY \\
                  --estimates requested --jobs-out easy.csv
  dfrsim simulate --workload HPC2N-2002-2.1-cln.swf.gz --nodes 120 --annotate hpc2n --policy FCFS \\
                  --first 4000 --events-out fcfs.jsonl && dfrsim audit fcfs.jsonl
  dfrsim simulate --workload week.swf --nodes 128 --annotate lublin --seed 1 --policy EQUIPARTITION --json")]
pub(crate) struct Simulate {
    #[command(flatten)]
    workload: WorkloadArguments,
    /// Multiply the inter-arrival times so that the offered load is this (the log is then read whole)
    #[arg(long, value_name = "X", help_heading = "Workload")]
    load: Option<f64>,
    /// The policy; `dfrsim policies` lists them
    #[arg(long = "policy", value_name = "NAME")]
    policy_name: String,
    #[arg(skip = Policy::Equipartition)]
    policy: Policy,
    /// What the policy is told of run times: exact, requested, none, factor:F (run time * F), random:F (run time * a
    /// factor between 1 and F)
    #[arg(long, value_name = "MODEL", default_value = "exact")]
    estimates: EstimateModel,
    /// A job past its estimate goes on, or is killed there
    #[arg(long, value_enum, default_value_t = OverrunArgument::Extend)]
    overrun: OverrunArgument,
    /// How long a resumed or migrated job makes no progress
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "0")]
    penalty: SimSpan,
    /// The period of periodic policies
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "600")]
    period: SimSpan,
    /// How MCB fills nodes: cp (one list) or mcb8 (two lists)
    #[arg(long, value_name = "cp|mcb8", default_value = "cp")]
    packing: Packing,
    /// Which jobs MCB leaves out when not all fit: prefix (the lowest priorities), or skip (those tried again)
    #[arg(long, value_name = "prefix|skip", default_value = "prefix")]
    drop: DropRule,
    /// The memory of a node, by which the budgets of policies are measured
    #[arg(long, value_name = "GB", value_parser = gigabytes, default_value = "8")]
    node_memory: f64,
    /// The tau of the bounded stretch; several may be given, the first one rules the classes
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10", value_delimiter = ',')]
    tau: Vec<SimSpan>,
    /// Do not count jobs submitted within this time after the first submission
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "0")]
    warm_up: SimSpan,
    /// Do not count jobs submitted within this time before the last submission
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "0")]
    cool_down: SimSpan,
    #[command(flatten)]
    files: FileArguments,
    /// Print the figures as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum OverrunArgument {
    /// It goes on; batch policies count it as ending one second from now
    Extend,
    /// It is killed at its estimate
    Kill,
}

/// Everything that watches a simulation.
type Watchers = (Metrics, Files);

/// Where the time went.
#[derive(Debug, Default)]
struct HostTime {
    reading: Duration,
    simulating: Duration,
    writing: Duration,
}

impl Simulate {
    pub(crate) fn run(mut self, registry: &Registry) -> Result<(), Failure> {
        self.policy = known(registry).parse(&self.policy_name).map_err(Failure::input)?;
        let path = self.workload.path()?;
        let prepare_options = self.workload.options()?;
        self.warn();
        let mut time = HostTime::default();
        let (watchers, report) = match self.load {
            None => self.run_streamed(&path, &prepare_options, &mut time)?,
            Some(target) => self.run_scaled(&path, &prepare_options, target, &mut time)?,
        };
        notice!("{}: {report}", path.display());
        let begin = Instant::now();
        let summary = self.write(watchers)?;
        time.writing = begin.elapsed();
        notice!(
            "reading {:.3} s, simulating {:.3} s, writing {:.3} s",
            time.reading.as_secs_f64(),
            time.simulating.as_secs_f64(),
            time.writing.as_secs_f64()
        );
        if self.json {
            output::print(&format!("{:#}\n", summary_text::json(self.policy, &summary)))
        } else {
            output::print(&summary_text::table(self.policy, &summary))
        }
    }

    fn policy_options(&self) -> PolicyOptions {
        let mcb = McbOptions { packing: self.packing, drop: self.drop, ..McbOptions::default() };
        let (period, node_memory_gb) = (self.period, self.node_memory);
        PolicyOptions { period, mcb, node_memory_gb, ..PolicyOptions::default() }
    }

    fn warn(&self) {
        if self.policy.is_periodic() && self.period <= self.penalty && !self.penalty.is_zero() {
            notice!(
                "warning: the period ({} s) is not above the penalty ({} s): nothing may ever progress",
                self.period,
                self.penalty
            );
        }
    }

    /// Reads while it simulates.
    fn run_streamed(
        &self,
        path: &Path,
        prepare_options: &prepare::Options,
        time: &mut HostTime,
    ) -> Result<(Watchers, Report), Failure> {
        let work = |jobs: &mut prepare::JobStream<prepare::Log>| {
            let header = jobs.header().clone();
            let (files, jobs) = self.begin(path, &header, iter::from_fn(|| jobs.next_with_record()))?;
            let begin = Instant::now();
            let mut jobs = Timed::new(jobs);
            let result = self.simulate(&mut jobs, files);
            time.reading = jobs.spent();
            time.simulating = begin.elapsed() - jobs.spent();
            result
        };
        // What is wrong with the log comes first: a simulation that stumbled over its middle proves nothing.
        let (result, report) = prepare::with_jobs(path, prepare_options, work).map_err(Failure::input)?;
        Ok((result?, report))
    }

    fn run_scaled(
        &self,
        path: &Path,
        prepare_options: &prepare::Options,
        target: f64,
        time: &mut HostTime,
    ) -> Result<(Watchers, Report), Failure> {
        let begin = Instant::now();
        let work = |jobs: &mut prepare::JobStream<prepare::Log>| {
            let header = jobs.header().clone();
            let read = iter::from_fn(|| jobs.next_with_record());
            let (jobs, records): (Vec<Job>, Vec<Record>) = read.unzip();
            (header, jobs, records)
        };
        let ((header, mut jobs, records), report) =
            prepare::with_jobs(path, prepare_options, work).map_err(Failure::input)?;
        load::scale_to_load(&mut jobs, self.workload.nodes, target).map_err(Failure::input)?;
        time.reading = begin.elapsed();
        let (files, jobs) = self.begin(path, &header, jobs.into_iter().zip(records))?;
        let begin = Instant::now();
        let watchers = self.simulate(jobs, files)?;
        time.simulating = begin.elapsed();
        Ok((watchers, report))
    }

    /// Begins the files, one of which may need the records of the jobs.
    fn begin<'a>(
        &self,
        path: &Path,
        header: &Header,
        pairs: impl Iterator<Item = (Job, Record)> + 'a,
    ) -> Result<(Files, Box<dyn Iterator<Item = Job> + 'a>), Failure> {
        let overrun =
            self.overrun.to_possible_value().map_or_else(String::new, |value| value.get_name().into());
        let subject = Subject {
            policy: self.policy,
            nodes: self.workload.nodes,
            penalty: self.penalty,
            tau: self.tau[0],
            workload: path,
            header,
            choices: format!("estimates {}, overrun {overrun}", self.estimates),
        };
        let records = Records::default();
        let files = self.files.create(&subject, records.clone())?;
        if self.files.swf_out.is_some() {
            Ok((files, Box::new(records.into_jobs(pairs))))
        } else {
            Ok((files, Box::new(pairs.map(|(job, _)| job))))
        }
    }

    fn simulate(&self, jobs: impl IntoIterator<Item = Job>, files: Files) -> Result<Watchers, Failure> {
        let nodes = self.workload.nodes;
        let figures = SummaryOptions {
            nodes,
            taus: self.tau.clone(),
            warm_up: self.warm_up,
            cool_down: self.cool_down,
        };
        let mut watchers = (Metrics::new(figures), files);
        let options = Options {
            penalty: self.penalty,
            estimates: self.estimates,
            overrun: match self.overrun {
                OverrunArgument::Extend => Overrun::Extend,
                OverrunArgument::Kill => Overrun::Kill,
            },
            seed: Seed::new(self.workload.seed),
            ..Options::default()
        };
        simulate(
            nodes,
            &options,
            jobs,
            &mut *self.policy.scheduler(nodes, &self.policy_options()),
            &mut watchers,
        )
        .map_err(|error: SimulationError| Failure::Result(error.to_string()))?;
        Ok(watchers)
    }

    /// Sums up and lets the files appear.
    fn write(&self, (metrics, files): Watchers) -> Result<Summary, Failure> {
        let summary = metrics.summary().ok_or_else(|| Failure::input("no job is left to simulate"))?;
        self.files.finish(files)?;
        Ok(summary)
    }
}
