//! A limit on what VMs take of a resource on some nodes.

use super::{Budget, Lowered, Taken, Translate, Viewed};
use crate::decimal::Decimal;
use crate::inventory::Inventory;
use dfrsim_model::NodeId;
use serde::{Deserialize, Serialize};

/// VMs take at most `limit` of a resource of these nodes together, at any moment. What a VM that moves from one of them to
/// another takes counts once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceCapacity<N = NodeId> {
    /// The nodes.
    pub nodes: Vec<N>,
    /// `cpu`, `memory`, or another one that nodes have.
    pub resource: String,
    /// How much of it.
    pub limit: Decimal,
}

impl ResourceCapacity {
    /// The amount that VMs take of the resource, if there is one of this name.
    fn taken(&self, cluster: &Inventory) -> Option<Taken> {
        match &*self.resource {
            "cpu" => Some(Taken::Cpu),
            "memory" => Some(Taken::Memory),
            name => {
                let found = cluster.resources().iter().find(|resource| resource.name == name)?;
                Some(Taken::Each(found.vms.clone()))
            }
        }
    }

    fn limit(&self, cluster: &Inventory) -> i64 {
        self.limit.in_parts(if self.resource == "cpu" { cluster.cpu_parts() } else { 1 })
    }

    pub(super) fn lower(&self, lowered: &mut Lowered, cluster: &Inventory) {
        if let Some(taken) = self.taken(cluster) {
            lowered.share(Budget { limit: self.limit(cluster), nodes: self.nodes.clone(), taken });
        }
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        let taken = viewed.taken(&self.taken(viewed.cluster)?, &self.nodes);
        let is_over = taken > self.limit(viewed.cluster);
        is_over.then(|| format!("VMs take more `{}` of these nodes than {}", self.resource, self.limit))
    }
}

impl<N> ResourceCapacity<N> {
    pub(super) fn map<V, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> ResourceCapacity<M> {
        to.resource("resource", &self.resource);
        let nodes = to.nodes("nodes", &self.nodes);
        ResourceCapacity { nodes, resource: self.resource.clone(), limit: self.limit }
    }
}
