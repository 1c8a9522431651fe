//! Rules by which tasks wait for later pools although they fit earlier.

use crate::cluster::Cluster;
use crate::vjob::VmId;

/// Rules by which tasks wait for later pools although they fit earlier. Searches vary them for
/// cheaper plans.
#[derive(Clone, Debug)]
pub(crate) struct PlanPolicy {
    /// Upper limits on the costs of tasks in the first pools; later pools have no limit.
    pub(crate) thresholds: Vec<u64>,
    /// True for VMs that must not act before the first pool with a cost has ended.
    pub(crate) delayed: Vec<bool>,
}

impl PlanPolicy {
    /// Creates the policy under which no task waits.
    pub(crate) fn new(cluster: &Cluster) -> PlanPolicy {
        PlanPolicy { thresholds: Vec::new(), delayed: vec![false; cluster.vms().len()] }
    }

    /// Delays a VM, or no longer.
    pub(crate) fn set_delayed(&mut self, vm: VmId, is_delayed: bool) {
        self.delayed[vm.index()] = is_delayed;
    }

    pub(super) fn is_delayed(&self, vm: VmId) -> bool {
        self.delayed[vm.index()]
    }

    pub(super) fn has_delays(&self) -> bool {
        self.delayed.contains(&true)
    }

    /// Returns the largest cost of a task in a pool, given how many pools were tried before.
    pub(super) fn threshold(&self, level: usize) -> u64 {
        self.thresholds.get(level).copied().unwrap_or(u64::MAX)
    }
}
