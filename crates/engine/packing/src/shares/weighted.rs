//! Progressive filling in which each job rises at its own speed, on any nodes.

use super::contested::{CommonYield, Part};
use super::filling::Rise;
use dfrsim_model::Yield;

/// A yield in units of 2^-(20 + [`WeightedRise::fine_bits`]).
type FineYield = u64;

/// At a level a job of weight w has w / 2^32 of it as its yield.
const WEIGHT_BITS: u32 = 32;

/// The level times the weight of a job is its yield, at most 1: weighted max-min fairness.
///
/// As with equal weights, levels and yields are rounded down to fine units, and what stopped jobs use is computed from these:
/// the sums are exact and fit.
#[derive(Clone, Debug, Default)]
pub(super) struct WeightedRise {
    fine_bits: u32,
    /// The yield 1.
    one: FineYield,
    /// A yield that is less than this below a unit is meant to be that unit: so little that all jobs of a node together cannot
    /// gain a whole one of the units in which its use is counted.
    meant: FineYield,
    weights: Vec<u64>,
    /// The yields of the jobs that stopped.
    stopped: Vec<Option<FineYield>>,
}

impl WeightedRise {
    /// All jobs at the bottom. Weights of 0 count as 1.
    pub(super) fn start(&mut self, weights: impl Iterator<Item = u64>, common: CommonYield, fine_bits: u32) {
        self.fine_bits = fine_bits;
        self.meant = (1 << fine_bits) / common.largest.saturating_add(1).max(1 << 10);
        self.one = u64::from(Yield::ONE.units()) << fine_bits;
        self.weights.clear();
        self.weights.extend(weights.map(|weight| weight.max(1)));
        self.stopped.clear();
        self.stopped.resize(self.weights.len(), None);
    }
    /// Rounded down.
    pub(super) fn yields(&self) -> impl Iterator<Item = Yield> {
        let meant = |fine: FineYield| (fine + self.meant).min(self.one) >> self.fine_bits;
        let coarse = move |fine: FineYield| Yield::try_from_units(meant(fine) as u32);
        self.stopped.iter().map(move |&stopped| coarse(stopped.unwrap_or(self.one)).expect("at most 1"))
    }
    /// The yield of a job at this level.
    fn at(&self, job: usize, level: u128) -> FineYield {
        let risen = level.saturating_mul(u128::from(self.weights[job])) >> WEIGHT_BITS;
        u64::try_from(risen).map_or(self.one, |risen| risen.min(self.one))
    }
}

impl Rise for WeightedRise {
    type Level = u128;

    fn full_at(&mut self, node: &[Part], capacity: u64) -> Option<u128> {
        let stopped = |part: &Part| self.stopped[part.job as usize];
        let product = |load: u64, fine: FineYield| u128::from(load) * u128::from(fine);
        let used: u128 =
            node.iter().map(|part| stopped(part).map_or(0, |fine| product(part.load, fine))).sum();
        let free = product(capacity, self.one) - used;
        // Those that reach full speed below the level leave the others more, so that it only rises.
        let mut level = 0;
        loop {
            let (mut left, mut speed) = (free, 0_u128);
            for part in node.iter().filter(|part| stopped(part).is_none()) {
                let (load, job) = (u128::from(part.load), part.job as usize);
                if self.at(job, level) == self.one {
                    left = left.saturating_sub(load * u128::from(self.one));
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
