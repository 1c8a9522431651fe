//! Nodes that no VM enters or leaves.

use super::{Constraint, Lowering, Rule, Viewed};
use crate::vjob::VmId;
use dfrsim_model::NodeId;

pub(super) const RULE: Rule = Rule { lower, broken };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    let nodes = to.sets.of(&it.nodes[0]);
    for (vm, place) in (0..).map(VmId).zip(to.current.places()) {
        match place.host().filter(|host| nodes.has(*host)) {
            Some(host) => to.lowered.roots[vm.index()] = Some(host),
            None => to.lowered.restrict(&[vm], &nodes, false),
        }
    }
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    let is_inside = |node: &NodeId| it.nodes[0].contains(node);
    viewed.all().find_map(|vm| {
        let host = viewed.host(vm)?;
        let root = viewed.root(vm).filter(is_inside);
        let is_wrong = if root.is_some() { root != Some(host) } else { is_inside(&host) };
        is_wrong.then(|| format!("{} is on {}", viewed.vm(vm), viewed.node(host)))
    })
}
