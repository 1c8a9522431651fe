//! Errors in a log, and their collection.

use super::field::Field;
use std::fmt;

/// Maximum number of errors of a file that are shown; the others are only counted.
const MAX_SHOWN: usize = 20;

/// Length of the excerpt of an invalid field in messages, in bytes.
const EXCERPT_BYTES: usize = 40;

/// Errors in one file: the first 20 in full, and the number of further ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    file: String,
    shown: Vec<Fault>,
    more: u64,
}

/// An error with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line, from 1.
    pub line: u64,
    /// Description of the error.
    pub problem: Problem,
}

/// An error in a line or file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A field has an invalid value.
    #[error("field {} ({}): found `{found}`, expected {}", field.number(), field.name(), field.expected())]
    Field {
        /// Invalid field.
        field: Field,
        /// Value found, shortened and without control characters.
        found: String,
    },
    /// The line has too many or too few fields.
    #[error("found {found} fields, expected {expected}")]
    FieldCount {
        /// Number of fields found.
        found: usize,
        /// Number of fields of the format: 18 in SWF, 29 in GWF.
        expected: usize,
    },
    /// The line is longer than the maximum.
    #[error("found more than {limit} bytes without an end of line")]
    LineTooLong {
        /// Maximum length of a line in bytes.
        limit: usize,
    },
    /// The comments above the first job are longer than the maximum.
    #[error("found more than {limit} bytes of comments above the first job")]
    LongHeader {
        /// Maximum length of the header in bytes.
        limit: usize,
    },
    /// Reading failed here: an I/O error, or a damaged or truncated gzip stream.
    #[error("cannot read further: {reason}")]
    Unreadable {
        /// Message of the operating system or the decompressor.
        reason: String,
    },
    /// A rule of the preparation rejects the job.
    #[error("job {job}: {reason}, which the rule `{rule} = \"error\"` forbids")]
    Forbidden {
        /// Number of the job.
        job: u64,
        /// Name of the rule.
        rule: &'static str,
        /// Property of the job that the rule rejects.
        reason: String,
    },
    /// Jobs follow one another in a circle.
    #[error("{}", circle(*job, *through))]
    Circle {
        /// Number of the job.
        job: u64,
        /// Number and line of a job that it follows, directly or not, and that follows it; `None` if
        /// the job follows itself.
        through: Option<(u64, u64)>,
    },
    /// The text as a whole does not have the expected format.
    #[error("not {format}: {reason}")]
    Syntax {
        /// Expected format, with its article.
        format: &'static str,
        /// Message of the parser.
        reason: String,
    },
    /// A column of a table has an invalid value.
    #[error("column `{column}`: found {found}, expected {expected}")]
    Column {
        /// Name of the column.
        column: String,
        /// Value found, shortened; `no value` if it is absent.
        found: String,
        /// Description of the valid values.
        expected: String,
    },
    /// A table lacks a column that its map names.
    #[error("no column `{column}`, which the map names for `{field}`{}", did_you_mean(nearest.as_deref()))]
    MissingColumn {
        /// Name of the column.
        column: String,
        /// Field of the job.
        field: String,
        /// The most similar column of the table.
        nearest: Option<String>,
    },
    /// A member of a named entry (a job, a profile) has an invalid value.
    #[error("{entry}: field `{member}`: found {found}, expected {expected}")]
    Member {
        /// Name of the entry in messages.
        entry: String,
        /// Name of the member.
        member: &'static str,
        /// Value found, shortened; `no value` if the member is absent.
        found: String,
        /// Description of the valid values.
        expected: String,
    },
}

fn circle(job: u64, through: Option<(u64, u64)>) -> String {
    match through {
        None => format!("job {job} follows itself, so it would wait for ever"),
        Some((other, line)) => format!(
            "job {job} waits for job {other} of line {line}, which waits for job {job}, so neither would ever start"
        ),
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"))
}

impl Problem {
    pub(crate) fn member(
        entry: impl Into<String>,
        member: &'static str,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Problem {
        let (entry, found, expected) = (entry.into(), found.into(), expected.into());
        Problem::Member { entry, member, found, expected }
    }
    pub(super) fn field(field: Field, found: &[u8]) -> Problem {
        let excerpt = String::from_utf8_lossy(&found[..found.len().min(EXCERPT_BYTES)]);
        let dots = if found.len() > EXCERPT_BYTES { "..." } else { "" };
        Problem::Field { field, found: format!("{}{dots}", excerpt.escape_debug()) }
    }
}

impl Faults {
    /// Creates an empty collection for a file.
    pub fn new(file: &str) -> Faults {
        Faults { file: file.to_owned(), shown: Vec::new(), more: 0 }
    }
    /// Adds an error.
    pub fn push(&mut self, line: u64, problem: Problem) {
        if self.shown.len() < MAX_SHOWN {
            self.shown.push(Fault { line, problem });
        } else {
            self.more += 1;
        }
    }
    /// Merges the errors of another pass over the same file, sorted by line.
    pub(crate) fn merge(&mut self, other: Faults) {
        self.shown.extend(other.shown);
        self.shown.sort_by_key(|fault| fault.line);
        self.more += other.more + self.shown.len().saturating_sub(MAX_SHOWN) as u64;
        self.shown.truncate(MAX_SHOWN);
    }
    /// Returns whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }
    /// Counts all errors, including those that are not shown.
    pub fn count(&self) -> u64 {
        self.shown.len() as u64 + self.more
    }
    /// Returns the first 20 errors, sorted by line.
    pub fn shown(&self) -> &[Fault] {
        &self.shown
    }
}

impl fmt::Display for Faults {
    /// Formats one error per line, as `FILE:LINE: message`, and then the number of further ones.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Fault { line, problem }) in self.shown.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}:{line}: {problem}", self.file)?;
        }
        if self.more > 0 {
            write!(f, "\n{}: {} more errors", self.file, self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}
