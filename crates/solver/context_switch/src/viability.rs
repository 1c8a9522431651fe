//! Viability of configurations.

use crate::amount::Amount;
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::constraints::Violation;
use crate::vjob::VmId;
use dfrsim_input::Decimal;

/// Reasons for which a configuration is not viable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotViable {
    /// VMs use more CPU or memory of a node than it has.
    #[error("node `{node}` has {} units of CPU and {} MB, but VMs take {} units and {} MB", has.0, has.1, taken.0, taken.1)]
    Overload {
        /// Name of the node.
        node: String,
        /// Capacity: units of CPU and MB.
        has: (Decimal, i64),
        /// Usage: units of CPU and MB.
        taken: (Decimal, i64),
    },
    /// VMs use more of another resource of a node than it has.
    #[error("node `{node}` has {has} of `{resource}`, but VMs take {taken}")]
    Resource {
        /// Name of the node.
        node: String,
        /// Name of the resource.
        resource: String,
        /// Capacity of the node.
        has: i64,
        /// Usage by VMs.
        taken: i64,
    },
    /// A VM is on a node that is off at the end.
    #[error("VM `{vm}` is on node `{node}`, which is off at the end")]
    Off {
        /// Name of the VM.
        vm: String,
        /// Name of the node.
        node: String,
    },
    /// A constraint is violated.
    #[error(transparent)]
    Constraint(#[from] Violation),
}

/// Error: the number of places differs from the number of VMs of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the configuration has places for {places} VMs, but the cluster has {vms}")]
pub struct SizeMismatch {
    /// Number of places in the configuration.
    pub places: usize,
    /// Number of VMs in the cluster.
    pub vms: usize,
}

impl Configuration {
    /// Checks that the configuration has a place for each VM of a cluster.
    pub(crate) fn check_size(&self, cluster: &Cluster) -> Result<(), SizeMismatch> {
        let (places, vms) = (self.places().len(), cluster.vms().len());
        if places == vms { Ok(()) } else { Err(SizeMismatch { places, vms }) }
    }

    /// Returns the free resources of each node; negative where a node is overloaded.
    pub fn free_resources(&self, cluster: &Cluster) -> Vec<Amount> {
        let mut room: Vec<Amount> = cluster.node_ids().map(|node| cluster.capacity(node)).collect();
        for (vm, place) in cluster.vms().iter().zip(self.places()) {
            if let Some(host) = place.host() {
                room[host.index()] -= place.usage(vm);
            }
        }
        room
    }

    /// Returns the free amount of each budget, as memory; negative where VMs exceed it.
    fn free_budgets(&self, cluster: &Cluster) -> Vec<Amount> {
        let constraints = cluster.constraints();
        let limits = constraints.budgets.iter().map(|budget| Amount::new(0, budget.limit));
        let mut room: Vec<Amount> = limits.collect();
        for (vm, place) in (0..).map(VmId).zip(self.places()) {
            constraints.usage(cluster, vm, *place).for_each(|(budget, taken)| room[budget].memory -= taken);
        }
        room
    }

    /// Returns the free amounts of the budgets and of the limits of simultaneous moves, as memory.
    pub(crate) fn free_shared(&self, cluster: &Cluster) -> Vec<Amount> {
        let mut free = self.free_budgets(cluster);
        free.extend(cluster.move_limits().slots(cluster.nodes().len()).map(|slots| Amount::new(0, slots)));
        free
    }

    /// Checks that every running VM has the memory, the CPU and all other resources that it needs
    /// (section 3.2) on a node that is on, and that every placement constraint is satisfied.
    ///
    /// # Errors
    /// The first overloaded node, otherwise a VM on a node that is off, otherwise the first violated
    /// constraint.
    pub fn check(&self, cluster: &Cluster) -> Result<(), NotViable> {
        for (node, room) in cluster.node_ids().zip(self.free_resources(cluster)) {
            if !room.is_viable() {
                let has = cluster.capacity(node);
                let shown =
                    |amount: Amount| (Decimal::of_parts(amount.cpu, cluster.cpu_parts()), amount.memory);
                let node = cluster.node(node).name.clone();
                return Err(NotViable::Overload { node, has: shown(has), taken: shown(has - room) });
            }
        }
        let hosted = cluster.by_name().iter().filter_map(|vm| Some((*vm, self.place(*vm).host()?)));
        let mut is_off = hosted.filter(|(_, node)| !cluster.constraints().node(*node).is_on);
        if let Some((vm, node)) = is_off.next() {
            let (vm, node) = (cluster.vm(vm).name.clone(), cluster.node(node).name.clone());
            return Err(NotViable::Off { vm, node });
        }
        if let Some(broken) = cluster.constraints().first_violation(cluster, self) {
            return Err(broken.into());
        }
        self.check_resources(cluster)
    }

    /// Checks the capacities of nodes for the resources other than CPU and memory.
    fn check_resources(&self, cluster: &Cluster) -> Result<(), NotViable> {
        for resource in cluster.resources() {
            let mut taken = vec![0; cluster.nodes().len()];
            for (vm, place) in (0..).map(VmId).zip(self.places()) {
                if let Place::Running(node) = place {
                    taken[node.index()] += resource.vms[vm.index()];
                }
            }
            for (node, taken) in cluster.node_ids().zip(taken) {
                let has = resource.nodes[node.index()];
                let has = cluster.constraints().node(node).effective_capacity(&resource.name, has);
                if taken > has {
                    let (node, resource) = (cluster.node(node).name.clone(), resource.name.clone());
                    return Err(NotViable::Resource { node, resource, has, taken });
                }
            }
        }
        Ok(())
    }
}
