//! Writes an events file.

use crate::{Observer, Occurrence, Options, PlatformChange, Summary, records};
use dfrsim_model::event::Record;
use dfrsim_model::priority::Priorities;
use dfrsim_model::{SimSpan, SimTime};
use std::io::{self, Write};

/// An observer that writes every occurrence as one line of JSON (see [`dfrsim_model::event`]).
#[derive(Debug)]
pub struct EventLog<W> {
    out: W,
    line: Vec<u8>,
    /// The first write that failed; no more is written after it.
    failed: Option<io::Error>,
}

impl<W: Write> EventLog<W> {
    /// Begins an events file with its `run` line; wrap files in a `BufWriter`. The tau is that of the bounded stretch in
    /// the last line.
    pub fn new(out: W, policy: &str, nodes: u32, penalty: SimSpan, tau: SimSpan) -> EventLog<W> {
        EventLog::of_run(out, &records::run(policy, nodes, penalty, tau, (None, None)))
    }

    /// The same with another first record, of [`records::run`].
    pub fn of_run(out: W, run: &Record<'_>) -> EventLog<W> {
        let mut log = EventLog { out, line: Vec::new(), failed: None };
        log.write(run);
        log
    }

    /// The file is of a cluster with what the options say of its nodes, and of a policy with these priorities; to be called before the
    /// simulation begins.
    #[must_use]
    pub fn of_cluster(mut self, options: &Options, priorities: Option<&Priorities>) -> EventLog<W> {
        let Options { outages, unequal, .. } = options;
        let records = records::conditions(outages.as_deref(), unequal.as_deref(), priorities);
        records.iter().for_each(|record| self.write(record));
        self
    }

    /// Ends the file with its `summary` line, and hands the writer back. The summary must be of all jobs, with the file's
    /// tau as the first.
    ///
    /// # Errors
    /// If any write failed.
    pub fn finish(mut self, summary: &Summary) -> io::Result<W> {
        self.write(&summary.record());
        self.failed.map_or_else(|| self.out.flush().map(|()| self.out), Err)
    }

    fn write(&mut self, record: &Record<'_>) {
        if self.failed.is_none() {
            self.failed = put(record, &mut self.line).and_then(|()| self.out.write_all(&self.line)).err();
        }
    }
}

/// Makes a record a line, for writers of all types.
fn put(record: &Record<'_>, line: &mut Vec<u8>) -> io::Result<()> {
    line.clear();
    serde_json::to_writer(&mut *line, record)?;
    line.push(b'\n');
    Ok(())
}

impl<W: Write> Observer for EventLog<W> {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.write(&occurrence.record(now, job));
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.write(&change.record(now));
    }
}
