//! Telling how far a run is.

use crate::row::Row;

/// One more simulation is finished.
#[derive(Clone, Copy, Debug)]
pub struct News<'a> {
    /// How many simulations are finished by now.
    pub finished: usize,
    /// How many there are in all.
    pub total: usize,
    /// The rows of the one that was finished: one for each tau.
    pub rows: &'a [Row],
}

/// Hears of every simulation that is finished, from any thread.
pub trait Progress: Sync {
    /// A simulation is finished, or was taken over from an earlier run. Calls of different threads may overtake each
    /// other.
    fn finished(&self, news: &News<'_>);
}

/// Hears nothing.
impl Progress for () {
    fn finished(&self, _: &News<'_>) {}
}

impl<F: Fn(&News<'_>) + Sync> Progress for F {
    fn finished(&self, news: &News<'_>) {
        self(news);
    }
}
