//! Output files that are written during a simulation.

use super::jobs_file::JobsFile;
use crate::failure::Failure;
use crate::interchange::in_system::InSystem;
use crate::interchange::{
    BatsimJobs, BatsimMachines, InSubmissionOrder, JobLines, Records, ScheduleLog, schedule_header,
};
use crate::output::{OutputFile, OutputFiles};
use clap::Args;
use dfrsim_cluster::{EnergyMetrics, EventLog, Metrics, Observer, Options, SummaryOptions, records};
use dfrsim_model::SimSpan;
use dfrsim_policies::{PolicySetting, Setup};
use dfrsim_workload::log::Header;
use std::io;
use std::path::{Path, PathBuf};

/// Output files of a simulation.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct FileArguments {
    /// Write a line for each job: job_id, submit, start, end, tasks, stretch, bounded_stretch and more
    ///
    /// Times and spans are in seconds; cpu_need and memory of each task are fractions of a node; energy_j,
    /// where the platform has power, is in joules; woken, where nodes sleep, is the time for which the
    /// job waited on its nodes until they were awake; level, where nodes have speed levels for jobs that
    /// lack power, is the slowest one at which the job ran, empty at full speed; held_s, with --defer, is
    /// the time for which it was held, from which wait, turnaround and stretch count, while submit is that
    /// of the log; user is the number in the log; nodes are all that
    /// had a task of the job, from 0, as 0-3 7.
    #[arg(long, value_name = "FILE.csv", value_hint = clap::ValueHint::AnyPath)]
    jobs_out: Option<PathBuf>,
    /// Write all events, for `dfrsim audit`
    #[arg(long, value_name = "FILE.jsonl", value_hint = clap::ValueHint::AnyPath)]
    events_out: Option<PathBuf>,
    /// Write the schedule as a log: SWF with wait times, run times and processors of the simulation
    #[arg(long, value_name = "FILE.swf", value_hint = clap::ValueHint::AnyPath)]
    swf_out: Option<PathBuf>,
    /// Write the jobs as Batsim does, for evalys: allocated_resources are all nodes that a job ever
    /// used
    #[arg(long, value_name = "FILE.csv", value_hint = clap::ValueHint::AnyPath)]
    batsim_jobs_out: Option<PathBuf>,
    /// Write Batsim's machine states: the numbers of idle and computing nodes over time
    #[arg(long, value_name = "FILE.csv", value_hint = clap::ValueHint::AnyPath)]
    batsim_machines_out: Option<PathBuf>,
}

/// Description of the whole simulation, for the headers of the files.
pub(super) struct Description<'a> {
    pub(super) setup: Setup,
    /// Path of the log.
    pub(super) workload: &'a Path,
    pub(super) header: &'a Header,
}

/// Files that are being written.
pub(super) struct Files {
    /// Events file, and the metrics of all jobs (trimmed or not) for its last line.
    events: Option<(EventLog<OutputFile>, Metrics)>,
    machines: Option<BatsimMachines<OutputFile>>,
    /// Files with a line for each job.
    jobs: Vec<(PathBuf, InSubmissionOrder<OutputFile>)>,
}

impl FileArguments {
    /// Returns whether an output file needs the records of the log.
    pub(super) const fn needs_records(&self) -> bool {
        self.swf_out.is_some()
    }

    /// Returns whether any output file was requested.
    pub(super) fn is_any_requested(&self) -> bool {
        let all = [
            &self.jobs_out,
            &self.events_out,
            &self.swf_out,
            &self.batsim_jobs_out,
            &self.batsim_machines_out,
        ];
        all.iter().any(|path| path.is_some())
    }

    /// Creates the files. `records` are those of the log, if the jobs are read with them; `held` are the
    /// times for which jobs are held, by their order of submission, if they may be.
    pub(super) fn create(
        &self,
        subject: &Description<'_>,
        records: Records,
        held: Option<Vec<SimSpan>>,
    ) -> Result<Files, Failure> {
        let Description { setup, workload, header } = subject;
        let Setup { policy, parameters, nodes, options, site, figures } = setup;
        let (nodes, penalty, tau) = (*nodes, options.penalty, figures.taus[0]);
        let create = |path: &Option<PathBuf>| path.as_deref().map(OutputFile::create).transpose();
        let name = workload.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
        let Options { estimates, overrun, texts, .. } = options;
        let notes = [
            format!(
                "policy {policy}, {nodes} nodes, penalty {penalty} s, estimates {estimates}, overrun {overrun}"
            ),
            format!("jobs of {name}; allocated processors are tasks"),
        ];
        let energy = options.unequal.as_ref().and_then(|nodes| EnergyMetrics::new(&nodes.classes));
        let lines: [(_, Box<dyn JobLines>); 3] = [
            (&self.jobs_out, Box::new(JobsFile { tau, energy, held, in_system: InSystem::default() })),
            (&self.swf_out, Box::new(ScheduleLog::new(&schedule_header(header, nodes, &notes), records))),
            (&self.batsim_jobs_out, Box::new(BatsimJobs::new(stem(&name), texts.clone()))),
        ];
        let lines = lines.into_iter().filter_map(|(path, lines)| Some((path.clone()?, lines)));
        let jobs = lines.map(|(path, lines)| {
            let out = OutputFile::create(&path)?;
            Ok((path, InSubmissionOrder::new(out, lines)))
        });
        Ok(Files {
            jobs: jobs.collect::<Result<_, Failure>>()?,
            events: create(&self.events_out)?.map(|out| {
                let name = policy.to_string();
                let period = policy.reads(PolicySetting::Period).then_some(parameters.period);
                let unusual = policy.unusual_options(parameters);
                let run = records::run(&name, nodes, (penalty, *overrun), tau, (period, unusual.as_deref()));
                let log = EventLog::of_run(out, &run).of_cluster(options, site.as_deref());
                let (taus, all) = (vec![tau], SimSpan::ZERO);
                let figures = SummaryOptions { taus, warm_up: all, cool_down: all, ..figures.clone() };
                (log, Metrics::new(figures))
            }),
            machines: create(&self.batsim_machines_out)?.map(|out| BatsimMachines::new(out, nodes)),
        })
    }

    /// Completes the files and moves them to their paths. The events file ends with the summary of
    /// all jobs.
    pub(super) fn finish(&self, files: Files) -> Result<(), Failure> {
        let finish_events = |(log, metrics): (EventLog<OutputFile>, Metrics)| {
            let summary = metrics.summary().ok_or_else(|| Failure::input("no job is left to evaluate"))?;
            Ok(log.finish(&summary))
        };
        let others = [
            (&self.events_out, files.events.map(finish_events).transpose()?),
            (&self.batsim_machines_out, files.machines.map(BatsimMachines::finish)),
        ];
        let others = others.into_iter().filter_map(|(path, file)| Some((path.clone()?, file?)));
        let jobs = files.jobs.into_iter().map(|(path, file)| (path, file.finish()));
        let mut whole = OutputFiles::default();
        for (path, file) in others.chain(jobs) {
            whole.add(file.map_err(|error: io::Error| Failure::output(path.display(), &error))?)?;
        }
        whole.finish()
    }
}

/// Returns the name of a log without its extensions.
fn stem(name: &str) -> &str {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

impl Files {
    /// Returns the files as observers of the simulation.
    pub(super) fn observers(&mut self) -> Vec<&mut dyn Observer> {
        let Files { events, machines, jobs } = self;
        let events = events.iter_mut().map(|file| file as &mut dyn Observer);
        let machines = machines.iter_mut().map(|file| file as &mut dyn Observer);
        jobs.iter_mut().map(|(_, file)| file as &mut dyn Observer).chain(events).chain(machines).collect()
    }
}
