//! Records: a row with its key and what became of the run.

use crate::column::{AnyRow, ReadRow, RowType};
use crate::key::Key;
use std::fmt;

dfrsim_model::named! {
    /// The outcome of a run; in the order of reports.
    #[derive(Default)]
    pub enum Status as "status" {
        /// It has a row.
        #[default]
        Ok = "ok",
        /// The algorithm found no solution; whether there is one is not known.
        Unsolved = "unsolved",
        /// It is proven that there is no solution.
        Infeasible = "infeasible",
        /// A limit of time or work came first.
        TimedOut = "timed-out",
        /// A policy broke a rule of the simulation.
        Violation = "violation",
        /// An independent checker refused the result.
        Invalid = "invalid",
        /// The simulation could not end: jobs remained but no event was scheduled.
        Stalled = "stalled",
        /// The instance could not be prepared, or no job was left to measure.
        Failed = "failed",
    }
}

impl Status {
    /// Whether it is a failure, which makes the whole run end with exit code 1. That there is no solution, or none was found
    /// in time, is a result.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Status::Violation | Status::Invalid | Status::Stalled | Status::Failed)
    }
}

/// Why a run has no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The outcome of it; never [`Status::Ok`].
    pub status: Status,
    /// The reason, in one line; may be empty where the status suffices.
    pub message: String,
}

impl Failure {
    /// A failure with a message, in which line breaks become spaces.
    pub fn new(status: Status, message: impl fmt::Display) -> Failure {
        Failure { status, message: message.to_string().replace(['\r', '\n'], " ") }
    }
    /// A policy broke a rule.
    pub fn violation(message: impl fmt::Display) -> Failure {
        Failure::new(Status::Violation, message)
    }
    /// A checker refused the result.
    pub fn invalid(message: impl fmt::Display) -> Failure {
        Failure::new(Status::Invalid, message)
    }
    /// There is no instance to run on or no job to measure.
    pub fn failed(message: impl fmt::Display) -> Failure {
        Failure::new(Status::Failed, message)
    }
}

/// A line of `rows.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<R> {
    /// What the row is known by when a run is resumed.
    pub key: Key,
    /// The row, or why there is none.
    pub outcome: Result<R, Unfinished>,
}

/// A failure with the values of its label, instance and variant columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The place of the type of rows.
    pub row_type: usize,
    /// One text for each column of the type; empty where the value is not known.
    pub fields: Vec<String>,
    /// The outcome of the run.
    pub failure: Failure,
}

/// The columns that the frame puts in front of a study's.
pub const FRAME_COLUMNS: [&str; 3] = ["key", "status", "message"];

/// A record of any study.
pub(crate) type AnyRecord = Record<Box<dyn AnyRow>>;

impl<R> Record<R> {
    /// The outcome of the run.
    pub fn status(&self) -> Status {
        self.outcome.as_ref().map_or_else(|unfinished| unfinished.failure.status, |_| Status::Ok)
    }
}

impl AnyRecord {
    /// The place of its type of rows.
    pub(crate) fn row_type(&self) -> usize {
        self.outcome.as_ref().map_or_else(|unfinished| unfinished.row_type, |row| row.row_type())
    }
    /// The fields of its line.
    pub(crate) fn write(&self) -> Vec<String> {
        let (message, fields) = match &self.outcome {
            Ok(row) => (String::new(), row.write()),
            Err(unfinished) => (unfinished.failure.message.clone(), unfinished.fields.clone()),
        };
        let mut line = vec![self.key.to_string(), self.status().name().to_owned(), message];
        line.extend(fields);
        line
    }
    /// A copy.
    pub(crate) fn copy(&self) -> AnyRecord {
        Record { key: self.key, outcome: self.outcome.as_ref().map(|row| row.copy()).map_err(Clone::clone) }
    }
    /// Reads the fields of a line of a type of rows; `None` if it is not one.
    pub(crate) fn read(
        row_types: &[RowType],
        read: ReadRow,
        row_type: usize,
        fields: &[&str],
    ) -> Option<AnyRecord> {
        let [key, status, message, fields @ ..] = fields else { return None };
        if fields.len() != row_types.get(row_type)?.columns.len() {
            return None;
        }
        let (key, status) = (key.parse().ok()?, status.parse().ok()?);
        let outcome = match status {
            Status::Ok if message.is_empty() => Ok(read(row_type, fields)?),
            Status::Ok => return None,
            _ => Err(Unfinished {
                row_type,
                fields: fields.iter().map(|&field| field.to_owned()).collect(),
                failure: Failure { status, message: (*message).to_owned() },
            }),
        };
        Some(Record { key, outcome })
    }
}
