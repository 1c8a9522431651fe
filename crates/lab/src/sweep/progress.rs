//! Progress reports of a run.

use crate::column::Better;

/// Progress step: a run has finished or was restored, or, in [wide](crate::Wide) layout, all runs on
/// an instance.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// Number of finished runs.
    pub finished: usize,
    /// Total number of runs.
    pub total: usize,
    /// Name and primary metric of each finished variant; `None` if it has no row.
    pub values: &'a [(String, Option<f64>)],
    /// Name of the primary metric and its direction of improvement.
    pub primary: Option<(&'static str, Better)>,
}

/// Receives progress steps from any thread.
pub trait Progress: Sync {
    /// Called after each step. Calls from different threads may arrive out of order.
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
