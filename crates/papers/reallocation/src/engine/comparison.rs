//! Two outcomes of the same jobs.

use crate::engine::{GridJob, Outcome};
use dfrsim_model::SimSpan;

/// What reallocation changed (RR-7226, section 3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Jobs that completed in both outcomes.
    pub jobs: usize,
    /// Those that completed at another moment.
    pub changed: usize,
    /// Those that completed earlier.
    pub earlier: usize,
    /// The turnaround times of the changed jobs added up, in microseconds.
    pub turnaround: u128,
    /// The same without reallocation.
    pub reference_turnaround: u128,
    /// The most that a job completed later.
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
    /// Returns the mean number of seconds by which the jobs of each site complete later than in the reference; below 0 where they complete
    /// earlier, 0 where none completes.
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
    /// The jobs whose completion changed, in percent of all.
    pub fn changed_percent(&self) -> f64 {
        percent(self.changed, self.jobs).unwrap_or(0.0)
    }
    /// The jobs that complete earlier, in percent of the changed ones; `None` if none is.
    pub fn earlier_percent(&self) -> Option<f64> {
        percent(self.earlier, self.changed)
    }
    /// The mean turnaround time of the changed jobs, relative to the one without reallocation; `None` if none is changed.
    pub fn relative_turnaround(&self) -> Option<f64> {
        (self.changed > 0).then(|| self.turnaround as f64 / self.reference_turnaround as f64)
    }
}

fn percent(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}
