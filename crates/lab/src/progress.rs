//! Telling how far a run is.

/// Hears of every simulation that is finished, from any thread.
pub trait Progress: Sync {
    /// `finished` of `total` simulations are there; `label` names the last one. Calls of different threads may
    /// overtake each other.
    fn finished(&self, finished: usize, total: usize, label: &str);
}

/// Hears nothing.
impl Progress for () {
    fn finished(&self, _: usize, _: usize, _: &str) {}
}

impl<F: Fn(usize, usize, &str) + Sync> Progress for F {
    fn finished(&self, finished: usize, total: usize, label: &str) {
        self(finished, total, label);
    }
}
