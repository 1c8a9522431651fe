//! Reader of the Grid Workloads Format (GWF).
//!
//! A line has 29 fields, of which the first 11 are those of the Standard Workload Format, in the
//! same positions. A line therefore becomes a [`Record`](crate::log::Record) by the rules of
//! [`swf`](super::swf), with the same messages. Comments begin with `#`. Users, groups, executables,
//! queues and partitions are texts in this format; only whole numbers are kept. The originating site
//! can be selected ([`read_jobs_from`](crate::prepare::read_jobs_from)). Structure, network, disk
//! and resources of a job are ignored.
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
//! Source: A. Iosup et al., *The Grid Workloads Archive*, FGCS 24(7), 2008, with the format's
//! definition at the archive.

use crate::log::{Dialect, LogError, Order, Reader, Strictness, decompress};
use std::io::Read;

pub(crate) const DIALECT: Dialect =
    Dialect { comment: b'#', fields: 29, most_fields: 29, has_textual_names: true, has_dependencies: false };

/// Opens an input for reading. `file` is its name in messages.
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
