//! Constraints on the resources that VMs use together.

use super::{Budget, Constraint, Constraints, Rule, Usage};
use crate::inventory::Inventory;
use dfrsim_model::NodeId;
use dfrsim_state::ConstraintKind;
use std::cmp::Reverse;

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

/// Reserve of the largest nodes. It is lowered after all other constraints, since nodes that are off or
/// drained at the end do not count.
pub(super) const SPARE: Rule = Rule {
    lower: |_, _| {},
    violation: |it, viewed| {
        let budgets = spare_budgets(it, viewed.constraints, viewed.cluster, &viewed.constraints.list);
        let mut budgets = budgets.into_iter();
        let (resource, _) = budgets.find(|(_, it)| viewed.usage(&it.usage, &it.nodes) > it.limit)?;
        let largest = if it.amount.in_parts(1) == 1 { "largest node has" } else { "largest nodes have" };
        Some(format!("VMs leave less `{resource}` on these nodes than the {} {largest}", it.amount))
    },
};

/// Returns a budget for each resource that is spared, with the name of the resource: the capacity of the
/// nodes without the largest ones. It is the sum over all of them, so that VMs of a lost node fit into it
/// as a whole, and not necessarily one by one.
pub(super) fn spare_budgets(
    it: &Constraint,
    constraints: &Constraints,
    cluster: &Inventory,
    list: &[Constraint],
) -> Vec<(String, Budget)> {
    let is_drained = |node: NodeId| {
        list.iter().filter(|other| other.kind == ConstraintKind::Ban && other.nodes[0].contains(&node)).any(
            |ban| {
                let mut vms = ban.vms[0].clone();
                vms.sort_unstable();
                vms.dedup();
                vms.len() == cluster.vms().len()
            },
        )
    };
    let mut nodes = it.nodes[0].clone();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.retain(|&node| constraints.node(node).is_on && !is_drained(node));
    let count = it.amount.in_parts(1).max(0) as usize;
    let budget = |name: &str, usage: Usage, has: &dyn Fn(NodeId) -> i64| {
        let effective = |&node: &NodeId| constraints.node(node).effective_capacity(name, has(node));
        let mut amounts: Vec<i64> = nodes.iter().map(effective).collect();
        amounts.sort_unstable_by_key(|amount| Reverse(*amount));
        let limit = amounts.into_iter().skip(count).sum();
        (name.to_owned(), Budget { limit, nodes: nodes.clone(), usage })
    };
    let mut budgets = vec![
        budget("cpu", Usage::Cpu, &|node| cluster.node(node).capacity.cpu),
        budget("memory", Usage::Memory, &|node| cluster.node(node).capacity.memory),
    ];
    budgets.extend(cluster.resources().iter().map(|resource| {
        budget(&resource.name, Usage::Each(resource.vms.clone()), &|node| resource.nodes[node.index()])
    }));
    budgets.retain(|(name, _)| it.resource.is_empty() || it.resource == *name);
    budgets
}

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
