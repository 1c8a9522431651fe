//! How many users one job identifies.

use crate::log::Record;
use dfrsim_model::SimSpan;
use rustc_hash::FxHashSet;

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
    let mut users: Vec<(Known, Option<u32>)> =
        records.iter().map(|record| (known(record), record.user)).collect();
    users.sort_unstable();
    users.dedup();
    let alike: Vec<&[(Known, Option<u32>)]> = users.chunk_by(|a, b| a.0 == b.0).collect();
    Identified {
        users: count(&mut users.iter().map(|of| of.1)),
        by_one_job: count(&mut alike.iter().filter(|users| users.len() == 1).map(|users| users[0].1)),
        k: alike.iter().map(|users| users.len()).min().unwrap_or(0),
    }
}

/// How many different users there are.
pub(super) fn count(users: &mut dyn Iterator<Item = Option<u32>>) -> usize {
    users.collect::<FxHashSet<_>>().len()
}

/// What may be known of a job.
pub(super) fn known(record: &Record) -> Known {
    let width = record.requested_processors.or(record.allocated_processors);
    (record.run_time, width, record.requested_time)
}
