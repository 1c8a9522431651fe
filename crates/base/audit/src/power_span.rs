//! Spans of constant power.

use dfrsim_model::Yield;

/// Time during which the power of nodes does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerSpan {
    /// Length in microseconds.
    pub span: u64,
    /// Power of the nodes that are up without their tasks, in milliwatts.
    pub idle: u64,
    /// Power that tasks add, in milliwatts times units of a yield.
    pub tasks: u128,
}

impl PowerSpan {
    /// Appends the span to others, or makes the last one longer if it has the same power.
    pub(crate) fn join(self, spans: &mut Vec<PowerSpan>) {
        match spans.last_mut().filter(|last| (last.idle, last.tasks) == (self.idle, self.tasks)) {
            Some(last) => last.span = last.span.saturating_add(self.span),
            None => spans.push(self),
        }
    }
    /// Returns whether tasks draw more than this power in milliwatts.
    pub fn exceeds(&self, amount: u64) -> bool {
        self.tasks > u128::from(amount) << Yield::BITS
    }
    /// Returns the power that tasks add, in milliwatts.
    pub fn tasks_mw(&self) -> f64 {
        self.tasks as f64 / f64::from(Yield::ONE.units())
    }
}
