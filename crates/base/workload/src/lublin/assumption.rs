//! Errors in the assumptions about CPU and memory.

/// An invalid assumption about CPU needs or memory requirements.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum AssumptionError {
    /// The CPU need of a task is not positive.
    #[error("the CPU need of a task must be positive")]
    NoNeed,
    /// The bounds are in the wrong order.
    #[error("the lower bound of memory, {from}, is above the upper bound, {to}")]
    Bounds {
        /// Lower bound, as a fraction of a node.
        from: f64,
        /// Upper bound, as a fraction of a node.
        to: f64,
    },
    /// The number is not a probability.
    #[error("expected a probability from 0 to 1, found {0}")]
    Probability(f64),
    /// The range of multiples is empty or exceeds a node.
    #[error("expected a maximum of at least 2 units, and at most one node, found {most} units of {unit}")]
    Most {
        /// Maximum number of units.
        most: u32,
        /// Unit, as a fraction of a node.
        unit: f64,
    },
}
