//! How many users one job identifies.

use crate::log::Record;
use dfrsim_model::SimSpan;
use std::collections::{BTreeMap, BTreeSet};

/// What may be known of a job without its time of submission: run time, width, requested run time.
pub(super) type Known = (Option<SimSpan>, Option<u32>, Option<SimSpan>);

/// The users that one job identifies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identified {
    /// The users, of whom those that the log does not name count as one.
    pub users: usize,
    /// Those with a job whose run time, width and requested time no job of another user has.
    pub by_one_job: usize,
    /// The fewest users that have jobs of the same three: the log is k-anonymous in them for this k. 0 without jobs.
    pub k: usize,
}

/// Counts the users that run time, width and requested time of a single job identify.
pub fn identified(records: &[Record]) -> Identified {
    let mut users_of: BTreeMap<Known, BTreeSet<Option<u32>>> = BTreeMap::new();
    for record in records {
        users_of.entry(known(record)).or_default().insert(record.user);
    }
    let alone = users_of.values().filter(|users| users.len() == 1).flatten();
    Identified {
        users: records.iter().map(|record| record.user).collect::<BTreeSet<_>>().len(),
        by_one_job: alone.collect::<BTreeSet<_>>().len(),
        k: users_of.values().map(BTreeSet::len).min().unwrap_or(0),
    }
}

/// What may be known of a job.
pub(super) fn known(record: &Record) -> Known {
    let width = record.requested_processors.or(record.allocated_processors);
    (record.run_time, width, record.requested_time)
}
