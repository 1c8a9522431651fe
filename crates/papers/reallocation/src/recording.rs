//! Simulation with its observers: the independent checker, and the file of its events.

use crate::audit::Auditor;
use crate::engine::{GridJob, Options, Outcome, Platform, simulate};
use dfrsim_lab::{Failure, RunContext};
use dfrsim_model::grid_event::Record;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};

/// File of the records of a simulation, one per line.
pub(crate) struct EventsFile {
    name: String,
    lines: BufWriter<File>,
}

impl EventsFile {
    /// Creates the file of this name in a folder of the results.
    pub(crate) fn create(watch: RunContext<'_>, folder: &str, name: &str) -> Result<EventsFile, Failure> {
        let name = format!("{name}.jsonl");
        let lines = BufWriter::new(watch.create(folder, &name)?);
        Ok(EventsFile { name, lines })
    }
    fn write(&mut self, record: &Record<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut self.lines, record)?;
        self.lines.write_all(b"\n")
    }
}

/// Runs a simulation, checks its records, and writes them if there is a file.
pub(crate) fn simulate_and_check(
    platform: &Platform,
    jobs: &[GridJob],
    options: &Options,
    mut events: Option<EventsFile>,
) -> Result<Outcome, Failure> {
    let mut written = Ok(());
    let mut auditor: Option<Result<Auditor, _>> = None;
    let observe = |record: Record<'_>| {
        if let Some(events) = events.as_mut().filter(|_| written.is_ok()) {
            written = events.write(&record);
        }
        match &mut auditor {
            Some(Ok(auditor)) => auditor.record(&record),
            None => auditor = Some(Auditor::begin(&record)),
            Some(Err(_)) => {}
        }
    };
    let outcome = simulate(platform, jobs, options, observe).map_err(Failure::failed)?;
    if let Some(mut events) = events {
        let written = written.and_then(|()| events.lines.flush());
        written.map_err(|error| Failure::failed(format_args!("{}: {error}", events.name)))?;
    }
    match auditor.map(|auditor| auditor.and_then(Auditor::finish)) {
        Some(Err(faults)) => Err(Failure::invalid(faults)),
        Some(Ok(_)) => Ok(outcome),
        None => Err(Failure::invalid("the simulation has no records")),
    }
}
