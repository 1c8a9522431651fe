//! The faults of a log, and their collection.

use super::field::Field;
use std::fmt;

/// How many faults of a file are shown; the others are counted.
const SHOWN: usize = 20;

/// How much of a wrong field is shown, in bytes.
const EXCERPT: usize = 40;

/// The faults of one file: the first 20 in full, the number of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    file: String,
    shown: Vec<Fault>,
    more: u64,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: u64,
    /// The fault.
    pub problem: Problem,
}

/// The faults of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A field is not what it should be.
    #[error("field {} ({}): found `{found}`, expected {}", field.number(), field.name(), field.expected())]
    Field {
        /// The field.
        field: Field,
        /// The value found, shortened, without control characters.
        found: String,
    },
    /// There are more or fewer fields than the format has.
    #[error("found {found} fields, expected {expected}")]
    FieldCount {
        /// How many there are.
        found: usize,
        /// How many there should be: 18 in SWF, 29 in GWF.
        expected: usize,
    },
    /// The line is too long to be one.
    #[error("found more than {limit} bytes without an end of line")]
    LineTooLong {
        /// The longest line that is read.
        limit: usize,
    },
    /// The comments above the first job are too many to be a header.
    #[error("found more than {limit} bytes of comments above the first job")]
    LongHeader {
        /// The most that is kept.
        limit: usize,
    },
    /// The input broke off here: a read error, or a damaged or truncated gzip stream.
    #[error("cannot be read any further: {reason}")]
    Unreadable {
        /// The message of the system or the decompressor.
        reason: String,
    },
    /// A rule of the preparation forbids such a job.
    #[error("job {job}: {reason}, which the rule `{rule} = \"error\"` forbids")]
    Forbidden {
        /// The number of the job.
        job: u64,
        /// The name of the rule.
        rule: &'static str,
        /// The reason for which the rule forbids it.
        reason: String,
    },
    /// The text as a whole is not of its format.
    #[error("not {format}: {reason}")]
    Syntax {
        /// What the text should be, with its article.
        format: &'static str,
        /// The message of the parser.
        reason: String,
    },
    /// A member of a named entry (a job, a profile) is not what it should be.
    #[error("{entry}: field `{member}`: found {found}, expected {expected}")]
    Member {
        /// The entry, as messages name it.
        entry: String,
        /// The name of the member.
        member: &'static str,
        /// The value found, shortened; `no value` if the member is missing.
        found: String,
        /// The allowed values.
        expected: String,
    },
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
        let excerpt = String::from_utf8_lossy(&found[..found.len().min(EXCERPT)]);
        let dots = if found.len() > EXCERPT { "..." } else { "" };
        Problem::Field { field, found: format!("{}{dots}", excerpt.escape_debug()) }
    }
}

impl Faults {
    /// No faults yet.
    pub fn new(file: &str) -> Faults {
        Faults { file: file.to_owned(), shown: Vec::new(), more: 0 }
    }
    /// Adds one.
    pub fn push(&mut self, line: u64, problem: Problem) {
        if self.shown.len() < SHOWN {
            self.shown.push(Fault { line, problem });
        } else {
            self.more += 1;
        }
    }
    /// Merges the faults of another pass over the same file, by line.
    pub(crate) fn merge(&mut self, other: Faults) {
        self.shown.extend(other.shown);
        self.shown.sort_by_key(|fault| fault.line);
        self.more += other.more + self.shown.len().saturating_sub(SHOWN) as u64;
        self.shown.truncate(SHOWN);
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }
    /// How many there are, shown or not.
    pub fn count(&self) -> u64 {
        self.shown.len() as u64 + self.more
    }
    /// The first 20, by line.
    pub fn shown(&self) -> &[Fault] {
        &self.shown
    }
}

impl fmt::Display for Faults {
    /// One fault a line: `FILE:LINE: what is wrong`; then how many more there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Fault { line, problem }) in self.shown.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}:{line}: {problem}", self.file)?;
        }
        if self.more > 0 {
            write!(f, "\n{}: {} more faults", self.file, self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}
