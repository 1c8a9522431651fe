//! A simulation with its observers: the independent checker, and the file of its events.

use dfrsim_audit::grid::Auditor;
use dfrsim_grid::{GridJob, Options, Outcome, Platform, simulate};
use dfrsim_lab::Failure;
use dfrsim_model::grid_event::Record;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// A file of the records of a simulation, one a line.
pub(crate) struct EventsFile {
    path: PathBuf,
    lines: BufWriter<File>,
}

impl EventsFile {
    pub(crate) fn create(folder: &Path, name: &str) -> Result<EventsFile, Failure> {
        let path = folder.join(format!("{name}.jsonl"));
        let file = fs::create_dir_all(folder).and_then(|()| File::create(&path));
        let file = file.map_err(|error| unwritten(&path, &error))?;
        Ok(EventsFile { path, lines: BufWriter::new(file) })
    }
    fn write(&mut self, record: &Record<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut self.lines, record)?;
        self.lines.write_all(b"\n")
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::failed(format!("{}: {error}", path.display()))
}

/// Simulates, and has the records checked and written.
pub(crate) fn recorded(
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
        written.map_err(|error| unwritten(&events.path, &error))?;
    }
    match auditor.map(|auditor| auditor.and_then(Auditor::finish)) {
        Some(Err(faults)) => Err(Failure::invalid(faults)),
        Some(Ok(_)) => Ok(outcome),
        None => Err(Failure::invalid("the simulation has no records")),
    }
}
