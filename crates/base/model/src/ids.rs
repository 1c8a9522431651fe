//! Identifiers.

use std::fmt;

/// The number of a job in its log or generated workload (field 1 of SWF).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

/// A node of the cluster, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node as an index of a vector with one entry a node.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Some tasks of one job on one node. The placement of a job is a list of these with rising nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeTasks {
    /// Where.
    pub node: NodeId,
    /// How many; at least one.
    pub tasks: u32,
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
