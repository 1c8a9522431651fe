//! Yields and the speed level of all jobs under a power cap.

use super::mapping::JobView;
use super::shares::units;
use dfrsim_model::SortedMap;

/// Yields before a power cap shrinks them, in units, with the power that they take.
#[derive(Clone, Copy, Debug)]
pub(super) struct PowerOfYields<'a> {
    /// Power that the cap leaves for what follows the yields, in milliwatts.
    cap: u64,
    pub(super) jobs: &'a SortedMap<u64, JobView>,
    pub(super) yields: &'a SortedMap<u64, f64>,
}

impl<'a> PowerOfYields<'a> {
    /// Creates the power of yields under a cap, which used devices and sockets of the jobs take a part of.
    pub(super) fn new(
        cap: u64,
        jobs: &'a SortedMap<u64, JobView>,
        yields: &'a SortedMap<u64, f64>,
    ) -> PowerOfYields<'a> {
        PowerOfYields { cap: cap_of_yields(cap, jobs, yields.keys()), jobs, yields }
    }
    /// Returns the power of these yields, rounded down, at a speed level, in milliwatts times units.
    fn sum(&self, level: u32) -> f64 {
        self.yields.iter().map(|(job, at)| draw(self.jobs, job, level) * at.floor()).sum()
    }
    /// Returns the factor by which all yields shrink at a speed level.
    pub(super) fn factor(&self, level: u32) -> f64 {
        let (cap, sum) = (units(self.cap as f64), self.sum(level));
        if sum > cap { cap / sum } else { 1.0 }
    }
    /// Returns the progress of the slowest job at a level, relative to its yield: the factor times the least
    /// speed of the nodes at that level.
    fn progress(&self, level: u32, slowdowns: &[u32]) -> f64 {
        let slowdown = slowdowns.get(level as usize).map_or(0.0, |&it| f64::from(it));
        self.factor(level) * slowdown
    }
    /// Returns the first level of the most progress.
    pub(super) fn best_level(&self, slowdowns: &[u32]) -> u32 {
        let best = |best: u32, level: u32| {
            if self.progress(level, slowdowns) > self.progress(best, slowdowns) * (1.0 + NEAR) {
                level
            } else {
                best
            }
        };
        (1..slowdowns.len() as u32).fold(0, best)
    }
    /// Returns the level of the most progress if another one has less, or as much behind it; a difference in power
    /// by these tolerances of the yields does not count.
    pub(super) fn better_level(
        &self,
        found: u32,
        slowdowns: &[u32],
        tolerance: impl Fn(f64) -> f64,
    ) -> Option<u32> {
        let is_better = |&level: &u32| {
            let (own, other) = (self.progress(found, slowdowns), self.progress(level, slowdowns));
            let wrong = |(job, at): (&u64, &f64)| draw(self.jobs, job, level) * tolerance(*at);
            let slack: f64 = self.yields.iter().map(wrong).sum::<f64>() / self.sum(level).max(1.0);
            other > own * (1.0 + NEAR + 2.0 * slack)
                || slack == 0.0 && level < found && other >= own * (1.0 - NEAR)
        };
        let better = (0..slowdowns.len() as u32).filter(|&level| level != found).find(is_better)?;
        Some(self.best_level(slowdowns)).filter(|&best| best != found).or(Some(better))
    }
}

/// Relative difference of two numbers that are equal but for rounding.
const NEAR: f64 = 1e-12;

/// Returns what a power cap leaves for the power of jobs that follows their yields.
pub(super) fn cap_of_yields(cap: u64, jobs: &SortedMap<u64, JobView>, running: &[u64]) -> u64 {
    let fixed = |job: &u64| jobs.get(job).map_or(0, |seen| seen.size.fixed_power);
    cap.saturating_sub(running.iter().map(fixed).sum())
}

/// Returns the power of a job at a yield of 1 and a speed level, as far as it follows the yield.
pub(super) fn draw(jobs: &SortedMap<u64, JobView>, job: &u64, level: u32) -> f64 {
    let draws = jobs.get(job).map(|seen| &seen.draws);
    draws.and_then(|draws| draws.get(level as usize).or(draws.last())).map_or(0.0, |draw| *draw as f64)
}
