//! The jobs of a grid.

use dfrsim_model::{JobId, Origin, Share, SimSpan, SimTime, UserId};

/// A rigid job. Its times are those of a cluster of speed 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridJob {
    /// Its number in its log.
    pub id: JobId,
    /// When it is handed to the meta-scheduler.
    pub submit: SimTime,
    /// The cores that it takes, all of one cluster.
    pub width: u32,
    /// How long it would run.
    pub run: SimSpan,
    /// After how long it is killed; what the local schedulers expect it to take.
    pub walltime: SimSpan,
    /// The cluster, as an index, to which it is submitted past the meta-scheduler: a local job, which stays there.
    pub home: Option<u32>,
    /// The cluster of the site that it is from, as an index, if it is known.
    pub site: Option<u32>,
    /// What matters to some clusters only.
    pub traits: JobTraits,
}

/// What of a job matters only to clusters whose nodes differ, have several tasks, or are given by priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobTraits {
    /// The CPU need of a task.
    pub cpu_need: Share,
    /// The memory of a task.
    pub memory: Share,
    /// Whose it is, if known.
    pub user: Option<UserId>,
    /// The group, the queue and the partition that it comes from, as far as they are known.
    pub origin: Origin,
}

impl Default for JobTraits {
    /// Each task needs all of its core, and no memory; it is not known whose it is.
    fn default() -> JobTraits {
        JobTraits { cpu_need: Share::ONE, memory: Share::ZERO, user: None, origin: Origin::UNKNOWN }
    }
}

impl GridJob {
    /// The order in which jobs are numbered: by submission, then by id.
    pub fn order(&self) -> (SimTime, JobId) {
        (self.submit, self.id)
    }
}
