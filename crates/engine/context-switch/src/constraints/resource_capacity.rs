//! A limit on what VMs take of a resource on some nodes.

use super::{Budget, Constraint, Lowering, Rule, Taken, Viewed};
use crate::inventory::Inventory;

pub(super) const RULE: Rule = Rule { lower, broken };

/// The amount that VMs take of the resource, if there is one of this name.
fn taken(it: &Constraint, cluster: &Inventory) -> Option<Taken> {
    match &*it.resource {
        "cpu" => Some(Taken::Cpu),
        "memory" => Some(Taken::Memory),
        name => {
            let found = cluster.resources().iter().find(|resource| resource.name == name)?;
            Some(Taken::Each(found.vms.clone()))
        }
    }
}

fn limit(it: &Constraint, cluster: &Inventory) -> i64 {
    it.amount.in_parts(if it.resource == "cpu" { cluster.cpu_parts() } else { 1 })
}

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    if let Some(taken) = taken(it, to.cluster) {
        to.lowered.share(Budget { limit: limit(it, to.cluster), nodes: it.nodes[0].clone(), taken });
    }
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    let taken = viewed.taken(&taken(it, viewed.cluster)?, &it.nodes[0]);
    let is_over = taken > limit(it, viewed.cluster);
    is_over.then(|| format!("VMs take more `{}` of these nodes than {}", it.resource, it.amount))
}
