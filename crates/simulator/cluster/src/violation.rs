//! The rules that a decision must keep.

use crate::JobState;
use dfrsim_model::{JobId, NodeId, SimTime};
use std::sync::Arc;

/// A rule that a decision broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    /// Each job may be named once in a decision.
    #[error("a decision may name a job once")]
    NamedOnce,
    /// The job is in no state in which this can be done to it: (what was asked, its state).
    #[error("a job that is {1:?} cannot be asked to {0}")]
    State(&'static str, JobState),
    /// The tasks placed must be the tasks of the job: (placed, has).
    #[error("{0} tasks were placed of a job that has {1}")]
    TaskCount(u64, u32),
    /// The nodes of a placement must rise, each with at least one task.
    #[error("the nodes of a placement must rise, with at least one task each")]
    RisingNodes,
    /// The node must exist.
    #[error("there is no node {0}")]
    KnownNode(NodeId),
    /// The node must be up.
    #[error("node {0} is down")]
    NodeUp(NodeId),
    /// The tasks on a node must fit its memory.
    #[error("the memory of node {0} is exceeded")]
    Memory(NodeId),
    /// The CPU given to the tasks on a node must not exceed the node.
    #[error("the CPU of node {0} is exceeded")]
    Cpu(NodeId),
    /// What tasks use of a resource of a node must not exceed what it has.
    #[error("the {1} of node {0} is exceeded")]
    Resource(NodeId, Arc<str>),
    /// A node must have the features that a job asks for.
    #[error("node {0} does not have the feature {1}")]
    Feature(NodeId, Arc<str>),
    /// A wake-up must lie in the future.
    #[error("a wake-up at {0} s is not in the future")]
    FutureWakeUp(SimTime),
    /// A job that the policy submits must have tasks and a run time, and arrive in the future.
    #[error(
        "a job that a policy submits must have tasks and a run time, and arrive in the future, not at {0} s"
    )]
    FutureSubmission(SimTime),
}

/// A decision that cannot be applied: which rule it breaks, for which job, and when.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("wrong decision at {time} s{}: {rule}", of_job(*.job))]
pub struct Violation {
    /// The moment of the decision.
    pub time: SimTime,
    /// The job whose change breaks the rule; `None` for rules about the decision as a whole.
    pub job: Option<JobId>,
    /// The rule.
    pub rule: Rule,
}

fn of_job(job: Option<JobId>) -> String {
    job.map_or_else(String::new, |job| format!(" for job {job}"))
}
