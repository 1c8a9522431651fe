//! The Standard Workload Format: reading and writing logs of parallel machines.
//!
//! [`Reader`] streams a log, plain or gzip, in constant memory; [`read_all`] reads and sorts one whose lines are out
//! of order; both are a [`Source`] of [`Line`]s. [`write()`] writes one. All faults of a file are collected, with line,
//! field, what was found and what was expected ([`Faults`]).
//!
//! ```
//! use dfrsim_workload::swf::{Reader, Source, Strictness};
//! let text = "; MaxProcs: 128\n1 0 -1 60 4 -1 -1 4 100 -1 1 7 -1 -1 -1 -1 -1 -1\n";
//! let mut reader = Reader::new(text.as_bytes(), "example.swf", Strictness::Strict)?;
//! assert_eq!(reader.header().max_procs(), Some(128));
//! let processors: u32 = reader.by_ref().filter_map(|line| line.record.requested_processors).sum();
//! let report = reader.finish()?;
//! assert_eq!((processors, report.records), (4, 1));
//!
//! let broken = "1 0 -1 abc 4 -1 -1 4 100 -1 1 7 -1 -1 -1 -1 -1 -1\n";
//! let fault = Reader::new(broken.as_bytes(), "broken.swf", Strictness::Strict)?.finish().unwrap_err();
//! assert_eq!(
//!     fault.to_string(),
//!     "broken.swf:1: field 4 (run time): found `abc`, expected a number of seconds (at most 16,000,000,000) or -1"
//! );
//! # Ok::<(), dfrsim_workload::swf::SwfError>(())
//! ```
//!
//! Source: the definition of the format, version 2.2, at the Parallel Workloads Archive (Chapin et al. 1999,
//! "Benchmarks and standards for the evaluation of parallel job schedulers"). Our choices: decimals are read in every
//! field of time or memory, since the archive's logs have them; comments may stand between the lines.

mod fault;
mod field;
mod header;
mod input;
mod lines;
mod number;
mod parse;
mod reader;
mod record;
mod whole;
mod writer;

pub use fault::{Fault, Faults, Problem, SwfError};
pub use field::Field;
pub use header::Header;
pub(crate) use input::Input;
pub use number::Kilobytes;
pub(crate) use number::Number;
pub(crate) use parse::{Fields, status};
pub(crate) use reader::{Dialect, Order};
pub use reader::{Reader, Strictness};
pub use record::{Record, Status};
pub(crate) use whole::collect;
pub use whole::{Whole, read_all, read_all_from};
pub use writer::write;

/// A record and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number of its line, from 1.
    pub number: u64,
    /// What the line says.
    pub record: Record,
}

/// Something that gives the records of one log in the order of their submit times.
pub trait Source: Iterator<Item = Line> {
    /// The name of the file, for messages.
    fn file(&self) -> &str;
    /// The comment lines at the top of the log.
    fn header(&self) -> &Header;
    /// Reads what is left, and says whether the whole file was good.
    ///
    /// # Errors
    /// [`SwfError::Faults`], or [`SwfError::Unsorted`]: then start anew with [`read_all`].
    fn finish(self) -> Result<ReadReport, SwfError>
    where
        Self: Sized;
}

/// What was met while reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// Lines with a good record.
    pub records: u64,
    /// Lines that were left out because they are broken ([`Strictness::Lenient`]).
    pub broken: u64,
    /// Lines that were submitted before the line above them; the records have been sorted if there are any.
    pub out_of_order: u64,
    /// Jobs that communicate, which takes no time here (workloads of Batsim only).
    pub without_communication: u64,
}
