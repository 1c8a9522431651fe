//! Configurations: the place of every VM.

use crate::amount::Amount;
use crate::vjob::{Vm, VmId};
use dfrsim_model::NodeId;
use dfrsim_state::VmState;

/// The state of a VM in its life cycle (section 2.2, figure 2) and its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Never run so far.
    Waiting,
    /// Running on this node, using memory and CPU there.
    Running(NodeId),
    /// Suspended to the disk of this node, using no resources.
    Sleeping(NodeId),
    /// Suspended to the RAM of this node (section 7), using memory there, but no CPU.
    Dozing(NodeId),
    /// Stopped.
    Terminated,
}

impl Place {
    /// Returns the place of a VM in a state; `None` if the state needs a node and `node` is `None`.
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
    /// Returns the state without the node.
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
    /// Returns the node that has the VM or its image.
    #[must_use]
    pub const fn node(self) -> Option<NodeId> {
        match self {
            Place::Running(node) | Place::Sleeping(node) | Place::Dozing(node) => Some(node),
            Place::Waiting | Place::Terminated => None,
        }
    }
    /// Returns the node whose memory the VM uses.
    #[must_use]
    pub const fn host(self) -> Option<NodeId> {
        match self {
            Place::Running(node) | Place::Dozing(node) => Some(node),
            Place::Waiting | Place::Sleeping(_) | Place::Terminated => None,
        }
    }
    /// Returns the amount of its host that a VM uses in this place.
    #[must_use]
    pub const fn usage(self, vm: &Vm) -> Amount {
        match self {
            Place::Running(_) => vm.demand,
            Place::Dozing(_) => Amount::new(0, vm.demand.memory),
            Place::Waiting | Place::Sleeping(_) | Place::Terminated => Amount::NONE,
        }
    }
}

/// Places of all VMs of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    places: Vec<Place>,
}

impl Configuration {
    /// Creates a configuration from a place for each VM of the cluster, in the order of VM numbers.
    pub const fn new(places: Vec<Place>) -> Configuration {
        Configuration { places }
    }
    /// Returns the places, in the order of VM numbers.
    pub fn places(&self) -> &[Place] {
        &self.places
    }
    /// Returns the place of a VM.
    pub fn place(&self, vm: VmId) -> Place {
        self.places[vm.index()]
    }
    /// Sets the place of a VM.
    pub fn set(&mut self, vm: VmId, place: Place) {
        self.places[vm.index()] = place;
    }
}
