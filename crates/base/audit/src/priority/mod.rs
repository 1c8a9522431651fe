//! Priorities and limits of jobs, computed from the settings and the events of a file.
//!
//! The formulas are those of the policies. They use integers that are rounded down, so that
//! independent implementations agree exactly. Here usage is added up from the run times of all jobs,
//! and powers of one half are computed by a power series.

mod account;
mod amounts;
mod fair_tree;
mod limits;
mod series;
mod site;
mod usage;

pub(crate) use limits::Limits;
pub(crate) use site::PrioritySystem;

use crate::job::Job;
use dfrsim_model::site::JobClass;

/// Factor 1 in fixed point (units of 2^-32).
pub(crate) const ONE: u128 = 1 << 32;

/// Returns whether a class matches a job: each of its non-empty lists contains the job's number.
pub(crate) fn matches(class: &JobClass, job: &Job) -> bool {
    let is_in =
        |list: &[u32], number: Option<u32>| list.is_empty() || list.iter().any(|&it| Some(it) == number);
    is_in(&class.users, job.user)
        && is_in(&class.groups, job.group)
        && is_in(&class.queues, job.queue)
        && is_in(&class.partitions, job.partition)
}

/// Computes a ratio as a factor in units of 2^-32, rounded down; 0 if `whole` is 0.
pub(crate) fn fraction(part: u128, whole: u128) -> u128 {
    (part * ONE).checked_div(whole).unwrap_or(0)
}
