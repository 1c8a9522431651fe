//! The orders of waiting jobs.

use super::job::BatchJob;
use dfrsim_model::{SimTime, named};
use std::cmp::Ordering;

named! {
    /// The order of waiting jobs; ties by order of submission.
    #[derive(Default)]
    pub enum QueueOrder as "order of the queue" {
        /// By submission.
        #[default]
        Arrival = "ARRIVAL",
        /// Shortest job first, by estimate.
        Sjf = "SJF",
        /// Longest job first, by estimate.
        Ljf = "LJF",
        /// Smallest area first: estimate * width.
        Saf = "SAF",
        /// Largest (wait / estimate)^3 * width first, again in each pass (Tang et al. 2009, "WFP3").
        Wfp3 = "WFP3",
    }
}

impl QueueOrder {
    pub(crate) fn description(self) -> &'static str {
        match self {
            QueueOrder::Arrival => "queue by arrival",
            QueueOrder::Sjf => "shortest job first",
            QueueOrder::Ljf => "longest job first",
            QueueOrder::Saf => "smallest area first",
            QueueOrder::Wfp3 => "largest (wait / estimate)^3 * width first",
        }
    }

    /// Which of two jobs is first at this moment.
    pub(super) fn compare(self, a: &BatchJob, b: &BatchJob, now: SimTime) -> Ordering {
        let area = |job: &BatchJob| u128::from(job.estimate.micros()) * u128::from(job.width);
        let by_key = match self {
            QueueOrder::Arrival => Ordering::Equal,
            QueueOrder::Sjf => a.estimate.cmp(&b.estimate),
            QueueOrder::Ljf => b.estimate.cmp(&a.estimate),
            QueueOrder::Saf => area(a).cmp(&area(b)),
            QueueOrder::Wfp3 => wfp3(b, now).total_cmp(&wfp3(a, now)),
        };
        by_key.then(a.sequence.cmp(&b.sequence))
    }
}

fn wfp3(job: &BatchJob, now: SimTime) -> f64 {
    let wait = now.since(job.submit).as_secs_f64();
    (wait / job.estimate.as_secs_f64()).powi(3) * f64::from(job.width)
}
