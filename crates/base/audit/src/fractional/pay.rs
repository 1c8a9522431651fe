//! Whether a job may give way under `/PAY`.

use dfrsim_model::{SortedMap, Yield};

/// The work of all completed jobs, in their order, and what a penalty is.
#[derive(Debug, Default)]
pub(super) struct Payer {
    most: Option<u32>,
    penalty: u64,
    /// In microseconds * 2^-20.
    done: Vec<u128>,
    /// Those of this moment, by their numbers.
    now: SortedMap<u64, u128>,
}

impl Payer {
    /// With the number of the part, if the policy has it, and the penalty in microseconds.
    pub(super) fn new(most: Option<u32>, penalty: u64) -> Payer {
        Payer { most, penalty, ..Payer::default() }
    }

    /// A job is over with this work.
    pub(super) fn complete(&mut self, number: u64, done: u128) {
        self.now.insert(number, done);
    }
    /// All that complete at a moment have done so.
    pub(super) fn settle(&mut self) {
        self.done.extend(self.now.values());
        self.now.clear();
    }

    /// Whether one with this work and these penalties, each from when until when at most, may give way now: this many times the
    /// work is at least three penalties, and those until now and one more; and if of the last 100 jobs ten or more had as much
    /// work, a tenth of them at least went on for a penalty.
    pub(super) fn allows(&self, done: u128, now: u64, penalties: &[(u64, u64)]) -> bool {
        let Some(most) = self.most else { return true };
        let whole = |units: u128| units >> Yield::BITS;
        let paid: u64 = penalties.iter().map(|&(from, to)| self.penalty.min(to.min(now) - from)).sum();
        let costs = u128::from(self.penalty) + u128::from(paid.max(2 * self.penalty));
        let last = self.done.iter().rev().take(100).map(|&done| whole(done));
        let reached: Vec<u128> = last.filter(|&it| it >= whole(done)).collect();
        let over = reached.iter().filter(|&&it| it < whole(done) + u128::from(self.penalty)).count();
        let is_over_soon = reached.len() >= 10 && over * 10 > reached.len() * 9;
        costs << Yield::BITS <= u128::from(most) * done && !is_over_soon
    }
}
