//! Virtual machines that share the CPU of their nodes by weight.

use crate::{NodeId, Share};

/// A virtual machine during a span without a change (dissertation, section 7.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VmState {
    /// Where it runs.
    pub node: NodeId,
    /// Where it will run, while it is being migrated: it occupies memory there too.
    pub destination: Option<NodeId>,
    /// Its weight among the machines of the node; its cap in percent where caps are used.
    pub weight: u32,
    /// The CPU that it could use.
    pub need: Share,
    /// The CPU that it uses.
    pub used: Share,
}
