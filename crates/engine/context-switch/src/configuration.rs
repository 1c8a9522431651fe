//! Where every VM is: configurations, and when they are viable.

use crate::amount::Amount;
use crate::cluster::Cluster;
use crate::constraints::Broken;
use crate::decimal::Decimal;
use crate::vjob::{Vm, VmId};
use dfrsim_model::NodeId;

/// Where a VM is in its life (section 2.2, figure 2), and on which node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// It was never run.
    Waiting,
    /// It runs on this node, and takes memory and CPU there.
    Running(NodeId),
    /// It was suspended to the disk of this node and uses no resources.
    Sleeping(NodeId),
    /// It was suspended to the RAM of this node (section 7) and takes memory there, but no CPU.
    Dozing(NodeId),
    /// It was stopped.
    Terminated,
}

/// The state of a VM without its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// See [`Place::Waiting`].
    Waiting,
    /// See [`Place::Running`].
    Running,
    /// See [`Place::Sleeping`].
    Sleeping,
    /// See [`Place::Dozing`].
    Dozing,
    /// See [`Place::Terminated`].
    Terminated,
}

impl Place {
    /// The state.
    #[must_use]
    pub const fn state(self) -> State {
        match self {
            Place::Waiting => State::Waiting,
            Place::Running(_) => State::Running,
            Place::Sleeping(_) => State::Sleeping,
            Place::Dozing(_) => State::Dozing,
            Place::Terminated => State::Terminated,
        }
    }
    /// The node on which the VM or its image is.
    #[must_use]
    pub const fn node(self) -> Option<NodeId> {
        match self {
            Place::Running(node) | Place::Sleeping(node) | Place::Dozing(node) => Some(node),
            Place::Waiting | Place::Terminated => None,
        }
    }
    /// The node whose memory the VM takes.
    #[must_use]
    pub const fn host(self) -> Option<NodeId> {
        match self {
            Place::Running(node) | Place::Dozing(node) => Some(node),
            Place::Waiting | Place::Sleeping(_) | Place::Terminated => None,
        }
    }
    /// The amount that a VM takes of its host there.
    #[must_use]
    pub const fn taken(self, vm: &Vm) -> Amount {
        match self {
            Place::Running(_) => vm.demand,
            Place::Dozing(_) => Amount::new(0, vm.demand.memory),
            Place::Waiting | Place::Sleeping(_) | Place::Terminated => Amount::NONE,
        }
    }
}

impl State {
    /// Every state with its name.
    pub const NAMED: [(State, &'static str); 5] = [
        (State::Waiting, "waiting"),
        (State::Running, "running"),
        (State::Sleeping, "sleeping"),
        (State::Dozing, "dozing"),
        (State::Terminated, "terminated"),
    ];

    /// The name, as in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMED[self as usize].1
    }

    /// The place in this state, on this node if it needs one; `None` if it needs one and there is none.
    #[must_use]
    pub fn at(self, node: Option<NodeId>) -> Option<Place> {
        match self {
            State::Waiting => Some(Place::Waiting),
            State::Running => node.map(Place::Running),
            State::Sleeping => node.map(Place::Sleeping),
            State::Dozing => node.map(Place::Dozing),
            State::Terminated => Some(Place::Terminated),
        }
    }
}

/// The place of every VM of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    places: Vec<Place>,
}

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

impl Configuration {
    /// A configuration with a place for each VM of the cluster, in their order.
    #[must_use]
    pub const fn new(places: Vec<Place>) -> Configuration {
        Configuration { places }
    }
    /// The places, in the order of the VMs.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }
    /// Where a VM is.
    #[must_use]
    pub fn place(&self, vm: VmId) -> Place {
        self.places[vm.index()]
    }
    /// Puts a VM somewhere else.
    pub fn set(&mut self, vm: VmId, place: Place) {
        self.places[vm.index()] = place;
    }

    /// The free resources of each node; negative where it is overloaded.
    #[must_use]
    pub fn room(&self, cluster: &Cluster) -> Vec<Amount> {
        let mut room: Vec<Amount> = cluster.node_ids().map(|node| cluster.capacity(node)).collect();
        for (vm, place) in cluster.vms().iter().zip(&self.places) {
            if let Some(host) = place.host() {
                room[host.index()] -= place.taken(vm);
            }
        }
        room
    }

    /// The free part of each budget; negative where VMs take too much.
    pub(crate) fn budget_room(&self, cluster: &Cluster) -> Vec<i64> {
        let budgets = cluster.constraints().budgets();
        let mut room: Vec<i64> = budgets.iter().map(|budget| budget.limit).collect();
        for (vm, place) in (0..).map(VmId).zip(&self.places) {
            for &budget in place.host().map_or(&[][..], |host| cluster.constraints().budgets_of(host)) {
                room[budget] -= budgets[budget].taken.by(vm, cluster.vm(vm), *place);
            }
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
        let mut is_off = hosted.filter(|(_, node)| !cluster.constraints().is_on(*node));
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
            for (vm, place) in (0..).map(VmId).zip(&self.places) {
                if let Place::Running(node) = place {
                    taken[node.index()] += resource.vms[vm.index()];
                }
            }
            for (node, taken) in cluster.node_ids().zip(taken) {
                let has = resource.nodes[node.index()];
                let ratio = cluster.constraints().ratio(node, &resource.name);
                let has = ratio.map_or(has, |ratio| ratio.times(has));
                if taken > has {
                    let (node, resource) = (cluster.node(node).name.clone(), resource.name.clone());
                    return Err(NotViable::Resource { node, resource, has, taken });
                }
            }
        }
        Ok(())
    }
}
