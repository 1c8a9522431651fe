//! What is kept of jobs and nodes. Times are in microseconds.

use dfrsim_plots::replay::Change;

/// A job from its submission to its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Life {
    pub(super) id: u64,
    pub(super) submit: u64,
    pub(super) run: u64,
    /// Of a task, in share units.
    pub(super) cpu_need: u32,
    /// The last event that is kept.
    pub(super) end: u64,
    /// `None` for a job that is still in the system when the kept time ends.
    pub(super) fate: Option<Change>,
}

/// A job on the same nodes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stay {
    /// The place of the job's [`Life`].
    pub(super) job: usize,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) begin: Change,
    /// `None` if the kept time ends before the stay.
    pub(super) end: Option<Change>,
    /// Since when the job has had which yield; the first begins with the stay.
    pub(super) pieces: Vec<(u64, u32)>,
    pub(super) runs: Vec<Run>,
}

/// Nodes next to each other with as many tasks of a job each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) nodes: u32,
    pub(super) tasks: u32,
}

/// A job of a grid joins the queue of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Queued {
    pub(super) job: usize,
    pub(super) at: u64,
    pub(super) cluster: u32,
}

/// Nodes next to each other that are down at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Down {
    pub(super) first: u32,
    pub(super) nodes: u32,
    pub(super) from: u64,
    pub(super) to: u64,
}
