//! Errors of reading a log.

use super::fault::{Faults, Problem};
use super::strictness::Strictness;
use dfrsim_model::SimTime;
use std::io;

/// An error that makes a log of any format unusable.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file cannot be opened, or its first bytes cannot be read.
    #[error("{file}: cannot be opened: {source}")]
    Open {
        /// Path of the file.
        file: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file is of another kind than the formats of logs.
    #[error("{file}: {message}")]
    OtherKind {
        /// Path of the file.
        file: String,
        /// Kind of the file, and the way to use it.
        message: String,
    },
    /// The contents of the file are invalid.
    #[error(transparent)]
    Faults(#[from] Faults),
    /// The file is not sorted by submit time and so cannot be streamed; [`Whole`](super::Whole)
    /// sorts it.
    #[error(
        "{file}:{line}: not sorted by submit time: submitted at {submit} s, the job before it at {previous} s"
    )]
    Unsorted {
        /// Path of the file.
        file: String,
        /// First line that is out of order.
        line: u64,
        /// Submit time of that line.
        submit: SimTime,
        /// Submit time of the preceding job.
        previous: SimTime,
    },
    /// No job of the log came from the given site.
    #[error("{file}: no job is from site `{site}`; there are jobs from {others}")]
    NoSuchSite {
        /// Path of the file.
        file: String,
        /// Requested site.
        site: String,
        /// Some sites of the log, separated by commas.
        others: String,
    },
}

impl LogError {
    /// Returns hints for users of the command line: the options that would make the log usable.
    /// `strictness` is the mode in which it was read.
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
                | Problem::MissingColumn { .. }
                | Problem::Syntax { .. } => {}
                _ => broken = true,
            }
        }
        let option = |rule: &str| {
            format!("`--rule {}=VALUE` selects another rule for such jobs", rule.replace('_', "-"))
        };
        let mut advice: Vec<String> = rules.into_iter().map(option).collect();
        if broken && strictness == Strictness::Strict {
            advice
                .push("without `--strict`, such lines are skipped or handled by a rule, and counted".into());
        }
        advice
    }
}
