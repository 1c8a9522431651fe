//! Nodes with VMs and vjobs.

use crate::amount::Amount;
use crate::relations::Relations;
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

/// Why nodes, vjobs and VMs are no cluster.
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

/// What stands still in a context switch: nodes, vjobs, VMs and their placement relations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    nodes: Vec<Node>,
    vjobs: Vec<Vjob>,
    vms: Vec<Vm>,
    relations: Relations,
    /// The VMs by name.
    by_name: Vec<VmId>,
    /// The VMs of each vjob, by name.
    of_vjob: Vec<Vec<VmId>>,
}

/// Files have 32 bits for an amount.
const MOST: i64 = u32::MAX as i64;

impl Cluster {
    /// A cluster without placement relations.
    ///
    /// # Errors
    /// Two nodes, vjobs or VMs have the same name, an amount is out of its range, or a VM's vjob does not exist.
    pub fn new(nodes: Vec<Node>, vjobs: Vec<Vjob>, vms: Vec<Vm>) -> Result<Cluster, ClusterError> {
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
        let relations = Relations::none(vms.len());
        Ok(Cluster { nodes, vjobs, vms, relations, by_name, of_vjob })
    }

    /// This cluster with placement relations.
    #[must_use]
    pub fn with_relations(mut self, relations: Relations) -> Cluster {
        self.relations = relations;
        self
    }

    /// The nodes.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
    /// The vjobs in the order of their submission.
    #[must_use]
    pub fn vjobs(&self) -> &[Vjob] {
        &self.vjobs
    }
    /// The VMs.
    #[must_use]
    pub fn vms(&self) -> &[Vm] {
        &self.vms
    }
    /// Where VMs may stand relative to each other and to nodes.
    #[must_use]
    pub const fn relations(&self) -> &Relations {
        &self.relations
    }
    /// One node.
    #[must_use]
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }
    /// One VM.
    #[must_use]
    pub fn vm(&self, vm: VmId) -> &Vm {
        &self.vms[vm.index()]
    }
    /// The VMs by name: the order in which plans consider them.
    #[must_use]
    pub fn by_name(&self) -> &[VmId] {
        &self.by_name
    }
    /// The VMs of a vjob, by name.
    #[must_use]
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

    /// Replaces what a VM needs of the CPU, as it is observed from now on.
    pub fn observe_cpu(&mut self, vm: VmId, cpu: u32) {
        self.vms[vm.index()].demand.cpu = i64::from(cpu);
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
