//! The faults of a file, with their places.

use crate::Rule;
use dfrsim_model::SimTime;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::fmt;
use std::io;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fault {
    /// The line, from 1; where something is missing, the line at which that is seen.
    pub line: u64,
    /// The time at which the rule is broken, if it has one.
    #[serde(rename = "at_s")]
    pub at: Option<SimTime>,
    /// The place of the job that is concerned in the order of submission, from 0, if it is about one.
    pub job: Option<u64>,
    /// The rule, in words.
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

/// The faults of a file: the first ones in full, the number of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    shown: Vec<Fault>,
    count: u64,
}

impl Faults {
    /// How many faults are kept in full.
    pub const SHOWN: usize = 20;

    /// Records a violation; only the first [`Faults::SHOWN`] are kept in full.
    pub fn push(&mut self, fault: Fault) {
        if self.shown.len() < Self::SHOWN {
            self.shown.push(fault);
        }
        self.count += 1;
    }
    /// The faults of several followers of a file, by line.
    pub fn together(all: impl Iterator<Item = Faults>) -> Faults {
        let mut together = Faults::default();
        for faults in all {
            together.count += faults.count;
            together.shown.extend(faults.shown);
        }
        together.shown.sort_by_key(|fault| fault.line);
        together.shown.truncate(Faults::SHOWN);
        together
    }
    /// The same faults, each as it is given.
    pub fn map(mut self, change: impl Fn(Fault) -> Fault) -> Faults {
        self.shown = self.shown.into_iter().map(change).collect();
        self
    }
    /// The first faults, at most [`Faults::SHOWN`], in the order in which they were found.
    pub fn shown(&self) -> &[Fault] {
        &self.shown
    }
    /// The number of all faults.
    pub const fn count(&self) -> u64 {
        self.count
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Faults {
        Faults { shown: vec![fault], count: 1 }
    }
}

impl fmt::Display for Faults {
    /// A line for each fault that is shown, and one for the others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.shown.iter().enumerate() {
            write!(f, "{}{fault}", if index == 0 { "" } else { "\n" })?;
        }
        match self.count - self.shown.len() as u64 {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

/// Why an events file is not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The file cannot be read on.
    #[error("line {line} cannot be read")]
    Io {
        /// The line, from 1.
        line: u64,
        /// Why.
        source: io::Error,
    },
    /// A line is longer than any record.
    #[error("line {line} is longer than {longest} bytes: this is not an events file")]
    LongLine {
        /// The line, from 1.
        line: u64,
        /// The longest line that is read.
        longest: u64,
    },
    /// The file does not begin like one of these.
    #[error("this is not an events file: line 1: {0}")]
    NoEvents(Box<Rule>),
    /// The file breaks rules.
    #[error(transparent)]
    Faults(#[from] Faults),
}

impl AuditError {
    /// The faults of the first record: that of another format or of too large a cluster is not a record of a run that could be
    /// right or wrong.
    pub fn of_beginning(faults: Faults) -> AuditError {
        match faults.shown.first().map(|fault| &fault.rule) {
            Some(rule @ Rule::Beginning(_)) => AuditError::NoEvents(Box::new(rule.clone())),
            _ => AuditError::Faults(faults),
        }
    }
}

impl std::error::Error for Faults {}
