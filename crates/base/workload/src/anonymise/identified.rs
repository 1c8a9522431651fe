//! Count of the users whom a single job identifies.

use crate::log::Record;
use dfrsim_model::SimSpan;
use rustc_hash::FxHashSet;

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
