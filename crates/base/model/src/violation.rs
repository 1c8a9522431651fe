//! What is wrong with an answer, in words.

/// One thing that is wrong: where, what was found, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Violation(pub String);
