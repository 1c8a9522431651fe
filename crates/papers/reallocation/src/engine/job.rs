//! Jobs of a grid.

use dfrsim_model::{JobId, Origin, Share, SimSpan, SimTime, UserId};

/// Rigid job. Its times are those on a cluster of speed 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridJob {
    /// Job number in its log.
    pub id: JobId,
    /// Time of submission to the meta-scheduler.
    pub submit: SimTime,
    /// Number of cores, all on one cluster.
    pub width: u32,
    /// Run time.
    pub run: SimSpan,
    /// Time limit, after which the job is killed; also the estimate that the local schedulers use.
    pub walltime: SimSpan,
    /// Index of the cluster to which the job is submitted without the meta-scheduler: a local job,
    /// which is never moved.
    pub home: Option<u32>,
    /// Index of the cluster of its site of origin, if known.
    pub site: Option<u32>,
    /// Properties that matter to some clusters only.
    pub traits: JobTraits,
}

/// Properties of a job that matter only to clusters with heterogeneous or shared nodes, or with
/// priorities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobTraits {
    /// CPU need of a task.
    pub cpu_need: Share,
    /// Memory of a task.
    pub memory: Share,
    /// User, if known.
    pub user: Option<UserId>,
    /// Group, queue and partition of the job, as far as they are known.
    pub origin: Origin,
}

impl Default for JobTraits {
    /// Creates the traits of a job whose tasks use a whole core and no memory, with unknown user.
    fn default() -> JobTraits {
        JobTraits { cpu_need: Share::ONE, memory: Share::ZERO, user: None, origin: Origin::UNKNOWN }
    }
}

impl GridJob {
    /// Returns the sort key by which jobs are numbered: submission, then id.
    pub fn order(&self) -> (SimTime, JobId) {
        (self.submit, self.id)
    }
}
