//! The Grid Workloads Format: reading logs of grids.
//!
//! A line has 29 fields, of which the first 11 are those of the Standard Workload Format, in the same places; so a line
//! becomes a [`Record`](crate::log::Record), read as those of [`swf`](super::swf) are, with the same messages; comments begin
//! with `#`. Users, groups, executables,
//! queues and partitions are texts in this format: they are kept where they are whole numbers. The site from which a job came
//! can be asked for ([`read_jobs_from`](crate::prepare::read_jobs_from)). Structure, network, disk and resources of a job are
//! not used.
//!
//! ```
//! use dfrsim_workload::formats::gwf;
//! use dfrsim_workload::log::{Source, Strictness};
//! let text = "# a grid\n1 30 -1 60 4 -1 -1 4 100 -1 1 U7 G1 -1 -1 -1 S1 S1 UNITARY -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n";
//! let mut reader = gwf::read(text.as_bytes(), "example.gwf", Strictness::Strict)?;
//! let line = reader.next().unwrap();
//! assert_eq!((line.number, line.record.requested_processors, line.record.user), (2, Some(4), None));
//! assert_eq!(reader.finish()?.records, 1);
//!
//! let broken = text.replace(" 60 ", " x ").replace(" UNITARY", "");
//! let fault = gwf::read(broken.as_bytes(), "broken.gwf", Strictness::Strict)?.finish().unwrap_err();
//! assert_eq!(
//!     fault.to_string(),
//!     "broken.gwf:2: field 4 (run time): found `x`, expected a number of seconds (at most 16,000,000,000) or -1\n\
//!      broken.gwf:2: found 28 fields, expected 29"
//! );
//! # Ok::<(), dfrsim_workload::log::LogError>(())
//! ```
//!
//! Source: A. Iosup et al., *The Grid Workloads Archive*, FGCS 24(7), 2008, with the format's definition at the archive.

use crate::log::{Dialect, LogError, Order, Reader, Strictness, decompressed};
use std::io::Read;

pub(crate) const DIALECT: Dialect =
    Dialect { comment: b'#', fields: 29, textual_names: true, precedence: false };

/// Starts to read an input, named `file` in messages.
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
