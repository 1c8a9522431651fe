//! Errors in the names of policies.

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
    /// Rejection by the policy family of the name's prefix.
    #[error("policy `{name}`: {reason}")]
    Family {
        /// Name of the policy.
        name: String,
        /// Reason given by the family.
        reason: String,
    },
}
