//! Writer of events files.

use crate::{
    CommonMetrics, EnergyMetrics, Observer, Occurrence, Options, Overrun, PlatformChange, Summary, records,
};
use dfrsim_model::event::Record;
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{SimSpan, SimTime};
use std::io::{self, Write};

/// Observer that writes every occurrence as one line of JSON (see [`dfrsim_model::event`]).
#[derive(Debug)]
pub struct EventLog<W> {
    out: W,
    line: Vec<u8>,
    /// Error of the first write that failed; nothing is written after it.
    failed: Option<io::Error>,
    /// Energy of the nodes, if their power is known or some sleep.
    energy: Option<EnergyMetrics>,
    /// Use of the resources that the cluster has as a whole, if it has any.
    common: Option<CommonMetrics>,
}

impl<W: Write> EventLog<W> {
    /// Begins an events file with its `run` line. Files should be wrapped in a `BufWriter`. `tau` is
    /// that of the bounded stretch in the summary line.
    pub fn new(out: W, policy: &str, nodes: u32, penalty: SimSpan, tau: SimSpan) -> EventLog<W> {
        EventLog::of_run(out, &records::run(policy, nodes, (penalty, Overrun::default()), tau, (None, None)))
    }

    /// Begins an events file with the given first record (see [`records::run`]).
    pub fn of_run(out: W, run: &Record<'_>) -> EventLog<W> {
        let mut log = EventLog { out, line: Vec::new(), failed: None, energy: None, common: None };
        log.write(run);
        log
    }

    /// Writes the records that describe the nodes (from the options) and the priorities of the
    /// policy. Must be called before the simulation begins.
    #[must_use]
    pub fn of_cluster(mut self, options: &Options, priorities: Option<&SiteSettings>) -> EventLog<W> {
        let Options { outages, unequal, .. } = options;
        self.energy = unequal.as_ref().and_then(|unequal| EnergyMetrics::new(&unequal.classes));
        self.common = unequal.as_ref().and_then(|unequal| CommonMetrics::new(&unequal.classes));
        let records = records::conditions(outages.as_deref(), unequal.as_deref(), priorities);
        let begin = options.beginning.iter().map(|beginning| beginning.record());
        records.into_iter().chain(begin).for_each(|record| self.write(&record));
        self
    }

    /// Ends the file with its `summary` line and returns the writer. The summary must cover all
    /// jobs, and its first tau must be that of the file.
    ///
    /// # Errors
    /// If any write failed.
    pub fn finish(mut self, summary: &Summary) -> io::Result<W> {
        let figures = records::figures(self.energy.as_ref(), self.common.as_ref());
        figures.iter().for_each(|record| self.write(record));
        self.write(&summary.record());
        self.failed.map_or_else(|| self.out.flush().map(|()| self.out), Err)
    }

    fn write(&mut self, record: &Record<'_>) {
        if self.failed.is_none() {
            self.failed =
                format_line(record, &mut self.line).and_then(|()| self.out.write_all(&self.line)).err();
        }
    }
}

/// Formats a record as one line of JSON. Not generic over the writer, so that it is compiled once.
fn format_line(record: &Record<'_>, line: &mut Vec<u8>) -> io::Result<()> {
    line.clear();
    serde_json::to_writer(&mut *line, record)?;
    line.push(b'\n');
    Ok(())
}

impl<W: Write> Observer for EventLog<W> {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.energy.observe(now, job, occurrence);
        self.common.observe(now, job, occurrence);
        self.write(&occurrence.record(now, job));
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.energy.observe_platform(now, change);
        self.common.observe_platform(now, change);
        self.write(&change.record(now));
    }
}
