//! State of one job.

use dfrsim_model::grid_event::Traits;

/// Job as described by the records.
#[derive(Debug, Default)]
pub(super) struct Job {
    pub(super) arrived: u64,
    pub(super) width: u32,
    /// Run time at speed 1, until it completes or is killed.
    pub(super) run: u64,
    /// Time limit at speed 1, after which it is killed.
    pub(super) walltime: u64,
    /// Only cluster on which it may wait, if it is a local job.
    pub(super) home: Option<u32>,
    pub(super) queues: Vec<Queued>,
    /// Last cancellation.
    pub(super) left: Option<Departure>,
    pub(super) started: Option<Started>,
    /// Cluster that has its data: the one of its first submission.
    pub(super) data: Option<u32>,
    /// Attributes that only some clusters use.
    pub(super) traits: Option<Traits>,
}

/// Entry of a job in a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    pub(super) cluster: u32,
    /// Submission index on the cluster.
    pub(super) place: u64,
    /// Expected completion time.
    pub(super) expected: u64,
}

/// Cancellation of a waiting job, or the loss of a running one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    pub(super) cluster: u32,
    pub(super) at: u64,
    /// Expected completion time on the cluster, if known.
    pub(super) expected: Option<u64>,
    /// True if the job left because of a failure.
    pub(super) is_forced: bool,
}

/// Start of a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Started {
    pub(super) cluster: u32,
    /// Submission index on the cluster.
    pub(super) place: u64,
    /// True if it waits there again, after a node failure or a preemption.
    pub(super) is_requeued: bool,
    /// Completion time that was expected at its submission to the cluster.
    pub(super) expected: u64,
}

impl Job {
    /// Removes the job from a queue.
    pub(super) fn leave(&mut self, cluster: u32) -> Option<Queued> {
        let at = self.queues.iter().position(|queued| queued.cluster == cluster)?;
        Some(self.queues.swap_remove(at))
    }
}
