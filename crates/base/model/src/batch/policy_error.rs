//! Names of no policy.

use crate::formula::FormulaError;
use crate::named::UnknownName;

/// Why a name is none of a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// No policy has it.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// It orders jobs by what is no formula.
    #[error("policy `{name}`: its order, {fault}")]
    Formula {
        /// The name.
        name: String,
        /// What is wrong with the formula.
        fault: FormulaError,
    },
    /// The family of its prefix has no such policy.
    #[error("policy `{name}`: {reason}")]
    Family {
        /// The name.
        name: String,
        /// What the family says.
        reason: String,
    },
}
