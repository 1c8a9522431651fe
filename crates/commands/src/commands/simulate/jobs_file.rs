//! CSV file with a line for each job.

use crate::interchange::JobLines;
use crate::interchange::in_system::InSystem;
use dfrsim_cluster::{EnergyMetrics, JobRecord, Observer, Occurrence};
use dfrsim_model::{SimSpan, SimTime, stretch};

/// Writer of the lines of completed jobs.
#[derive(Debug)]
pub(super) struct JobsFile {
    pub(super) tau: SimSpan,
    /// Energy of the jobs, if the power of nodes is known, and their times until nodes are awake, if
    /// some sleep.
    pub(super) energy: Option<EnergyMetrics>,
    /// Times for which jobs are held before they are submitted, by the order of submission, if they may
    /// be.
    pub(super) held: Option<Vec<SimSpan>>,
    /// Jobs in the system, for their users and nodes.
    pub(super) in_system: InSystem,
}

const HEADER: &str = "job_id,submit,start,end,tasks,stretch,bounded_stretch,run_time,wait,turnaround,cpu_need,memory,killed,preemptions,migrations";

impl JobsFile {
    fn format_line(&mut self, place: u64, record: &JobRecord) -> String {
        let (job, nodes) = self.in_system.remove(place).unzip();
        let user = job.and_then(|job| job.user).map_or_else(String::new, |user| user.to_string());
        let nodes = nodes.unwrap_or_default();
        let turnaround = record.turnaround();
        let energy = self
            .energy
            .as_ref()
            .filter(|energy| energy.has_power())
            .map_or_else(String::new, |energy| format!(",{:.3}", energy.last_job_mj() as f64 / 1e3));
        let woken = self.energy.as_ref().and_then(EnergyMetrics::last_job_woken);
        let woken = woken.map_or_else(String::new, |woken| format!(",{woken}"));
        let level = self.energy.as_ref().and_then(EnergyMetrics::last_job_level);
        let level = level.map_or_else(String::new, |level| format!(",{level}"));
        let held = self.held.as_ref().map(|held| held.get(place as usize).copied().unwrap_or_default());
        // The log has the time before the hold.
        let submit = record.submit.micros() - held.unwrap_or_default().micros();
        let held = held.map_or_else(String::new, |held| format!(",{held}"));
        format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{energy}{woken}{level}{held},{user},{nodes}\n",
            record.id,
            SimTime::from_micros(submit),
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
        let has_power = self.energy.as_ref().is_some_and(EnergyMetrics::has_power);
        let energy = if has_power { ",energy_j" } else { "" };
        let woken = self.energy.as_ref().and_then(EnergyMetrics::last_job_woken).map_or("", |_| ",woken");
        let level = self.energy.as_ref().and_then(EnergyMetrics::last_job_level).map_or("", |_| ",level");
        let held = self.held.as_ref().map_or("", |_| ",held_s");
        format!("{HEADER}{energy}{woken}{level}{held},user,nodes\n")
    }
    fn line(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) -> Option<String> {
        self.energy.observe(now, job, occurrence);
        self.in_system.observe(job, occurrence);
        match occurrence {
            Occurrence::Completed(record) | Occurrence::Killed(record) => Some(self.format_line(job, record)),
            Occurrence::Rejected | Occurrence::Lost(..) => {
                self.in_system.remove(job);
                Some(String::new())
            }
            _ => None,
        }
    }
}
