//! Records: a row with its key and the outcome of its run.

use crate::column::{AnyRow, ReadRow, RowType};
use crate::key::Key;
use std::fmt;

dfrsim_model::named! {
    /// Outcome of a run, in the order of reports.
    #[derive(Default)]
    pub enum Status as "status" {
        /// The run has a row.
        #[default]
        Ok = "ok",
        /// The algorithm found no solution; it is unknown whether one exists.
        Unsolved = "unsolved",
        /// The algorithm proved that there is no solution.
        Infeasible = "infeasible",
        /// The run reached a limit of time or work.
        TimedOut = "timed-out",
        /// A policy broke a rule of the simulation.
        Violation = "violation",
        /// An independent checker refused the result.
        Invalid = "invalid",
        /// The simulation could not end: jobs remained, but no event was scheduled.
        Stalled = "stalled",
        /// The instance could not be prepared, or no job was left to measure.
        Failed = "failed",
    }
}

impl Status {
    /// Returns whether the status is a failure, which makes the command end with exit code 1. The
    /// absence of a solution, or of one found in time, is a result and not a failure.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Status::Violation | Status::Invalid | Status::Stalled | Status::Failed)
    }
}

/// Reason why a run has no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Outcome of the run; never [`Status::Ok`].
    pub status: Status,
    /// Reason, in one line; may be empty if the status suffices.
    pub message: String,
}

impl Failure {
    /// Creates a failure with a message, in which line breaks become spaces.
    pub fn new(status: Status, message: impl fmt::Display) -> Failure {
        Failure { status, message: message.to_string().replace(['\r', '\n'], " ") }
    }
    /// Creates the failure of a policy that broke a rule of the simulation.
    pub fn violation(message: impl fmt::Display) -> Failure {
        Failure::new(Status::Violation, message)
    }
    /// Creates the failure of a result that an independent checker refused.
    pub fn invalid(message: impl fmt::Display) -> Failure {
        Failure::new(Status::Invalid, message)
    }
    /// Creates the failure of a run without an instance or without a job to measure.
    pub fn failed(message: impl fmt::Display) -> Failure {
        Failure::new(Status::Failed, message)
    }
}

/// A line of `rows.csv` or of another row file.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<R> {
    /// Key by which a resumed run recognises the row.
    pub key: Key,
    /// The row, or the reason why there is none.
    pub outcome: Result<R, Unfinished>,
}

/// A failure with the known values of the label, instance and variant columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// Index of the row type.
    pub row_type: usize,
    /// One text for each column of the type; empty where the value is not known.
    pub fields: Vec<String>,
    /// Status and message of the failure.
    pub failure: Failure,
}

/// Columns that precede the study's own columns in a file of rows.
pub const FRAME_COLUMNS: [&str; 3] = ["key", "status", "message"];

/// A record of any study.
pub(crate) type AnyRecord = Record<Box<dyn AnyRow>>;

impl<R> Record<R> {
    /// Returns the status of the run.
    pub fn status(&self) -> Status {
        self.outcome.as_ref().map_or_else(|unfinished| unfinished.failure.status, |_| Status::Ok)
    }
}

impl AnyRecord {
    /// Returns the index of the row type.
    pub(crate) fn row_type(&self) -> usize {
        self.outcome.as_ref().map_or_else(|unfinished| unfinished.row_type, |row| row.row_type())
    }
    /// Returns the fields of the record's CSV line.
    pub(crate) fn write(&self) -> Vec<String> {
        let (message, fields) = match &self.outcome {
            Ok(row) => (String::new(), row.write()),
            Err(unfinished) => (unfinished.failure.message.clone(), unfinished.fields.clone()),
        };
        let mut line = vec![self.key.to_string(), self.status().name().to_owned(), message];
        line.extend(fields);
        line
    }
    /// Returns a copy; the boxed row cannot derive `Clone`.
    pub(crate) fn copy(&self) -> AnyRecord {
        Record { key: self.key, outcome: self.outcome.as_ref().map(|row| row.copy()).map_err(Clone::clone) }
    }
    /// Parses the fields of a CSV line of a row type; `None` if they are not valid.
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
