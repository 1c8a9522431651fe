//! The order of jobs.

use super::weights::Weights;
use crate::job::Job;
use dfrsim_model::SimSpan;
use std::cmp::Ordering;

/// How priorities are computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranking<'a> {
    /// `/AHEAD`
    pub(super) ahead: Option<SimSpan>,
    /// `/ESTIMATES`
    pub(super) estimates: bool,
    pub(super) weights: &'a Weights,
}

impl Ranking<'_> {
    /// The priority at a moment, infinite before any progress: flow time / (virtual time)^2 in seconds, or under `/AHEAD`
    /// (flow time + seconds) / virtual time; with the estimate in place of the virtual time under `/ESTIMATES`. Virtual time counts as
    /// (virtual time) / weight.
    pub(super) fn priority(self, job: &Job, now: u64) -> f64 {
        let virtual_time = job.length_s(now, self.estimates);
        if virtual_time == 0.0 {
            return f64::INFINITY;
        }
        let flow_time = (now - job.submit) as f64 / 1e6;
        let weight = f64::from(self.weights.of(job));
        match self.ahead {
            Some(ahead) => (flow_time + ahead.as_secs_f64()) / virtual_time,
            None => weight * weight * (flow_time / (virtual_time * virtual_time)),
        }
    }

    /// Jobs by decreasing priority, equal ones in the order of submission, in which they come.
    pub(super) fn ranked<'a>(
        self,
        jobs: impl Iterator<Item = (u64, &'a Job)>,
        now: u64,
    ) -> Vec<(u64, &'a Job)> {
        let mut ranked: Vec<(f64, u64, &Job)> =
            jobs.map(|(number, job)| (self.priority(job, now), number, job)).collect();
        ranked.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
        ranked.into_iter().map(|(_, number, job)| (number, job)).collect()
    }

    /// Whether the first of two jobs comes before the second.
    pub(super) fn precedes(self, (a, job_a): (u64, &Job), (b, job_b): (u64, &Job), now: u64) -> bool {
        match self.priority(job_a, now).partial_cmp(&self.priority(job_b, now)) {
            Some(Ordering::Greater) => true,
            Some(Ordering::Less) => false,
            _ => a < b,
        }
    }
}
