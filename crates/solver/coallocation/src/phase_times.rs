//! How long each phase of a search takes.

use std::time::{Duration, Instant};

/// How long searches were in each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseTimes {
    /// Phase II: whether the resources would do if they were free.
    pub sufficiency: Duration,
    /// Phase III: the potential starts and what is free then, and the proofs that it is too little.
    pub starts: Duration,
    /// Phase IV at those starts that remain.
    pub construction: Duration,
    /// Phase V, and the division into reservations.
    pub improvement: Duration,
}

/// Measures the phases once it is enabled; before that it does not read the clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stopwatch {
    runs: bool,
    last: Option<Instant>,
    pub(crate) times: PhaseTimes,
}

impl Stopwatch {
    /// From now on searches are measured, from zero.
    pub(crate) fn reset(&mut self) {
        *self = Stopwatch { runs: true, ..Stopwatch::default() };
    }

    /// A phase begins.
    pub(crate) fn begin(&mut self) {
        self.last = self.runs.then(Instant::now);
    }

    /// A phase ends, and the next one begins.
    pub(crate) fn lap(&mut self, phase: impl FnOnce(&mut PhaseTimes) -> &mut Duration) {
        if let Some(last) = &mut self.last {
            let now = Instant::now();
            *phase(&mut self.times) += now - std::mem::replace(last, now);
        }
    }
}
