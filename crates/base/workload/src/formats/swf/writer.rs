//! Writer of the Standard Workload Format.

use crate::log::{Header, Record};
use std::borrow::Borrow;
use std::fmt;
use std::io::{self, Write};

/// Writes a log. The output should be buffered.
///
/// # Errors
///
/// Writing fails.
pub fn write<R: Borrow<Record>>(
    mut out: impl Write,
    header: &Header,
    records: impl IntoIterator<Item = R>,
) -> io::Result<()> {
    write!(out, "{header}")?;
    let mut line = Vec::new();
    for record in records {
        line.clear();
        write_record(&mut line, record.borrow())?;
        out.write_all(&line)?;
    }
    out.flush()
}

/// Writes one line. It is not generic, so it is compiled once for all output types.
fn write_record(line: &mut Vec<u8>, record: &Record) -> io::Result<()> {
    writeln!(line, "{record}")
}

impl fmt::Display for Header {
    /// Writes the comment lines of SWF, each with its line end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines().try_for_each(|line| writeln!(f, ";{line}"))
    }
}

/// A value of a field; an unknown one is written as -1.
struct OrUnknown<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for OrUnknown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("-1"),
        }
    }
}

impl fmt::Display for Record {
    /// Writes the SWF line without its line end. Parsing it gives an equal record.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
            self.job,
            self.submit,
            OrUnknown(self.wait),
            OrUnknown(self.run_time),
            OrUnknown(self.allocated_processors),
            OrUnknown(self.cpu_time),
            OrUnknown(self.used_memory),
            OrUnknown(self.requested_processors),
            OrUnknown(self.requested_time),
            OrUnknown(self.requested_memory),
            self.status.number(),
            OrUnknown(self.user),
            OrUnknown(self.group),
            OrUnknown(self.executable),
            OrUnknown(self.queue),
            OrUnknown(self.partition),
            OrUnknown(self.preceding_job),
            OrUnknown(self.think_time),
        )
    }
}
