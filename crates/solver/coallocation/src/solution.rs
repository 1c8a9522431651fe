//! Results of a search for a co-allocation.

use dfrsim_model::coallocation::Allocation;

/// A solution of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Start and reservations.
    pub allocation: Allocation,
    /// Estimated utilisation factor: the product over all properties of the worst-case utilisation
    /// (3) of the chosen resources with the job placed, in [0, 1].
    pub factor: f64,
    /// Estimated utilisation factor before phase V.
    pub factor_before: f64,
    /// Final sample size as a multiple of the requested number of resources (M).
    pub multiple: usize,
}

/// Reasons for the rejection of a request: the phase in which the last pass failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Rejection {
    /// Phase I: too few resources have the minima and the labels.
    #[error("too few resources have the minimum amounts and the labels that the request asks of each")]
    Resources,
    /// Phase II: even idle resources would not satisfy the totals.
    #[error("the examined resources cannot meet the totals, even when idle")]
    Totals,
    /// Phase IV: no admissible set was found at any start.
    #[error("no start was found at which enough resources are free for the totals")]
    Starts,
}
