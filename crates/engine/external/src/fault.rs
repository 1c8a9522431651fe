//! What can go wrong with a policy in another process.

use std::io;
use std::time::Duration;

/// Why a process decides no more.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("`{command}` cannot be started: {error}")]
    Start { command: String, error: io::Error },
    #[error("its process ended{status}{stderr}")]
    Ended { status: String, stderr: String },
    #[error("its process did not answer within {} s{stderr}", .limit.as_secs_f64())]
    Silent { limit: Duration, stderr: String },
    #[error("its answer has more than {most} bytes")]
    TooLong { most: usize },
    #[error("its answer cannot be read: {error}: `{answer}`")]
    Nonsense { error: serde_json::Error, answer: String },
    #[error("{endpoint}: {error}")]
    Network { endpoint: String, error: String },
    /// An answer that can be read, but not carried out.
    #[error("{0}")]
    Wrong(String),
}

impl Fault {
    /// An answer that is not JSON of the kind that was expected.
    pub(crate) fn nonsense(error: serde_json::Error, answer: &str) -> Fault {
        const SHOWN: usize = 200;
        let mut shown: String = answer.trim_end().chars().take(SHOWN).collect();
        if shown.len() < answer.trim_end().len() {
            shown.push('…');
        }
        Fault::Nonsense { error, answer: shown }
    }
}
