//! Measurements of a completed job.

use crate::{JobRecord, SummaryOptions};
use dfrsim_model::{SimSpan, SimTime, UserId, stretch};

/// Data stored of a completed job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) submit: SimTime,
    pub(crate) wait: SimSpan,
    pub(crate) turnaround: SimSpan,
    pub(crate) run_time: SimSpan,
    pub(crate) tasks: u32,
    pub(crate) user: Option<UserId>,
}

impl Sample {
    pub(crate) fn of(record: &JobRecord) -> Sample {
        Sample {
            submit: record.submit,
            wait: record.wait(),
            turnaround: record.turnaround(),
            run_time: record.run_time,
            tasks: record.tasks,
            user: record.user,
        }
    }
    pub(crate) fn bounded_stretch(&self, tau: SimSpan) -> f64 {
        stretch::bounded(self.turnaround, self.run_time, tau)
    }
}

/// Per-job quantity whose distribution the summary reports.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Measure {
    Wait,
    Turnaround,
    Stretch,
    Bounded(SimSpan),
}

impl Measure {
    /// Returns wait, turnaround and stretch, then the bounded stretch for each tau.
    pub(crate) fn all(options: &SummaryOptions) -> impl Iterator<Item = Measure> {
        let bounded = options.taus.iter().map(|&tau| Measure::Bounded(tau));
        [Measure::Wait, Measure::Turnaround, Measure::Stretch].into_iter().chain(bounded)
    }
    pub(crate) fn of(self, sample: &Sample) -> f64 {
        match self {
            Measure::Wait => sample.wait.as_secs_f64(),
            Measure::Turnaround => sample.turnaround.as_secs_f64(),
            Measure::Stretch => stretch::stretch(sample.turnaround, sample.run_time),
            Measure::Bounded(tau) => sample.bounded_stretch(tau),
        }
    }
}
