//! Why there is no page.

use dfrsim_lab::ResultsError;

/// Why results cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// They cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
}
