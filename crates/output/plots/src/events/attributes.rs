//! Attributes of jobs by which charts tell them apart.

/// Size and origin of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobAttributes {
    /// Number of tasks.
    pub tasks: u32,
    /// Number of the user, if known.
    pub user: Option<u32>,
    /// Number of the user's group or account, if known.
    pub group: Option<u32>,
    /// Number of the queue, if known.
    pub queue: Option<u32>,
    /// Number of the partition, if known.
    pub partition: Option<u32>,
}
