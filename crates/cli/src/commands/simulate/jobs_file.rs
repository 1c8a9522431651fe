//! The file with a line for each job.

use crate::failure::Failure;
use crate::output::OutputFile;
use dfrsim_cluster::{JobRecord, Observer, Occurrence};
use dfrsim_model::{SimSpan, SimTime, stretch};
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes completed jobs in the order of submission. A job that completes before one that was submitted earlier
/// waits here as a line, so memory grows with the jobs in the system only.
pub(super) struct JobsFile {
    out: OutputFile,
    tau: SimSpan,
    /// The next job to write, by order of submission.
    next: u64,
    /// Lines of later jobs; empty for jobs that were turned away.
    ahead: BTreeMap<u64, String>,
    failed: Option<io::Error>,
}

const HEADER: &str = "job_id,submit,start,end,tasks,stretch,bounded_stretch,run_time,wait,turnaround,need,memory,killed,pauses,migrations\n";

impl JobsFile {
    pub(super) fn create(path: &Path, tau: SimSpan) -> Result<JobsFile, Failure> {
        let mut out = OutputFile::create(path)?;
        out.write_all(HEADER.as_bytes()).map_err(|error| out.failure(&error))?;
        Ok(JobsFile { out, tau, next: 0, ahead: BTreeMap::new(), failed: None })
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        match self.failed {
            Some(error) => Err(self.out.failure(&error)),
            None => self.out.finish(),
        }
    }

    fn line(&self, record: &JobRecord) -> String {
        let turnaround = record.turnaround();
        format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
            record.id,
            record.submit,
            record.start,
            record.end,
            record.tasks,
            stretch::stretch(turnaround, record.run_time),
            stretch::bounded(turnaround, record.run_time, self.tau),
            record.run_time,
            record.wait(),
            turnaround,
            record.need.as_f64(),
            record.memory.as_f64(),
            record.killed,
            record.pauses,
            record.migrations,
        )
    }

    fn put(&mut self, job: u64, line: String) {
        self.ahead.insert(job, line);
        while let Some(line) = self.ahead.remove(&self.next) {
            self.next += 1;
            if self.failed.is_none() {
                self.failed = self.out.write_all(line.as_bytes()).err();
            }
        }
    }
}

impl Observer for JobsFile {
    fn observe(&mut self, _: SimTime, job: u64, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Completed(record) => self.put(job, self.line(record)),
            Occurrence::Rejected => self.put(job, String::new()),
            _ => {}
        }
    }
}
