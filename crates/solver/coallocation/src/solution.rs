//! The result of a search for a co-allocation.

use dfrsim_model::coallocation::Allocation;

/// A solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The start and the reservations.
    pub allocation: Allocation,
    /// The estimated utilisation factor: the product over all properties of the worst-case utilisation (3) of the chosen
    /// resources once the job is placed, in [0, 1].
    pub factor: f64,
    /// The same before phase V.
    pub factor_before: f64,
    /// How many times as many resources as were asked for had been examined (M).
    pub multiple: usize,
}

/// Why a request is rejected: where its last pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Rejection {
    /// Phase I: fewer resources than asked for have the minima and the labels.
    #[error("too few resources meet the minimum for each resource")]
    Resources,
    /// Phase II: not even free resources would come to the totals.
    #[error("the examined resources cannot meet the totals, even when idle")]
    Totals,
    /// Phase IV: no admissible set at any start.
    #[error("no start was found at which the totals are free")]
    Starts,
}
