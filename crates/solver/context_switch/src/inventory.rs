//! Nodes with VMs and vjobs.

use crate::amount::Amount;
use crate::vjob::{Vjob, VjobId, Vm, VmId};
use dfrsim_model::NodeId;

/// A node that hosts VMs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name, unlike those of all other nodes.
    pub name: String,
    /// What it has for VMs.
    pub capacity: Amount,
}

/// Why nodes, vjobs and VMs are not a cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// Two of a kind have the same name.
    #[error("two {kind} have the name `{name}`")]
    SameName {
        /// `nodes`, `vjobs` or `VMs`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// An amount is negative or above 2^32 - 1.
    #[error("`{name}` has an amount below 0 or above 2^32 - 1")]
    Amount {
        /// The node or the VM.
        name: String,
    },
    /// A VM belongs to a vjob that does not exist.
    #[error("`{name}` belongs to vjob {vjob}, which does not exist")]
    NoVjob {
        /// The VM.
        name: String,
        /// The vjob's number.
        vjob: u32,
    },
}

/// A resource beyond CPU and memory, in whole units: VMs take it while they run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its name, neither `cpu` nor `memory`.
    pub name: String,
    /// The capacity of each node.
    pub nodes: Vec<i64>,
    /// The amount that each VM needs.
    pub vms: Vec<i64>,
}

/// What a [`Cluster`](crate::Cluster) has beside its constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inventory {
    nodes: Vec<Node>,
    vjobs: Vec<Vjob>,
    pub(crate) vms: Vec<Vm>,
    /// How many units of amounts make one unit of CPU in files and messages.
    pub(crate) cpu_parts: i64,
    pub(crate) resources: Vec<Resource>,
    /// Whether each node is on to begin with.
    pub(crate) is_on: Vec<bool>,
    /// The VMs by name.
    by_name: Vec<VmId>,
    /// The VMs of each vjob, by name.
    of_vjob: Vec<Vec<VmId>>,
}

/// Files have 32 bits for an amount.
const MOST: i64 = u32::MAX as i64;

impl Inventory {
    /// Those whose nodes are on.
    ///
    /// # Errors
    /// Two nodes, vjobs or VMs have the same name, an amount is out of its range, or a VM's vjob does not exist.
    pub(crate) fn new(nodes: Vec<Node>, vjobs: Vec<Vjob>, vms: Vec<Vm>) -> Result<Inventory, ClusterError> {
        differ("nodes", nodes.iter().map(|node| &node.name))?;
        differ("vjobs", vjobs.iter().map(|vjob| &vjob.name))?;
        differ("VMs", vms.iter().map(|vm| &vm.name))?;
        let amounts = nodes.iter().map(|node| (&node.name, node.capacity));
        for (name, amount) in amounts.chain(vms.iter().map(|vm| (&vm.name, vm.demand))) {
            if !amount.is_viable() || amount.cpu > MOST || amount.memory > MOST {
                return Err(ClusterError::Amount { name: name.clone() });
            }
        }
        let mut by_name: Vec<VmId> = (0..vms.len() as u32).map(VmId).collect();
        by_name.sort_by(|a, b| vms[a.index()].name.cmp(&vms[b.index()].name));
        let mut of_vjob = vec![Vec::new(); vjobs.len()];
        for &vm in &by_name {
            let Vm { name, vjob, .. } = &vms[vm.index()];
            let Some(members) = of_vjob.get_mut(vjob.index()) else {
                return Err(ClusterError::NoVjob { name: name.clone(), vjob: vjob.0 });
            };
            members.push(vm);
        }
        let is_on = vec![true; nodes.len()];
        Ok(Inventory { nodes, vjobs, vms, cpu_parts: 1, resources: Vec::new(), is_on, by_name, of_vjob })
    }

    /// The nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
    /// The vjobs in the order of their submission.
    pub fn vjobs(&self) -> &[Vjob] {
        &self.vjobs
    }
    /// The VMs.
    pub fn vms(&self) -> &[Vm] {
        &self.vms
    }
    /// The resources beyond CPU and memory.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }
    /// Whether `cpu`, `memory` or another resource has this name.
    pub(crate) fn has_resource(&self, name: &str) -> bool {
        matches!(name, "cpu" | "memory") || self.resources.iter().any(|resource| resource.name == name)
    }
    /// How many units of amounts make one unit of CPU in files and messages.
    pub const fn cpu_parts(&self) -> i64 {
        self.cpu_parts
    }
    /// Whether a node is on to begin with.
    pub fn is_on(&self, node: NodeId) -> bool {
        self.is_on[node.index()]
    }
    /// One node.
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }
    /// One VM.
    pub fn vm(&self, vm: VmId) -> &Vm {
        &self.vms[vm.index()]
    }
    /// The VMs by name: the order in which plans consider them.
    pub fn by_name(&self) -> &[VmId] {
        &self.by_name
    }
    /// The VMs of a vjob, by name.
    pub fn vms_of(&self, vjob: VjobId) -> &[VmId] {
        &self.of_vjob[vjob.index()]
    }
    /// All nodes by number.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }
    /// All vjobs by number.
    pub fn vjob_ids(&self) -> impl Iterator<Item = VjobId> + use<> {
        (0..self.vjobs.len() as u32).map(VjobId)
    }
}

fn differ<'a>(kind: &'static str, names: impl Iterator<Item = &'a String>) -> Result<(), ClusterError> {
    let mut names: Vec<&String> = names.collect();
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ClusterError::SameName { kind, name: pair[0].clone() }),
        None => Ok(()),
    }
}
