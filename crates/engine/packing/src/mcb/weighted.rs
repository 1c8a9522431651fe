//! Yields in proportion to weights, up to 1.

use super::PackJob;
use super::demand::KeptJobs;
use dfrsim_model::{CpuUse, Yield};

/// The yields of jobs by a common level, which is the yield of those of the least weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels<'a> {
    weights: &'a [u32],
    least: u32,
}

impl<'a> Levels<'a> {
    /// For jobs of these weights, each at least 1.
    pub(super) fn new(weights: &'a [u32]) -> Levels<'a> {
        Levels { weights, least: weights.iter().copied().min().unwrap_or(1) }
    }

    /// level * weight / least weight, rounded down, at most 1.
    pub(super) fn yield_of(self, job: usize, level: Yield) -> Yield {
        let part = u64::from(level.units()) * u64::from(self.weights[job]);
        Yield::from_ratio(part, u64::from(Yield::ONE.units()) * u64::from(self.least))
    }

    /// The largest level at which this many nodes together have enough CPU for the jobs that are kept.
    pub(super) fn bound(self, jobs: &[PackJob], kept: &KeptJobs, nodes: u32) -> Yield {
        let capacity = u128::from(nodes) * u128::from(CpuUse::ONE.units());
        let used = |job: usize, level| {
            let full = u128::from(jobs[job].tasks) * u128::from(jobs[job].need.units());
            full * u128::from(self.yield_of(job, level).units())
        };
        let fits = |level| {
            let all = (0..jobs.len()).filter(|&job| kept.flags()[job]);
            all.map(|job| used(job, level)).sum::<u128>() <= capacity
        };
        if fits(Yield::ONE) {
            return Yield::ONE;
        }
        let (mut enough, mut more) = (0, Yield::ONE.units());
        while more - enough > 1 {
            let middle = enough.midpoint(more);
            let level = Yield::try_from_units(middle).expect("it is below 1");
            *(if fits(level) { &mut enough } else { &mut more }) = middle;
        }
        Yield::try_from_units(enough).expect("it is below 1")
    }
}
