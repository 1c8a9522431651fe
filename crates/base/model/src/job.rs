//! Jobs of the on-line problem.

use crate::{JobId, Origin, Share, SimSpan, SimTime, UserId};

/// Job: identical tasks that start, progress and end together.
///
/// Later versions may have more fields: set the fields you need and complete them with
/// `..Job::default()`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Number in the workload.
    pub id: JobId,
    /// Submit time.
    pub submit: SimTime,
    /// Number of tasks; at least one. If a processor is the unit, the number of processors.
    pub tasks: u32,
    /// CPU that a task can use, as a share of a node.
    pub cpu_need: Share,
    /// Memory that a task occupies, as a share of a node.
    pub memory: Share,
    /// Run time at full speed; schedulers do not see it.
    pub run_time: SimSpan,
    /// Requested time of the user (field 9 of SWF), if known.
    pub requested_time: Option<SimSpan>,
    /// User (field 12 of SWF), if known.
    pub user: Option<UserId>,
    /// Group, queue and partition, if priorities depend on them.
    pub origin: Origin,
}

impl Default for Job {
    /// Returns a job with one task that uses a whole CPU for a second. The submit time is 0; user,
    /// origin and requested time are unknown.
    fn default() -> Job {
        Job {
            id: JobId(0),
            submit: SimTime::ZERO,
            tasks: 1,
            cpu_need: Share::ONE,
            memory: Share::ZERO,
            run_time: SimSpan::from_secs(1),
            requested_time: None,
            user: None,
            origin: Origin::UNKNOWN,
        }
    }
}

/// Dependencies of a job: it is submitted after other jobs have left the system or started. There is
/// at least one other job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependencies {
    /// Jobs whose end it follows, each once.
    pub jobs: Vec<JobId>,
    /// Think time: from the end of the last of them to the submission.
    pub think: SimSpan,
    /// Jobs whose start it follows after a delay, or whose end if they never start.
    pub starts: Vec<(JobId, SimSpan)>,
    /// True if the job is also not submitted before its own submit time.
    pub is_hold: bool,
}

impl Dependencies {
    /// Creates a dependency on another job with a think time, which replaces the job's own submit
    /// time.
    pub fn after(job: JobId, think: SimSpan) -> Dependencies {
        Dependencies { jobs: vec![job], think, starts: Vec::new(), is_hold: false }
    }

    /// Creates a dependency on the end of jobs and, after delays, on the start of others; the job's
    /// own submit time holds as well.
    pub fn hold(jobs: Vec<JobId>, starts: Vec<(JobId, SimSpan)>) -> Dependencies {
        Dependencies { jobs, think: SimSpan::ZERO, starts, is_hold: true }
    }
}

impl Job {
    /// Returns the work of the job in node-seconds of CPU: tasks * CPU need * run time.
    pub fn work(&self) -> f64 {
        f64::from(self.tasks) * self.cpu_need.as_f64() * self.run_time.as_secs_f64()
    }
}
