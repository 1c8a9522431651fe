//! CSV file with a line for each job.

use crate::interchange::JobLines;
use dfrsim_cluster::{JobRecord, Occurrence};
use dfrsim_model::{SimSpan, stretch};

/// Writer of the lines of completed jobs.
#[derive(Debug)]
pub(super) struct JobsFile {
    pub(super) tau: SimSpan,
}

const HEADER: &str = "job_id,submit,start,end,tasks,stretch,bounded_stretch,run_time,wait,turnaround,cpu_need,memory,killed,preemptions,migrations\n";

impl JobsFile {
    fn format_line(&self, record: &JobRecord) -> String {
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

impl JobLines for JobsFile {
    fn header(&self) -> String {
        HEADER.to_owned()
    }
    fn line(&mut self, _: u64, occurrence: Occurrence<'_>) -> Option<String> {
        match occurrence {
            Occurrence::Completed(record) | Occurrence::Killed(record) => Some(self.format_line(record)),
            Occurrence::Rejected | Occurrence::Lost(..) => Some(String::new()),
            _ => None,
        }
    }
}
