//! Anonymisation of logs, and measures of what still identifies their users.
//!
//! [`anonymise()`] removes names, [`identified`] counts the users whom a single job identifies,
//! [`identified_by_submission`] those whom the submission of one job or of three identifies,
//! [`hide_times`] changes submit times, and [`coarsen`] makes each job indistinguishable from those
//! of several other users.

mod coarse;
mod identified;
mod times;

pub use coarse::{COARSE_SUBMISSION, CoarseningLosses, TooFewUsers, coarsen};
pub use identified::{Identified, IdentifiedBySubmission, identified, identified_by_submission};
pub use times::{HiddenTimes, TimesLosses, hide_times};

use crate::log::{Header, Record};
use dfrsim_model::SimTime;
use rustc_hash::FxHashMap;

/// Numbers of distinct identifiers that were replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// Job numbers.
    pub jobs: usize,
    /// User numbers.
    pub users: usize,
    /// Group or account numbers.
    pub groups: usize,
    /// Application (executable) numbers or job names.
    pub executables: usize,
    /// Queue numbers.
    pub queues: usize,
    /// Partition numbers.
    pub partitions: usize,
}

/// Header comments that are kept because simulations depend on them.
const KEPT_COMMENTS: [&str; 4] = ["MaxJobs", "MaxRecords", "MaxNodes", "MaxProcs"];

/// Returns the first word of a text if it is the name of a time zone in the tz database, such as
/// `Europe/Berlin` or `UTC`.
fn time_zone(text: &str) -> Option<String> {
    let word = text.split_whitespace().next()?;
    let is_part =
        |part: &str| part.chars().all(|letter| letter.is_ascii_alphabetic() || "_+-0".contains(letter));
    let is_zone = match word.split_once('/') {
        Some((
            "Africa" | "America" | "Antarctica" | "Arctic" | "Asia" | "Atlantic" | "Australia" | "Etc"
            | "Europe" | "Indian" | "Pacific",
            city,
        )) => city.split('/').all(is_part),
        Some(_) => false,
        None => ["UTC", "GMT"].contains(&word),
    };
    is_zone.then(|| word.to_owned())
}

/// Replaces the numbers of jobs, users, groups, executables, queues and partitions by consecutive
/// numbers, from 1, in the order of their first appearance.
///
/// All header comments are removed except the size of the machine and the start time, of which only
/// the numbers and the name of the time zone are kept. Queue 0, which SWF defines for interactive
/// jobs, stays 0. With `shift`, submit times are relative to the first submission, and the date is
/// removed.
///
/// Nothing else changes, so a simulation of the records gives identical results; with `shift` they
/// are only that much earlier. Users can still be identified by anyone who knows the run time or the
/// submit time of one of their jobs: see [`identified`].
///
/// ```
/// use dfrsim_workload::anonymise::anonymise;
/// use dfrsim_workload::log::{Header, Record};
/// use dfrsim_model::SimTime;
/// let record = |job, second, user| Record {
///     job,
///     submit: SimTime::from_secs(second),
///     user: Some(user),
///     ..Record::default()
/// };
/// let mut records = [record(70, 500, 1_203), record(71, 560, 88), record(75, 590, 1_203)];
/// let (_, replaced) = anonymise(&Header::default(), &mut records, true);
/// assert_eq!(records, [record(1, 0, 1), record(2, 60, 2), record(3, 90, 1)]);
/// assert_eq!((replaced.jobs, replaced.users), (3, 2));
/// ```
pub fn anonymise(header: &Header, records: &mut [Record], shift: bool) -> (Header, Replaced) {
    let mut new = Header::default();
    let number_of =
        |value: &str| value.split(|letter: char| !letter.is_ascii_digit()).next().map(str::to_owned);
    for name in KEPT_COMMENTS {
        // Text after the number could reveal the site.
        if let Some(value) = header.value(name).and_then(number_of).filter(|digits| !digits.is_empty()) {
            new.push(name, &value);
        }
    }
    if !shift {
        let start = header.unix_start_time().map(|seconds| seconds.to_string());
        let dates = [
            ("UnixStartTime", start),
            ("TimeZoneString", header.value("TimeZoneString").and_then(time_zone)),
        ];
        dates.into_iter().for_each(|(name, value)| _ = value.map(|value| new.push(name, &value)));
    }
    let first = records.iter().map(|record| record.submit).min().unwrap_or_default();
    let mut jobs = FxHashMap::default();
    for record in records.iter() {
        assign_number(&mut jobs, record.job);
    }
    let [mut users, mut groups, mut executables, mut queues, mut partitions]: [FxHashMap<u64, usize>; 5] =
        Default::default();
    for record in records {
        record.job = assign_number(&mut jobs, record.job) as u64;
        // A dependency on a job that is not in the log cannot be modelled.
        record.preceding_job = record.preceding_job.and_then(|job| jobs.get(&job)).map(|&job| job as u64);
        let others = std::mem::take(&mut record.also_preceding).into_iter();
        let known = |(job, start)| jobs.get(&job).map(|&job| (job as u64, start));
        record.also_preceding = others.filter_map(known).collect();
        if shift {
            record.submit = SimTime::ZERO + record.submit.since(first);
        }
        for (field, numbers) in [
            (&mut record.user, &mut users),
            (&mut record.group, &mut groups),
            (&mut record.executable, &mut executables),
            (&mut record.partition, &mut partitions),
        ] {
            *field = field.map(|old| assign_number(numbers, old.into()) as u32);
        }
        record.queue =
            record.queue.map(|old| if old == 0 { 0 } else { assign_number(&mut queues, old.into()) as u32 });
    }
    let replaced = Replaced {
        jobs: jobs.len(),
        users: users.len(),
        groups: groups.len(),
        executables: executables.len(),
        queues: queues.len(),
        partitions: partitions.len(),
    };
    (new, replaced)
}

/// Returns the replacement of a number: its rank, from 1, in the order of first appearance.
fn assign_number(numbers: &mut FxHashMap<u64, usize>, old: u64) -> usize {
    let next = numbers.len() + 1;
    *numbers.entry(old).or_insert(next)
}
