//! When a configuration is viable.

use crate::amount::Amount;
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::constraints::Broken;
use crate::vjob::VmId;
use dfrsim_input::Decimal;

/// Why a configuration is not viable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotViable {
    /// VMs take more of a node than it has.
    #[error("node `{node}` has {} units of CPU and {} MB, but VMs take {} units and {} MB", has.0, has.1, taken.0, taken.1)]
    Overload {
        /// The node.
        node: String,
        /// What it has: units of CPU and MB.
        has: (Decimal, i64),
        /// The amount that they take.
        taken: (Decimal, i64),
    },
    /// VMs take more of another resource of a node than it has.
    #[error("node `{node}` has {has} of `{resource}`, but VMs take {taken}")]
    Resource {
        /// The node.
        node: String,
        /// The resource.
        resource: String,
        /// What it has.
        has: i64,
        /// The amount that they take.
        taken: i64,
    },
    /// A VM is on a node that is off at the end.
    #[error("VM `{vm}` is on node `{node}`, which is off at the end")]
    Off {
        /// The VM.
        vm: String,
        /// The node.
        node: String,
    },
    /// A constraint does not hold.
    #[error(transparent)]
    Constraint(#[from] Broken),
}

/// A configuration is that of another cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a configuration has places for {places} VMs, but the cluster has {vms}")]
pub struct OtherCluster {
    /// For how many VMs the configuration has a place.
    pub places: usize,
    /// How many there are.
    pub vms: usize,
}

impl Configuration {
    /// Whether there is a place for each VM of a cluster.
    pub(crate) fn is_of(&self, cluster: &Cluster) -> Result<(), OtherCluster> {
        let (places, vms) = (self.places().len(), cluster.vms().len());
        if places == vms { Ok(()) } else { Err(OtherCluster { places, vms }) }
    }

    /// The free resources of each node; negative where it is overloaded.
    pub fn room(&self, cluster: &Cluster) -> Vec<Amount> {
        let mut room: Vec<Amount> = cluster.node_ids().map(|node| cluster.capacity(node)).collect();
        for (vm, place) in cluster.vms().iter().zip(self.places()) {
            if let Some(host) = place.host() {
                room[host.index()] -= place.taken(vm);
            }
        }
        room
    }

    /// The free part of each budget, as memory; negative where VMs take too much.
    pub(crate) fn budget_room(&self, cluster: &Cluster) -> Vec<Amount> {
        let constraints = cluster.constraints();
        let limits = constraints.budgets.iter().map(|budget| Amount::new(0, budget.limit));
        let mut room: Vec<Amount> = limits.collect();
        for (vm, place) in (0..).map(VmId).zip(self.places()) {
            constraints.taken(cluster, vm, *place).for_each(|(budget, taken)| room[budget].memory -= taken);
        }
        room
    }

    /// Whether every VM that runs has the memory, the CPU and all other resources that it needs (section 3.2), on a
    /// node that is on, and every constraint about places holds.
    ///
    /// # Errors
    /// The first node that is overloaded, else a VM on a node that is off, else the first constraint that is broken.
    pub fn check(&self, cluster: &Cluster) -> Result<(), NotViable> {
        for (node, room) in cluster.node_ids().zip(self.room(cluster)) {
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
        if let Some(broken) = cluster.constraints().broken(cluster, self) {
            return Err(broken.into());
        }
        self.check_resources(cluster)
    }

    /// Whether nodes have enough of the resources beyond CPU and memory.
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
                let has = cluster.constraints().node(node).may_take(&resource.name, has);
                if taken > has {
                    let (node, resource) = (cluster.node(node).name.clone(), resource.name.clone());
                    return Err(NotViable::Resource { node, resource, has, taken });
                }
            }
        }
        Ok(())
    }
}
