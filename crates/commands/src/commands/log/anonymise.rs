//! `dfrsim log anonymise`

use super::read::SelectedLog;
use super::write;
use crate::arguments::{LogArguments, LogOption};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, counted, notice};
use clap::Args;
use dfrsim_cluster::{EstimateModel, Metrics, Options, SummaryOptions, simulate};
use dfrsim_lab::Digest;
use dfrsim_model::{Seed, SimSpan};
use dfrsim_policies::{Policies, PolicyOptions};
use dfrsim_workload::anonymise::{
    self, COARSE_SUBMISSION, HiddenTimes, Identified, Replaced, TimesLosses, coarsen, hide_times, identified,
    identified_by_submission,
};
use dfrsim_workload::log::{Header, Record};
use dfrsim_workload::prepare;
use schemars::JsonSchema;
use serde::Serialize;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Write a log without names, and count the users that one job still identifies
///
/// Users, groups, accounts, queues, partitions, names of jobs and numbers of jobs become numbers by
/// their first appearance; paths, hosts and comments are dropped, except for the size of the machine
/// and, without --shift, its date. The output is SWF for every input, and its simulation gives the
/// same metrics. Run times, sizes, requests and times of submission stay: somebody who knows one job
/// of a user may find the others. --coarse makes each job look like those of at least --k users, and
/// --times hides when jobs were submitted. Both change simulations: mean wait and mean bounded
/// stretch under EASY are printed before and after.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim log anonymise march.sacct --shift --out march.swf.gz
  dfrsim log anonymise march.sacct --shift --times shuffle-within=1h --out march.swf.gz
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
    /// Hide submit times, and remove wait times, preceding jobs and think times, which reveal them:
    /// `hour` or `day` rounds down, `shuffle-within=1h` has the jobs of each hour exchange theirs
    #[arg(long, value_name = "hour|day|shuffle-within=TIME")]
    times: Option<HiddenTimes>,
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
    /// The users whom sizes and submissions of jobs identify, for anyone who knows them to the second,
    /// the hour or the day; periods shorter than the accuracy of the log are left out.
    submission: Vec<BySubmission>,
    /// The jobs and users lost by `--coarse`, if it was given.
    coarse: Option<Coarsened>,
    /// The changes by `--times`, if it was given.
    times: Option<HiddenTimesOf>,
    /// The effect of `--coarse` and `--times` on simulations, if one was given.
    simulated: Option<BeforeAndAfter>,
}

/// Users whom sizes and submissions of jobs identify.
#[derive(Debug, Serialize, JsonSchema)]
struct BySubmission {
    /// The period to which the submissions are known, in seconds.
    period_s: u64,
    /// The users with a job such that no other user submitted one of its size in the same period.
    by_one_job: usize,
    /// The users with at least three jobs.
    users_of_three: usize,
    /// Users among them whom their first, middle and last job identify together.
    by_three_jobs: usize,
}

/// Jobs and users lost by coarsening the log.
#[derive(Debug, Serialize, JsonSchema)]
struct Coarsened {
    users_identified_before: usize,
    dropped_jobs: usize,
    lost_users: usize,
}

/// Changes by hiding submit times.
#[derive(Debug, Serialize, JsonSchema)]
struct HiddenTimesOf {
    times: String,
    /// The jobs with another submit time than before.
    moved_jobs: usize,
    /// The jobs that have no other in their period, and keep their submit time in a shuffle.
    lone_jobs: usize,
    /// The wait times that were removed.
    removed_waits: usize,
    /// The jobs whose preceding jobs and think times were removed.
    removed_dependencies: usize,
}

/// Simulations under EASY; `null` if the header names no machine or no job can be simulated.
#[derive(Debug, Serialize, JsonSchema)]
struct BeforeAndAfter {
    before: Option<Easy>,
    after: Option<Easy>,
}

/// Means of a simulation under EASY.
#[derive(Debug, Serialize, JsonSchema)]
struct Easy {
    mean_wait_s: f64,
    /// The mean bounded stretch, with run times of at least 10 s.
    mean_bounded_stretch: f64,
}

impl Answer for Anonymised {
    fn text(&self) -> String {
        let Anonymised { file, jobs, users, users_identified_by_one_job: found, k, .. } = self;
        let mut text = format!("{file}: {jobs} jobs of {users} users, without names\n");
        if let Some(Coarsened { users_identified_before, dropped_jobs, lost_users }) = &self.coarse {
            text += &format!(
                "dropped: {dropped_jobs} jobs, which include all jobs of {lost_users} users; one job identified \
                 {users_identified_before} users before\n"
            );
        }
        if let Some(HiddenTimesOf { times, moved_jobs, lone_jobs, removed_waits, removed_dependencies }) =
            &self.times
        {
            text += &format!(
                "submit times ({times}): {moved_jobs} jobs moved; removed: {removed_waits} wait times, and the preceding jobs of \
                 {removed_dependencies} jobs\n"
            );
            if *lone_jobs > 0 {
                text += &format!("{lone_jobs} jobs are alone in their period and keep their submit time\n");
            }
        }
        if let Some(BeforeAndAfter { before, after }) = &self.simulated {
            for (name, of) in [
                ("wait", (|it: &Easy| format!("{:.1} s", it.mean_wait_s)) as fn(&Easy) -> String),
                ("bounded stretch", |it| format!("{:.2}", it.mean_bounded_stretch)),
            ] {
                let value = |easy: &Option<Easy>| easy.as_ref().map_or("unknown".to_owned(), of);
                text +=
                    &format!("mean {name} under EASY: {} before, {} after\n", value(before), value(after));
            }
        }
        text += &format!(
            "run time, size and requested time of one job identify {found} of {users} users (at least {k} users have jobs of \
             the same three)\n"
        );
        for BySubmission { period_s, by_one_job, users_of_three, by_three_jobs } in &self.submission {
            text += &format!(
                "size and submit time, known to {}, identify {by_one_job} of {users} users from one job, and {by_three_jobs} of the \
                 {users_of_three} users with three jobs from three\n",
                period_name(*period_s)
            );
        }
        text += "not hidden: which jobs are of the same user\n";
        text
    }
}

/// Names a period: `the hour`, `1800 s`.
fn period_name(seconds: u64) -> String {
    match seconds {
        SECOND => "the second".to_owned(),
        HOUR => "the hour".to_owned(),
        DAY => "the day".to_owned(),
        other => format!("{other} s"),
    }
}

const SECOND: u64 = 1;
const HOUR: u64 = 3_600;
const DAY: u64 = 86_400;

impl Anonymise {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        self.log.refuse(&[LogOption::Size], "has no effect here: the lines keep both sizes")?;
        let SelectedLog { header, mut records, .. } = SelectedLog::read(&self.input, &self.log, |_| true)?;
        let is_changed = self.coarse || self.times.is_some();
        let before = if is_changed { easy(&header, &records)? } else { None };
        // Job numbers follow the order of submission, so times are hidden before jobs are numbered.
        let times = self.times.map(|times| self.hide(times, &mut records)).transpose()?;
        let (header, replaced) = anonymise::anonymise(&header, &mut records, self.shift);
        let coarse = self.coarse.then(|| self.coarsen(&mut records)).transpose()?;
        let after = if is_changed { easy(&header, &records)? } else { None };
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
        let answer = Anonymised {
            file: self.out.display().to_string(),
            jobs: records.len(),
            users,
            users_identified_by_one_job: by_one_job,
            k,
            submission: self.by_submission(&records),
            coarse,
            times,
            simulated: is_changed.then_some(BeforeAndAfter { before, after }),
        };
        // The log itself may be written to standard output, so the text goes to standard error.
        if context.printing.is_json() {
            return context.print(&answer);
        }
        answer.text().lines().for_each(|line| notice!("{line}"));
        Ok(())
    }

    /// Hides the submit times. A shuffle is seeded by the content of the original log, which a
    /// reader of the anonymous one does not know, so that it can be repeated but not undone.
    fn hide(&self, times: HiddenTimes, records: &mut [Record]) -> Result<HiddenTimesOf, Failure> {
        let digest = File::open(&self.input).and_then(Digest::from_reader);
        let digest = digest.map_err(|error| Failure::unreadable(&self.input, &error))?;
        let seed = Seed::default().fork(&digest.to_string());
        let TimesLosses { moved, alone, waits, dependencies } = hide_times(records, times, seed);
        Ok(HiddenTimesOf {
            times: times.to_string(),
            moved_jobs: moved,
            lone_jobs: alone,
            removed_waits: waits,
            removed_dependencies: dependencies,
        })
    }

    /// Counts the users whom submissions identify, for each period that the log distinguishes.
    fn by_submission(&self, records: &[Record]) -> Vec<BySubmission> {
        let of_times = self.times.map_or(SimSpan::ZERO, HiddenTimes::period);
        let of_coarse = if self.coarse { COARSE_SUBMISSION } else { SimSpan::ZERO };
        let accuracy = of_times.max(of_coarse);
        let mut periods =
            [SECOND, HOUR, DAY].map(|seconds| SimSpan::from_secs(seconds).max(accuracy)).to_vec();
        periods.dedup();
        let count = |period: SimSpan| {
            let found = identified_by_submission(records, period);
            BySubmission {
                period_s: period.micros() / 1_000_000,
                by_one_job: found.by_one_job,
                users_of_three: found.users_of_three,
                by_three_jobs: found.by_three_jobs,
            }
        };
        periods.into_iter().map(count).collect()
    }

    fn coarsen(&self, records: &mut Vec<Record>) -> Result<Coarsened, Failure> {
        let users_identified_before = identified(records).by_one_job;
        let coarse = coarsen(records, self.k as usize);
        let coarse = coarse.map_err(|error| Failure::in_file(&self.input, error))?;
        let anonymise::CoarseningLosses { dropped, lost_users } = coarse;
        Ok(Coarsened { users_identified_before, dropped_jobs: dropped, lost_users })
    }
}

/// Simulates EASY with the requested times on the machine of the header; `None` if the header names
/// no machine or no job can be simulated.
fn easy(header: &Header, records: &[Record]) -> Result<Option<Easy>, Failure> {
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
    Ok(metrics.summary().map(|summary| Easy {
        mean_wait_s: summary.wait.mean,
        mean_bounded_stretch: summary.bounded_stretch[0].distribution.mean,
    }))
}
