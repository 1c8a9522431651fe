//! Progress of a run.

use crate::column::Better;

/// One more step has finished: a run or the rows of one that were taken over, or all runs on an instance where rows are
/// [wide](crate::Wide).
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// How many runs have finished by now.
    pub finished: usize,
    /// How many there are in all.
    pub total: usize,
    /// What finished: the name of each variant and its primary metric; `None` if it has no row.
    pub values: &'a [(String, Option<f64>)],
    /// The primary metric: its name, and which values are better.
    pub primary: Option<(&'static str, Better)>,
}

/// Is informed of every step, from any thread.
pub trait Progress: Sync {
    /// A step has finished. Calls of different threads may overtake each other.
    fn step(&self, step: &Step<'_>);
}

/// Ignores progress.
impl Progress for () {
    fn step(&self, _: &Step<'_>) {}
}

impl<F: Fn(&Step<'_>) + Sync> Progress for F {
    fn step(&self, step: &Step<'_>) {
        self(step);
    }
}
