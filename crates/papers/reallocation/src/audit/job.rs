//! One job.

use dfrsim_model::grid_event::Traits;

/// A job as the records describe it.
#[derive(Debug, Default)]
pub(super) struct Job {
    pub(super) arrived: u64,
    pub(super) width: u32,
    /// How long it runs at speed 1: until it is done or killed.
    pub(super) run: u64,
    /// After how long it is killed, at speed 1.
    pub(super) walltime: u64,
    /// The only cluster on which it may wait, if it is a local job.
    pub(super) home: Option<u32>,
    pub(super) queues: Vec<Queued>,
    /// The last queue that it left without starting.
    pub(super) left: Option<Left>,
    pub(super) started: Option<Started>,
    /// The cluster that has its data: to which it was submitted first.
    pub(super) data: Option<u32>,
    /// What matters to some clusters only.
    pub(super) traits: Option<Traits>,
}

/// A job in a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    pub(super) cluster: u32,
    /// Its place there.
    pub(super) place: u64,
    /// When it is expected to end.
    pub(super) expected: u64,
}

/// A job that was cancelled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    pub(super) cluster: u32,
    pub(super) at: u64,
    /// When it was expected to end.
    pub(super) expected: Option<u64>,
    /// Whether the cluster failed.
    pub(super) is_forced: bool,
}

/// A job that has started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Started {
    pub(super) cluster: u32,
    /// Its place in the queue, as it was.
    pub(super) place: u64,
    /// Whether it waits again there, since one of its nodes went down or another job took them.
    pub(super) waits_again: bool,
    /// When it was expected to end as it joined the queue.
    pub(super) expected: u64,
}

impl Job {
    /// Takes it out of a queue.
    pub(super) fn leave(&mut self, cluster: u32) -> Option<Queued> {
        let at = self.queues.iter().position(|queued| queued.cluster == cluster)?;
        Some(self.queues.swap_remove(at))
    }
}
