//! Who listens to a simulation: the independent checker, and the file of its events.

use dfrsim_audit::grid::Auditor;
use dfrsim_grid::{GridJob, Options, Outcome, Platform, simulate};
use dfrsim_model::grid_event::Record;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// A file of the records of a simulation, one a line.
pub(super) struct EventsFile {
    path: PathBuf,
    lines: BufWriter<File>,
}

impl EventsFile {
    pub(super) fn create(folder: &Path, name: &str) -> Result<EventsFile, String> {
        let path = folder.join(format!("{name}.jsonl"));
        let file = fs::create_dir_all(folder).and_then(|()| File::create(&path));
        let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(EventsFile { path, lines: BufWriter::new(file) })
    }
    fn write(&mut self, record: &Record<'_>) -> std::io::Result<()> {
        serde_json::to_writer(&mut self.lines, record)?;
        self.lines.write_all(b"\n")
    }
}

/// A simulation with those who are to listen.
pub(super) fn recorded(
    platform: &Platform,
    jobs: &[GridJob],
    options: &Options,
    audit: bool,
    mut events: Option<EventsFile>,
) -> Result<Outcome, String> {
    let mut written = Ok(());
    let mut auditor: Option<Result<Auditor, _>> = None;
    let listen = |record: Record<'_>| {
        if let Some(events) = events.as_mut().filter(|_| written.is_ok()) {
            written = events.write(&record);
        }
        match &mut auditor {
            Some(Ok(auditor)) => auditor.record(&record),
            None if audit => auditor = Some(Auditor::begin(&record)),
            Some(Err(_)) | None => {}
        }
    };
    let outcome = simulate(platform, jobs, options, listen).map_err(|error| error.to_string())?;
    if let Some(mut events) = events {
        let written = written.and_then(|()| events.lines.flush());
        written.map_err(|error| format!("{}: {error}", events.path.display()))?;
    }
    if let Some(auditor) = auditor {
        auditor.and_then(Auditor::finish).map_err(|faults| faults.to_string())?;
    }
    Ok(outcome)
}
