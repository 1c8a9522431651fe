//! Progressive filling in which each job rises at its own speed, on any nodes.

use super::contested::Part;
use super::filling::{FineYield, Fineness, Rise};
use dfrsim_model::Yield;

/// Binary scale of levels: a job of weight w has a yield of level * w / 2^32.
const WEIGHT_BITS: u32 = 32;

/// Weighted max-min fairness: the level times the weight of a job is its yield, at most 1.
///
/// As with equal weights, levels and yields are rounded down to fine units, and the use of stopped
/// jobs is computed from these: the sums are exact and do not overflow.
#[derive(Clone, Debug, Default)]
pub(super) struct WeightedRise {
    fineness: Fineness,
    weights: Vec<u64>,
    /// Yield of each job that has stopped.
    stopped: Vec<Option<FineYield>>,
}

impl WeightedRise {
    /// Starts with all jobs at zero. Weights of 0 count as 1.
    pub(super) fn start(&mut self, weights: impl Iterator<Item = u64>, fineness: Fineness) {
        self.fineness = fineness;
        self.weights.clear();
        self.weights.extend(weights.map(|weight| weight.max(1)));
        self.stopped.clear();
        self.stopped.resize(self.weights.len(), None);
    }
    pub(super) fn yields(&self) -> impl Iterator<Item = Yield> {
        self.stopped.iter().map(|stopped| self.fineness.coarse(stopped.unwrap_or(self.fineness.one)))
    }
    /// Computes the yield of a job at this level.
    fn at(&self, job: usize, level: u128) -> FineYield {
        let risen = level.saturating_mul(u128::from(self.weights[job])) >> WEIGHT_BITS;
        u64::try_from(risen).map_or(self.fineness.one, |risen| risen.min(self.fineness.one))
    }
}

impl Rise for WeightedRise {
    type Level = u128;

    fn full_at(&mut self, node: &[Part], capacity: u64) -> Option<u128> {
        let stopped = |part: &Part| self.stopped[part.job as usize];
        let product = |load: u64, fine: FineYield| u128::from(load) * u128::from(fine);
        let used: u128 =
            node.iter().map(|part| stopped(part).map_or(0, |fine| product(part.load, fine))).sum();
        let one = self.fineness.one;
        let free = product(capacity, one) - used;
        // Jobs that reach full speed below the level leave more for the others, so iterating only
        // raises it.
        let mut level = 0;
        loop {
            let (mut left, mut speed) = (free, 0_u128);
            for part in node.iter().filter(|part| stopped(part).is_none()) {
                let (load, job) = (u128::from(part.load), part.job as usize);
                if self.at(job, level) == one {
                    left = left.saturating_sub(load * u128::from(one));
                } else {
                    speed += load * u128::from(self.weights[job]);
                }
            }
            let next = (left << WEIGHT_BITS).checked_div(speed)?;
            if next <= level {
                return Some(level);
            }
            level = next;
        }
    }
    fn stop(&mut self, job: usize, at: u128) {
        if self.stopped[job].is_none() {
            self.stopped[job] = Some(self.at(job, at));
        }
    }
}
