//! Order of two waiting jobs.

use super::job::BatchJob;
use dfrsim_model::SimTime;
use dfrsim_model::batch::QueueOrder;
use dfrsim_model::formula::{Formula, Known};
use std::cmp::Ordering;

/// Compares two jobs in a queue order at time `now`; the one to start first is less.
pub(super) fn compare(order: QueueOrder, a: &BatchJob, b: &BatchJob, now: SimTime) -> Ordering {
    let area = |job: &BatchJob| u128::from(job.estimate.micros()) * u128::from(job.size);
    let by_key = match order {
        QueueOrder::Arrival => Ordering::Equal,
        QueueOrder::Sjf => a.estimate.cmp(&b.estimate),
        QueueOrder::Ljf => b.estimate.cmp(&a.estimate),
        QueueOrder::Saf => area(a).cmp(&area(b)),
        QueueOrder::Wfp3 => wfp3(b, now).total_cmp(&wfp3(a, now)),
        QueueOrder::Formula(formula) => {
            let [a, b] = [a, b].map(|job| value(formula, job, now));
            a.total_cmp(&b)
        }
    };
    by_key.then(a.sequence.cmp(&b.sequence))
}

/// Computes the value of a formula for a job at time `now`.
pub(super) fn value(formula: Formula, job: &BatchJob, now: SimTime) -> f64 {
    formula.value(&Known {
        wait: now.saturating_since(job.submit).as_secs_f64(),
        estimate: job.estimate.as_secs_f64(),
        width: job.size.into(),
        submit: job.submit.as_secs_f64(),
    })
}

fn wfp3(job: &BatchJob, now: SimTime) -> f64 {
    let wait = now.since(job.submit).as_secs_f64();
    (wait / job.estimate.as_secs_f64()).powi(3) * f64::from(job.size)
}
