//! What can be wrong with a workload of Batsim.

/// What is wrong with a workload of Batsim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be read, or is no text.
    #[error("cannot be read: {reason}")]
    Unreadable {
        /// What the system or the decompressor says.
        reason: String,
    },
    /// It is not JSON, or no object.
    #[error("not a workload of Batsim: {reason}")]
    NotJson {
        /// What the parser says.
        reason: String,
    },
    /// A field is not what it should be.
    #[error("{entry}: field `{field}`: found {found}, expected {expected}")]
    Field {
        /// The job or the profile, as messages speak of it.
        entry: String,
        /// The field.
        field: &'static str,
        /// What stands there, shortened; `nothing` where the field is missing.
        found: String,
        /// What may stand there.
        expected: String,
    },
}

/// A problem and its line.
pub(super) type Located = (u64, Problem);
