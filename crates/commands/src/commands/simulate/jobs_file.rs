//! The file with a line for each job.

use crate::output::OutputFile;
use dfrsim_cluster::{JobRecord, Observer, Occurrence};
use dfrsim_interchange::InSubmissionOrder;
use dfrsim_model::{SimSpan, SimTime, stretch};
use std::io;

/// Writes completed jobs in the order of submission.
pub(super) struct JobsFile {
    lines: InSubmissionOrder<OutputFile>,
    tau: SimSpan,
}

const HEADER: &str = "job_id,submit,start,end,tasks,stretch,bounded_stretch,run_time,wait,turnaround,cpu_need,memory,killed,preemptions,migrations\n";

impl JobsFile {
    pub(super) fn new(out: OutputFile, tau: SimSpan) -> JobsFile {
        JobsFile { lines: InSubmissionOrder::new(out, HEADER), tau }
    }

    pub(super) fn finish(self) -> io::Result<OutputFile> {
        self.lines.finish()
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
            record.cpu_need.as_f64(),
            record.memory.as_f64(),
            record.killed,
            record.preemptions,
            record.migrations,
        )
    }
}

impl Observer for JobsFile {
    fn observe(&mut self, _: SimTime, job: u64, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Completed(record) | Occurrence::Killed(record) => {
                self.lines.put(job, self.line(record));
            }
            Occurrence::Rejected | Occurrence::Lost(..) => self.lines.put(job, String::new()),
            _ => {}
        }
    }
}
