//! Logs without names, and what still identifies users in them: [`anonymise()`] takes names out, [`identified`] counts the users
//! that one job identifies, and [`coarse()`] makes each job look like those of several users.

mod coarse;
mod identified;

pub use coarse::{Coarse, TooFewUsers, coarse};
pub use identified::{Identified, identified};

use crate::log::{Header, Record};
use dfrsim_model::SimTime;
use rustc_hash::FxHashMap;

/// How many different numbers were replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// Jobs.
    pub jobs: usize,
    /// Users.
    pub users: usize,
    /// Groups, or accounts.
    pub groups: usize,
    /// Applications, or names of jobs.
    pub executables: usize,
    /// Queues.
    pub queues: usize,
    /// Partitions.
    pub partitions: usize,
}

/// Comments that simulations depend on.
const KEPT: [&str; 4] = ["MaxJobs", "MaxRecords", "MaxNodes", "MaxProcs"];

/// The first word of a text, if it is the name of a time zone as the tz database has them: `Europe/Berlin`, `UTC`.
fn zone(text: &str) -> Option<String> {
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

/// Replaces the numbers of jobs, users, groups, executables, queues and partitions by those of their first appearance, from 1, and
/// leaves out all comments but the size of the machine and the beginning of time, of which it keeps numbers and the name of a
/// time zone. Queue 0, which is meant for interactive jobs, stays. With `shift` times begin with the first record, and the date
/// is left out.
///
/// All else stays, so that a simulation of the records is the same; with `shift` it is only that much earlier. Who knows when
/// one job of a user ran, or how, finds that user: see [`identified`].
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
    for name in KEPT {
        // What follows the number may say where the machine is.
        if let Some(value) = header.value(name).and_then(number_of).filter(|digits| !digits.is_empty()) {
            new.push(name, &value);
        }
    }
    if !shift {
        let start = header.unix_start_time().map(|seconds| seconds.to_string());
        let dates =
            [("UnixStartTime", start), ("TimeZoneString", header.value("TimeZoneString").and_then(zone))];
        dates.into_iter().for_each(|(name, value)| _ = value.map(|value| new.push(name, &value)));
    }
    let first = records.iter().map(|record| record.submit).min().unwrap_or_default();
    let mut jobs = FxHashMap::default();
    for record in records.iter() {
        number(&mut jobs, record.job);
    }
    let [mut users, mut groups, mut executables, mut queues, mut partitions]: [FxHashMap<u64, usize>; 5] =
        Default::default();
    for record in records {
        record.job = number(&mut jobs, record.job) as u64;
        // A job that is not in the log cannot be waited for.
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
            *field = field.map(|old| number(numbers, old.into()) as u32);
        }
        record.queue =
            record.queue.map(|old| if old == 0 { 0 } else { number(&mut queues, old.into()) as u32 });
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

/// The number that takes the place of another one: its place among those that came, from 1.
fn number(numbers: &mut FxHashMap<u64, usize>, old: u64) -> usize {
    let next = numbers.len() + 1;
    *numbers.entry(old).or_insert(next)
}
