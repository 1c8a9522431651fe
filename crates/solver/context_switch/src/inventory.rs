//! The inventory of a cluster: nodes, VMs and vjobs.

use crate::amount::Amount;
use crate::vjob::{Vjob, VjobId, Vm, VmId};
use dfrsim_model::NodeId;

/// A node that hosts VMs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Unique name among the nodes.
    pub name: String,
    /// Resources available to VMs.
    pub capacity: Amount,
}

/// Reasons for which nodes, vjobs and VMs do not form a cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// Two items of a kind have the same name.
    #[error("two {kind} have the name `{name}`")]
    SameName {
        /// Kind of the items: `nodes`, `vjobs` or `VMs`.
        kind: &'static str,
        /// Duplicate name.
        name: String,
    },
    /// An amount is negative or above 2^32 - 1.
    #[error("`{name}` has an amount of CPU or memory outside of 0 to 2^32 - 1")]
    Amount {
        /// Name of the node or VM.
        name: String,
    },
    /// A VM belongs to a vjob that does not exist.
    #[error("`{name}` belongs to vjob {vjob}, which does not exist")]
    NoVjob {
        /// Name of the VM.
        name: String,
        /// Number of the missing vjob.
        vjob: u32,
    },
}

/// A resource other than CPU and memory, in integer units, used by VMs while they run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Name, neither `cpu` nor `memory`.
    pub name: String,
    /// Capacity of each node.
    pub nodes: Vec<i64>,
    /// Demand of each VM.
    pub vms: Vec<i64>,
}

/// A [`Cluster`](crate::Cluster) without its constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inventory {
    nodes: Vec<Node>,
    vjobs: Vec<Vjob>,
    pub(crate) vms: Vec<Vm>,
    /// Number of internal CPU units in one unit of files and messages.
    pub(crate) cpu_parts: i64,
    pub(crate) resources: Vec<Resource>,
    /// Initial power state of each node; true if it is on.
    pub(crate) is_on: Vec<bool>,
    /// VMs, sorted by name.
    by_name: Vec<VmId>,
    /// VMs of each vjob, sorted by name.
    of_vjob: Vec<Vec<VmId>>,
}

/// Largest amount: files store amounts in 32 bits.
const MAX_AMOUNT: i64 = u32::MAX as i64;

impl Inventory {
    /// Creates an inventory whose nodes are all on.
    ///
    /// # Errors
    /// Two nodes, vjobs or VMs have the same name, an amount is out of its range, or a VM's vjob
    /// does not exist.
    pub(crate) fn new(nodes: Vec<Node>, vjobs: Vec<Vjob>, vms: Vec<Vm>) -> Result<Inventory, ClusterError> {
        check_distinct("nodes", nodes.iter().map(|node| &node.name))?;
        check_distinct("vjobs", vjobs.iter().map(|vjob| &vjob.name))?;
        check_distinct("VMs", vms.iter().map(|vm| &vm.name))?;
        let amounts = nodes.iter().map(|node| (&node.name, node.capacity));
        for (name, amount) in amounts.chain(vms.iter().map(|vm| (&vm.name, vm.demand))) {
            if !amount.is_viable() || amount.cpu > MAX_AMOUNT || amount.memory > MAX_AMOUNT {
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

    /// Returns the nodes, by number.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
    /// Returns the vjobs in the order of their submission.
    pub fn vjobs(&self) -> &[Vjob] {
        &self.vjobs
    }
    /// Returns the VMs, by number.
    pub fn vms(&self) -> &[Vm] {
        &self.vms
    }
    /// Returns the resources other than CPU and memory.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }
    /// Returns true if `cpu`, `memory` or another resource has this name.
    pub(crate) fn has_resource(&self, name: &str) -> bool {
        matches!(name, "cpu" | "memory") || self.resources.iter().any(|resource| resource.name == name)
    }
    /// Returns the number of internal CPU units in one unit of files and messages.
    pub const fn cpu_parts(&self) -> i64 {
        self.cpu_parts
    }
    /// Returns true if a node is on before the context switch.
    pub fn is_on(&self, node: NodeId) -> bool {
        self.is_on[node.index()]
    }
    /// Returns one node.
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }
    /// Returns one VM.
    pub fn vm(&self, vm: VmId) -> &Vm {
        &self.vms[vm.index()]
    }
    /// Returns the VMs sorted by name: the order in which plans consider them.
    pub fn by_name(&self) -> &[VmId] {
        &self.by_name
    }
    /// Returns the VMs of a vjob, sorted by name.
    pub fn vms_of(&self, vjob: VjobId) -> &[VmId] {
        &self.of_vjob[vjob.index()]
    }
    /// Returns the ids of all nodes.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }
    /// Returns the ids of all vjobs.
    pub fn vjob_ids(&self) -> impl Iterator<Item = VjobId> + use<> {
        (0..self.vjobs.len() as u32).map(VjobId)
    }
}

fn check_distinct<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), ClusterError> {
    let mut names: Vec<&String> = names.collect();
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ClusterError::SameName { kind, name: pair[0].clone() }),
        None => Ok(()),
    }
}
