//! Jobs of accounting, which become the lines of a log.

use super::header::{Header, Naming};
use super::names::Names;
use super::record::{Line, Record, Status};
use super::{
    Accounting, Faults, LogError, MAX_SECONDS, Problem, ReadReport, Strictness, Whole, decompressed,
};
use dfrsim_model::{SimSpan, SimTime};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fs::File;
use std::io::Read as _;
use std::ops::RangeInclusive;
use std::path::Path;

/// A job, or a run of one, that has ended.
#[derive(Debug)]
pub(crate) struct Listed {
    /// Its line.
    pub(crate) line: u64,
    /// Its name in the accounting, by which others refer to it.
    pub(crate) id: String,
    /// Its number, if it has one.
    pub(crate) number: Option<u64>,
    /// When it was submitted, and when it ended if it has started, in seconds since 1970.
    pub(crate) submit: i64,
    pub(crate) end: Option<i64>,
    /// The jobs that it depends on, and until when.
    pub(crate) after: Vec<(String, Until)>,
    /// Whether one of them suffices.
    pub(crate) is_any: bool,
    /// All else; number, submission and preceding job are left open.
    pub(crate) record: Record,
}

impl Listed {
    /// When it started, or left unstarted.
    fn began(&self) -> i64 {
        self.submit + self.record.wait.map_or(0, |wait| (wait.micros() / 1_000_000) as i64)
    }
}

/// Until when a job waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// Until it has ended, with the outcome that counts (whether it is completed), if one does.
    End(Option<bool>),
    /// Until a number of seconds after it has started, or has left unstarted.
    Start(u32),
}

impl Until {
    /// Of a kind of dependency; `None` of others.
    pub(crate) fn of(kind: &str) -> Option<Until> {
        match kind {
            "afterany" => Some(Until::End(None)),
            "afterok" | "aftercorr" => Some(Until::End(Some(true))),
            "afternotok" => Some(Until::End(Some(false))),
            "after" => Some(Until::Start(0)),
            _ => None,
        }
    }
}

/// A log in the making of which the lines are jobs of accounting.
#[derive(Debug)]
pub(crate) struct Listing {
    jobs: Vec<Listed>,
    pub(crate) names: Names,
    pub(crate) accounting: Accounting,
    /// How many lines were left out, and why: faults if the log is read strictly, or if there is no job without any.
    broken: u64,
    faults: Faults,
}

impl Listing {
    pub(crate) fn new(file: &str) -> Listing {
        let (jobs, names, accounting, faults) =
            (Vec::new(), Names::default(), Accounting::default(), Faults::new(file));
        Listing { jobs, names, accounting, broken: 0, faults }
    }
    /// Leaves out a line with which something is wrong.
    pub(crate) fn leave_out(&mut self, line: u64, problems: impl IntoIterator<Item = Problem>) {
        self.broken += 1;
        problems.into_iter().for_each(|problem| self.faults.push(line, problem));
    }
    /// Adds the job of a line, or leaves it out.
    pub(crate) fn add(&mut self, line: u64, job: Result<Listed, Vec<Problem>>) {
        match job {
            Ok(job) => self.jobs.push(job),
            Err(problems) => self.leave_out(line, problems),
        }
    }
    /// The log, with a note in its header of where it is from.
    pub(crate) fn finish(self, file: &str, strictness: Strictness, note: &str) -> Result<Whole, LogError> {
        let Listing { jobs, names, accounting, broken, faults } = self;
        if !faults.is_empty() && (strictness == Strictness::Strict || jobs.is_empty()) {
            return Err(faults.into());
        }
        let report = ReadReport { records: jobs.len() as u64, broken, accounting, ..ReadReport::default() };
        let (header, lines) = lines(&jobs, &names, note);
        Ok(Whole::new(file.to_owned(), header, report, lines))
    }
}

/// A moment that is given as seconds since 1970.
pub(crate) fn unix_seconds(text: &str) -> Option<i64> {
    let seconds = text.parse::<u64>().ok().filter(|&seconds| seconds <= MAX_SECONDS)?;
    i64::try_from(seconds).ok()
}

/// Seconds as a clock has them, `[[hours:]minutes:]seconds`, with this many parts; decimals are cut off.
pub(crate) fn clock_seconds(text: &str, parts: RangeInclusive<usize>) -> Option<u64> {
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let add = |sum: u64, part: &str| sum.checked_mul(60)?.checked_add(part.parse().ok()?);
    let seconds = whole.split(':').try_fold(0, add)?;
    parts.contains(&whole.split(':').count()).then_some(seconds)
}

/// The jobs as lines whose times begin with the first submission, below a header that says where they are from.
///
/// Jobs keep their numbers if each has one of its own; otherwise they are numbered from 1 as they come. A dependency is a preceding
/// job with the think time that the log has, 0 if the job was submitted before the other one ended. Of several jobs, and of the tasks of
/// an array (`70` is all of `70_1`, `70_2` and so on), it is the one that ended last; the others, and those of which the start counts, are beside
/// it. Where one dependency suffices it is that which was met first. A job that ended or started after the other one had begun, or ended in
/// another way than asked for, did not hold it: the user or an operator had lifted that.
fn lines(jobs: &[Listed], names: &Names, note: &str) -> (Header, Vec<Line>) {
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
    let mut seen = FxHashSet::default();
    let are_unique = jobs.iter().all(|job| job.number.is_some_and(|number| seen.insert(number)));
    let number = |place: u64, job: &Listed| job.number.filter(|_| are_unique).unwrap_or(place + 1);
    // Of a job with several runs the last one is what others wait for.
    let runs: FxHashMap<&str, (u64, &Listed)> =
        (0..).zip(jobs).map(|(place, job)| (job.id.as_str(), (number(place, job), job))).collect();
    let mut arrays: FxHashMap<&str, Vec<(u64, &Listed)>> = FxHashMap::default();
    for job in jobs {
        if let Some((array, _)) = job.id.split_once('_') {
            arrays.entry(array).or_default().push(runs[job.id.as_str()]);
        }
    }
    // When the dependency of a job on another one was met, that one's number, and the time since its start if that counts.
    type Met = (Option<i64>, u64, Option<SimSpan>);
    let before = |job: &Listed| -> Vec<Met> {
        let began = job.end.map(|_| job.began());
        let met = |other: &Listed, until: Until| {
            let (is_met, at, delay) = match until {
                Until::End(outcome) => {
                    let is_completed = other.record.status == Status::Completed;
                    (outcome.is_none_or(|it| it == is_completed), other.end, None)
                }
                Until::Start(delay) => {
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
            let met = |(number, other): &(u64, &Listed)| met(other, *until).map(|(at, it)| (at, *number, it));
            named.iter().filter_map(met).collect()
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
    let line = |(place, job): (u64, &Listed)| {
        let mut record = job.record.clone();
        record.job = number(place, job);
        record.submit = SimTime::from_secs(job.submit.abs_diff(first));
        let mut before = before(job);
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

/// The text of a file, plain or gzip.
///
/// # Errors
/// As [`bytes`].
pub(crate) fn text(path: &Path) -> Result<String, LogError> {
    Ok(String::from_utf8_lossy(&bytes(path)?).into_owned())
}

/// The bytes of a file, plain or gzip.
///
/// # Errors
/// [`LogError::Open`], and [`LogError::Faults`] if it cannot be read to its end.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, LogError> {
    let file = path.display().to_string();
    let open = |source| LogError::Open { file: file.clone(), source };
    let mut input = decompressed(File::open(path).map_err(open)?).map_err(open)?;
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

/// That a file cannot be read.
pub(crate) fn unreadable(path: &Path, error: &dyn std::error::Error) -> LogError {
    let mut faults = Faults::new(&path.display().to_string());
    faults.push(1, Problem::Unreadable { reason: error.to_string() });
    faults.into()
}
