//! Comparison of two outcomes for the same jobs.

use crate::engine::{GridJob, Outcome};
use dfrsim_model::SimSpan;

/// Effects of reallocation (RR-7226, section 3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Number of jobs that completed in both outcomes.
    pub jobs: usize,
    /// Number of those that completed at another time.
    pub changed: usize,
    /// Number of those that completed earlier.
    pub earlier: usize,
    /// Sum of the turnaround times of the changed jobs, in microseconds.
    pub turnaround: u128,
    /// Sum of their turnaround times without reallocation, in microseconds.
    pub reference_turnaround: u128,
    /// Largest delay of a completion.
    pub largest_delay: SimSpan,
}

impl Comparison {
    /// Compares an outcome with a reference, that of the same jobs without reallocation.
    pub fn of(jobs: &[GridJob], reference: &Outcome, outcome: &Outcome) -> Comparison {
        let mut comparison = Comparison::default();
        for ((job, before), after) in jobs.iter().zip(&reference.jobs).zip(&outcome.jobs) {
            let (Some(before), Some(after)) = (before, after) else { continue };
            comparison.jobs += 1;
            if before.end == after.end {
                continue;
            }
            comparison.changed += 1;
            comparison.earlier += usize::from(after.end < before.end);
            comparison.turnaround += u128::from(after.end.since(job.submit).micros());
            comparison.reference_turnaround += u128::from(before.end.since(job.submit).micros());
            let delay = after.end.saturating_since(before.end);
            comparison.largest_delay = comparison.largest_delay.max(delay);
        }
        comparison
    }
    /// Returns the mean delay of the jobs of each site over the reference, in seconds; negative if
    /// they complete earlier, 0 if none completes.
    pub fn delays_of_sites(
        sites: usize,
        jobs: &[GridJob],
        reference: &Outcome,
        outcome: &Outcome,
    ) -> Vec<f64> {
        let mut delays = vec![(0_i128, 0_u32); sites];
        for ((job, before), after) in jobs.iter().zip(&reference.jobs).zip(&outcome.jobs) {
            let (Some(site), Some(before), Some(after)) = (job.site, before, after) else { continue };
            let (sum, count) = &mut delays[site as usize];
            *sum += i128::from(after.end.micros()) - i128::from(before.end.micros());
            *count += 1;
        }
        delays.into_iter().map(|(sum, count)| sum as f64 / f64::from(count.max(1)) / 1e6).collect()
    }
    /// Returns the jobs whose completion changed, as a percentage of all.
    pub fn changed_percent(&self) -> f64 {
        percent(self.changed, self.jobs).unwrap_or(0.0)
    }
    /// Returns the jobs that complete earlier, as a percentage of the changed ones; `None` if none
    /// changed.
    pub fn earlier_percent(&self) -> Option<f64> {
        percent(self.earlier, self.changed)
    }
    /// Returns the mean turnaround time of the changed jobs, relative to the one without
    /// reallocation; `None` if none changed.
    pub fn relative_turnaround(&self) -> Option<f64> {
        (self.changed > 0).then(|| self.turnaround as f64 / self.reference_turnaround as f64)
    }
}

fn percent(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}
