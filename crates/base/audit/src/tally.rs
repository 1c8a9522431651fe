//! Figures of a run, recomputed.

use crate::job::Job;
use crate::objectives::ObjectiveTally;
use dfrsim_model::event::{Objectives, PlatformFigures, Record};
use dfrsim_model::{Share, SimSpan, stretch};

/// Running totals.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Threshold tau of the bounded stretch.
    pub(crate) tau: SimSpan,
    pub(crate) submitted: u64,
    pub(crate) rejected: u64,
    pub(crate) preemptions: u64,
    pub(crate) migrations: u64,
    pub(crate) migrated_tasks: u64,
    /// Number of jobs that have left, by the slowest speed level at which they ran; from 1.
    pub(crate) slowed: Vec<u64>,
    first_submit: Option<u64>,
    last_completion: u64,
    /// Work of completed jobs, in share units * microseconds; inexact, as it only enters rounded
    /// figures.
    pub(crate) work: f64,
    completed: u64,
    /// Sum of all turnaround times, in microseconds.
    turnaround: u128,
    max_stretch: f64,
    bounded_stretch: f64,
    max_bounded_stretch: f64,
    objectives: ObjectiveTally,
}

impl Tally {
    pub(crate) fn new(tau: SimSpan) -> Tally {
        Tally { tau, ..Tally::default() }
    }

    pub(crate) fn submit(&mut self, at: u64) {
        self.first_submit.get_or_insert(at);
        self.submitted += 1;
    }

    pub(crate) fn complete(&mut self, job: &Job, at: u64) {
        self.last_completion = at;
        self.work += f64::from(job.tasks) * f64::from(job.need) * job.run as f64;
        let (turnaround, run) = (SimSpan::from_micros(at - job.submit), SimSpan::from_micros(job.run));
        self.completed += 1;
        self.turnaround += u128::from(turnaround.micros());
        self.max_stretch = self.max_stretch.max(stretch::stretch(turnaround, run));
        let bounded = stretch::bounded(turnaround, run, self.tau);
        self.bounded_stretch += bounded;
        self.max_bounded_stretch = self.max_bounded_stretch.max(bounded);
        self.objectives.complete(job, bounded);
    }

    /// Counts a job that leaves by its slowest level.
    pub(crate) fn leave(&mut self, job: &Job) {
        let level = (job.slowest as usize).checked_sub(1);
        level.and_then(|at| self.slowed.get_mut(at)).into_iter().for_each(|jobs| *jobs += 1);
    }

    /// Returns the time from the first submission on, in microseconds.
    pub(crate) fn span_until(&self, now: u64) -> u64 {
        now - self.first_submit.unwrap_or(now)
    }

    /// Returns the time from the first submission to the last completion, in microseconds.
    pub(crate) fn makespan(&self) -> u64 {
        self.last_completion.saturating_sub(self.first_submit.unwrap_or(0))
    }
    /// Computes the summary of a run on this number of full-speed nodes, with the weights of the
    /// claimed objectives. Without completed jobs the figures are 0.
    pub(crate) fn summary(
        &mut self,
        nodes: f64,
        platform: Option<PlatformFigures>,
        claimed: Option<&Objectives>,
    ) -> Record<'static> {
        let completed = self.completed;
        let mean = |sum: f64| if completed == 0 { 0.0 } else { sum / completed as f64 };
        let makespan_us = self.makespan();
        let capacity = nodes * f64::from(Share::ONE.units()) * makespan_us as f64;
        Record::Summary {
            completed,
            rejected: self.rejected,
            makespan_us,
            max_stretch: self.max_stretch,
            max_bounded_stretch: self.max_bounded_stretch,
            mean_bounded_stretch: mean(self.bounded_stretch),
            mean_turnaround_s: mean(self.turnaround as f64 / 1e6),
            utilisation: if capacity > 0.0 { self.work / capacity } else { 0.0 },
            preemptions: self.preemptions,
            migrations: self.migrations,
            migrated_tasks: self.migrated_tasks,
            objectives: claimed.map(|claimed| self.objectives.with_weights_of(claimed)),
            platform,
        }
    }
}
