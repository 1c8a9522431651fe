//! A job of the on-line study.

use crate::{JobId, Origin, Share, SimSpan, SimTime, UserId};

/// A job: identical tasks that start, progress and end together.
///
/// Later versions may have more fields: programs write those that they mean and `..Job::default()`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number in the workload.
    pub id: JobId,
    /// When it arrives.
    pub submit: SimTime,
    /// How many tasks it has; at least one. With a processor as the unit, its processors.
    pub tasks: u32,
    /// The CPU that one task could use, as a share of a node.
    pub cpu_need: Share,
    /// The memory that one task occupies, as a share of a node.
    pub memory: Share,
    /// How long it runs at full speed; schedulers cannot see it.
    pub run_time: SimSpan,
    /// How long its user said that it would run (field 9 of SWF), if known.
    pub requested_time: Option<SimSpan>,
    /// Whose it is (field 12 of SWF), if known.
    pub user: Option<UserId>,
    /// The group, the queue and the partition that it comes from, where priorities depend on them.
    pub origin: Origin,
}

impl Default for Job {
    /// One task that takes a whole CPU for a second; it arrives at 0, and its user, origin and requested time are unknown.
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

/// That a job is submitted once others have left the system, or have started. There is one at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preceding {
    /// The others, each once.
    pub jobs: Vec<JobId>,
    /// The think time: from the end of the last of them to the submission.
    pub think: SimSpan,
    /// Those of which it follows the start, or the end if they never start, each after a time.
    pub starts: Vec<(JobId, SimSpan)>,
    /// Whether it is not submitted before its own time, either.
    pub is_hold: bool,
}

impl Preceding {
    /// That a job follows another one after a think time, regardless of its own time of submission.
    pub fn after(job: JobId, think: SimSpan) -> Preceding {
        Preceding { jobs: vec![job], think, starts: Vec::new(), is_hold: false }
    }

    /// That a job waits for others to leave, and for others some time after their start.
    pub fn hold(jobs: Vec<JobId>, starts: Vec<(JobId, SimSpan)>) -> Preceding {
        Preceding { jobs, think: SimSpan::ZERO, starts, is_hold: true }
    }
}

impl Job {
    /// The area that the job covers at full speed, in node-seconds of CPU: tasks * CPU need * run time.
    pub fn work(&self) -> f64 {
        f64::from(self.tasks) * self.cpu_need.as_f64() * self.run_time.as_secs_f64()
    }
}
