//! Conditions of clusters beyond equal nodes that are always up.

use dfrsim_model::platform::Outages;
use dfrsim_model::platform::classes::UnequalNodes;
use dfrsim_model::site::SiteSettings;
use std::sync::Arc;

/// Conditions of a cluster, the same as those of a single simulated cluster. Its nodes are its
/// cores: a job uses one for each task, unless the policy puts several tasks on one.
///
/// A job that has started on a cluster stays there even if it waits again because one of its nodes
/// went down or it was preempted. A job that the cluster loses returns to the meta-scheduler, which
/// maps it like a new arrival.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// Node outages and their effect on jobs; `None` if every node is always up.
    pub outages: Option<Arc<Outages>>,
    /// Node classes, and the jobs' requirements on them; `None` if all nodes are equal.
    pub unequal: Option<Arc<UnequalNodes>>,
    /// Priorities, limits and preemption; `None` if only the order of the policy matters.
    pub priorities: Option<Arc<SiteSettings>>,
}

impl Conditions {
    /// Returns whether there are no special conditions.
    pub fn is_empty(&self) -> bool {
        *self == Conditions::default()
    }
}
