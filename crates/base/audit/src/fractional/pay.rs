//! Preemption budget of jobs under `/PAY`.

use dfrsim_model::{SortedMap, Yield};

/// Work of all completed jobs in their order, and the penalty.
#[derive(Debug, Default)]
pub(super) struct PreemptionBudget {
    most: Option<u32>,
    penalty: u64,
    /// Work of the completed jobs in microseconds * 2^-20.
    done: Vec<u128>,
    /// Work of the jobs completed at the current time, by job number.
    now: SortedMap<u64, u128>,
}

impl PreemptionBudget {
    /// Creates the rule with the number of `/PAY`, if the policy has it, and the penalty in
    /// microseconds.
    pub(super) fn new(most: Option<u32>, penalty: u64) -> PreemptionBudget {
        PreemptionBudget { most, penalty, ..PreemptionBudget::default() }
    }

    /// Records the completion of a job with this work.
    pub(super) fn complete(&mut self, number: u64, done: u128) {
        self.now.insert(number, done);
    }
    /// Ends the completions of a time.
    pub(super) fn settle(&mut self) {
        self.done.extend(self.now.values());
        self.now.clear();
    }

    /// Returns whether a job may be preempted now, given its work and the intervals in which
    /// penalties may have run. `most` times the work must be at least three penalties, and at least
    /// the penalties until now plus one more. If at least ten of the last 100 jobs had as much work,
    /// at least a tenth of these must have continued for at least one further penalty.
    pub(super) fn may_preempt(&self, done: u128, now: u64, penalties: &[(u64, u64)]) -> bool {
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
