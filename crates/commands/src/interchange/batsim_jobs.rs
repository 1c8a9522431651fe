//! Writer of Batsim's file of jobs.

use crate::interchange::JobLines;
use crate::interchange::in_system::InSystem;
use dfrsim_cluster::{JobRecord, Occurrence};
use dfrsim_model::{Job, JobText, JobTexts, SimTime};
use std::sync::Arc;

const HEADER: &str = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,\
success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
allocated_resources,consumed_energy,metadata\n";

/// Writer of the columns of Batsim's `_jobs.csv`, with one line per job in the order of submission.
/// Times are in seconds.
///
/// | column | value |
/// |---|---|
/// | `job_id` | job number in the log; original id for a Batsim workload |
/// | `workload_name` | as given to [`BatsimJobs::new`] |
/// | `profile` | run time at full speed, in seconds, as the name of a delay profile with that delay; for a Batsim workload the name of the profile |
/// | `requested_number_of_resources` | number of tasks |
/// | `requested_time` | requested time; -1 if unknown, Batsim's "no walltime" |
/// | `success`, `final_state` | 1 and `COMPLETED_SUCCESSFULLY`; 0 and `COMPLETED_WALLTIME_REACHED` for a job killed at its estimate; 0 and `REJECTED` for a rejected job, which has no times and no resources |
/// | `starting_time`, `finish_time` | first start, completion |
/// | `execution_time`, `waiting_time`, `turnaround_time` | finish - start, start - submission, finish - submission |
/// | `stretch` | turnaround / execution time, as Batsim defines it |
/// | `allocated_resources` | nodes that had a task of the job at any time, as an interval set: `0-3 7` |
/// | `consumed_energy` | -1, Batsim's "not simulated" |
/// | `metadata` | empty |
///
/// For a batch schedule all of this is exact. The format cannot represent a fractional schedule
/// completely:
///
/// * The execution time includes pauses, penalties and slow progress, so `stretch` is not the
///   stretch of the summary (turnaround / run time); `profile` has the run time.
/// * Several tasks of a job may share a node, so there may be fewer resources than requested. A job
///   that migrated has more. Nodes of several jobs overlap, and a job appears on all of its nodes
///   from start to finish, even while it was paused. Loads computed from this file therefore count
///   such nodes several times. The number of nodes in use is in
///   [`BatsimMachines`](crate::interchange::BatsimMachines).
#[derive(Debug)]
pub struct BatsimJobs {
    /// Name of the workload, quoted as a field of the file.
    workload: String,
    texts: Option<Arc<JobTexts>>,
    in_system: InSystem,
}

impl BatsimJobs {
    /// Creates the writer. Jobs have the ids and profiles of `texts`, if given.
    pub fn new(workload: &str, texts: Option<Arc<JobTexts>>) -> BatsimJobs {
        BatsimJobs { workload: field(workload), texts, in_system: InSystem::default() }
    }

    /// Formats the first six columns, which are known when a job is submitted.
    fn request(&self, job: &Job) -> String {
        let requested = job.requested_time.map_or_else(|| "-1".to_owned(), |span| span.to_string());
        let text = self.texts.as_ref().and_then(|texts| texts.jobs.get(&job.id));
        let (name, profile) = match text {
            Some(JobText { name, profile, .. }) => (field(name), field(profile)),
            None => (job.id.to_string(), job.run_time.to_string()),
        };
        format!("{name},{},{profile},{},{},{requested}", self.workload, job.submit, job.tasks)
    }

    /// Formats the line of a job that has ended.
    fn ended_line(&mut self, place: u64, record: &JobRecord, state: &str) -> Option<String> {
        let (job, nodes) = self.in_system.remove(place)?;
        let (execution, turnaround) = (record.end.since(record.start), record.turnaround());
        let success = u8::from(!record.killed);
        Some(format!(
            "{},{success},{state},{},{execution},{},{},{turnaround},{},{nodes},-1,\"\"\n",
            self.request(&job),
            record.start,
            record.end,
            record.wait(),
            turnaround.as_secs_f64() / execution.as_secs_f64(),
        ))
    }
}

/// Formats a text as a field, quoted if necessary.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

impl JobLines for BatsimJobs {
    fn header(&self) -> String {
        HEADER.to_owned()
    }
    fn line(&mut self, _: SimTime, place: u64, occurrence: Occurrence<'_>) -> Option<String> {
        self.in_system.observe(place, occurrence);
        match occurrence {
            Occurrence::Completed(record) => {
                let state =
                    if record.killed { "COMPLETED_WALLTIME_REACHED" } else { "COMPLETED_SUCCESSFULLY" };
                self.ended_line(place, record, state)
            }
            Occurrence::Lost(record, _) => self.ended_line(place, record, "COMPLETED_FAILED"),
            Occurrence::Killed(record) => self.ended_line(place, record, "COMPLETED_KILLED"),
            Occurrence::Rejected => {
                let (job, _) = self.in_system.remove(place)?;
                Some(format!("{},0,REJECTED,,,,,,,,-1,\"\"\n", self.request(&job)))
            }
            Occurrence::Submitted(..)
            | Occurrence::Started(..)
            | Occurrence::Resumed(..)
            | Occurrence::Migrated(..)
            | Occurrence::Linked(_)
            | Occurrence::Asked(..)
            | Occurrence::Bound(_)
            | Occurrence::Woken(_)
            | Occurrence::Paused(_)
            | Occurrence::YieldChanged(_)
            | Occurrence::Interrupted(..) => None,
        }
    }
}
