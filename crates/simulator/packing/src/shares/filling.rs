//! Progressive filling: all jobs rise together until a node is full, which stops its jobs, and so
//! on.

use super::contested::{CommonYield, Contested, Part};
use dfrsim_model::Yield;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Rule by which jobs rise with a common level, and the jobs that have stopped.
pub(super) trait Rise {
    /// Level that all rising jobs have in common.
    type Level: Copy + Ord;

    /// Computes the level at which a node of this capacity, in load units, becomes full if no other
    /// node does so before; `None` if it never does.
    fn full_at(&mut self, node: &[Part], capacity: u64) -> Option<Self::Level>;
    /// Stops a job at this level, unless it has already stopped.
    fn stop(&mut self, job: usize, at: Self::Level);
}

/// Contested nodes by the level at which they become full.
pub(super) type Queue<L> = BinaryHeap<Reverse<(L, u32)>>;

/// Runs the filling, node after node. When a job stops, its other nodes become full later than
/// before, never earlier. Levels in the queue can therefore only be too low, and are corrected when
/// they reach the front.
pub(super) fn fill<R: Rise>(contested: &Contested, queue: &mut Queue<R::Level>, rise: &mut R) {
    queue.clear();
    for (node, (parts, capacity)) in (0..).zip(contested.iter()) {
        queue.extend(rise.full_at(parts, capacity).map(|level| Reverse((level, node))));
    }
    while let Some(mut front) = queue.peek_mut() {
        let Reverse((level, node)) = *front;
        let (parts, capacity) = contested.node(node as usize);
        match rise.full_at(parts, capacity) {
            Some(later) if later > level => *front = Reverse((later, node)),
            full => {
                PeekMut::pop(front);
                for part in parts {
                    full.into_iter().for_each(|level| rise.stop(part.job as usize, level));
                }
            }
        }
    }
}

/// Yield in units of 2^-(20 + [`Fineness::bits`]).
pub(super) type FineYield = u64;

const RISING: FineYield = FineYield::MAX;

/// Resolution of yields while they rise.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fineness {
    bits: u32,
    /// The yield 1 in fine units.
    pub(super) one: FineYield,
    /// Tolerance: a yield less than this below a coarse unit is taken for that unit. It is so small
    /// that all jobs of a node together gain less than one of the units in which its use is counted,
    /// and so they still fit.
    tolerance: FineYield,
}

impl Fineness {
    pub(super) fn new(common: CommonYield, bits: u32) -> Fineness {
        let tolerance = (1 << bits) / common.max_load.saturating_add(1).max(1 << 10);
        Fineness { bits, one: u64::from(Yield::ONE.units()) << bits, tolerance }
    }
    /// Rounds a yield down to coarse units, at most 1.
    pub(super) fn coarse(self, fine: FineYield) -> Yield {
        let meant = (fine.min(self.one) + self.tolerance).min(self.one);
        Yield::try_from_units((meant >> self.bits) as u32).expect("at most 1")
    }
}

/// Max-min fairness on identical nodes: the level is the yield itself.
///
/// Levels are rounded down to fine units, and the use of stopped jobs is computed from these rounded
/// levels: the sums are exact and do not overflow, for any loads. The remainder of a node goes to
/// the jobs that stop there last, so a level may differ from the true one by some fine units.
#[derive(Clone, Debug, Default)]
pub(super) struct YieldRise {
    fineness: Fineness,
    levels: Vec<FineYield>,
}

impl YieldRise {
    /// Starts with all jobs at zero.
    pub(super) fn start(&mut self, jobs: usize, fineness: Fineness) {
        self.fineness = fineness;
        self.levels.clear();
        self.levels.resize(jobs, RISING);
    }
    pub(super) fn yields(&self) -> impl Iterator<Item = Yield> {
        self.levels.iter().map(|&level| self.fineness.coarse(level))
    }
}

impl Rise for YieldRise {
    type Level = FineYield;

    fn full_at(&mut self, node: &[Part], capacity: u64) -> Option<FineYield> {
        let (mut free, mut rising) = (capacity * self.fineness.one, 0_u64);
        for part in node {
            match self.levels[part.job as usize] {
                RISING => rising = rising.saturating_add(part.load),
                level => free -= part.load * level,
            }
        }
        free.checked_div(rising).filter(|&level| level < self.fineness.one)
    }
    fn stop(&mut self, job: usize, at: FineYield) {
        if self.levels[job] == RISING {
            self.levels[job] = at;
        }
    }
}
