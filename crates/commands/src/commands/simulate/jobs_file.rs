//! CSV file with a line for each job.

use crate::interchange::JobLines;
use dfrsim_cluster::{EnergyMetrics, JobRecord, Observer, Occurrence};
use dfrsim_model::{SimSpan, SimTime, stretch};

/// Writer of the lines of completed jobs.
#[derive(Debug)]
pub(super) struct JobsFile {
    pub(super) tau: SimSpan,
    /// Energy of the jobs, if the power of nodes is known.
    pub(super) energy: Option<EnergyMetrics>,
}

const HEADER: &str = "job_id,submit,start,end,tasks,stretch,bounded_stretch,run_time,wait,turnaround,cpu_need,memory,killed,preemptions,migrations";

impl JobsFile {
    fn format_line(&self, record: &JobRecord) -> String {
        let turnaround = record.turnaround();
        let energy = self
            .energy
            .as_ref()
            .map_or_else(String::new, |energy| format!(",{:.3}", energy.last_job_mj() as f64 / 1e3));
        format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{energy}\n",
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
        let energy = if self.energy.is_some() { ",energy_j" } else { "" };
        format!("{HEADER}{energy}\n")
    }
    fn line(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) -> Option<String> {
        self.energy.observe(now, job, occurrence);
        match occurrence {
            Occurrence::Completed(record) | Occurrence::Killed(record) => Some(self.format_line(record)),
            Occurrence::Rejected | Occurrence::Lost(..) => Some(String::new()),
            _ => None,
        }
    }
}
