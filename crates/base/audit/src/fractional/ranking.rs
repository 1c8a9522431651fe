//! Who comes first.

use crate::job::Job;
use std::cmp::Ordering;

/// The priority at a moment: flow time / (virtual time)^2 in seconds, infinite before any progress.
fn priority(job: &Job, now: u64) -> f64 {
    let virtual_time = job.done_s(now);
    if virtual_time == 0.0 {
        return f64::INFINITY;
    }
    (now - job.submit) as f64 / 1e6 / (virtual_time * virtual_time)
}

/// Jobs by decreasing priority, equal ones in the order of submission, in which they come.
pub(super) fn ranked<'a>(jobs: impl Iterator<Item = (u64, &'a Job)>, now: u64) -> Vec<(u64, &'a Job)> {
    let mut ranked: Vec<(f64, u64, &Job)> =
        jobs.map(|(number, job)| (priority(job, now), number, job)).collect();
    ranked.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
    ranked.into_iter().map(|(_, number, job)| (number, job)).collect()
}

/// Whether the first of two jobs comes before the second.
pub(super) fn precedes((a, job_a): (u64, &Job), (b, job_b): (u64, &Job), now: u64) -> bool {
    match priority(job_a, now).partial_cmp(&priority(job_b, now)) {
        Some(Ordering::Greater) => true,
        Some(Ordering::Less) => false,
        _ => a < b,
    }
}
