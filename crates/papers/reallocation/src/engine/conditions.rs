//! What clusters may have beside equal nodes that are always up.

use dfrsim_model::platform::Outages;
use dfrsim_model::platform::classes::UnequalNodes;
use dfrsim_model::priority::Priorities;
use std::sync::Arc;

/// The conditions of a cluster, which are those of a cluster that is simulated alone. Its cores are its nodes: one for each task of a job, where
/// its policy does not put several on one.
///
/// A job that has begun on a cluster stays there though it waits again, since one of its nodes went down or another job took them. A job
/// that the cluster loses goes back to the meta-scheduler, which maps it as if it arrived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// When nodes are down, and what that does to jobs; `None` if they never are.
    pub outages: Option<Arc<Outages>>,
    /// The classes of nodes, and what jobs ask of them; `None` if all nodes are equal.
    pub unequal: Option<Arc<UnequalNodes>>,
    /// Priorities, limits and preemption; `None` if the order of the policy alone counts.
    pub priorities: Option<Arc<Priorities>>,
}

impl Conditions {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Conditions::default()
    }
}
