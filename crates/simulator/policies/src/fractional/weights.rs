//! Weights of jobs in the division of CPU.

use dfrsim_cluster::{JobHandle, View};

/// Returns the weights of these jobs; `None` if they are all equal.
pub(super) fn weights_of(view: View<'_>, jobs: &[JobHandle]) -> Option<Vec<u32>> {
    if !view.has_weights() {
        return None;
    }
    let weights: Vec<u32> = jobs.iter().map(|&job| view.job(job).weight()).collect();
    weights.iter().any(|&weight| weight != weights[0]).then_some(weights)
}

/// Returns the factor by which the stretch of each job is multiplied: its weight relative to the
/// smallest one.
pub(super) fn relative_weights(weights: Option<&[u32]>) -> impl Fn(usize) -> f64 + '_ {
    let least = weights.and_then(|weights| weights.iter().min().copied()).unwrap_or(1);
    move |job| weights.map_or(1.0, |weights| f64::from(weights[job]) / f64::from(least))
}
