//! The Grid Workloads Format: reading logs of grids.
//!
//! A line has 29 fields, of which the first 11 are those of the Standard Workload Format, in the same places; so a line
//! becomes a record of a log ([`swf::Record`](crate::swf::Record)), and all that is done with logs is done with it. The
//! reader is the one of [`swf`](crate::swf), with the same messages; comments begin with `#`. Users, groups, executables,
//! queues and partitions are texts in this format: they are kept where they are whole numbers. Sites, structure, network,
//! disk and resources of a job are not used.
//!
//! ```
//! use dfrsim_workload::gwf;
//! use dfrsim_workload::swf::{Source, Strictness};
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
//! # Ok::<(), dfrsim_workload::swf::SwfError>(())
//! ```
//!
//! Source: A. Iosup et al., *The Grid Workloads Archive*, FGCS 24(7), 2008, with the format's definition at the archive.

use crate::swf::{
    Dialect, Field, Fields, Number, Order, Problem, Reader, Record, Strictness, SwfError, Whole, collect,
    status,
};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How many fields a line has.
pub const FIELDS: usize = 29;

/// Opens a file, plain or gzip, and reads the comments at its top.
///
/// # Errors
/// [`SwfError::Open`] if it cannot be opened; all else is told by [`finish`](crate::swf::Source::finish).
pub fn open(path: &Path, strictness: Strictness) -> Result<Reader<File>, SwfError> {
    Reader::open_with(path, Dialect::Gwf, strictness, Order::Sorted)
}

/// Starts to read an input, of which messages speak as `file`.
///
/// # Errors
/// [`SwfError::Open`] if not even its first bytes can be read.
pub fn read<R: Read>(input: R, file: &str, strictness: Strictness) -> Result<Reader<R>, SwfError> {
    Reader::with_order(input, file, Dialect::Gwf, strictness, Order::Sorted)
}

/// Reads a whole file, in whatever order its lines stand.
///
/// # Errors
/// [`SwfError::Open`] and [`SwfError::Faults`].
pub fn read_all(path: &Path, strictness: Strictness) -> Result<Whole, SwfError> {
    collect(Reader::open_with(path, Dialect::Gwf, strictness, Order::Any)?)
}

/// The record of a line that is neither blank nor a comment. What is wrong with it is added to `problems`; then the record
/// means nothing.
pub(crate) fn parse(line: &[u8], problems: &mut Vec<Problem>) -> Record {
    let mut fields = Fields::new(line, problems);
    // The order of the initialisers is the order in which they read.
    let record = Record {
        job: fields.read(Field::Job, Number::whole),
        submit: fields.read(Field::Submit, Number::time),
        wait: fields.read(Field::Wait, Number::span),
        run_time: fields.read(Field::RunTime, Number::span),
        allocated_processors: fields.read(Field::AllocatedProcessors, Number::count),
        cpu_time: fields.read(Field::CpuTime, Number::span),
        used_memory: fields.read(Field::UsedMemory, Number::kilobytes),
        requested_processors: fields.read(Field::RequestedProcessors, Number::count),
        requested_time: fields.read(Field::RequestedTime, Number::span),
        requested_memory: fields.read(Field::RequestedMemory, Number::kilobytes),
        status: fields.read(Field::Status, status),
        user: fields.text(),
        group: fields.text(),
        executable: fields.text(),
        queue: fields.text(),
        partition: fields.text(),
        preceding_job: None,
        think_time: None,
    };
    fields.end(FIELDS);
    record
}
