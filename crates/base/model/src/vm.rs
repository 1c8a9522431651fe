//! Virtual machines that share the CPU of their nodes by weight.

use crate::{NodeId, Share};

/// State of a virtual machine during a span without changes (dissertation, section 7.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VmState {
    /// Node on which it runs.
    pub node: NodeId,
    /// Destination node of a migration in progress; the machine occupies memory there too.
    pub destination: Option<NodeId>,
    /// Weight among the machines of the node; the cap in percent if caps are used.
    pub weight: u32,
    /// CPU need.
    pub need: Share,
    /// CPU in use.
    pub used: Share,
}
