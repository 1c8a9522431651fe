//! Rules for decisions, and their violations.

use crate::JobState;
use dfrsim_model::{JobId, NodeId, SimTime};
use std::sync::Arc;

/// Rule that a decision violated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    /// A job may be named at most once in a decision.
    #[error("job named twice in one decision")]
    NamedOnce,
    /// The action is not possible in the state of the job: (action, state).
    #[error("a job in state {1:?} cannot {0}")]
    State(&'static str, JobState),
    /// All tasks of the job must be placed, and no more: (placed, tasks of the job).
    #[error("placed {0} tasks of a job with {1}")]
    TaskCount(u64, u32),
    /// Nodes of a placement must be in ascending order, each with at least one task.
    #[error("the nodes of a placement must be in ascending order, with at least one task each")]
    AscendingNodes,
    /// The node must exist: (node).
    #[error("node {0} does not exist")]
    KnownNode(NodeId),
    /// The node must be up.
    #[error("node {0} is down")]
    NodeUp(NodeId),
    /// The tasks on a node must fit its memory.
    #[error("the memory of node {0} is exceeded")]
    Memory(NodeId),
    /// The CPU given to the tasks on a node must not exceed that of the node.
    #[error("the CPU of node {0} is exceeded")]
    Cpu(NodeId),
    /// The tasks on a node must not exceed its amount of a resource: (node, resource).
    #[error("the {1} of node {0} is exceeded")]
    Resource(NodeId, Arc<str>),
    /// Each task on a node must have the parts of different devices that it requests, and no device
    /// may be over-committed: (node, resource).
    #[error("the tasks on node {0} do not have the {1} devices that they request, or one is exceeded")]
    Device(NodeId, Arc<str>),
    /// A node must have the features that its jobs require: (node, missing feature).
    #[error("node {0} does not have the feature {1}")]
    Feature(NodeId, Arc<str>),
    /// The speed level must be one of the cluster: (level).
    #[error("the cluster has no speed level {0}")]
    Level(u8),
    /// Jobs must not hold more of a resource than the cluster has as a whole: (resource).
    #[error("the {0} of the cluster is exceeded")]
    Common(Arc<str>),
    /// A wake-up must be in the future.
    #[error("a wake-up at {0} s is not in the future")]
    FutureWakeUp(SimTime),
    /// A job that the policy submits must have tasks and a run time, and arrive in the future.
    #[error("a submitted job must have tasks and a run time above 0, and arrive in the future, not at {0} s")]
    FutureSubmission(SimTime),
}

/// Invalid decision: the rule that it violates, the job and the time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid decision at {time} s{}: {rule}", of_job(*.job))]
pub struct Violation {
    /// Time of the decision.
    pub time: SimTime,
    /// Job whose change violates the rule; `None` for rules about the decision as a whole.
    pub job: Option<JobId>,
    /// Violated rule.
    pub rule: Rule,
}

fn of_job(job: Option<JobId>) -> String {
    job.map_or_else(String::new, |job| format!(" for job {job}"))
}
