//! Reader and writer of the Standard Workload Format (SWF).
//!
//! [`open`] streams a log, plain or gzip, in constant memory. [`read_all_from`] reads and sorts a
//! log whose lines are out of order. [`write()`] writes a log.
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
//! Source: the definition of the format, version 2.2, at the Parallel Workloads Archive (Chapin et
//! al. 1999, "Benchmarks and standards for the evaluation of parallel job schedulers"). Extensions
//! of this reader: decimals are accepted in all fields of time or memory, since the archive's logs
//! have them, comments may occur between the lines, and lines may have more than 18 fields, of which
//! the first 18 are read and the others counted.

mod writer;

pub use writer::write;

use crate::log::{Dialect, Field, LogError, Order, Reader, Strictness, Whole, decompress, open_log};
use std::io::Read;
use std::path::Path;

/// Form of the lines. A line with twice as many fields may be two lines that lack the line end
/// between them.
pub(crate) const DIALECT: Dialect = Dialect {
    comment: b';',
    fields: Field::COUNT,
    most_fields: 2 * Field::COUNT - 1,
    has_textual_names: false,
    has_dependencies: true,
};

/// Opens a file, plain or gzip, and reads its header.
///
/// # Errors
///
/// [`LogError::Open`] if it cannot be opened; all other errors are reported by
/// [`finish`](crate::log::Source::finish).
pub fn open(path: &Path, strictness: Strictness) -> Result<Reader<'static>, LogError> {
    Reader::new(open_log(path), &path.display().to_string(), DIALECT, strictness, Order::Sorted)
}

/// Opens an input and reads its header. `file` is its name in messages. The input does not need to
/// be buffered.
///
/// # Errors
///
/// [`LogError::Open`] if its first bytes cannot be read.
pub fn read<'a>(
    input: impl Read + Send + 'a,
    file: &str,
    strictness: Strictness,
) -> Result<Reader<'a>, LogError> {
    Reader::new(decompress(input), file, DIALECT, strictness, Order::Sorted)
}

/// Reads a complete input whose lines may have any order. `file` is its name in messages.
///
/// # Errors
///
/// [`LogError::Open`] and [`LogError::Faults`].
pub fn read_all_from(input: impl Read + Send, file: &str, strictness: Strictness) -> Result<Whole, LogError> {
    Whole::read(Reader::new(decompress(input), file, DIALECT, strictness, Order::Any)?)
}
