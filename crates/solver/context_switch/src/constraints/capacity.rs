//! Constraints on the resources that VMs use together.

use super::{Budget, Constraint, Rule, Usage};
use crate::inventory::Inventory;

pub(super) const RUNNING_CAPACITY: Rule = Rule {
    lower: |it, to| {
        to.add_budget(Budget { limit: it.amount.in_parts(1), nodes: it.nodes[0].clone(), usage: Usage::One });
    },
    violation: |it, viewed| {
        let running = viewed.usage(&Usage::One, &it.nodes[0]);
        (running > it.amount.in_parts(1))
            .then(|| format!("{running} VMs run on these nodes; at most {} may", it.amount))
    },
};

pub(super) const RESOURCE_CAPACITY: Rule = Rule {
    lower: |it, to| {
        if let Some(taken) = taken(it, to.cluster) {
            to.add_budget(Budget { limit: limit(it, to.cluster), nodes: it.nodes[0].clone(), usage: taken });
        }
    },
    violation: |it, viewed| {
        let taken = viewed.usage(&taken(it, viewed.cluster)?, &it.nodes[0]);
        let is_over = taken > limit(it, viewed.cluster);
        is_over.then(|| format!("VMs use more `{}` of these nodes than {}", it.resource, it.amount))
    },
};

/// Lowers overbooking to capacity ratios of nodes; the capacity check applies them to all VMs
/// together.
pub(super) const OVERBOOK: Rule = Rule::without_placement(|it, to| {
    for node in it.all_nodes() {
        let ratios = &mut to.node(*node).ratios;
        match ratios.iter_mut().find(|(resource, _)| *resource == it.resource) {
            Some((_, ratio)) => *ratio = it.amount.min(*ratio),
            None => ratios.push((it.resource.clone(), it.amount)),
        }
    }
});

/// Lowers to nothing: the reader of the file has already raised the demands of the VMs.
pub(super) const PRESERVE: Rule = Rule::without_placement(|_, _| {});

/// Returns the usage that the constraint limits; `None` if no resource has this name.
fn taken(it: &Constraint, cluster: &Inventory) -> Option<Usage> {
    match &*it.resource {
        "cpu" => Some(Usage::Cpu),
        "memory" => Some(Usage::Memory),
        name => {
            let found = cluster.resources().iter().find(|resource| resource.name == name)?;
            Some(Usage::Each(found.vms.clone()))
        }
    }
}

fn limit(it: &Constraint, cluster: &Inventory) -> i64 {
    it.amount.in_parts(if it.resource == "cpu" { cluster.cpu_parts() } else { 1 })
}
