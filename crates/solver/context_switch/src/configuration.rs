//! Where every VM is.

use crate::amount::Amount;
use crate::vjob::{Vm, VmId};
use dfrsim_model::NodeId;
use dfrsim_state::VmState;

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

impl Place {
    /// The place of a VM in a state, on this node if the state needs one; `None` if it needs one and there is none.
    #[must_use]
    pub fn of(state: VmState, node: Option<NodeId>) -> Option<Place> {
        match state {
            VmState::Waiting => Some(Place::Waiting),
            VmState::Running => node.map(Place::Running),
            VmState::Sleeping => node.map(Place::Sleeping),
            VmState::Dozing => node.map(Place::Dozing),
            VmState::Terminated => Some(Place::Terminated),
        }
    }
    /// The state.
    #[must_use]
    pub const fn state(self) -> VmState {
        match self {
            Place::Waiting => VmState::Waiting,
            Place::Running(_) => VmState::Running,
            Place::Sleeping(_) => VmState::Sleeping,
            Place::Dozing(_) => VmState::Dozing,
            Place::Terminated => VmState::Terminated,
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

/// The place of every VM of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    places: Vec<Place>,
}

impl Configuration {
    /// A configuration with a place for each VM of the cluster, in their order.
    pub const fn new(places: Vec<Place>) -> Configuration {
        Configuration { places }
    }
    /// The places, in the order of the VMs.
    pub fn places(&self) -> &[Place] {
        &self.places
    }
    /// Where a VM is.
    pub fn place(&self, vm: VmId) -> Place {
        self.places[vm.index()]
    }
    /// Puts a VM somewhere else.
    pub fn set(&mut self, vm: VmId, place: Place) {
        self.places[vm.index()] = place;
    }
}
