//! Counts of the users whom a few jobs identify.

use crate::log::Record;
use dfrsim_model::{SimSpan, SimTime};
use rustc_hash::{FxHashMap, FxHashSet};

/// Quasi-identifiers of a job, without its submit time: run time, size and requested time.
pub(super) type QuasiIdentifiers = (Option<SimSpan>, Option<u32>, Option<SimSpan>);

/// Counts of users whom a single job identifies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identified {
    /// Number of users. Jobs without a user count as one user.
    pub users: usize,
    /// Users with a job whose run time, size and requested time no job of another user has.
    pub by_one_job: usize,
    /// The k for which the log is k-anonymous in these three fields: the smallest number of users
    /// that share their values. 0 without jobs.
    pub k: usize,
}

/// Counts of users whom the submission of jobs identifies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdentifiedBySubmission {
    /// Users with a job such that no other user submitted one of its size in the same period.
    pub by_one_job: usize,
    /// Users with at least three jobs.
    pub users_of_three: usize,
    /// Users among them such that no other user submitted jobs of the sizes of their first, their
    /// middle and their last job in the same periods.
    pub by_three_jobs: usize,
}

/// Counts the users who are identified by size and submission of one job, or of three, for anyone who
/// knows the submissions to a period of this length.
///
/// ```
/// use dfrsim_workload::anonymise::identified_by_submission;
/// use dfrsim_workload::log::Record;
/// use dfrsim_model::{SimSpan, SimTime};
/// let job = |user, second| Record { user: Some(user), submit: SimTime::from_secs(second), ..Record::default() };
/// let records = [job(1, 100), job(2, 200), job(2, 5_000)];
/// let by_hour = identified_by_submission(&records, SimSpan::from_secs(3_600));
/// assert_eq!(by_hour.by_one_job, 1, "user 2 by the job of the second hour");
/// assert_eq!(identified_by_submission(&records, SimSpan::from_secs(1)).by_one_job, 2);
/// ```
pub fn identified_by_submission(records: &[Record], period: SimSpan) -> IdentifiedBySubmission {
    let sighting = |record: &Record| {
        let when = record.submit.since(SimTime::ZERO).micros() / period.micros().max(1);
        (when, quasi_identifiers(record).1)
    };
    let mut users_of: FxHashMap<_, FxHashSet<Option<u32>>> = FxHashMap::default();
    let mut jobs_of: FxHashMap<Option<u32>, Vec<&Record>> = FxHashMap::default();
    for record in records {
        users_of.entry(sighting(record)).or_default().insert(record.user);
        jobs_of.entry(record.user).or_default().push(record);
    }
    let mut counts = IdentifiedBySubmission::default();
    let alone = users_of.values().filter(|users| users.len() == 1).flatten();
    counts.by_one_job = alone.collect::<FxHashSet<_>>().len();
    for (user, jobs) in &mut jobs_of {
        let count = jobs.len();
        if count < 3 {
            continue;
        }
        jobs.sort_by_key(|record| record.submit);
        let [first, middle, last] = [0, count / 2, count - 1].map(|at| &users_of[&sighting(jobs[at])]);
        let others = first.iter().filter(|other| middle.contains(other) && last.contains(other));
        counts.users_of_three += 1;
        counts.by_three_jobs += usize::from(others.filter(|other| *other != user).count() == 0);
    }
    counts
}

/// Counts the users who are identified by the run time, size and requested time of a single job.
pub fn identified(records: &[Record]) -> Identified {
    let mut users: Vec<(QuasiIdentifiers, Option<u32>)> =
        records.iter().map(|record| (quasi_identifiers(record), record.user)).collect();
    users.sort_unstable();
    users.dedup();
    let alike: Vec<&[(QuasiIdentifiers, Option<u32>)]> = users.chunk_by(|a, b| a.0 == b.0).collect();
    Identified {
        users: count_users(&mut users.iter().map(|of| of.1)),
        by_one_job: count_users(&mut alike.iter().filter(|users| users.len() == 1).map(|users| users[0].1)),
        k: alike.iter().map(|users| users.len()).min().unwrap_or(0),
    }
}

/// Counts distinct users.
pub(super) fn count_users(users: &mut dyn Iterator<Item = Option<u32>>) -> usize {
    users.collect::<FxHashSet<_>>().len()
}

/// Returns the quasi-identifiers of a job.
pub(super) fn quasi_identifiers(record: &Record) -> QuasiIdentifiers {
    let width = record.requested_processors.or(record.allocated_processors);
    (record.run_time, width, record.requested_time)
}
