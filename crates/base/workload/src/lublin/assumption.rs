//! What cannot be assumed.

/// Assumptions on needs or memory that make no sense.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum AssumptionError {
    /// A task that needs no CPU.
    #[error("the CPU need of a task must be above 0")]
    NoNeed,
    /// Bounds in the wrong order.
    #[error("the lower bound {from} of the memory is above the upper bound {to}")]
    Bounds {
        /// The lower bound, as a part of a node.
        from: f64,
        /// The upper bound, as a part of a node.
        to: f64,
    },
    /// A number that is not a probability.
    #[error("expected a probability from 0 to 1, found {0}")]
    Probability(f64),
    /// No range of multiples, or one beyond a node.
    #[error("expected at least 2 units, and no more than a node has, found {most} of {unit}")]
    Most {
        /// The most units.
        most: u32,
        /// The unit, as a part of a node.
        unit: f64,
    },
}
