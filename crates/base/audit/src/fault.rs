//! Violations in a file, with their positions.

use crate::Rule;
use dfrsim_model::SimTime;
use rustc_hash::{FxHashMap, FxHasher};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::Hasher as _;
use std::io;

/// Violation of one rule.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fault {
    /// Line, from 1; if something is missing, the line at which that is detected.
    pub line: u64,
    /// Time of the violation, if it has one.
    #[serde(rename = "at_s")]
    pub at: Option<SimTime>,
    /// Submission index of the affected job, from 0, if there is one.
    pub job: Option<u64>,
    /// Violated rule, as a message.
    #[serde(rename = "message", serialize_with = "in_words")]
    #[schemars(with = "String")]
    pub rule: Rule,
}

fn in_words<S: Serializer>(rule: &Rule, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(rule)
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(at) = self.at {
            write!(f, ", {at} s")?;
        }
        if let Some(job) = self.job {
            write!(f, ", job {job}")?;
        }
        write!(f, ": {}", self.rule)
    }
}

/// Violations in a file: the first ones in full, and the number of all. A job that violates a rule
/// of one kind several times is one violation, the first one, with the number of its repetitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    shown: Vec<Fault>,
    /// Repetitions of each violation that is kept in full.
    again: Vec<u64>,
    count: u64,
    repetitions: u64,
    /// Place in `shown`, if it is there, of the first violation by job and [kind].
    first: FxHashMap<(u64, u64), Option<usize>>,
}

/// Returns the kind of a rule: its words without the numbers in them.
fn kind(rule: &Rule) -> u64 {
    let mut hasher = FxHasher::default();
    let (Rule::Beginning(text) | Rule::Schedule(text) | Rule::Decision(text)) = rule;
    text.bytes().filter(|byte| !byte.is_ascii_digit()).for_each(|byte| hasher.write_u8(byte));
    hasher.finish()
}

impl Faults {
    /// Maximum number of violations kept in full.
    pub const SHOWN: usize = 20;

    /// Records a violation; only the first [`Faults::SHOWN`] are kept in full, and a repetition by
    /// the same job is only counted.
    pub fn push(&mut self, fault: Fault) {
        let place = (self.shown.len() < Self::SHOWN).then_some(self.shown.len());
        if let Some(job) = fault.job {
            match self.first.entry((job, kind(&fault.rule))) {
                Entry::Occupied(first) => {
                    first.get().iter().for_each(|&place| self.again[place] += 1);
                    self.repetitions += 1;
                    return;
                }
                Entry::Vacant(new) => _ = new.insert(place),
            }
        }
        if place.is_some() {
            self.shown.push(fault);
            self.again.push(0);
        }
        self.count += 1;
    }
    /// Merges the violations found by several auditors of a file, ordered by line.
    pub fn merge(all: impl Iterator<Item = Faults>) -> Faults {
        let (mut together, mut shown) = (Faults::default(), Vec::new());
        for faults in all {
            together.count += faults.count;
            together.repetitions += faults.repetitions;
            shown.extend(faults.shown.into_iter().zip(faults.again));
        }
        shown.sort_by_key(|(fault, _)| fault.line);
        shown.truncate(Faults::SHOWN);
        (together.shown, together.again) = shown.into_iter().unzip();
        together
    }
    /// Maps each violation to another one.
    pub fn map(mut self, change: impl Fn(Fault) -> Fault) -> Faults {
        self.shown = self.shown.into_iter().map(change).collect();
        self
    }
    /// Returns the first violations, at most [`Faults::SHOWN`], in the order in which they were
    /// found.
    pub fn shown(&self) -> &[Fault] {
        &self.shown
    }
    /// Returns the number of all violations, without repetitions.
    pub const fn count(&self) -> u64 {
        self.count
    }
    /// Returns the number of repetitions: further violations of the same kind by the same job.
    pub const fn repetitions(&self) -> u64 {
        self.repetitions
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Faults {
        let mut faults = Faults::default();
        faults.push(fault);
        faults
    }
}

impl fmt::Display for Faults {
    /// Writes one line per violation that is kept, and one with the number of the others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.shown.iter().enumerate() {
            write!(f, "{}{fault}", if index == 0 { "" } else { "\n" })?;
            match self.again[index] {
                0 => {}
                1 => f.write_str(" (and once more)")?,
                again => write!(f, " (and {again} times more)")?,
            }
        }
        match self.count - self.shown.len() as u64 {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

/// Error of the audit of an events file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// Input error.
    #[error("line {line} cannot be read: {}", dfrsim_model::describe_io(source))]
    Io {
        /// Number of the line, from 1.
        line: u64,
        /// Cause of the error.
        source: io::Error,
    },
    /// Line that is longer than any record.
    #[error("line {line} is longer than {longest} bytes: this is not an events file")]
    LongLine {
        /// Number of the line, from 1.
        line: u64,
        /// Maximum length of a line in bytes.
        longest: u64,
    },
    /// File that does not begin like an events file.
    #[error("this is not an events file: line 1: {0}")]
    NoEvents(Box<Rule>),
    /// Violations of rules.
    #[error(transparent)]
    Faults(#[from] Faults),
}

impl AuditError {
    /// Converts the violations of the first record. An unsupported format or cluster size means that
    /// the file cannot be audited at all, which is not a violation.
    pub fn from_first_record(faults: Faults) -> AuditError {
        match faults.shown.first().map(|fault| &fault.rule) {
            Some(rule @ Rule::Beginning(_)) => AuditError::NoEvents(Box::new(rule.clone())),
            _ => AuditError::Faults(faults),
        }
    }
}

impl std::error::Error for Faults {}
