//! `dfrsim log anonymise`

use super::read::SelectedLog;
use super::write;
use crate::arguments::{LogArguments, LogOption};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, counted, notice};
use clap::Args;
use dfrsim_cluster::{EstimateModel, Metrics, Options, SummaryOptions, simulate};
use dfrsim_policies::{Policies, PolicyOptions};
use dfrsim_workload::anonymise::{self, Identified, Replaced, coarsen, identified};
use dfrsim_workload::log::{Header, Record};
use dfrsim_workload::prepare;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Write a log without names, and count the users that one job still identifies
///
/// Users, groups, accounts, queues, partitions, names of jobs and numbers of jobs become numbers by
/// their first appearance; paths, hosts and comments are dropped, except for the size of the machine
/// and, without --shift, its date. The output is SWF for every input, and its simulation gives the
/// same metrics. Run times, sizes, requests and times of submission stay: somebody who knows one job
/// of a user may find the others. --coarse makes each job look like those of at least --k users,
/// which changes simulations: the mean wait under EASY is printed before and after.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim log anonymise march.sacct --shift --out march.swf.gz
  dfrsim log anonymise march.pbs --shift --coarse --k 5 --out march.swf")]
pub(crate) struct Anonymise {
    /// Log to anonymise: SWF, GWF, the output of sacct, accounting of PBS, a workload of Batsim, or with
    /// --columns a table; recognised by its content
    #[arg(value_hint = clap::ValueHint::FilePath)]
    input: PathBuf,
    #[command(flatten)]
    log: LogArguments,
    /// Shift times so that the first job is submitted at 0, and omit the start date
    #[arg(long)]
    shift: bool,
    /// Coarsen the log: round run times, sizes and requests to those of groups of similar jobs and
    /// submissions to quarters of an hour, and drop jobs that are too rare and all fields that
    /// simulations do not use
    #[arg(long)]
    coarse: bool,
    /// Minimum number of users in a group of similar jobs
    #[arg(long, value_name = "N", default_value_t = 5, requires = "coarse", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    k: u32,
    /// Log file to write
    #[arg(long, value_name = "FILE.swf[.gz]", value_hint = clap::ValueHint::AnyPath)]
    out: PathBuf,
}

/// Degree of anonymity of the log.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Anonymised {
    file: String,
    jobs: usize,
    users: usize,
    /// The users with a job whose run time, size and requested time no other user's job has.
    users_identified_by_one_job: usize,
    /// The minimum number of users that share a combination of run time, size and requested time.
    k: usize,
    /// The effect of `--coarse`, if it was given.
    coarse: Option<Coarsened>,
}

/// Effect of coarsening the log.
#[derive(Debug, Serialize, JsonSchema)]
struct Coarsened {
    users_identified_before: usize,
    dropped_jobs: usize,
    lost_users: usize,
    /// The mean wait under EASY, in seconds; `null` if the header names no machine or no job can be
    /// simulated.
    mean_wait_before_s: Option<f64>,
    mean_wait_s: Option<f64>,
}

impl Answer for Anonymised {
    fn text(&self) -> String {
        let Anonymised { file, jobs, users, users_identified_by_one_job: found, k, coarse } = self;
        let mut text = format!("{file}: {jobs} jobs of {users} users, without names\n");
        if let Some(Coarsened {
            users_identified_before,
            dropped_jobs,
            lost_users,
            mean_wait_before_s,
            mean_wait_s,
        }) = coarse
        {
            let wait = |wait: &Option<f64>| wait.map_or("unknown".to_owned(), |wait| format!("{wait:.1} s"));
            let (before, after) = (wait(mean_wait_before_s), wait(mean_wait_s));
            text += &format!(
                "dropped: {dropped_jobs} jobs, which include all jobs of {lost_users} users; one job identified {users_identified_before} \
                 users before\nmean wait under EASY: {before} before, {after} after\n"
            );
        }
        text += &format!(
            "run time, width and requested time of one job identify {found} of {users} users (at least {k} users have jobs of \
             the same three)\nnot hidden: which jobs are of the same user, and when they were submitted\n"
        );
        text
    }
}

impl Anonymise {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        self.log.refuse(&[LogOption::Size], "has no effect here: the lines keep both sizes")?;
        let SelectedLog { header, mut records, .. } = SelectedLog::read(&self.input, &self.log, |_| true)?;
        let (header, replaced) = anonymise::anonymise(&header, &mut records, self.shift);
        let coarse = self.coarse.then(|| self.coarsen(&header, &mut records)).transpose()?;
        write::write_log(&self.out, &header, &records)?;
        let Replaced { jobs, users, groups, executables, queues, partitions } = replaced;
        let replaced = [
            (jobs, "job"),
            (users, "user"),
            (groups, "group"),
            (executables, "executable"),
            (queues, "queue"),
            (partitions, "partition"),
        ];
        notice!("{}: {}", self.out.display(), replaced.map(|(count, of)| counted(count, of)).join(", "));
        let Identified { users, by_one_job, k } = identified(&records);
        let file = self.out.display().to_string();
        let answer = Anonymised {
            file,
            jobs: records.len(),
            users,
            users_identified_by_one_job: by_one_job,
            k,
            coarse,
        };
        // The log itself may be written to standard output, so the text goes to standard error.
        if context.printing.is_json() {
            return context.print(&answer);
        }
        answer.text().lines().for_each(|line| notice!("{line}"));
        Ok(())
    }

    fn coarsen(&self, header: &Header, records: &mut Vec<Record>) -> Result<Coarsened, Failure> {
        let users_identified_before = identified(records).by_one_job;
        let mean_wait_before_s = mean_wait(header, records)?;
        let coarse = coarsen(records, self.k as usize);
        let coarse = coarse.map_err(|error| Failure::in_file(&self.input, error))?;
        let anonymise::CoarseningLosses { dropped, lost_users } = coarse;
        let mean_wait_s = mean_wait(header, records)?;
        Ok(Coarsened {
            users_identified_before,
            dropped_jobs: dropped,
            lost_users,
            mean_wait_before_s,
            mean_wait_s,
        })
    }
}

/// Simulates EASY with the requested times on the machine of the header and returns the mean wait in
/// seconds; `None` if the header names no machine or no job can be simulated.
fn mean_wait(header: &Header, records: &[Record]) -> Result<Option<f64>, Failure> {
    let machine = header.max_procs().or(header.max_nodes()).and_then(|count| u32::try_from(count).ok());
    let Some(nodes) = machine.filter(|nodes| *nodes > 0) else { return Ok(None) };
    let folder = tempfile::tempdir().map_err(Failure::input)?;
    let path: &Path = &folder.path().join("log.swf");
    write::write_log(path, header, records)?;
    let options = prepare::Options { units: Some(nodes), ..prepare::Options::default() };
    let (jobs, _) = prepare::read_jobs(path, &options).map_err(Failure::input)?;
    let easy = Policies::standard().parse("EASY").map_err(Failure::input)?;
    let mut metrics = Metrics::new(SummaryOptions::new(nodes));
    let estimates = Options { estimates: EstimateModel::Requested, ..Options::default() };
    let mut scheduler = easy.scheduler(nodes, &PolicyOptions::default());
    simulate(nodes, &estimates, jobs, scheduler.as_mut(), &mut metrics).map_err(Failure::input)?;
    Ok(metrics.summary().map(|summary| summary.wait.mean))
}
