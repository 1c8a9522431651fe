//! What VMs take of nodes together.

use super::{Budget, Constraint, Rule, Taken};
use crate::inventory::Inventory;

pub(super) const RUNNING_CAPACITY: Rule = Rule {
    lower: |it, to| {
        to.share(Budget { limit: it.amount.in_parts(1), nodes: it.nodes[0].clone(), taken: Taken::One });
    },
    broken: |it, viewed| {
        let running = viewed.taken(&Taken::One, &it.nodes[0]);
        (running > it.amount.in_parts(1))
            .then(|| format!("{running} VMs run on these nodes, and {} may", it.amount))
    },
};

pub(super) const RESOURCE_CAPACITY: Rule = Rule {
    lower: |it, to| {
        if let Some(taken) = taken(it, to.cluster) {
            to.share(Budget { limit: limit(it, to.cluster), nodes: it.nodes[0].clone(), taken });
        }
    },
    broken: |it, viewed| {
        let taken = viewed.taken(&taken(it, viewed.cluster)?, &it.nodes[0]);
        let is_over = taken > limit(it, viewed.cluster);
        is_over.then(|| format!("VMs take more `{}` of these nodes than {}", it.resource, it.amount))
    },
};

/// Capacities are checked for all VMs together.
pub(super) const OVERBOOK: Rule = Rule::not_of_places(|it, to| {
    for node in it.all_nodes() {
        let ratios = &mut to.node(*node).ratios;
        match ratios.iter_mut().find(|(resource, _)| *resource == it.resource) {
            Some((_, ratio)) => *ratio = it.amount.min(*ratio),
            None => ratios.push((it.resource.clone(), it.amount)),
        }
    }
});

/// What VMs need is raised where they are read.
pub(super) const PRESERVE: Rule = Rule::not_of_places(|_, _| {});

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
