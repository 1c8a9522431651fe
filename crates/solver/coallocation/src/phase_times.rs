//! Time spent in each phase of a search.

use std::time::{Duration, Instant};

/// Time that searches spent in each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseTimes {
    /// Phase II: the check of sufficiency with idle resources.
    pub sufficiency: Duration,
    /// Phase III: potential starts with their free amounts.
    pub starts: Duration,
    /// Phase IV at these starts.
    pub construction: Duration,
    /// Phase V, and the division into reservations.
    pub improvement: Duration,
}

/// Stopwatch for the phases; it does not read the clock until it is enabled.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stopwatch {
    is_enabled: bool,
    last: Option<Instant>,
    pub(crate) times: PhaseTimes,
}

impl Stopwatch {
    /// Enables the stopwatch and resets it to zero.
    pub(crate) fn reset(&mut self) {
        *self = Stopwatch { is_enabled: true, ..Stopwatch::default() };
    }

    /// Starts the first phase.
    pub(crate) fn begin(&mut self) {
        self.last = self.is_enabled.then(Instant::now);
    }

    /// Ends a phase and starts the next one.
    pub(crate) fn lap(&mut self, phase: impl FnOnce(&mut PhaseTimes) -> &mut Duration) {
        if let Some(last) = &mut self.last {
            let now = Instant::now();
            *phase(&mut self.times) += now - std::mem::replace(last, now);
        }
    }
}
