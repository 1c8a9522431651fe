//! The rules that a decision must keep.

use crate::JobState;
use dfrsim_model::{JobId, NodeId, SimTime};
use std::fmt;
use std::sync::Arc;

/// A rule that a decision broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Each job may be named once in a decision.
    NamedOnce,
    /// The job is in no state in which this can be done to it: (what was asked, its state).
    State(&'static str, JobState),
    /// The tasks placed must be the tasks of the job: (placed, has).
    TaskCount(u64, u32),
    /// The nodes of a placement must rise, each with at least one task.
    RisingNodes,
    /// The node must exist.
    KnownNode(NodeId),
    /// The node must be up.
    NodeUp(NodeId),
    /// The tasks on a node must fit its memory.
    Memory(NodeId),
    /// The CPU given to the tasks on a node must not exceed the node.
    Cpu(NodeId),
    /// What tasks use of a resource of a node must not exceed what it has.
    Resource(NodeId, Arc<str>),
    /// A node must have the features that a job asks for.
    Feature(NodeId, Arc<str>),
    /// A wake-up must lie in the future.
    FutureWakeUp(SimTime),
    /// A job that the policy submits must have tasks and a run time, and arrive in the future.
    FutureSubmission(SimTime),
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::NamedOnce => f.write_str("a decision may name a job once"),
            Rule::State(verb, state) => write!(f, "a job that is {state:?} cannot be asked to {verb}"),
            Rule::TaskCount(placed, has) => write!(f, "{placed} tasks were placed of a job that has {has}"),
            Rule::RisingNodes => {
                f.write_str("the nodes of a placement must rise, with at least one task each")
            }
            Rule::KnownNode(node) => write!(f, "there is no node {node}"),
            Rule::NodeUp(node) => write!(f, "node {node} is down"),
            Rule::Memory(node) => write!(f, "the memory of node {node} is exceeded"),
            Rule::Cpu(node) => write!(f, "the CPU of node {node} is exceeded"),
            Rule::Resource(node, name) => write!(f, "the {name} of node {node} is exceeded"),
            Rule::Feature(node, name) => write!(f, "node {node} does not have the feature {name}"),
            Rule::FutureWakeUp(time) => write!(f, "a wake-up at {time} s is not in the future"),
            Rule::FutureSubmission(time) => write!(
                f,
                "a job that a policy submits must have tasks and a run time, and arrive in the future, not at {time} s"
            ),
        }
    }
}

/// A decision that cannot be applied: which rule it breaks, for which job, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The moment of the decision.
    pub time: SimTime,
    /// The job whose change breaks the rule; `None` for rules about the decision as a whole.
    pub job: Option<JobId>,
    /// The rule.
    pub rule: Rule,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wrong decision at {} s", self.time)?;
        if let Some(job) = self.job {
            write!(f, " for job {job}")?;
        }
        write!(f, ": {}", self.rule)
    }
}

impl std::error::Error for Violation {}
