//! The Standard Workload Format: reading and writing logs of parallel machines.
//!
//! [`open`] streams a log, plain or gzip, in constant memory; [`read_all_from`] reads and sorts one whose lines are out
//! of order. [`write()`] writes one.
//!
//! ```
//! use dfrsim_workload::formats::swf;
//! use dfrsim_workload::log::{Source, Strictness};
//! let text = "; MaxProcs: 128\n1 0 -1 60 4 -1 -1 4 100 -1 1 7 -1 -1 -1 -1 -1 -1\n";
//! let mut reader = swf::read(text.as_bytes(), "example.swf", Strictness::Strict)?;
//! assert_eq!(reader.header().max_procs(), Some(128));
//! let processors: u32 = reader.by_ref().filter_map(|line| line.record.requested_processors).sum();
//! let report = reader.finish()?;
//! assert_eq!((processors, report.records), (4, 1));
//!
//! let broken = "1 0 -1 abc 4 -1 -1 4 100 -1 1 7 -1 -1 -1 -1 -1 -1\n";
//! let fault = swf::read(broken.as_bytes(), "broken.swf", Strictness::Strict)?.finish().unwrap_err();
//! assert_eq!(
//!     fault.to_string(),
//!     "broken.swf:1: field 4 (run time): found `abc`, expected a number of seconds (at most 16,000,000,000) or -1"
//! );
//! # Ok::<(), dfrsim_workload::log::LogError>(())
//! ```
//!
//! Source: the definition of the format, version 2.2, at the Parallel Workloads Archive (Chapin et al. 1999,
//! "Benchmarks and standards for the evaluation of parallel job schedulers"). Our choices: decimals are read in every
//! field of time or memory, since the archive's logs have them; comments may be between the lines.

mod writer;

pub use writer::write;

use crate::log::{Dialect, Field, LogError, Order, Reader, Strictness, Whole, decompressed, opened};
use std::io::Read;
use std::path::Path;

pub(crate) const DIALECT: Dialect =
    Dialect { comment: b';', fields: Field::COUNT, textual_names: false, precedence: true };

/// Opens a file, plain or gzip, and reads its header.
///
/// # Errors
/// [`LogError::Open`] if it cannot be opened; everything else is reported by [`finish`](crate::log::Source::finish).
pub fn open(path: &Path, strictness: Strictness) -> Result<Reader<'static>, LogError> {
    Reader::new(opened(path), &path.display().to_string(), DIALECT, strictness, Order::Sorted)
}

/// Starts to read an input, named `file` in messages, and reads its header. The input needs no buffer of its own.
///
/// # Errors
/// [`LogError::Open`] if not even its first bytes can be read.
pub fn read<'a>(
    input: impl Read + Send + 'a,
    file: &str,
    strictness: Strictness,
) -> Result<Reader<'a>, LogError> {
    Reader::new(decompressed(input), file, DIALECT, strictness, Order::Sorted)
}

/// Reads a whole input, named `file` in messages; its lines may have any order.
///
/// # Errors
/// [`LogError::Open`] and [`LogError::Faults`].
pub fn read_all_from(input: impl Read + Send, file: &str, strictness: Strictness) -> Result<Whole, LogError> {
    Whole::read(Reader::new(decompressed(input), file, DIALECT, strictness, Order::Any)?)
}
