//! Jobs of accounting, which become the lines of a log.

use super::header::{Header, Naming};
use super::names::Names;
use super::record::{Line, Record, Status};
use super::{Faults, Input, LogError, Problem};
use dfrsim_model::{SimSpan, SimTime};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
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
    /// The jobs after which it may start, if it depends on some, with the outcome that counts (whether it is completed), if one does.
    pub(crate) after: Vec<(String, Option<bool>)>,
    /// Whether one of them suffices.
    pub(crate) is_any: bool,
    /// All else; number, submission and preceding job are left open.
    pub(crate) record: Record,
}

/// The outcome of a job that counts for a kind of dependency on its end, if one does; `None` for others.
pub(crate) fn outcome(kind: &str) -> Option<Option<bool>> {
    match kind {
        "afterany" => Some(None),
        "afterok" | "aftercorr" => Some(Some(true)),
        "afternotok" => Some(Some(false)),
        _ => None,
    }
}

/// The jobs as lines whose times begin with the first submission, below a header that says where they are from.
///
/// Jobs keep their numbers if each has one of its own; otherwise they are numbered from 1 as they come. A dependency is a preceding
/// job with the think time that the log has, 0 if the job was submitted before the other one ended. Of several jobs, and of the tasks of
/// an array (`70` is all of `70_1`, `70_2` and so on), it is the one that ended last; the others are beside it. Where one dependency suffices it
/// is that which was met first. A job that ended after the other one had begun, or in another way than asked for, did not hold it: the user or
/// an operator had lifted that.
pub(crate) fn lines(jobs: &[Listed], names: &Names, note: &str) -> (Header, Vec<Line>) {
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
    let mut seen = BTreeSet::new();
    let are_unique = jobs.iter().all(|job| job.number.is_some_and(|number| seen.insert(number)));
    let number = |place: u64, job: &Listed| job.number.filter(|_| are_unique).unwrap_or(place + 1);
    // Of a job with several runs the last one is what others wait for.
    let runs: BTreeMap<&str, (u64, &Listed)> =
        (0..).zip(jobs).map(|(place, job)| (job.id.as_str(), (number(place, job), job))).collect();
    let mut arrays: BTreeMap<&str, Vec<(u64, &Listed)>> = BTreeMap::new();
    for (id, &task) in &runs {
        if let Some((array, _)) = id.split_once('_') {
            arrays.entry(array).or_default().push(task);
        }
    }
    let before = |job: &Listed| -> BTreeSet<(Option<i64>, u64)> {
        let wait = job.record.wait.map_or(0, |wait| (wait.micros() / 1_000_000) as i64);
        let began = job.end.map(|_| job.submit + wait);
        let held = |(_, other): &(u64, &Listed), outcome: Option<bool>| {
            let is_late = began.zip(other.end).is_some_and(|(began, end)| end > began);
            let is_completed = other.record.status == Status::Completed;
            other.id != job.id && !is_late && outcome.is_none_or(|it| it == is_completed)
        };
        let parts = job.after.iter().map(|(id, outcome)| -> BTreeSet<_> {
            let tasks = || arrays.get(id.as_str()).map_or(&[][..], Vec::as_slice);
            let named = runs.get(id.as_str()).map_or_else(tasks, std::slice::from_ref);
            let held = named.iter().filter(|other| held(other, *outcome));
            held.map(|(number, other)| (other.end, *number)).collect()
        });
        if job.is_any {
            let first = parts.filter(|part| !part.is_empty()).min_by_key(|part| part.last().copied());
            return first.unwrap_or_default();
        }
        parts.flatten().collect()
    };
    let line = |(place, job): (u64, &Listed)| {
        let mut record = job.record.clone();
        record.job = number(place, job);
        record.submit = SimTime::from_secs(job.submit.abs_diff(first));
        let mut before = before(job);
        if let Some((end, preceding)) = before.pop_last() {
            let think = end.and_then(|end| u64::try_from(job.submit - end).ok()).unwrap_or(0);
            record.preceding_job = Some(preceding);
            record.think_time = Some(SimSpan::from_secs(think));
            record.also_preceding = before.into_iter().map(|(_, number)| number).collect();
        }
        Line { number: job.line, place, has_submit: true, record }
    };
    let lines = (0..).zip(jobs).map(line).collect();
    (header, lines)
}

/// The text of a file, plain or gzip.
///
/// # Errors
/// [`LogError::Open`], and [`LogError::Faults`] if it cannot be read to its end.
pub(crate) fn text(path: &Path) -> Result<String, LogError> {
    let file = path.display().to_string();
    let open = |source| LogError::Open { file: file.clone(), source };
    let mut input = Input::new(File::open(path).map_err(open)?).map_err(open)?;
    let mut bytes = Vec::new();
    if let Err(error) = input.read_to_end(&mut bytes) {
        let mut faults = Faults::new(&file);
        faults.push(1, Problem::Unreadable { reason: error.to_string() });
        return Err(faults.into());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
