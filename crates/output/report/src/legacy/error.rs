//! Why there is no page.

use std::io;
use std::path::PathBuf;

/// Why results cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A table is damaged.
    #[error("{}: {error}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// Where and why.
        error: csv::Error,
    },
    /// The manifest is damaged.
    #[error("{}: {error}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Where and why.
        error: toml::de::Error,
    },
}
