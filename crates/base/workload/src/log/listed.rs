//! Conversion of jobs from accounting data to the lines of a log.

use super::header::{Header, Naming};
use super::names::Names;
use super::record::{Line, Record, Status};
use super::{
    Account, Fate, Faults, LogError, MAX_SECONDS, Problem, ReadReport, Reason, Strictness, Whole, decompress,
};
use dfrsim_model::{SimSpan, SimTime};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fs::File;
use std::io::Read as _;
use std::ops::RangeInclusive;
use std::path::Path;

/// Jobs that could not start at their submission.
const DEFERRED: Reason = Reason {
    fate: Fate::Changed,
    text: "jobs that became eligible after their submission (--begin, --hold), submitted at that time",
};
/// Dependencies on jobs outside the listing.
const UNLISTED: Reason =
    Reason { fate: Fate::NotSimulated, text: "dependencies on jobs that are not in the listing" };
/// Dependencies without which a job ran: on itself, on a job that ended later, or on another outcome.
const CONTRADICTED: Reason = Reason {
    fate: Fate::NotSimulated,
    text: "dependencies that the times and outcomes of the listing contradict",
};
/// Jobs whose id is not a number.
const WITHOUT_NUMBERS: Reason = Reason {
    fate: Fate::Changed,
    text: "jobs numbered in the order of the file, as not all of their ids are numbers",
};
/// Jobs whose number an earlier one has.
const REPEATED_NUMBER: Reason = Reason {
    fate: Fate::Changed,
    text: "jobs with the number of an earlier job, numbered after the largest number",
};

/// A job that has ended, or one run of a requeued job.
#[derive(Debug)]
pub(crate) struct AccountingJob {
    /// Number of its line.
    pub(crate) line: u64,
    /// Id of the job in the accounting data, used by dependencies.
    pub(crate) id: String,
    /// Job number, if the id is a number.
    pub(crate) number: Option<u64>,
    /// Submit time, and end if the job has started, in seconds since 1970.
    pub(crate) submit: i64,
    /// Time at which the job could first start, if it is known; it is the submit time unless the job
    /// was held.
    pub(crate) eligible: Option<i64>,
    pub(crate) end: Option<i64>,
    /// Dependencies: ids of jobs and the condition for each.
    pub(crate) after: Vec<(String, DependencyCondition)>,
    /// True if a single dependency suffices.
    pub(crate) is_any: bool,
    /// Other fields; job number, submit time and preceding job are not set yet.
    pub(crate) record: Record,
}

impl AccountingJob {
    /// Returns the time at which the job started, or left the queue without starting.
    fn began(&self) -> i64 {
        self.submit + self.record.wait.map_or(0, |wait| (wait.micros() / 1_000_000) as i64)
    }
}

/// Event of the other job that satisfies a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DependencyCondition {
    /// The other job has ended: with success if `Some(true)`, with failure if `Some(false)`, in any
    /// way if `None`.
    End(Option<bool>),
    /// The given number of seconds has passed since the other job started, or left the queue without
    /// starting.
    Start(u32),
}

impl DependencyCondition {
    /// Parses a type of dependency; `None` for other types.
    pub(crate) fn of(kind: &str) -> Option<DependencyCondition> {
        match kind {
            "afterany" => Some(DependencyCondition::End(None)),
            "afterok" | "aftercorr" => Some(DependencyCondition::End(Some(true))),
            "afternotok" => Some(DependencyCondition::End(Some(false))),
            "after" => Some(DependencyCondition::Start(0)),
            _ => None,
        }
    }
}

/// Builder of a log from jobs of accounting data.
#[derive(Debug)]
pub(crate) struct Listing {
    jobs: Vec<AccountingJob>,
    pub(crate) names: Names,
    pub(crate) account: Account,
    /// Number of skipped lines. Their errors are reported if the log is read strictly, or if no job
    /// is valid.
    broken: u64,
    faults: Faults,
}

impl Listing {
    pub(crate) fn new(file: &str) -> Listing {
        let (jobs, names, account, faults) =
            (Vec::new(), Names::default(), Account::default(), Faults::new(file));
        Listing { jobs, names, account, broken: 0, faults }
    }
    /// Skips an invalid line and records its problems.
    pub(crate) fn leave_out(&mut self, line: u64, problems: impl IntoIterator<Item = Problem>) {
        self.broken += 1;
        problems.into_iter().for_each(|problem| self.faults.push(line, problem));
    }
    /// Adds the job of a line, or skips the line if it is invalid.
    pub(crate) fn add(&mut self, line: u64, job: Result<AccountingJob, Vec<Problem>>) {
        match job {
            Ok(job) => self.jobs.push(job),
            Err(problems) => self.leave_out(line, problems),
        }
    }
    /// Builds the log, with a note on its source in the header.
    ///
    /// # Errors
    ///
    /// The collected errors, if `strictness` is strict or there is no valid job.
    pub(crate) fn finish(self, file: &str, strictness: Strictness, note: &str) -> Result<Whole, LogError> {
        let Listing { jobs, names, mut account, broken, faults } = self;
        if !faults.is_empty() && (strictness == Strictness::Strict || jobs.is_empty()) {
            return Err(faults.into());
        }
        let (header, lines) = lines(&jobs, &names, note, &mut account);
        let report = ReadReport { records: jobs.len() as u64, broken, account, ..ReadReport::default() };
        Ok(Whole::new(file.to_owned(), header, report, lines))
    }
}

/// Parses a time in seconds since 1970.
pub(crate) fn unix_seconds(text: &str) -> Option<i64> {
    let seconds = text.parse::<u64>().ok().filter(|&seconds| seconds <= MAX_SECONDS)?;
    i64::try_from(seconds).ok()
}

/// Parses a duration `[[hours:]minutes:]seconds` with this many parts into seconds. Decimals are
/// truncated.
pub(crate) fn clock_seconds(text: &str, parts: RangeInclusive<usize>) -> Option<u64> {
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let add = |sum: u64, part: &str| sum.checked_mul(60)?.checked_add(part.parse().ok()?);
    let seconds = whole.split(':').try_fold(0, add)?;
    parts.contains(&whole.split(':').count()).then_some(seconds)
}

/// Converts the jobs to lines, with times relative to the first submission, and creates the header.
///
/// Jobs keep their numbers if all have one; otherwise they are numbered from 1 in the order of the
/// input. A job with the number of an earlier one is numbered after the largest number. A job that
/// became eligible after its submission is submitted then, unless it has dependencies.
///
/// A dependency becomes a preceding job with the think time of the log, or 0 if the job was
/// submitted before the other one ended. If there are several dependencies, or one on an array (`70`
/// stands for all of `70_1`, `70_2` and so on), the preceding job is the one that ended last. The
/// others, and dependencies on the start of a job, go to `also_preceding`. If a single dependency
/// suffices, it is the one that was met first. A dependency is ignored if the other job ended or
/// started after this one had begun, or ended with another outcome than required: a user or an
/// operator had removed it. These and dependencies on jobs outside the listing are counted.
fn lines(jobs: &[AccountingJob], names: &Names, note: &str, account: &mut Account) -> (Header, Vec<Line>) {
    let first = jobs.iter().map(|job| job.submit).min().unwrap_or_default();
    let mut header = Header::default();
    header.push("UnixStartTime", &first.to_string());
    header.push("Note", note);
    for (of, all) in [
        (Naming::User, &names.users),
        (Naming::Group, &names.groups),
        (Naming::Queue, &names.queues),
        (Naming::Partition, &names.partitions),
    ] {
        all.iter().for_each(|(number, name)| header.name(of, number, name));
    }
    let numbers = numbers(jobs, account);
    let number = |place: u64| numbers[place as usize];
    // Other jobs depend on the last run of a requeued job.
    let runs: FxHashMap<&str, (u64, &AccountingJob)> =
        (0..).zip(jobs).map(|(place, job)| (job.id.as_str(), (number(place), job))).collect();
    let mut arrays: FxHashMap<&str, Vec<(u64, &AccountingJob)>> = FxHashMap::default();
    for job in jobs {
        if let Some((array, _)) = job.id.split_once('_') {
            arrays.entry(array).or_default().push(runs[job.id.as_str()]);
        }
    }
    // A dependency that was met: the time, the number of the other job, and the delay after its
    // start if it is a dependency on that.
    type Met = (Option<i64>, u64, Option<SimSpan>);
    let before = |job: &AccountingJob, account: &mut Account| -> Vec<Met> {
        let began = job.end.map(|_| job.began());
        let met = |other: &AccountingJob, until: DependencyCondition| {
            let (is_met, at, delay) = match until {
                DependencyCondition::End(outcome) => {
                    let is_completed = other.record.status == Status::Completed;
                    (outcome.is_none_or(|it| it == is_completed), other.end, None)
                }
                DependencyCondition::Start(delay) => {
                    let at = other.began() + i64::from(delay);
                    (true, Some(at), Some(SimSpan::from_secs(delay.into())))
                }
            };
            let is_late = began.zip(at).is_some_and(|(began, at)| at > began);
            (is_met && !is_late && other.id != job.id).then_some((at, delay))
        };
        let parts = job.after.iter().map(|(id, until)| -> Vec<Met> {
            let tasks = || arrays.get(id.as_str()).map_or(&[][..], Vec::as_slice);
            let named = runs.get(id.as_str()).map_or_else(tasks, std::slice::from_ref);
            let met = |(number, other): &(u64, &AccountingJob)| {
                met(other, *until).map(|(at, it)| (at, *number, it))
            };
            let part: Vec<Met> = named.iter().filter_map(met).collect();
            account.count_if(UNLISTED, named.is_empty());
            account.count_if(CONTRADICTED, part.len() < named.len() && !job.is_any);
            part
        });
        let mut before = match job.is_any {
            true => parts
                .filter(|part| !part.is_empty())
                .min_by_key(|part| part.iter().map(|it| (it.0, it.1)).max())
                .unwrap_or_default(),
            false => parts.flatten().collect(),
        };
        before.sort_unstable();
        before.dedup();
        before
    };
    let line = |(place, job): (u64, &AccountingJob)| {
        let mut record = job.record.clone();
        record.job = number(place);
        let mut before = before(job, account);
        let later = job.eligible.filter(|&eligible| eligible > job.submit && before.is_empty());
        let submit = later.unwrap_or(job.submit);
        record.submit = SimTime::from_secs(submit.abs_diff(first));
        let held = SimSpan::from_secs(submit.abs_diff(job.submit));
        record.wait = record.wait.map(|wait| wait - held.min(wait));
        account.count_if(DEFERRED, later.is_some());
        if let Some(last) = before.iter().rposition(|it| it.2.is_none()) {
            let (end, preceding, _) = before.remove(last);
            let think = end.and_then(|end| u64::try_from(job.submit - end).ok()).unwrap_or(0);
            record.preceding_job = Some(preceding);
            record.think_time = Some(SimSpan::from_secs(think));
        }
        record.also_preceding = before.into_iter().map(|(_, number, start)| (number, start)).collect();
        Line { number: job.line, place, has_submit: true, record }
    };
    let lines = (0..).zip(jobs).map(line).collect();
    (header, lines)
}

/// Returns a number for each job: its own, or one after the largest number if an earlier job has it;
/// its place from 1 if jobs have no numbers.
fn numbers(jobs: &[AccountingJob], account: &mut Account) -> Vec<u64> {
    let given: Option<Vec<u64>> = jobs.iter().map(|job| job.number).collect();
    let mut next = given.iter().flatten().max().copied().unwrap_or(0);
    let Some(mut numbers) = given.filter(|given| next.checked_add(given.len() as u64).is_some()) else {
        account.add(WITHOUT_NUMBERS, jobs.len() as u64);
        return (1..=jobs.len() as u64).collect();
    };
    let mut seen = FxHashSet::default();
    for number in &mut numbers {
        if !seen.insert(*number) {
            next += 1;
            *number = next;
            account.count(REPEATED_NUMBER);
        }
    }
    numbers
}

/// Reads the text of a file, plain or gzip.
///
/// # Errors
///
/// As for [`bytes`].
pub(crate) fn file_text(path: &Path) -> Result<String, LogError> {
    Ok(String::from_utf8_lossy(&file_bytes(path)?).into_owned())
}

/// Reads the bytes of a file, plain or gzip.
///
/// # Errors
///
/// [`LogError::Open`], and [`LogError::Faults`] if reading fails before the end.
pub(crate) fn file_bytes(path: &Path) -> Result<Vec<u8>, LogError> {
    let file = path.display().to_string();
    let open = |source| LogError::Open { file: file.clone(), source };
    let mut input = decompress(File::open(path).map_err(open)?).map_err(open)?;
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|error| read_error(path, &error))?;
    Ok(bytes)
}

/// Creates the error for a file that cannot be read.
pub(crate) fn read_error(path: &Path, error: &dyn std::error::Error) -> LogError {
    let mut faults = Faults::new(&path.display().to_string());
    faults.push(1, Problem::Unreadable { reason: error.to_string() });
    faults.into()
}
