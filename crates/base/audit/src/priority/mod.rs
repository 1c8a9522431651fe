//! Priorities and limits of jobs, computed from the settings and the events of a file.
//!
//! The formulas are those of the policies; their arithmetic is on integers that round down, so that two ways of computing them agree:
//! here usage is added up from the times of all jobs, and powers of one half come from a power series.

mod account;
mod amounts;
mod fair_tree;
mod limits;
mod series;
mod site;
mod usage;

pub(crate) use limits::Limits;
pub(crate) use site::Site;

use crate::job::Job;
use dfrsim_model::priority::JobClass;

/// A factor of 1.
pub(crate) const ONE: u128 = 1 << 32;

/// Whether a class has a job: each of its lists that is not empty does.
pub(crate) fn has(class: &JobClass, job: &Job) -> bool {
    let is_in =
        |list: &[u32], number: Option<u32>| list.is_empty() || list.iter().any(|&it| Some(it) == number);
    is_in(&class.users, job.user)
        && is_in(&class.groups, job.group)
        && is_in(&class.queues, job.queue)
        && is_in(&class.partitions, job.partition)
}

/// A part of a whole as a factor; 0 of 0.
pub(crate) fn fraction(part: u128, whole: u128) -> u128 {
    (part * ONE).checked_div(whole).unwrap_or(0)
}
