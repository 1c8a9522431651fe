//! The figures of a run, recomputed.

use crate::Rule;
use crate::job::Job;
use crate::objectives::ObjectiveTally;
use dfrsim_model::event::PlatformFigures;
use dfrsim_model::{Share, SimSpan, stretch};

/// How far a floating-point figure of the summary may be off, relatively: sums of as many as 10^8 numbers in another order
/// are nearer to each other than this in practice, and a wrong digit that is printed is further off.
const TOLERANCE: f64 = 1e-12;

/// How near a floating-point figure must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exactness {
    /// It is rounded.
    Rounded,
    /// It may be too low by one part in 1,024.
    Histogram,
}

/// A figure that is not as expected.
pub(crate) fn difference(
    figure: &'static str,
    found: f64,
    expected: f64,
    exactness: Exactness,
) -> Option<Rule> {
    let below = if exactness == Exactness::Histogram { expected.abs() / 1024.0 } else { 0.0 };
    // Written so that not-a-number is a difference.
    let slack = TOLERANCE * expected.abs();
    let close = found <= expected + slack && found >= expected - below - slack;
    (!close).then_some(Rule::Summary { figure, found, expected })
}

/// The running counts.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Of the bounded stretch.
    pub(crate) tau: SimSpan,
    pub(crate) submitted: u64,
    pub(crate) rejected: u64,
    pub(crate) preemptions: u64,
    pub(crate) migrations: u64,
    pub(crate) migrated_tasks: u64,
    first_submit: Option<u64>,
    last_completion: u64,
    /// Share units * microseconds, for a figure that is rounded anyway.
    work: f64,
    completed: u64,
    /// The sum of all turnarounds, in microseconds.
    turnaround: u128,
    max_stretch: f64,
    bounded_stretch: f64,
    max_bounded_stretch: f64,
    pub(crate) objectives: ObjectiveTally,
}

/// The figures of a summary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) completed: u64,
    pub(crate) rejected: u64,
    pub(crate) makespan_us: u64,
    pub(crate) max_stretch: f64,
    pub(crate) max_bounded_stretch: f64,
    pub(crate) mean_bounded_stretch: f64,
    pub(crate) mean_turnaround_s: f64,
    pub(crate) utilisation: f64,
    pub(crate) preemptions: u64,
    pub(crate) migrations: u64,
    pub(crate) migrated_tasks: u64,
    pub(crate) platform: Option<PlatformFigures>,
}

impl Tally {
    /// The work of completed jobs, in share units * microseconds.
    pub(crate) fn work(&self) -> f64 {
        self.work
    }

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

    /// The figures on this number of nodes at full speed; those of no completed job are 0.
    pub(crate) fn figures(&self, nodes: f64) -> Figures {
        let mean = |sum: f64| if self.completed == 0 { 0.0 } else { sum / self.completed as f64 };
        let makespan = self.last_completion.saturating_sub(self.first_submit.unwrap_or(0));
        let capacity = nodes * f64::from(Share::ONE.units()) * makespan as f64;
        Figures {
            completed: self.completed,
            rejected: self.rejected,
            makespan_us: makespan,
            max_stretch: self.max_stretch,
            max_bounded_stretch: self.max_bounded_stretch,
            mean_bounded_stretch: mean(self.bounded_stretch),
            mean_turnaround_s: mean(self.turnaround as f64 / 1e6),
            utilisation: if capacity > 0.0 { self.work / capacity } else { 0.0 },
            preemptions: self.preemptions,
            migrations: self.migrations,
            migrated_tasks: self.migrated_tasks,
            platform: None,
        }
    }
}

impl Figures {
    /// The figures that are not as expected.
    pub(crate) fn differences(&self, expected: &Figures) -> Vec<Rule> {
        let exact = |figures: &Figures| {
            [
                ("completed", figures.completed),
                ("rejected", figures.rejected),
                ("makespan_us", figures.makespan_us),
                ("preemptions", figures.preemptions),
                ("migrations", figures.migrations),
                ("migrated_tasks", figures.migrated_tasks),
                ("interruptions", figures.platform.map_or(0, |it| it.interruptions)),
                ("lost", figures.platform.map_or(0, |it| it.lost)),
            ]
        };
        let rounded = |figures: &Figures| {
            [
                ("max_stretch", figures.max_stretch),
                ("max_bounded_stretch", figures.max_bounded_stretch),
                ("mean_bounded_stretch", figures.mean_bounded_stretch),
                ("mean_turnaround_s", figures.mean_turnaround_s),
                ("utilisation", figures.utilisation),
                ("lost_work_s", figures.platform.map_or(0.0, |it| it.lost_work_s)),
                ("availability", figures.platform.map_or(0.0, |it| it.availability)),
                ("goodput", figures.platform.map_or(0.0, |it| it.goodput)),
            ]
        };
        let mut rules = Vec::new();
        for ((figure, found), (_, expected)) in exact(self).into_iter().zip(exact(expected)) {
            if found != expected {
                rules.push(Rule::Summary { figure, found: found as f64, expected: expected as f64 });
            }
        }
        for ((figure, found), (_, expected)) in rounded(self).into_iter().zip(rounded(expected)) {
            rules.extend(difference(figure, found, expected, Exactness::Rounded));
        }
        rules
    }
}
