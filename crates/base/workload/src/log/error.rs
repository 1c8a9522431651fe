//! Why a log could not be used.

use super::fault::{Faults, Problem};
use super::strictness::Strictness;
use dfrsim_model::SimTime;
use std::io;

/// Why a log of any format could not be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file could not be opened, or its first bytes not be read.
    #[error("{file}: cannot be opened: {source}")]
    Open {
        /// The file.
        file: String,
        /// The message of the system.
        source: io::Error,
    },
    /// The file has faults.
    #[error(transparent)]
    Faults(#[from] Faults),
    /// The file is not sorted by submit time, so it cannot be streamed; [`Whole`](super::Whole) is sorted.
    #[error(
        "{file}:{line}: not sorted by submit time: submitted at {submit} s, the job before it at {previous} s"
    )]
    Unsorted {
        /// The file.
        file: String,
        /// The first line that is out of order.
        line: u64,
        /// Its submit time.
        submit: SimTime,
        /// The submit time before it.
        previous: SimTime,
    },
    /// No job of the log came from this site.
    #[error("{file}: no job is from site `{site}`; there are jobs from {others}")]
    NoSuchSite {
        /// The file.
        file: String,
        /// The site.
        site: String,
        /// Some from which jobs came.
        others: String,
    },
}

impl LogError {
    /// What would let the log be used, for users of the command line: the options that apply to its faults. `strictness` is
    /// how it was read.
    pub fn advice(&self, strictness: Strictness) -> Vec<String> {
        let LogError::Faults(faults) = self else { return Vec::new() };
        let mut rules: Vec<&str> = Vec::new();
        let mut broken = false;
        for fault in faults.shown() {
            match fault.problem {
                Problem::Forbidden { rule, .. } if !rules.contains(&rule) => rules.push(rule),
                Problem::Forbidden { .. }
                | Problem::Unreadable { .. }
                | Problem::LongHeader { .. }
                | Problem::Syntax { .. } => {}
                _ => broken = true,
            }
        }
        let option = |rule: &str| format!("`--{}` has other rules for such jobs", rule.replace('_', "-"));
        let mut advice: Vec<String> = rules.into_iter().map(option).collect();
        if broken && strictness == Strictness::Strict {
            advice.push(
                "without strict reading (`--strict`) such lines are left out or kept by a rule, and counted"
                    .into(),
            );
        }
        advice
    }
}
