//! Errors in the names of policies.

use super::Place;
use crate::formula::FormulaError;
use crate::named::UnknownName;

/// Error in the name of a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Unknown policy.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// Invalid formula of the queue order or the backfill order.
    #[error("policy `{name}`: invalid formula, {fault}")]
    Formula {
        /// Name of the policy.
        name: String,
        /// Error in the formula.
        fault: FormulaError,
    },
    /// Placement that ranks nodes which tasks share, with whole nodes for tasks.
    #[error(
        "policy `{name}`: PLACE={place} ranks nodes that tasks share, but each task has a whole node; expected NODES=SHARED or NODES=EXCLUSIVE as well"
    )]
    WholeNodes {
        /// Name of the policy.
        name: String,
        /// Placement.
        place: Place,
    },
    /// Rejection by the policy family of the name's prefix.
    #[error("policy `{name}`: {reason}")]
    Family {
        /// Name of the policy.
        name: String,
        /// Reason given by the family.
        reason: String,
    },
}
