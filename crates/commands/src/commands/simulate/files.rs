//! The files that a simulation writes while it runs.

use super::jobs_file::JobsFile;
use crate::failure::Failure;
use crate::output::{OutputFile, OutputFiles};
use crate::setting::Setting;
use clap::Args;
use dfrsim_cluster::{EventLog, Metrics, Observer, Options, SummaryOptions, records};
use dfrsim_interchange::{BatsimJobs, BatsimMachines, Records, ScheduleLog, schedule_header};
use dfrsim_model::SimSpan;
use dfrsim_policies::{Policy, PolicySetting};
use dfrsim_workload::log::Header;
use std::io;
use std::path::{Path, PathBuf};

/// Which files are written.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct FileArguments {
    /// Write a line for each job: job_id, submit, start, end, tasks, stretch, bounded_stretch and more
    #[arg(long, value_name = "FILE.csv", value_hint = clap::ValueHint::AnyPath)]
    jobs_out: Option<PathBuf>,
    /// Write everything that happens, for `dfrsim audit`
    #[arg(long, value_name = "FILE.jsonl", value_hint = clap::ValueHint::AnyPath)]
    events_out: Option<PathBuf>,
    /// Write the schedule as a log: SWF with wait times, run times and processors of the simulation
    #[arg(long, value_name = "FILE.swf", value_hint = clap::ValueHint::AnyPath)]
    swf_out: Option<PathBuf>,
    /// Write the jobs as Batsim does, for evalys: allocated_resources are all nodes that a job ever had
    #[arg(long, value_name = "FILE.csv", value_hint = clap::ValueHint::AnyPath)]
    batsim_jobs_out: Option<PathBuf>,
    /// Write Batsim's machine states: how many nodes are idle and how many compute, over time
    #[arg(long, value_name = "FILE.csv", value_hint = clap::ValueHint::AnyPath)]
    batsim_machines_out: Option<PathBuf>,
}

/// What the files say of the whole simulation.
pub(super) struct Subject<'a> {
    pub(super) policy: Policy,
    pub(super) setting: Setting,
    /// The log.
    pub(super) workload: &'a Path,
    pub(super) header: &'a Header,
}

/// The files in the making.
pub(super) struct Files {
    jobs: Option<JobsFile>,
    /// With the figures of all jobs, trimmed or not, for its end.
    events: Option<(EventLog<OutputFile>, Metrics)>,
    log: Option<ScheduleLog<OutputFile>>,
    batsim_jobs: Option<BatsimJobs<OutputFile>>,
    batsim_machines: Option<BatsimMachines<OutputFile>>,
}

impl FileArguments {
    /// Whether a file needs the records of the log.
    pub(super) const fn need_records(&self) -> bool {
        self.swf_out.is_some()
    }

    /// Whether any is written.
    pub(super) fn any(&self) -> bool {
        let all = [
            &self.jobs_out,
            &self.events_out,
            &self.swf_out,
            &self.batsim_jobs_out,
            &self.batsim_machines_out,
        ];
        all.iter().any(|path| path.is_some())
    }

    /// Begins the files. `records` are those of the log, if the jobs come through it.
    pub(super) fn create(&self, subject: &Subject<'_>, records: Records) -> Result<Files, Failure> {
        let Subject { policy, setting, workload, header } = subject;
        let Setting { nodes, options, policy: parameters, priorities, figures } = setting;
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
        Ok(Files {
            jobs: create(&self.jobs_out)?.map(|out| JobsFile::new(out, tau)),
            events: create(&self.events_out)?.map(|out| {
                let name = policy.to_string();
                let period = policy.reads(PolicySetting::Period).then_some(parameters.period);
                let unusual = policy.unusual_options(parameters);
                let run = records::run(&name, nodes, penalty, tau, (period, unusual.as_deref()));
                let log = EventLog::of_run(out, &run).of_cluster(options, priorities.as_deref());
                let (taus, all) = (vec![tau], SimSpan::ZERO);
                let figures = SummaryOptions { taus, warm_up: all, cool_down: all, ..figures.clone() };
                (log, Metrics::new(figures))
            }),
            log: create(&self.swf_out)?
                .map(|out| ScheduleLog::new(out, &schedule_header(header, nodes, &notes), records)),
            batsim_jobs: create(&self.batsim_jobs_out)?
                .map(|out| BatsimJobs::new(out, stem(&name), texts.clone())),
            batsim_machines: create(&self.batsim_machines_out)?.map(|out| BatsimMachines::new(out, nodes)),
        })
    }

    /// Lets the files take their places. The events file ends with the summary of all jobs.
    pub(super) fn finish(&self, files: Files) -> Result<(), Failure> {
        let finish_events = |(log, metrics): (EventLog<OutputFile>, Metrics)| {
            let summary = metrics.summary().ok_or_else(|| Failure::input("no job is left to simulate"))?;
            Ok(log.finish(&summary))
        };
        let written = [
            (&self.events_out, files.events.map(finish_events).transpose()?),
            (&self.jobs_out, files.jobs.map(JobsFile::finish)),
            (&self.swf_out, files.log.map(ScheduleLog::finish)),
            (&self.batsim_jobs_out, files.batsim_jobs.map(BatsimJobs::finish)),
            (&self.batsim_machines_out, files.batsim_machines.map(BatsimMachines::finish)),
        ];
        let written = written.into_iter().filter_map(|(path, file)| Some((path.as_deref()?, file?)));
        let mut whole = OutputFiles::default();
        for (path, file) in written {
            whole.add(file.map_err(|error: io::Error| Failure::output(path.display(), &error))?)?;
        }
        whole.finish()
    }
}

/// The name of a log without its endings.
fn stem(name: &str) -> &str {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

impl Files {
    /// Those that are written, as observers of the simulation.
    pub(super) fn watchers(&mut self) -> Vec<&mut dyn Observer> {
        fn watcher<T: Observer>(file: &mut Option<T>) -> Option<&mut dyn Observer> {
            file.as_mut().map(|file| file as &mut dyn Observer)
        }
        let Files { jobs, events, log, batsim_jobs, batsim_machines } = self;
        let files =
            [watcher(jobs), watcher(events), watcher(log), watcher(batsim_jobs), watcher(batsim_machines)];
        files.into_iter().flatten().collect()
    }
}
